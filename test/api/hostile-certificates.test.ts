/**
 * Attacks with certificates that get another owner while a connection stays open, extensions that many ask for, and CAs
 * in disguise.
 */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { toPem } from '../../domain/pki/pem.js';
import { entityOf, itemsOf } from '../support/entities.js';
import { expectField, expectLoginRefused } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { createCertificateClient, makeCa, makeLeaf, makeRequest, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { newCertifiedCaller, newVerifiedCa, tryCertificateLogin } from '../support/certified.js';
import type { CertifiedCaller } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { integer, sequence, tlv } from '../support/der.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';

const CURRENT = `${CLIENT}/current-identity`;
const SETTINGS = {
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: true,
  isOttCaEnrollmentEnabled: true,
  identityRoles: [],
};
const P256_ORDER = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');

/** The same certificate with the other of the two signatures that an ECDSA key and a text have: (r, n - s). */
function otherwiseSigned(certificate: X509Certificate): Buffer {
  const der = certificate.raw;
  const inner = der.subarray(4);
  const contentEnd = 4 + inner.readUInt16BE(2);
  const [content, rest] = [inner.subarray(0, contentEnd), inner.subarray(contentEnd)];
  const algorithm = rest.subarray(0, 2 + (rest[1] ?? 0));
  const signature = rest.subarray(algorithm.length + 3);
  const r = signature.subarray(2, 4 + (signature[3] ?? 0));
  const s = BigInt(`0x${signature.subarray(r.length + 4).toString('hex')}`);
  const flipped = Buffer.from((P256_ORDER - s).toString(16).padStart(64, '0'), 'hex');
  const minimal = flipped.subarray(flipped.findIndex((byte) => byte !== 0));
  const padded = (minimal[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), minimal]) : minimal;
  return sequence(content, algorithm, tlv(0x03, Buffer.of(0), sequence(r, integer(padded))));
}

