/** The exchange of a router's certificates over its channel. */
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import { Header, readInt32 } from '../../fabric/channel/headers.js';
import {
  EnrollmentCertsResponseSchema,
  EnrollmentExtendRouterRequestSchema,
  EnrollmentExtendRouterVerifyRequestSchema,
  ErrorSchema,
} from '../../generated/fabric/edge_pb.js';
import { createCertificateClient, makeRequest, makeSelfSigned } from '../support/certificates.js';
import type { TestSigningRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, read } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

interface Shown {
  readonly isOnline: boolean;
  readonly fingerprint: string;
  readonly unverifiedFingerprint: string | null;
  readonly unverifiedCertPem: string | null;
}

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();

describe('certificates of routers over the channel', () => {
  let controller: TestController;
  const open: ScriptedRouter[] = [];
  before(async () => {
    controller = await startTestController({ EDGE_ADVERTISE: 'ctrl.example:1280' });
  });
  afterEach(() => {
    for (const router of open.splice(0)) router.close();
  });
  after(() => controller.stop());

  const shown = (id: string) => read<Shown>(controller, `edge-routers/${id}`);
  const connect = async (router: EnrolledRouter) => {
    const connected = await ScriptedRouter.connect(controller.url, router);
    open.push(connected);
    return connected;
  };
  const connected = async () => {
    const router = await newRouter(controller);
    return { router, link: await connect(router) };
  };
  const ask = (
    link: ScriptedRouter,
    clientCertCsr: string,
    serverCertCsr = makeRequest().pem,
    requireVerification = true,
  ) =>
    link.sendTyped(ContentType.EnrollmentExtendRouter, EnrollmentExtendRouterRequestSchema, {
      clientCertCsr,
      serverCertCsr,
      requireVerification,
    });
  const answers = (link: ScriptedRouter) =>
    link.bodies(ContentType.EnrollmentCertsResponse, EnrollmentCertsResponseSchema);
  /** The certificates that come for good requests. */
  const issued = async (link: ScriptedRouter, request: TestSigningRequest, names: readonly string[] = []) => {
    const before = answers(link).length;
    ask(link, request.pem, makeRequest({ names: { dns: [...names] } }).pem);
    await until('certificates', () => answers(link).length > before);
    return answers(link)[before] as ReturnType<typeof answers>[number];
  };
  /** The code of the answer; empty for success. */
  const verify = async (link: ScriptedRouter, clientCertPem: string) => {
    const sequence = link.sendTyped(
      ContentType.EnrollmentExtendRouterVerify,
      EnrollmentExtendRouterVerifyRequestSchema,
      { clientCertPem },
    );
    const isReply = ({ headers }: { headers: ReadonlyMap<number, Uint8Array> }) =>
      readInt32(headers, Header.ReplyFor) === sequence;
    return readBody(ErrorSchema, await link.next(ContentType.Error, isReply)).code;
  };
  const isLetIn = async (router: EnrolledRouter) => {
    const link = await ScriptedRouter.knock(controller.url, router);
    open.push(link);
    await until('an answer or an end', () => link.isCut || link.received.length > 0);
    return !link.isCut;
  };

  /** The first certificates that come are those of `request`, whatever was asked for before. */
  const nextIsOf = async (link: ScriptedRouter, request: TestSigningRequest) => {
    const { clientCertPem } = await until('certificates', () => {
      if (answers(link).length === 0) ask(link, request.pem);
      return answers(link)[0];
    });
    expect(new X509Certificate(clientCertPem).checkPrivateKey(createPrivateKey(request.privateKeyPem))).to.equal(true);
    return clientCertPem;
  };
  const audited = async (id: string) =>
    itemsOf(
      expectStatus(
        await controller.admin.get(
          `${MANAGEMENT}/audit?filter=${encodeURIComponent(`entityId = "${id}"`)}&sort=id%20desc`,
        ),
        200,
      ),
    );

  describe('refuses', () => {
    for (const [what, requestsOf] of [
      ['no request', () => ['', makeRequest().pem]],
      ['no request for the server certificate', (id) => [makeRequest({ commonName: id }).pem, '']],
      ['what is no request', () => ['x', makeRequest().pem]],
      ['the name of another router', () => [makeRequest({ commonName: 'another' }).pem, makeRequest().pem]],
      [
        'a request that its key did not sign',
        (id) => [makeRequest({ commonName: id, isForged: true }).pem, makeRequest().pem],
      ],
      ['a weak key', (id) => [makeRequest({ commonName: id, keyKind: 'rsa-1024' }).pem, makeRequest().pem]],
    ] satisfies [string, (id: string) => [string, string]][]) {
      it(what, async () => {
        const { router, link } = await connected();
        ask(link, ...requestsOf(router.id));
        await nextIsOf(link, makeRequest({ commonName: router.id }));
        expect(await shown(router.id)).to.include({ fingerprint: fingerprintOf(router.cert), isOnline: true });
      });
    }

    it('to make certificates more than ten times in an hour', async () => {
      const { router, link } = await connected();
      for (let times = 0; times < 10; times += 1) await issued(link, makeRequest({ commonName: router.id }));
      ask(link, makeRequest({ commonName: router.id }).pem);
      // A question that is answered after it, over the same channel.
      expect(await verify(link, '')).to.equal('MISSING_CLIENT_PEM');
      const other = await connected();
      await issued(other.link, makeRequest({ commonName: other.router.id }));
      expect(answers(link)).to.have.length(10);
    });

    it('to take a certificate that does not wait', async () => {
      const [{ router, link }, other] = [await connected(), await connected()];
      expect(await verify(link, router.cert)).to.equal('INVALID_ROUTER_STATE');
      const ofOther = (await issued(other.link, makeRequest({ commonName: other.router.id }))).clientCertPem;
      const first = (await issued(link, makeRequest({ commonName: router.id }))).clientCertPem;
      const next = (await issued(link, makeRequest({ commonName: router.id }))).clientCertPem;
      for (const [pem, code] of [
        ['', 'MISSING_CLIENT_PEM'],
        ['x', 'INVALID_CLIENT_PEM'],
        [router.cert, 'VERIFY_ERROR'],
        [ofOther, 'VERIFY_ERROR'],
        [first, 'VERIFY_ERROR'],
        [makeSelfSigned({ commonName: router.id }).pem + next, 'VERIFY_ERROR'],
      ] as const)
        expect(await verify(link, pem), pem.slice(0, 40)).to.equal(code);
      expect(await shown(router.id)).to.include({
        fingerprint: fingerprintOf(router.cert),
        unverifiedFingerprint: fingerprintOf(next),
      });
      expect(await verify(link, next)).to.equal('');
      expect(await verify(link, next)).to.equal('INVALID_ROUTER_STATE');
    });

    it('to take it over another channel than it was asked for', async () => {
      const { router, link } = await connected();
      const { clientCertPem } = await issued(link, makeRequest({ commonName: router.id }));
      link.close();
      await until('it is gone', async () => !(await shown(router.id)).isOnline);
      expect(await verify(await connect(router), clientCertPem)).to.equal('INVALID_ROUTER_STATE');
    });

    it('to take it when the router got another one over REST meanwhile', async () => {
      const { router, link } = await connected();
      const { clientCertPem } = await issued(link, makeRequest({ commonName: router.id }));
      const client = createCertificateClient(controller.url, { cert: router.cert, key: router.key });
      const answer = await client.post(`${CLIENT}/enroll/extend/router`, {
        certCsr: makeRequest({ commonName: router.id }).pem,
        serverCertCsr: makeRequest().pem,
      });
      client.close();
      const { cert } = expectStatus(answer, 200).data as { cert: string };
      expect(await verify(link, clientCertPem)).to.equal('VERIFY_ERROR');
      expect(await shown(router.id)).to.include({ fingerprint: fingerprintOf(cert), unverifiedFingerprint: null });
      await link.cut();
    });
  });

  it('holds to the old one until the new one is shown, and to the new one from then on; keys may change', async () => {
    const { router, link } = await connected();
    const request = makeRequest({ commonName: router.id });
    const { clientCertPem, serverCertPem } = await issued(link, request, ['r.example', 'ctrl.example']);
    const renewed = { ...router, cert: clientCertPem, key: request.privateKeyPem };
    expect(await shown(router.id)).to.include({
      fingerprint: fingerprintOf(router.cert),
      unverifiedFingerprint: fingerprintOf(clientCertPem),
      unverifiedCertPem: clientCertPem,
    });
    const { subject, subjectAltName } = new X509Certificate(serverCertPem);
    expect(subject).to.include(router.id);
    // The name of a controller is left out.
    expect(subjectAltName).to.include('DNS:r.example').and.not.include('ctrl.example');
    expect(await isLetIn(renewed)).to.equal(false);
    expect(await verify(link, clientCertPem)).to.equal('');
    expect(await shown(router.id)).to.include({
      fingerprint: fingerprintOf(clientCertPem),
      unverifiedFingerprint: null,
      unverifiedCertPem: null,
      isOnline: true,
    });
    expect(await isLetIn(router)).to.equal(false);
    const again = makeRequest({ commonName: router.id });
    const { clientCertPem: third } = await issued(link, again);
    expect(await verify(link, third)).to.equal('');
    link.close();
    await until('it is gone', async () => !(await shown(router.id)).isOnline);
    expect(await isLetIn(renewed)).to.equal(false);
    expect(await isLetIn({ ...router, cert: third, key: again.privateKeyPem })).to.equal(true);
  });

  it('lets the channel go on that exchanged them, while one ends whose router did so over REST', async () => {
    const [kept, cut] = [await connected(), await connected()];
    const { clientCertPem } = await issued(kept.link, makeRequest({ commonName: kept.router.id }));
    expect(await verify(kept.link, clientCertPem)).to.equal('');
    const client = createCertificateClient(controller.url, { cert: cut.router.cert, key: cut.router.key });
    const answer = await client.post(`${CLIENT}/enroll/extend/router`, {
      certCsr: makeRequest({ commonName: cut.router.id }).pem,
      serverCertCsr: makeRequest().pem,
    });
    client.close();
    expectStatus(answer, 200);
    await cut.link.cut();
    expect(kept.link.isCut).to.equal(false);
    expect(await verify(kept.link, clientCertPem)).to.equal('INVALID_ROUTER_STATE');
  });

  it('takes the older form, without a certificate that is shown', async () => {
    const { router, link } = await connected();
    const request = makeRequest({ commonName: router.id });
    ask(link, request.pem, makeRequest().pem, false);
    const { clientCertPem } = await until('certificates', () => answers(link)[0]);
    expect(await shown(router.id)).to.include({
      fingerprint: fingerprintOf(clientCertPem),
      unverifiedFingerprint: null,
    });
    link.close();
    await until('it is gone', async () => !(await shown(router.id)).isOnline);
    expect(await isLetIn(router)).to.equal(false);
    expect(await isLetIn({ ...router, cert: clientCertPem, key: request.privateKeyPem })).to.equal(true);
  });

  it('writes both steps down, as the router’s', async () => {
    const { router, link } = await connected();
    const { clientCertPem } = await issued(link, makeRequest({ commonName: router.id }));
    expect(await verify(link, clientCertPem)).to.equal('');
    const [second, first] = await audited(router.id);
    for (const record of [first, second])
      expect(record).to.deep.include({
        kind: 'edgeRouter.updated',
        actor: { kind: 'router', id: router.id, name: null },
      });
    expect(first?.['after']).to.deep.equal({ unverifiedFingerprint: fingerprintOf(clientCertPem) });
    expect(second?.['after']).to.deep.include({ fingerprint: fingerprintOf(clientCertPem) });
    const { rows } = await controller.database.query(
      'SELECT kind FROM issued_certificates WHERE subject_id = $1 ORDER BY created_at DESC, kind LIMIT 2',
      [router.id],
    );
    expect(rows).to.deep.equal([{ kind: 'router' }, { kind: 'routerServer' }]);
  });
});
