/** The exchange of a router's certificates for new ones. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { makeCa, makeLeaf, makeRequest, makeSelfSigned, shownBy } from '../support/certificates.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { useRouterEnrollments } from './enroll-router-support.js';

describe('enrollment of routers extended', () => {
  const routers = useRouterEnrollments();
  const { router, requestsOf, enroll, certsOf, fingerprintOf, enrolled, showing, extendAs } = routers;
  let controller: TestController;
  before(() => {
    controller = routers.controller();
  });

  for (const kind of ['edge-routers', 'transit-routers'] as const) {
    it(`gives new certificates for the present one of ${kind}, which is worth nothing from then on`, async () => {
      const first = await enrolled(kind);
      const old = showing(first.certs.cert, first.client.privateKeyPem);
      const next = makeRequest({ commonName: first.id });
      const answer = await extendAs(old, { certCsr: next.pem, serverCertCsr: makeRequest().pem });
      const { cert, serverCert } = certsOf(answer);
      expect(answer.data).to.have.all.keys('ca', 'cert', 'serverCert');
      expect(serverCert).to.be.a('string');
      expect(await read(controller, `${kind}/${first.id}`)).to.include({
        fingerprint: fingerprintOf(cert),
        isVerified: true,
      });
      expectError(await extendAs(old, requestsOf(first.id)), 401, 'UNAUTHORIZED');
      expectError(
        await extendAs(showing(first.certs.cert, first.client.privateKeyPem), requestsOf(first.id)),
        401,
        'UNAUTHORIZED',
      );
      expectStatus(await extendAs(showing(cert, next.privateKeyPem), requestsOf(first.id)), 200);
    });
  }

  it('gives one of many at the same time the new certificate', async () => {
    const { id, client, certs } = await enrolled();
    const bodies = Array.from({ length: 20 }, () => requestsOf(id));
    const connection = showing(certs.cert, client.privateKeyPem);
    const answers = await Promise.all(bodies.map((body) => extendAs(connection, body)));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 401, 'UNAUTHORIZED');
    expect((await read(controller, `edge-routers/${id}`))['fingerprint']).to.equal(
      fingerprintOf(certsOf(winners[0] as Answer).cert),
    );
  });

  it('refuses bad requests, and the present certificate stays', async () => {
    const { id, client, certs } = await enrolled();
    const connection = showing(certs.cert, client.privateKeyPem);
    const good = requestsOf(id);
    for (const body of [{}, { certCsr: good.certCsr }]) expectStatus(await extendAs(connection, body), 400);
    for (const empty of ['certCsr', 'serverCertCsr'])
      expectError(await extendAs(connection, { ...good, [empty]: '' }), 400, 'COULD_NOT_PROCESS_CSR');
    for (const certCsr of [
      'x',
      makeRequest({ commonName: 'other' }).pem,
      makeRequest({ commonName: id, isForged: true }).pem,
    ]) {
      expectError(await extendAs(connection, { ...good, certCsr }), 400, 'COULD_NOT_PROCESS_CSR');
    }
    expectStatus(await extendAs(connection, good), 200);
  });

  it('refuses whoever is not a router of this network', async () => {
    const { id, client, certs } = await enrolled();
    expectError(await extendAs(controller.anonymous, requestsOf(id)), 401, 'UNAUTHORIZED');
    const foreign = makeCa();
    for (const leaf of [
      makeSelfSigned({ commonName: id }),
      makeLeaf(foreign, { commonName: id }),
      makeLeaf(foreign, {
        commonName: id,
        names: { uri: [new X509Certificate(certs.cert).subjectAltName?.slice(4) ?? ''] },
      }),
    ]) {
      expectError(
        await extendAs(showing(shownBy(leaf, foreign).cert, leaf.privateKeyPem), requestsOf(id)),
        401,
        'UNAUTHORIZED',
      );
      // The router's own certificate behind it proves nothing: its key was not shown.
      expectError(
        await extendAs(showing(leaf.pem + certs.cert, leaf.privateKeyPem), requestsOf(id)),
        401,
        'UNAUTHORIZED',
      );
    }
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/cas`, {
        name: unique('ca'),
        certPem: foreign.pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [],
      }),
      201,
    );
    const known = makeLeaf(foreign, { commonName: id });
    expectError(await extendAs(showing(known.pem, known.privateKeyPem), requestsOf(id)), 401, 'UNAUTHORIZED');
    expect((await read(controller, `edge-routers/${id}`))['fingerprint']).to.equal(fingerprintOf(certs.cert));
    expectStatus(await extendAs(showing(certs.cert, client.privateKeyPem), requestsOf(id)), 200);
  });

  it('refuses a session, the certificate of an identity, and a router’s server certificate', async () => {
    const { id, token } = await router();
    const server = makeRequest();
    const { serverCert } = certsOf(
      await enroll(token, { certCsr: makeRequest({ commonName: id }).pem, serverCertCsr: server.pem }),
    );
    expectError(await extendAs(showing(serverCert, server.privateKeyPem), requestsOf(id)), 401, 'UNAUTHORIZED');
    expectError(await extendAs(controller.admin, requestsOf(id)), 401, 'UNAUTHORIZED');
    const identityId = await makeIdentity(controller, {
      enrollment: { ott: true },
    });
    const { enrollment } = await read<{
      enrollment: { ott: { token: string } };
    }>(controller, `identities/${identityId}`);
    const own = makeRequest();
    const { cert } = certsOf(await enroll(enrollment.ott.token, { clientCsr: own.pem }));
    expectError(await extendAs(showing(cert, own.privateKeyPem), requestsOf(id)), 401, 'UNAUTHORIZED');
  });

  it('refuses the certificate of a router that is gone', async () => {
    const { id, client, certs } = await enrolled();
    const connection = showing(certs.cert, client.privateKeyPem);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`), 200);
    expectError(await extendAs(connection, requestsOf(id)), 401, 'UNAUTHORIZED');
  });
});