describe('hostile certificates', () => {
  let controller: TestController;
  const open: Client[] = [];
  before(async () => {
    controller = await startTestController();
  });
  afterEach(() => {
    open.splice(0).forEach((client) => {
      client.close();
    });
  });
  after(() => controller.stop());

  const certify = async (): Promise<CertifiedCaller> => {
    const caller = await newCertifiedCaller(controller);
    open.push(caller.certified);
    return caller;
  };
  const showing = (shown: { cert: string; key: string }, token?: string) => {
    const client = createCertificateClient(controller.url, shown, token);
    open.push(client);
    return client;
  };
  const leafOf = (pem: string) => toPem('CERTIFICATE', new X509Certificate(pem).raw);
  const give = (identityId: string, certPem: string) =>
    controller.admin.post(`${MANAGEMENT}/authenticators`, { identityId, method: 'cert', certPem });
  const take = async (id: string) =>
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/authenticators/${id}`), 200);

  describe('that change hands while the connection stays open', () => {
    it('stop the sessions of their former owner there, and log the new one in', async () => {
      const [former, next] = [await certify(), await controller.newCaller()];
      expectStatus(await former.certified.get(CURRENT), 200);
      await take(former.authenticatorId);
      expectStatus(await give(next.id, leafOf(former.shown.cert)), 201);
      await until(
        'the connection is known for that of another',
        async () => (await former.certified.get(CURRENT)).status === 401,
      );
      expectStatus(await former.client.get(CURRENT), 200);
      const session = entityOf(
        expectStatus(await former.certified.post(`${CLIENT}/authenticate?method=cert`, {}), 200),
      );
      expect(session['identityId']).to.equal(next.id);
    });

    it('stop the sessions of strangers there once they belong to somebody', async () => {
      const { ca } = await newVerifiedCa(controller);
      const [stranger, owner, leaf] = [await controller.newCaller(), await controller.newCaller(), makeLeaf(ca)];
      const client = showing(shownBy(leaf), stranger.client.token);
      expectStatus(await client.get(CURRENT), 200);
      expectStatus(await give(owner.id, leaf.pem), 201);
      await until(
        'the connection is known for that of another',
        async () => (await client.get(CURRENT)).status === 401,
      );
    });

    it('log nobody in once the authenticator is gone or has another certificate', async () => {
      const caller = await certify();
      const path = `${CLIENT}/current-identity/authenticators/${caller.authenticatorId}`;
      const { clientCert } = expectStatus(
        await caller.certified.post(`${path}/extend`, { clientCertCsr: makeRequest().pem }),
        200,
      ).data as { clientCert: string };
      expectStatus(await caller.certified.post(`${path}/extend-verify`, { clientCert }), 200);
      expectLoginRefused(await caller.certified.post(`${CLIENT}/authenticate?method=cert`, {}));
      expectStatus(await caller.certified.post(`${path}/extend`, { clientCertCsr: makeRequest().pem }), 401);
      const other = await certify();
      await take(other.authenticatorId);
      expectLoginRefused(await other.certified.post(`${CLIENT}/authenticate?method=cert`, {}));
    });
  });

  describe('that wait to be verified', () => {
    const waitingOf = async ({ certified, authenticatorId }: CertifiedCaller) => {
      const answer = await certified.post(`${CLIENT}/current-identity/authenticators/${authenticatorId}/extend`, {
        clientCertCsr: makeRequest().pem,
      });
      return (expectStatus(answer, 200).data as { clientCert: string }).clientCert;
    };
    const verify = ({ client }: { client: Client }, id: string, clientCert: string) =>
      client.post(`${CLIENT}/current-identity/authenticators/${id}/extend-verify`, { clientCert });

    it('fail cleanly when they are given to another identity, or come from another identity', async () => {
      const [caller, thief] = [await certify(), await certify()];
      const waiting = await waitingOf(caller);
      expectStatus(await verify(thief, caller.authenticatorId, waiting), 404);
      expectStatus(await verify(thief, thief.authenticatorId, waiting), 400);
      expectStatus(await verify(caller, thief.authenticatorId, waiting), 404);
      await waitingOf(thief);
      expectStatus(await verify(thief, thief.authenticatorId, waiting), 400);
      expectStatus(await give(thief.id, leafOf(waiting)), 201);
      const answer = await verify(caller, caller.authenticatorId, waiting);
      expect(answer.status, answer.text).to.be.within(400, 409);
      expectStatus(await tryCertificateLogin(controller, caller.shown), 200);
    });

    it('go with their authenticator, whatever is asked at the same time', async () => {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const caller = await certify();
          const waiting = await waitingOf(caller);
          const path = `${CLIENT}/current-identity/authenticators/${caller.authenticatorId}/extend`;
          const [gone, ...others] = await Promise.all([
            controller.admin.delete(`${MANAGEMENT}/authenticators/${caller.authenticatorId}`),
            verify(caller, caller.authenticatorId, waiting),
            caller.certified.post(path, { clientCertCsr: makeRequest().pem }),
            verify(caller, caller.authenticatorId, waiting),
            tryCertificateLogin(controller, caller.shown),
          ]);
          expectStatus(gone, 200);
          for (const { status, text } of others) expect(status, text).to.be.oneOf([200, 400, 401, 403, 404, 409]);
          expectStatus(await verify(caller, caller.authenticatorId, waiting), 404);
          expectLoginRefused(await tryCertificateLogin(controller, caller.shown));
          const { data } = await controller.admin.get(
            `${MANAGEMENT}/api-sessions?filter=${encodeURIComponent(`identity = "${caller.id}"`)}`,
          );
          expect(
            (data as { authenticatorId: string }[]).filter(
              ({ authenticatorId }) => authenticatorId === caller.authenticatorId,
            ),
          ).to.deep.equal([]);
        }),
      );
    });
  });

  describe('of a CA', () => {
    const create = async (certPem: string): Promise<Answer> =>
      controller.admin.post(`${MANAGEMENT}/cas`, { name: unique('ca'), certPem, ...SETTINGS });

    it('are no login from the moment that another controller deleted or closed it', async () => {
      const database = await openTestDatabase();
      const [one, two] = [
        await startLogged(database, { EDGE_NAME: 'one' }),
        await startLogged(database, { EDGE_NAME: 'two' }),
      ];
      try {
        const admin = await one.login();
        const { id: identityId } = entityOf(
          expectStatus(
            await admin.post(`${MANAGEMENT}/identities`, { name: 'device', type: 'Device', isAdmin: false }),
            201,
          ),
        );
        for (const close of [
          (id: string) => admin.delete(`${MANAGEMENT}/cas/${id}`),
          (id: string) => admin.patch(`${MANAGEMENT}/cas/${id}`, { isAuthEnabled: false }),
        ]) {
          const ca = makeCa();
          const { id } = entityOf(
            expectStatus(
              await admin.post(`${MANAGEMENT}/cas`, { name: unique('ca'), certPem: ca.pem, ...SETTINGS }),
              201,
            ),
          );
          const { verificationToken } = entityOf(await admin.get(`${MANAGEMENT}/cas/${id}`));
          const proof = {
            rawBody: makeLeaf(ca, { commonName: String(verificationToken) }).pem,
            headers: { 'content-type': 'text/plain' },
          };
          expectStatus(await admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, proof), 200);
          const leaf = makeLeaf(ca);
          expectStatus(
            await admin.post(`${MANAGEMENT}/authenticators`, { identityId, method: 'cert', certPem: leaf.pem }),
            201,
          );
          const client = createCertificateClient(two.url, shownBy(leaf));
          open.push(client);
          expectStatus(await client.post(`${CLIENT}/authenticate?method=cert`, {}), 200);
          expectStatus(await close(id), 200);
          expectLoginRefused(await client.post(`${CLIENT}/authenticate?method=cert`, {}));
          expect((await client.post(`${CLIENT}/enroll/ca`)).status).to.be.oneOf([400, 409]);
        }
      } finally {
        await one.stop();
        await two.stop();
        await database.close();
      }
    });

    it('are not those of this network, whatever signature they carry', async () => {
      const { cert } = (await certify()).shown;
      const issuers = cert
        .split(/(?<=-----END CERTIFICATE-----\n)/)
        .slice(1)
        .filter((pem) => pem.includes('BEGIN'));
      const { ca: bundle } = expectStatus(await extended(), 200).data as { ca: string };
      const own = [
        ...issuers,
        ...bundle.split(/(?<=-----END CERTIFICATE-----\n)/).filter((pem) => pem.includes('BEGIN')),
      ].map((pem) => new X509Certificate(pem));
      expect(own.length).to.be.above(1);
      for (const certificate of own) {
        const disguised = otherwiseSigned(certificate);
        expect(new X509Certificate(disguised).verify(certificate.publicKey)).to.equal(
          certificate.issuer === certificate.subject,
        );
        for (const der of [certificate.raw, disguised])
          expectField(await create(toPem('CERTIFICATE', der)), 'certPem', 'certificate is one of this network itself');
      }
    });
    const extended = async () => {
      const { certified, authenticatorId } = await certify();
      return certified.post(`${CLIENT}/current-identity/authenticators/${authenticatorId}/extend`, {
        clientCertCsr: makeRequest().pem,
      });
    };

    it('are registered once, however they are written', async () => {
      const ca: TestCertificate = makeCa();
      expectStatus(await create(ca.pem), 201);
      const long = Buffer.concat([Buffer.from([0x30, 0x83, 0, ...ca.der.subarray(2, 4)]), ca.der.subarray(4)]);
      const indefinite = Buffer.concat([Buffer.from([0x30, 0x80]), ca.der.subarray(4), Buffer.from([0, 0])]);
      const forms = [
        ca.pem.replaceAll('\n', '\r\n'),
        `text\n${ca.pem}`,
        ca.pem + makeCa().pem,
        ca.pem.replaceAll('\n', '\n \n'),
        toPem('CERTIFICATE', Buffer.concat([ca.der, Buffer.of(5, 0)])),
        toPem('CERTIFICATE', long),
        toPem('CERTIFICATE', indefinite),
        toPem('CERTIFICATE', Buffer.from(ca.pem)),
      ];
      for (const form of forms)
        expectField(await create(form), 'certPem', /already used as CA|could not parse block #1/);
      const { data } = await controller.admin.get(
        `${MANAGEMENT}/cas?filter=${encodeURIComponent(`fingerprint = "${ca.fingerprint}"`)}`,
      );
      expect(data).to.have.length(1);
    });

    it('prove nothing for an authenticator with the same fingerprint and another certificate', async () => {
      const { ca, id } = await newVerifiedCa(controller);
      const [victim, leaf] = [await controller.newCaller(), makeLeaf(ca)];
      expectStatus(await give(victim.id, leaf.pem), 201);
      // What a collision of SHA-1 would look like.
      await controller.database.query('UPDATE authenticators SET cert_pem = $2 WHERE fingerprint = $1 AND ca_id = $3', [
        leaf.fingerprint,
        makeLeaf(ca).pem,
        id,
      ]);
      expectLoginRefused(await tryCertificateLogin(controller, shownBy(leaf)));
      expect(
        itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${victim.id}/authenticators`)),
      ).to.have.length(2);
    });
  });
});
