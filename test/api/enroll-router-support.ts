/** What the suites of routers' enrollment share: routers, their requests, and clients that show their certificates. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { createCertificateClient, makeRequest } from '../support/certificates.js';
import type { TestSigningRequest } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { CLIENT } from '../support/paths.js';

export interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly serverCert: string;
}
export type Kind = 'edge-routers' | 'transit-routers';
export interface Enrolled {
  readonly id: string;
  readonly token: string;
  readonly client: TestSigningRequest;
  readonly certs: Certificates;
}

/** A controller with names that no router may have, for the suite in which this is called. */
export function useRouterEnrollments() {
  let controller: TestController;
  const clients: Client[] = [];
  before(async () => {
    controller = await startTestController({
      EDGE_ADVERTISE: 'ctrl.example:1280',
      EDGE_TLS_NAMES: 'console.example,10.9.8.7',
    });
  });
  after(async () => {
    clients.forEach((client) => {
      client.close();
    });
    await controller.stop();
  });

  const router = async (kind: Kind = 'edge-routers'): Promise<{ id: string; token: string }> => {
    const id = await make(controller, kind, { name: unique('router') });
    return { id, token: (await read(controller, `${kind}/${id}`))['enrollmentToken'] as string };
  };
  const post = async (path: string, body?: object): Promise<Answer> =>
    controller.anonymous.post(`${CLIENT}/${path}`, body);
  const requestsOf = (id: string, names = {}) => ({
    certCsr: makeRequest({ commonName: id }).pem,
    serverCertCsr: makeRequest({ names }).pem,
  });
  const enroll = async (token: string, body: object): Promise<Answer> => post(`enroll?token=${token}`, body);
  const certsOf = (answer: Answer): Certificates => expectStatus(answer, 200).data as Certificates;
  const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
  const enrolled = async (kind: Kind = 'edge-routers'): Promise<Enrolled> => {
    const { id, token } = await router(kind);
    const client = makeRequest({ commonName: id });
    return {
      id,
      token,
      client,
      certs: certsOf(await enroll(token, { certCsr: client.pem, serverCertCsr: makeRequest().pem })),
    };
  };
  const showing = (cert: string, key: string): Client => {
    const client = createCertificateClient(controller.url, { cert, key });
    clients.push(client);
    return client;
  };
  const extendAs = async (client: Client, body: object): Promise<Answer> =>
    client.post(`${CLIENT}/enroll/extend/router`, body);
  const isUnused = async (kind: Kind, { id, token }: { id: string; token: string }): Promise<void> => {
    expect(await read(controller, `${kind}/${id}`)).to.include({
      enrollmentToken: token,
      fingerprint: null,
      isVerified: false,
    });
  };

  return {
    controller: () => controller,
    router,
    post,
    requestsOf,
    enroll,
    certsOf,
    fingerprintOf,
    enrolled,
    showing,
    extendAs,
    isUnused,
  };
}
