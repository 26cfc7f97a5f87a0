/** Identities with certificates: of the network itself, by enrollment, and of CAs that are registered and verified. */
import { expectStatus } from './client.js';
import type { Answer, Client } from './client.js';
import { createCertificateClient, makeCa, makeLeaf, makeRequest } from './certificates.js';
import type { CaOptions, TestCertificate, TestKeys } from './certificates.js';
import { unique } from './controller.js';
import type { Caller, TestController } from './controller.js';
import { CLIENT, MANAGEMENT } from './paths.js';

/** What a TLS handshake shows, in PEM, and the authenticator it belongs to. */
export interface Certified {
  readonly authenticatorId: string;
  readonly shown: { readonly cert: string; readonly key: string };
  readonly keys: TestKeys;
}

const idOf = (answer: Answer): string => (answer.data as { id: string }).id;

/** A further certificate of the network for an identity. */
export async function enrollByRequest(
  controller: Pick<TestController, 'admin' | 'anonymous'>,
  identityId: string,
  keys?: TestKeys,
): Promise<Certified> {
  const { admin, anonymous } = controller;
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const enrollmentId = idOf(
    expectStatus(await admin.post(`${MANAGEMENT}/enrollments`, { method: 'ott', identityId, expiresAt }), 201),
  );
  const { token } = expectStatus(await admin.get(`${MANAGEMENT}/enrollments/${enrollmentId}`), 200).data as {
    token: string;
  };
  const known = await certificatesOf(controller, identityId);
  const request = makeRequest(keys === undefined ? {} : { keys });
  const answer = expectStatus(await anonymous.post(`${CLIENT}/enroll/ott`, { token, clientCsr: request.pem }), 200);
  const { cert } = answer.data as { cert: string };
  const authenticatorId = (await certificatesOf(controller, identityId)).find((id) => !known.includes(id)) ?? '';
  return { authenticatorId, shown: { cert, key: request.privateKeyPem }, keys: request.keys };
}

async function certificatesOf({ admin }: Pick<TestController, 'admin'>, identityId: string): Promise<string[]> {
  const answer = expectStatus(
    await admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators?filter=method%3D%22cert%22`),
    200,
  );
  return (answer.data as { id: string }[]).map(({ id }) => id);
}

export interface CertifiedCaller extends Caller, Certified {
  /** The caller's session, by password, over a connection that shows the certificate. */
  readonly certified: Client;
}

/** A caller with a password and a certificate of the network. Close `certified` when done. */
export async function newCertifiedCaller(controller: TestController): Promise<CertifiedCaller> {
  const caller = await controller.newCaller();
  const own = await enrollByRequest(controller, caller.id);
  return { ...caller, ...own, certified: createCertificateClient(controller.url, own.shown, caller.client.token) };
}

/** Enrolls a router that was made, with its token. */
export async function enrollRouter(
  { admin, anonymous }: Pick<TestController, 'admin' | 'anonymous'>,
  id: string,
): Promise<void> {
  const { enrollmentToken } = expectStatus(await admin.get(`${MANAGEMENT}/edge-routers/${id}`), 200).data as {
    enrollmentToken: string;
  };
  const requests = { certCsr: makeRequest({ commonName: id }).pem, serverCertCsr: makeRequest().pem };
  expectStatus(await anonymous.post(`${CLIENT}/enroll?token=${enrollmentToken}`, requests), 200);
}

/** A CA that is registered and verified. */
export async function newVerifiedCa(
  { admin }: Pick<TestController, 'admin'>,
  settings: object = {},
  options: CaOptions = {},
): Promise<{ id: string; ca: TestCertificate }> {
  const ca = makeCa(options);
  const id = idOf(
    expectStatus(
      await admin.post(`${MANAGEMENT}/cas`, {
        name: unique('ca'),
        certPem: ca.pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
        ...settings,
      }),
      201,
    ),
  );
  const { verificationToken } = expectStatus(await admin.get(`${MANAGEMENT}/cas/${id}`), 200).data as {
    verificationToken: string;
  };
  const proof = makeLeaf(ca, { commonName: verificationToken });
  expectStatus(
    await admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, {
      rawBody: proof.pem,
      headers: { 'content-type': 'text/plain' },
    }),
    200,
  );
  return { id, ca };
}

/** Logs in by certificate, over a connection of its own that shows it. */
export async function tryCertificateLogin(
  controller: TestController,
  shown: { cert: string; key: string },
): Promise<Answer> {
  const client = createCertificateClient(controller.url, shown);
  try {
    return await client.post(`${CLIENT}/authenticate?method=cert`, {});
  } finally {
    client.close();
  }
}
