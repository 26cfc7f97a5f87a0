/** Enrollment of routers: what they get, and what is refused and leaves the token usable. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { makeRequest } from '../support/certificates.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';
import { useRouterEnrollments } from './enroll-router-support.js';

describe('enrollment of routers', () => {
  const routers = useRouterEnrollments();
  const { router, post, requestsOf, enroll, certsOf, fingerprintOf, enrolled, showing, extendAs, isUnused } = routers;
  let controller: TestController;
  before(() => {
    controller = routers.controller();
  });

  for (const [kind, method] of [
    ['edge-routers', 'erott'],
    ['transit-routers', 'trott'],
  ] as const) {
    describe(`of ${kind}`, () => {
      it('gives both certificates and what to trust, and shows in the router', async () => {
        const { id, token } = await router(kind);
        const [client, server] = [makeRequest({ commonName: id }), makeRequest()];
        const answer = await post(`enroll?method=${method}&token=${token}`, {
          certCsr: client.pem,
          serverCertCsr: server.pem,
        });
        const { ca, cert, serverCert } = certsOf(answer);
        expect(answer.headers['content-type']).to.equal('application/json');
        for (const [pem, csr] of [
          [cert, client],
          [serverCert, server],
        ] as const) {
          const leaf = new X509Certificate(pem);
          expect(pem.match(/BEGIN CERTIFICATE/g)).to.have.length(2);
          expect(leaf.publicKey.equals(csr.keys.publicKey)).to.equal(true);
          expect(leaf.subject).to.equal(`CN=${id}`);
          expect(leaf.ca).to.equal(false);
          expect(leaf.subjectAltName).to.match(new RegExp(`URI:spiffe://[0-9a-z.]+/router/${id}$`));
        }
        expect(new X509Certificate(cert).keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']);
        expect(new X509Certificate(serverCert).keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
        expect(ca.match(/BEGIN CERTIFICATE/g)).to.have.length(2);
        const item = await read(controller, `${kind}/${id}`);
        expect(item).to.include({ isVerified: true, fingerprint: fingerprintOf(cert) });
        if (kind === 'edge-routers') expect(item['certPem']).to.equal(cert);
        for (const field of ['enrollmentToken', 'enrollmentJwt', 'enrollmentExpiresAt', 'enrollmentCreatedAt'])
          expect(item[field] ?? null, field).to.equal(null);
        const { rows } = await controller.database.query(
          'SELECT kind FROM issued_certificates WHERE subject_id = $1 ORDER BY kind',
          [id],
        );
        expect(rows).to.deep.equal([{ kind: 'router' }, { kind: 'routerServer' }]);
        expectError(await enroll(token, requestsOf(id)), 404, 'INVALID_ENROLLMENT_TOKEN');
      });

      it('works once, also for thirty at the same time', async () => {
        const { id, token } = await router(kind);
        const bodies = Array.from({ length: 30 }, () => requestsOf(id));
        const answers = await Promise.all(bodies.map((body) => enroll(token, body)));
        const winners = answers.filter(({ status }) => status === 200);
        expect(winners).to.have.length(1);
        for (const answer of answers.filter(({ status }) => status !== 200))
          expectError(answer, 404, 'INVALID_ENROLLMENT_TOKEN');
        expect((await read(controller, `${kind}/${id}`))['fingerprint']).to.equal(
          fingerprintOf(certsOf(winners[0] as Answer).cert),
        );
      });

      it('refuses bad requests, and the token stays usable', async () => {
        const made = await router(kind);
        const { id, token } = made;
        const good = requestsOf(id);
        for (const body of [
          undefined,
          {},
          { certCsr: good.certCsr },
          { serverCertCsr: good.serverCertCsr },
          { ...good, certCsr: null },
          { ...good, serverCertCsr: '' },
          { clientCsr: good.certCsr },
        ]) {
          expectError(await enroll(token, body as object), 400, 'MISSING_OR_INVALID_CSR');
        }
        const forged = makeRequest({ commonName: id, isForged: true }).pem;
        for (const change of [
          { certCsr: 'x' },
          { serverCertCsr: 'x' },
          { certCsr: forged },
          { serverCertCsr: forged },
          { certCsr: makeRequest({ commonName: 'other' }).pem },
          { certCsr: makeRequest({ commonName: id, keyKind: 'rsa-1024' }).pem },
          { certCsr: good.certCsr + good.certCsr },
        ]) {
          expectError(await enroll(token, { ...good, ...change }), 400, 'COULD_NOT_PROCESS_CSR');
        }
        const other = await router(kind);
        expect((await enroll(token, requestsOf(other.id))).error?.cause).to.deep.equal({
          code: 'UNHANDLED',
          message: 'invalid client CSR',
        });
        await isUnused(kind, made);
        expectStatus(await enroll(token, good), 200);
      });

      it('refuses expired tokens and other methods, and the token stays', async () => {
        const made = await router(kind);
        for (const wrong of ['ott', 'updb', 'ottca', method === 'erott' ? 'trott' : 'erott']) {
          expectError(
            await post(`enroll?method=${wrong}&token=${made.token}`, requestsOf(made.id)),
            400,
            'INVALID_ENROLL_METHOD',
          );
        }
        await controller.database.query(
          "UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE token = $1",
          [made.token],
        );
        expectError(await enroll(made.token, requestsOf(made.id)), 400, 'ENROLLMENT_EXPIRED');
        await isUnused(kind, made);
      });
    });
  }

  it('has a form of its own for edge routers, the token in the query or the body', async () => {
    for (const inQuery of [true, false]) {
      const { id, token } = await router();
      const body = { clientCsr: makeRequest({ commonName: id }).pem, serverCsr: makeRequest().pem };
      const answer = await post(
        inQuery ? `enroll/erott?token=${token}` : 'enroll/erott',
        inQuery ? body : { ...body, token },
      );
      expect(Object.keys(certsOf(answer)).sort()).to.deep.equal(['ca', 'cert', 'serverCert']);
    }
    const { id, token } = await router();
    expectError(
      await post('enroll/erott', { token, clientCsr: makeRequest({ commonName: id }).pem }),
      400,
      'MISSING_OR_INVALID_CSR',
    );
    const transit = await router('transit-routers');
    expectError(
      await post('enroll/erott', {
        token: transit.token,
        clientCsr: makeRequest({ commonName: transit.id }).pem,
        serverCsr: makeRequest().pem,
      }),
      400,
      'INVALID_ENROLL_METHOD',
    );
    expectError(await post('enroll/erott', {}), 404, 'INVALID_ENROLLMENT_TOKEN');
    expectError(await post('enroll/erott'), 404, 'INVALID_ENROLLMENT_TOKEN');
  });

  it('gives the server certificate the names that a router may have, and no others', async () => {
    const { id, token } = await router();
    const names = {
      dns: ['router.example', 'localhost', '*.example', 'a\0b\n'],
      ip: ['10.0.0.1', '127.0.0.1', '0.0.0.0'],
      uri: ['spiffe://elsewhere/controller/x'],
      email: ['a@b.example'],
    };
    const { cert, serverCert } = certsOf(
      await enroll(token, {
        certCsr: makeRequest({ commonName: id, names }).pem,
        serverCertCsr: makeRequest({ names, basicConstraints: { isCa: true } }).pem,
      }),
    );
    const textOf = (pem: string) =>
      (new X509Certificate(pem).subjectAltName ?? '').replace(/spiffe:\/\/[^/]*/, 'spiffe://domain');
    expect(textOf(cert)).to.equal(`URI:spiffe://domain/router/${id}`);
    expect(textOf(serverCert)).to.equal(
      `DNS:localhost, DNS:router.example, IP Address:10.0.0.1, IP Address:127.0.0.1, URI:spiffe://domain/router/${id}`,
    );
    expect(new X509Certificate(serverCert).ca).to.equal(false);
    const shown = await read(controller, `edge-routers/${id}`);
    expect(shown['namesLeftOut']).to.deep.equal(['*.example', '0.0.0.0', 'a?b?']);
    const many = await router();
    const dns = Array.from({ length: 21 }, (_, index) => `r${index}.example`);
    expectError(await enroll(many.token, requestsOf(many.id, { dns })), 400, 'COULD_NOT_PROCESS_CSR');
    await isUnused('edge-routers', many);
  });

  it('refuses names of a controller with a sentence, and the token stays usable', async () => {
    const greedy = await router();
    const names = { dns: ['router.example', 'CTRL.example', 'console.example'], ip: ['10.9.8.7', '127.0.0.1'] };
    const answer = await enroll(greedy.token, requestsOf(greedy.id, names));
    expectError(answer, 400, 'COULD_NOT_PROCESS_CSR');
    expect(answer.error?.cause?.['message']).to.equal(
      'the request for the server certificate asks for 10.9.8.7, console.example, ctrl.example, by which controllers ' +
        'are reached: with it, the router could pass for a controller. Take it out of `edge.csr.sans` of the router, ' +
        'or let routers have it too by the setting tls.routerNames (EDGE_TLS_ROUTER_NAMES) of the controller',
    );
    await isUnused('edge-routers', greedy);
    certsOf(await enroll(greedy.token, requestsOf(greedy.id, { dns: ['router.example'] })));
  });

  it('starts again when an edge router is told to enroll again', async () => {
    const { id, client, certs } = await enrolled();
    expectStatus(await controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`), 200);
    const item = await read(controller, `edge-routers/${id}`);
    expect(item).to.include({ isVerified: false, fingerprint: null, certPem: null });
    expectError(await extendAs(showing(certs.cert, client.privateKeyPem), requestsOf(id)), 401, 'UNAUTHORIZED');
    certsOf(await enroll(item['enrollmentToken'] as string, requestsOf(id)));
    expect((await read(controller, `edge-routers/${id}`))['isVerified']).to.equal(true);
  });

  it('holds while the router is told to enroll again or goes', async () => {
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const { id, token } = await router();
        const disturbance =
          index % 2 === 0
            ? controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`)
            : controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`);
        const [answer, disturbed] = await Promise.all([enroll(token, requestsOf(id)), disturbance]);
        expectStatus(disturbed, 200);
        expect([200, 404]).to.include(answer.status);
        if (index % 2 === 0)
          expect(await read(controller, `edge-routers/${id}`)).to.include({ fingerprint: null, isVerified: false });
      }),
    );
  });
});
