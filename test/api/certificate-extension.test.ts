/**
 * A client extends its certificate, verifies the new one and goes on with it. Against a whole controller over mutual
 * TLS.
 */
import { expect } from 'chai';
import { ECDH, X509Certificate, createPublicKey } from 'node:crypto';
import pg from 'pg';
import {
  createCertificateClient,
  makeKeys,
  makeLeaf,
  makeRequest,
  makeSelfSigned,
  shownBy,
} from '../support/certificates.js';
import type { TestKeys } from '../support/certificates.js';
import { enrollByRequest, newCertifiedCaller, newVerifiedCa, tryCertificateLogin } from '../support/certified.js';
import type { CertifiedCaller } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { itemsOf, make, read } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const OWN = `${CLIENT}/current-identity/authenticators`;

/** The same key on P-256, its point written with one coordinate (RFC 5480 section 2.2). */
function compressed({ publicKey, privateKey }: TestKeys): TestKeys {
  const point = ECDH.convertKey(
    publicKey.export({ type: 'spki', format: 'der' }).subarray(-65),
    'prime256v1',
    undefined,
    undefined,
    'compressed',
  ) as Buffer;
  const der = Buffer.concat([Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'), point]);
  return { privateKey, publicKey: createPublicKey({ key: der, type: 'spki', format: 'der' }) };
}

describe('extending a certificate', () => {
  let controller: TestController;
  let owner: CertifiedCaller;
  let other: CertifiedCaller;
  const open: Client[] = [];
  before(async () => {
    controller = await startTestController();
    [owner, other] = [await newCertifiedCaller(controller), await newCertifiedCaller(controller)];
    open.push(owner.certified, other.certified);
  });
  after(async () => {
    open.forEach((client) => {
      client.close();
    });
    await controller.stop();
  });

  const over = (shown: { cert: string; key: string }, token = owner.client.token) => {
    const client = createCertificateClient(controller.url, shown, token);
    open.push(client);
    return client;
  };
  const extend = async (client: Client, id: string, pem = makeRequest().pem) =>
    client.post(`${OWN}/${id}/extend`, { clientCertCsr: pem });
  const verify = async (client: Client, id: string, clientCert: string) =>
    client.post(`${OWN}/${id}/extend-verify`, { clientCert });
  const certsOf = (answer: Answer) => expectStatus(answer, 200).data as { ca: string; clientCert: string };
  const detail = async (id: string) => read(controller, `authenticators/${id}`);
  const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
  const waiting = async (id: string) =>
    (await controller.database.query('SELECT unverified_cert_pem AS pem FROM authenticators WHERE id = $1', [id]))
      .rows[0]?.['pem'] as string | null;
  const certify = async () => {
    const caller = await newCertifiedCaller(controller);
    open.push(caller.certified);
    return caller;
  };
  const requestExtend = async (id: string, body: object) =>
    controller.admin.post(`${MANAGEMENT}/authenticators/${id}/request-extend`, body);

  describe('is refused', () => {
    afterEach(async () => {
      for (const { authenticatorId } of [owner, other]) expect(await waiting(authenticatorId)).to.equal(null);
    });

    it('over a connection that does not show the present certificate as its leaf', async () => {
      const stranger = makeSelfSigned();
      const leafOf = (chain: string) => chain.slice(0, chain.indexOf('-----END CERTIFICATE-----') + 26);
      const further = await enrollByRequest(controller, owner.id);
      for (const client of [
        owner.client,
        over(other.shown),
        over(further.shown),
        over(shownBy(stranger)),
        over({ cert: stranger.pem + leafOf(owner.shown.cert), key: stranger.privateKeyPem }),
        over({ cert: stranger.pem + owner.shown.cert, key: stranger.privateKeyPem }),
        over({ cert: other.shown.cert + leafOf(owner.shown.cert), key: other.shown.key }),
      ]) {
        const answer = expectStatus(await extend(client, owner.authenticatorId), 401);
        expect(answer.error?.code).to.equal('UNAUTHORIZED');
      }
    });

    it('when headers claim the certificate', async () => {
      const der = new X509Certificate(owner.shown.cert).raw.toString('base64');
      const headers = {
        'x-client-certpem': der,
        'x-edge-router-proxy-request': 'true',
        'ssl-client-cert': encodeURIComponent(owner.shown.cert),
        'x-forwarded-client-cert': `Cert="${der}"`,
      };
      const answer = await owner.client.post(
        `${OWN}/${owner.authenticatorId}/extend`,
        { clientCertCsr: makeRequest().pem },
        { headers },
      );
      expectStatus(answer, 401);
    });

    it('for an authenticator of another identity, as if it were not there', async () => {
      const message = `authenticator with id ${other.authenticatorId} not found`;
      expectNotFound(await extend(owner.certified, other.authenticatorId), message);
      expectNotFound(await extend(owner.client, other.authenticatorId), message);
      expect((await extend(over(other.shown), other.authenticatorId)).status).to.be.oneOf([401, 404]);
      expectNotFound(await extend(controller.admin, other.authenticatorId), message);
      expectNotFound(await verify(owner.certified, other.authenticatorId, other.shown.cert), message);
      expectNotFound(await extend(owner.certified, 'nope'), 'authenticator with id nope not found');
    });

    it('for a password, and for a certificate that this network did not issue', async () => {
      const password = itemsOf(await owner.client.get(`${OWN}?filter=method%3D%22updb%22`))[0]?.id ?? '';
      const { ca } = await newVerifiedCa(controller);
      const leaf = makeLeaf(ca);
      const foreign = await make(controller, 'authenticators', {
        method: 'cert',
        identityId: owner.id,
        certPem: leaf.pem,
      });
      for (const answer of [
        await extend(owner.certified, password),
        await extend(over(shownBy(leaf)), foreign),
        await requestExtend(password, { rollKeys: true }),
        await requestExtend(foreign, {}),
      ]) {
        expectStatus(answer, 409);
        expect(answer.error?.code).to.equal('CAN_NOT_UPDATE_AUTHENTICATOR');
      }
      for (const id of [password, foreign])
        expect(expectStatus(await verify(owner.certified, id, leaf.pem), 400).error?.code).to.equal(
          'INVALID_CLIENT_CERT',
        );
      expect(await detail(foreign)).to.not.have.property('isExtendRequested');
    });

    it('with a request that proves nothing', async () => {
      for (const pem of [
        '',
        'nope',
        makeRequest({ isForged: true }).pem,
        makeRequest({ keyKind: 'rsa-1024' }).pem,
        makeRequest({ hash: 'sha1' }).pem,
        owner.shown.cert,
      ]) {
        expect(expectStatus(await extend(owner.certified, owner.authenticatorId, pem), 400).error?.code).to.equal(
          'COULD_NOT_PROCESS_CSR',
        );
      }
      expectField(
        await owner.certified.post(`${OWN}/${owner.authenticatorId}/extend`, {}),
        'clientCertCsr',
        /required/,
      );
    });

    it('without a session', async () => {
      const client = createCertificateClient(controller.url, owner.shown);
      open.push(client);
      expectStatus(await extend(client, owner.authenticatorId), 401);
      expectStatus(await verify(client, owner.authenticatorId, owner.shown.cert), 401);
    });
  });

  it('gives a certificate that is worth nothing until it is verified, and is the only one from then on', async () => {
    const caller = await certify();
    const { authenticatorId: id, shown } = caller;
    const before = await detail(id);
    const request = makeRequest({ commonName: 'somebody else' });
    const { ca, clientCert } = certsOf(await extend(caller.certified, id, request.pem));
    const leaf = new X509Certificate(clientCert);
    expect(leaf.subject).to.equal(`CN=${caller.id}`);
    expect(leaf.subjectAltName).to.match(new RegExp(`/identity/${caller.id}$`));
    expect(ca).to.match(/^-----BEGIN CERTIFICATE-----/);
    expect((await detail(id))['fingerprint']).to.equal(before['fingerprint']);
    const next = { cert: clientCert, key: request.privateKeyPem };
    expectStatus(await tryCertificateLogin(controller, next), 403);
    expectStatus(await tryCertificateLogin(controller, shown), 200);

    for (const wrong of [
      '',
      'nope',
      shown.cert,
      other.shown.cert,
      request.pem,
      ca,
      `${shown.cert}${clientCert}`,
      makeSelfSigned().pem,
      `${clientCert}${request.pem}`,
    ]) {
      expect(expectStatus(await verify(caller.certified, id, wrong), 400).error?.code).to.equal('INVALID_CLIENT_CERT');
    }
    expectStatus(await tryCertificateLogin(controller, shown), 200);

    expect(expectStatus(await verify(caller.certified, id, clientCert), 200).data).to.deep.equal({});
    const now = await detail(id);
    expect(now).to.include({
      id,
      fingerprint: fingerprintOf(clientCert),
      isIssuedByNetwork: true,
      lastExtendRolledKeys: true,
      identityId: caller.id,
    });
    expect(now.updatedAt > before.updatedAt).to.equal(true);
    expectStatus(await tryCertificateLogin(controller, shown), 403);
    expectStatus(await tryCertificateLogin(controller, next), 200);
    expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 200);
    expectStatus(await verify(caller.certified, id, clientCert), 400);
    expectStatus(await extend(over(shown, caller.client.token), id), 401);
    certsOf(await extend(over(next, caller.client.token), id));
  });

  it('is verified by the leaf alone over the new connection of the management API, and the key stayed', async () => {
    const caller = await certify();
    const request = makeRequest({ keys: caller.keys });
    const path = `${MANAGEMENT}/current-identity/authenticators/${caller.authenticatorId}`;
    const { clientCert } = certsOf(await caller.certified.post(`${path}/extend`, { clientCertCsr: request.pem }));
    const leafPem = new X509Certificate(clientCert).toString();
    expectStatus(
      await over({ cert: clientCert, key: request.privateKeyPem }, caller.client.token).post(`${path}/extend-verify`, {
        clientCert: leafPem,
      }),
      200,
    );
    expect(await detail(caller.authenticatorId)).to.include({
      fingerprint: fingerprintOf(clientCert),
      lastExtendRolledKeys: false,
    });
  });

  it('replaces the certificate that waits', async () => {
    const caller = await certify();
    const first = certsOf(await extend(caller.certified, caller.authenticatorId));
    const second = certsOf(await extend(caller.certified, caller.authenticatorId));
    expectStatus(await verify(caller.certified, caller.authenticatorId, first.clientCert), 400);
    expectStatus(await verify(caller.certified, caller.authenticatorId, second.clientCert), 200);
  });

  it('settles on one certificate when many are asked for and verified at once', async () => {
    const caller = await certify();
    const { authenticatorId: id } = caller;
    const extended = await Promise.all(Array.from({ length: 8 }, () => extend(caller.certified, id)));
    const certs = extended.map((answer) => certsOf(answer).clientCert);
    const answers = await Promise.all(
      [...certs, ...certs].map((clientCert) => verify(caller.certified, id, clientCert)),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 15 }, () => 400)]);
    const winner = certs[answers.findIndex(({ status }) => status === 200) % certs.length] ?? '';
    expect((await detail(id))['fingerprint']).to.equal(fingerprintOf(winner));
    expect(await waiting(id)).to.equal(null);
    const issued = await controller.database.query(
      'SELECT fingerprint FROM issued_certificates WHERE subject_id = $1',
      [caller.id],
    );
    expect(issued.rows.map((row) => row['fingerprint'] as string)).to.include.members(certs.map(fingerprintOf));
  });

  it('is asked for by an administrator, seen in open sessions at once, and done with the next verify', async () => {
    const caller = await certify();
    const { authenticatorId: id } = caller;
    const { token } = expectStatus(await tryCertificateLogin(controller, caller.shown), 200).data as { token: string };
    const session = over(caller.shown, token);
    const current = async () =>
      expectStatus(await session.get(`${CLIENT}/current-api-session`), 200).data as Record<string, unknown>;
    expect(await current())
      .to.include({ isCertExtendable: true })
      .and.not.have.any.keys('isCertExtendRequested', 'isCertKeyRollRequested');
    expect((await caller.client.get(`${CLIENT}/current-api-session`)).data).to.include({ isCertExtendable: false });

    expectStatus(await requestExtend(id, {}), 200);
    expect(await current()).to.include({
      isCertExtendable: true,
      isCertExtendRequested: true,
      isCertKeyRollRequested: false,
    });
    expectStatus(await requestExtend(id, { rollKeys: true }), 200);
    const asked = await detail(id);
    expect(asked).to.include({ isExtendRequested: true, isKeyRollRequested: true });
    expect(Date.parse(asked['extendRequestedAt'] as string)).to.be.within(Date.now() - 60_000, Date.now() + 60_000);
    const shown = await current();
    expect(shown).to.include({ isCertExtendRequested: true, isCertKeyRollRequested: true });
    expect(await read(controller, `api-sessions/${shown['id'] as string}`)).to.include({
      isCertExtendRequested: true,
      isCertKeyRollRequested: true,
    });

    for (const keys of [caller.keys, compressed(caller.keys)])
      expectField(await extend(session, id, makeRequest({ keys }).pem), 'clientCertCsr', /new key/);
    const { clientCert } = certsOf(await extend(session, id, makeRequest({ keys: makeKeys('ec-p384') }).pem));
    expectStatus(await verify(session, id, clientCert), 200);
    expect(await detail(id))
      .to.include({ lastExtendRolledKeys: true })
      .and.not.have.any.keys('isExtendRequested', 'isKeyRollRequested', 'extendRequestedAt');
    expect(await current()).to.not.have.any.keys('isCertExtendRequested', 'isCertKeyRollRequested');
  });

  it('still asks for a new key when that was asked for after the old one was extended', async () => {
    const caller = await certify();
    const { authenticatorId: id } = caller;
    const { clientCert } = certsOf(await extend(caller.certified, id, makeRequest({ keys: caller.keys }).pem));
    expectStatus(await requestExtend(id, { rollKeys: true }), 200);
    expectStatus(await verify(caller.certified, id, clientCert), 200);
    expect(await detail(id)).to.include({
      isExtendRequested: true,
      isKeyRollRequested: true,
      lastExtendRolledKeys: false,
    });
  });

  it('tells other controllers to read the session again, whether they have one or not', async () => {
    const subjects = [await certify(), await certify()];
    expectStatus(await tryCertificateLogin(controller, subjects[1]!.shown), 200);
    const listener = new pg.Client({ connectionString: controller.database.url });
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.connect();
    try {
      await listener.query('LISTEN edge');
      for (const { authenticatorId } of subjects) expectStatus(await requestExtend(authenticatorId, {}), 200);
      await until('the changes are told', () => subjects.every(({ id }) => heard.includes(`identity ${id}`)));
    } finally {
      await listener.end();
    }
  });

  it('is asked for by administrators alone, for what is there', async () => {
    expectNotFound(await requestExtend('nope', {}), 'authenticator with id nope not found');
    expectStatus(await requestExtend(owner.authenticatorId, { rollKeys: 'yes' }), 400);
    expectStatus(
      await owner.client.post(`${MANAGEMENT}/authenticators/${owner.authenticatorId}/request-extend`, {}),
      403,
    );
    expectStatus(
      await controller.anonymous.post(`${MANAGEMENT}/authenticators/${owner.authenticatorId}/request-extend`, {}),
      401,
    );
    expect(await detail(owner.authenticatorId)).to.not.have.property('isExtendRequested');
  });
});
