/** Login by client certificate: the leaf of the handshake alone says who it is, and it must lead to what is trusted now. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ExternalIdClaim } from '../../domain/model.js';
import { CLIENT, MANAGEMENT, entityOf } from '../cases/resource.js';
import { makeCa, makeLeaf, makeRequest, makeSelfSigned, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { LOGIN, expectRefused, openWorld } from './certificate-support.js';
import type { Shown } from './certificate-support.js';

const DAY_MS = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const CURRENT = `${CLIENT}/current-identity`;

describe('login by certificate', () => {
  let controller: TestController;
  let caller: Caller;
  let victim: Caller;
  let ca: TestCertificate;
  let caId: string;
  const world = openWorld(() => controller);
  before(async () => {
    controller = await startTestController();
    ca = makeCa();
    caId = await world.trust(ca);
  });
  after(() => controller.stop());
  beforeEach(async () => { [caller, victim] = [await controller.newCaller(), await controller.newCaller()]; });
  afterEach(() => { world.close(); });

  const sessionOf = (answer: Answer) => entityOf(expectStatus(answer, 200));
  const identityOf = (answer: Answer) => String(sessionOf(answer)['identityId']);
  /** A leaf of the trusted CA that belongs to an identity. */
  const leafOf = async (owner: Caller, options: Parameters<typeof makeLeaf>[1] = {}, issuer = ca, of = caId) => {
    const leaf = makeLeaf(issuer, options);
    await world.register(owner.id, leaf, of);
    return leaf;
  };
  const sessionsOf = async (identityId: string) => (await controller.database.query('SELECT FROM api_sessions WHERE identity_id = $1', [identityId])).rows.length;
  const setPolicy = (changes: string) => controller.database.query(`UPDATE auth_policies SET ${changes} WHERE id = 'default'`);

  describe('refuses', () => {
    it('a connection without a certificate, whatever its headers say', async () => {
      const leaf = await leafOf(victim);
      const encoded = leaf.der.toString('base64');
      const hints: Record<string, string>[] = [
        {}, { 'x-client-certpem': encoded, 'x-edge-router-proxy-request': '1' }, { 'x-client-certpem': encodeURIComponent(leaf.pem) },
        { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(leaf.pem)}"`, 'x-forwarded-for': '127.0.0.1' },
        { 'ssl-client-cert': encodeURIComponent(leaf.pem), 'ssl-client-verify': 'SUCCESS' }, { 'x-ssl-client-sha1': leaf.fingerprint },
      ];
      for (const headers of hints) expectRefused(await controller.anonymous.post(LOGIN, undefined, { headers }));
      expectRefused(await controller.anonymous.post(LOGIN, { username: victim.username, password: victim.password, certPem: leaf.pem }));
    });

    it('to let headers change who a certificate says it is', async () => {
      const [own, other] = [await leafOf(caller), await leafOf(victim)];
      const headers = { 'x-client-certpem': other.der.toString('base64'), 'x-edge-router-proxy-request': '1', 'ssl-client-cert': encodeURIComponent(other.pem) };
      expect(identityOf(await world.login(shownBy(own), undefined, { headers }))).to.equal(caller.id);
      expectRefused(await world.login(shownBy(makeLeaf(ca)), undefined, { headers }));
    });

    it('a certificate of a trusted CA that nobody has', async () => {
      expectRefused(await world.login(shownBy(makeLeaf(ca))));
      expectRefused(await world.login(shownBy(makeLeaf(ca), ca)));
    });

    it("a victim's certificate behind one's own, once, twice and with the CA", async () => {
      const other = await leafOf(victim);
      const strange = makeCa();
      for (const own of [makeLeaf(ca), makeSelfSigned(), makeLeaf(strange), makeLeaf(ca, { subject: other.subject })]) {
        for (const rest of [[other], [other, other], [other, ca], [ca, other]]) expectRefused(await world.login(shownBy(own, ...rest)));
      }
      const own = await leafOf(caller);
      expect(identityOf(await world.login(shownBy(own, other, other, ca)))).to.equal(caller.id);
      expect(await sessionsOf(victim.id)).to.equal(1);
    });

    it("a victim's certificate in front of one's own: without its key there is no handshake", async () => {
      const other = await leafOf(victim);
      const own = makeLeaf(ca);
      let failure: unknown;
      try {
        await world.login({ cert: other.pem + own.pem, key: own.privateKeyPem });
      } catch (error) {
        failure = error;
      }
      expect(String(failure)).to.match(/key values mismatch/);
    });

    it('a self-signed certificate with the trusted CA behind it, also one that an identity has', async () => {
      const own = makeSelfSigned();
      expectRefused(await world.login(shownBy(own, ca)));
      await world.register(caller.id, own, caId);
      expectRefused(await world.login(shownBy(own, ca)));
      const claimed = makeSelfSigned();
      await world.register(caller.id, claimed, null);
      expectRefused(await world.login(shownBy(claimed, ca)));
    });

    it('a certificate that only names the trusted CA as its issuer', async () => {
      const impostor = makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId });
      const leaf = makeLeaf(impostor);
      await world.register(caller.id, leaf, caId);
      for (const rest of [[], [ca], [impostor], [impostor, ca]]) expectRefused(await world.login(shownBy(leaf, ...rest)));
    });

    it('an authenticator whose certificate leads to another CA than it was made under', async () => {
      const other = makeCa();
      const otherId = await world.trust(other);
      const [foreign, own] = [makeLeaf(other), makeLeaf(ca)];
      await world.register(caller.id, foreign, caId);
      await world.register(caller.id, own, null);
      expectRefused(await world.login(shownBy(foreign, other)));
      expectRefused(await world.login(shownBy(own, ca)));
      const issued = await world.issued();
      await world.register(caller.id, { ...issued, pem: issued.leafPem }, otherId);
      expectRefused(await world.login({ cert: issued.chainPem, key: issued.privateKeyPem }));
    });

    for (const [what, state] of [['unverified', { isVerified: false }], ['closed to logins', { isAuthEnabled: false }]] as const) {
      it(`the certificates of a CA that is ${what}`, async () => {
        const other = makeCa();
        const leaf = await leafOf(caller, {}, other, await world.trust(other, state));
        expectRefused(await world.login(shownBy(leaf, other)));
      });
    }

    it('the certificates of a CA from the moment it is closed to logins or deleted', async () => {
      const other = makeCa();
      const otherId = await world.trust(other);
      const leaf = await leafOf(caller, {}, other, otherId);
      const client = world.client(shownBy(leaf));
      const login = sessionOf(await client.post(LOGIN));
      await controller.database.query('UPDATE cas SET is_auth_enabled = false WHERE id = $1', [otherId]);
      expectRefused(await client.post(LOGIN));
      await controller.database.query('UPDATE cas SET is_auth_enabled = true WHERE id = $1', [otherId]);
      expectStatus(await client.post(LOGIN), 200);
      await controller.database.query('DELETE FROM cas WHERE id = $1', [otherId]);
      expectRefused(await client.post(LOGIN));
      expect((await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [login.id])).rows).to.have.length(0);
    });

    it('a certificate that is not valid yet, or whose CA is over', async () => {
      const leaf = await leafOf(caller, { notBefore: ago(-1), notAfter: ago(-2) });
      expectRefused(await world.login(shownBy(leaf)));
      const over = makeCa({ notBefore: ago(9), notAfter: ago(1) });
      const below = await leafOf(caller, {}, over, await world.trust(over));
      expectRefused(await world.login(shownBy(below, over)));
    });

    it('an expired certificate, unless the auth policy lets it pass', async () => {
      const old = makeCa({ notBefore: ago(9) });
      const leaf = await leafOf(caller, { notBefore: ago(5), notAfter: ago(1) }, old, await world.trust(old));
      try {
        await setPolicy('cert_allow_expired = false');
        expectRefused(await world.login(shownBy(leaf)));
        const fresh = await leafOf(caller);
        expect(identityOf(await world.login(shownBy(fresh)))).to.equal(caller.id);
        await setPolicy('cert_allow_expired = true');
        expect(identityOf(await world.login(shownBy(leaf)))).to.equal(caller.id);
      } finally {
        await setPolicy('cert_allow_expired = true');
      }
    });

    it('every certificate when the auth policy does not allow them', async () => {
      const leaf = await leafOf(caller);
      try {
        await setPolicy('cert_allowed = false');
        expectRefused(await world.login(shownBy(leaf)));
        expectStatus(await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username: caller.username, password: caller.password }), 200);
      } finally {
        await setPolicy('cert_allowed = true');
      }
      expectStatus(await world.login(shownBy(leaf)), 200);
    });

    it('a CA as a client, and certificates for other uses', async () => {
      await world.register(caller.id, ca, caId);
      expectRefused(await world.login(shownBy(ca)));
      for (const options of [{ basicConstraints: { isCa: true } }, { extendedKeyUsage: ['serverAuth'] }, { keyUsage: ['keyEncipherment'] }] as const) {
        expectRefused(await world.login(shownBy(await leafOf(caller, options))));
      }
    });

    it('an identity that is disabled or deleted, and an authenticator that is deleted', async () => {
      const leaf = await leafOf(caller);
      const client = world.client(shownBy(leaf));
      expectStatus(await client.post(LOGIN), 200);
      expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }), 200);
      expectRefused(await client.post(LOGIN));
      expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/enable`), 200);
      const { data } = expectStatus(await client.post(LOGIN), 200);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/authenticators/${String((data as { authenticatorId: string }).authenticatorId)}`), 200);
      expectRefused(await client.post(LOGIN));
      await world.register(caller.id, leaf, caId);
      expectStatus(await client.post(LOGIN), 200);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${caller.id}`), 200);
      expectRefused(await client.post(LOGIN));
    });
  });

  describe('takes', () => {
    const kinds = [['ec-p256', 'ec-p384'], ['ec-p384', 'rsa-2048'], ['rsa-2048', 'rsa-2048'], ['rsa-2048', 'ec-p256']] as const;
    for (const [caKind, leafKind] of kinds) {
      it(`a key of ${leafKind} under a CA of ${caKind}`, async () => {
        const other = makeCa({ keyKind: caKind });
        const leaf = await leafOf(caller, { keyKind: leafKind }, other, await world.trust(other));
        expect(identityOf(await world.login(shownBy(leaf)))).to.equal(caller.id);
      });
    }

    it("the network's own certificates, with their intermediate and without it", async () => {
      for (const kind of ['ec-p256', 'rsa-2048'] as const) {
        const { leafPem, chainPem, issuerPem, fingerprint, keys, privateKeyPem: key } = await world.issued(kind);
        const authenticatorId = await world.register(caller.id, { pem: leafPem, fingerprint, keys }, null);
        const stored = async () => (await controller.database.query('SELECT last_auth_resolved_to_root FROM authenticators WHERE id = $1', [authenticatorId]))
          .rows[0]?.['last_auth_resolved_to_root'];
        const shown: [Shown, isComplete: boolean][] = [
          [{ cert: chainPem, key }, true], [{ cert: leafPem, key }, false], [{ cert: leafPem + issuerPem + issuerPem, key }, true], [{ cert: leafPem + makeCa().pem, key }, false],
        ];
        for (const [cert, isComplete] of shown) {
          const session = sessionOf(await world.login(cert));
          expect(session).to.include({ identityId: caller.id, authenticatorId, isCertExtendable: true, isMfaRequired: false });
          expect(session['improperClientCertChain'] ?? false).to.equal(!isComplete);
          expect(await stored()).to.equal(isComplete);
        }
      }
    });

    it('intermediates in any order, twice, and with strangers among them', async () => {
      const middle = makeCa({ parent: ca, keyKind: 'rsa-2048' });
      const low = makeCa({ parent: middle });
      const leaf = await leafOf(caller, {}, low);
      const stranger = makeCa();
      for (const rest of [[low, middle], [middle, low], [ca, middle, low], [low, low, middle, middle], [stranger, middle, makeLeaf(stranger), low]]) {
        const session = sessionOf(await world.login(shownBy(leaf, ...rest)));
        expect(session['identityId']).to.equal(caller.id);
        expect(session).not.to.have.property('improperClientCertChain');
        expect(session['isCertExtendable']).to.equal(false);
      }
      for (const rest of [[], [low], [middle], [stranger, low]]) expectRefused(await world.login(shownBy(leaf, ...rest)));
    });

    it('no body, an empty one and one about the client, which it keeps', async () => {
      const client = world.client(shownBy(await leafOf(caller)));
      for (const body of [undefined, {}, { envInfo: { os: 'plan9' }, sdkInfo: { type: 'test' }, configTypes: ['all'] }]) expectStatus(await client.post(LOGIN, body), 200);
      const { envInfo, sdkInfo } = entityOf(await controller.admin.get(`${MANAGEMENT}/identities/${caller.id}`));
      expect([envInfo, sdkInfo]).to.deep.equal([{ os: 'plan9' }, { type: 'test' }]);
      const answer = expectStatus(await client.post(`${MANAGEMENT}/authenticate?method=cert`), 200);
      expect(answer.headers['zt-session']).to.equal(sessionOf(answer)['token']);
    });

    it('and tells that a new certificate was asked for', async () => {
      const { chainPem, leafPem, fingerprint, keys, privateKeyPem: key } = await world.issued();
      const id = await world.register(caller.id, { pem: leafPem, fingerprint, keys }, null);
      const client = world.client({ cert: chainPem, key });
      expect(expectStatus(await client.post(LOGIN), 200).headers).not.to.have.property('ziti-authenticator-extend-requested');
      await controller.database.query('UPDATE authenticators SET extend_requested_at = now() WHERE id = $1', [id]);
      expect(expectStatus(await client.post(LOGIN), 200).headers['ziti-authenticator-extend-requested']).to.equal('true');
    });

    it('a login or the end of its authenticator, and leaves no session without one', async () => {
      for (let round = 0; round < 10; round += 1) {
        const leaf = await leafOf(caller);
        const client = world.client(shownBy(leaf));
        const first = sessionOf(await client.post(LOGIN));
        const [answer] = await Promise.all([client.post(LOGIN), controller.database.query('DELETE FROM authenticators WHERE fingerprint = $1', [leaf.fingerprint])]);
        expect(answer.status).to.be.oneOf([200, 401, 403]);
        const { rows } = await controller.database.query('SELECT FROM api_sessions WHERE authenticator_id = $1', [first['authenticatorId']]);
        expect(rows).to.have.length(0);
      }
    });

    it('many logins at once', async () => {
      const leaf = await leafOf(caller);
      const answers = await Promise.all(Array.from({ length: 20 }, () => world.login(shownBy(leaf))));
      expect(new Set(answers.map(identityOf))).to.deep.equal(new Set([caller.id]));
      expect(await sessionsOf(caller.id)).to.equal(21);
    });
  });

  describe('by the claim of a CA', () => {
    const claim: ExternalIdClaim = { location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe', parser: 'NONE', parserCriteria: '', index: 0 };
    let issuer: TestCertificate;
    let issuerId: string;
    let externalId: string;
    beforeEach(async () => {
      issuer = makeCa();
      issuerId = await world.trust(issuer, { claim });
      externalId = `spiffe://example.org/${randomBytes(8).toString('hex')}`;
      expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { externalId }), 200);
    });

    it('knows the identity without an authenticator, and ends its sessions with the CA', async () => {
      const leaf = makeLeaf(issuer, { names: { uri: [externalId] } });
      const session = sessionOf(await world.login(shownBy(leaf)));
      expect(session).to.include({ identityId: caller.id, authenticatorId: 'internal', isCertExtendable: false });
      await controller.database.query('DELETE FROM cas WHERE id = $1', [issuerId]);
      expect((await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [session.id])).rows).to.have.length(0);
      expectRefused(await world.login(shownBy(leaf)));
    });

    it('refuses an external id that nobody has, that the certificate lacks, or that another CA vouches for', async () => {
      expectRefused(await world.login(shownBy(makeLeaf(issuer, { names: { uri: [`${externalId}x`] } }))));
      expectRefused(await world.login(shownBy(makeLeaf(issuer))));
      expectRefused(await world.login(shownBy(makeLeaf(issuer, { names: { dns: ['example.org'], email: [externalId] } }))));
      for (const other of [ca, makeCa(), makeCa({ subject: issuer.subject })]) {
        expectRefused(await world.login(shownBy(makeLeaf(other, { names: { uri: [externalId] } }), issuer)));
      }
      await controller.database.query('UPDATE cas SET is_auth_enabled = false WHERE id = $1', [issuerId]);
      expectRefused(await world.login(shownBy(makeLeaf(issuer, { names: { uri: [externalId] } }))));
    });

    it('refuses a disabled identity', async () => {
      const leaf = makeLeaf(issuer, { names: { uri: [externalId] } });
      expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }), 200);
      expectRefused(await world.login(shownBy(leaf)));
    });

    it('falls back to the fingerprint where a certificate has none', async () => {
      const leaf = await leafOf(victim, {}, issuer, issuerId);
      expect(identityOf(await world.login(shownBy(leaf)))).to.equal(victim.id);
      const claimed = await leafOf(victim, { names: { uri: [externalId] } }, issuer, issuerId);
      expect(identityOf(await world.login(shownBy(claimed)))).to.equal(caller.id);
    });
  });

  describe('and the connection it came over', () => {
    const token = (answer: Answer) => String(sessionOf(answer)['token']);
    const expectForeign = (answer: Answer) => {
      expectStatus(answer, 401);
      expect(answer.error?.code).to.equal('UNAUTHORIZED');
      expect(answer.headers['www-authenticate']).to.equal('zt-session realm="zt-session" error="invalid" error_description="token is invalid"');
    };

    it('refuses the token of another identity, of an administrator too, and goes on for its own', async () => {
      const shown = shownBy(await leafOf(caller));
      const own = token(await world.login(shown));
      for (const other of [victim.client.token, controller.admin.token]) {
        const client = world.client(shown, other);
        expectForeign(await client.get(CURRENT));
        expectForeign(await client.get(`${MANAGEMENT}/identities`));
        expectForeign(await client.delete(`${CLIENT}/current-api-session`));
        const { id } = entityOf(expectStatus(await client.get(CURRENT, { headers: { 'zt-session': own } }), 200));
        expect(id).to.equal(caller.id);
      }
      expectStatus(await victim.client.get(CURRENT), 200);
      expectStatus(await controller.anonymous.get(CURRENT, { headers: { 'zt-session': own } }), 200);
    });

    it('is of no account with a certificate of nobody', async () => {
      for (const leaf of [makeSelfSigned(), makeLeaf(makeCa()), makeLeaf(ca), makeLeaf(ca, { notAfter: ago(0.01) })]) {
        expectStatus(await world.client(shownBy(leaf), victim.client.token).get(CURRENT), 200);
      }
    });

    it('counts for the certificate of an API session, and for one with a claim', async () => {
      const { pem: csr, privateKeyPem: key } = makeRequest();
      const { certificate } = entityOf(expectStatus(await caller.client.post(`${CLIENT}/current-api-session/certificates`, { csr }), 201));
      const shown = { cert: String(certificate), key };
      expectStatus(await world.client(shown, caller.client.token).get(CURRENT), 200);
      expectForeign(await world.client(shown, victim.client.token).get(CURRENT));
      expectRefused(await world.login(shown));
      const named = makeCa();
      await world.trust(named, { claim: { location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '', parser: 'NONE', parserCriteria: '', index: 0 } });
      const externalId = unique('external');
      expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { externalId }), 200);
      const leaf = shownBy(makeLeaf(named, { commonName: externalId }));
      expectStatus(await world.client(leaf, caller.client.token).get(CURRENT), 200);
      expectForeign(await world.client(leaf, victim.client.token).get(CURRENT));
    });

    it('follows a certificate to its new owner', async () => {
      const leaf = await leafOf(caller);
      const client = world.client(shownBy(leaf));
      const first = token(await client.post(LOGIN));
      expectStatus(await client.get(CURRENT, { headers: { 'zt-session': first } }), 200);
      await controller.database.query('UPDATE authenticators SET identity_id = $1 WHERE fingerprint = $2', [victim.id, leaf.fingerprint]);
      const second = token(await client.post(LOGIN));
      expectStatus(await client.get(CURRENT, { headers: { 'zt-session': second } }), 200);
      expectForeign(await client.get(CURRENT, { headers: { 'zt-session': first } }));
    });

    it('ends at the next request of an identity that was disabled or deleted', async () => {
      const client = world.client(shownBy(await leafOf(caller)));
      const zt = { headers: { 'zt-session': token(await client.post(LOGIN)) } };
      expectStatus(await client.get(CURRENT, zt), 200);
      expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }), 200);
      expectForeign(await client.get(CURRENT, zt));
      const other = world.client(shownBy(await leafOf(victim)));
      const its = { headers: { 'zt-session': token(await other.post(LOGIN)) } };
      expectStatus(await other.get(CURRENT, its), 200);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${victim.id}`), 200);
      expectForeign(await other.get(CURRENT, its));
    });
  });
});
