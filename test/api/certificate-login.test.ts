/**
 * Login by client certificate: which certificates it takes, what it answers, and external ids in the certificates of a
 * CA.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ExternalIdClaim } from '../../domain/credentials.js';
import { entityOf } from '../support/entities.js';
import { expectLoginRefused } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';
import { makeCa, makeLeaf, shownBy } from '../support/certificates.js';
import { newVerifiedCa } from '../support/certified.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Caller, TestController } from '../support/controller.js';
import { LOGIN, identityOf, sessionOf, useCertificateLogins } from './certificate-support.js';
import type { Shown } from './certificate-support.js';

describe('login by certificate', () => {
  const suite = useCertificateLogins();
  const { world, leafOf, sessionsOf } = suite;
  let controller: TestController;
  let caller: Caller;
  let victim: Caller;
  let ca: TestCertificate;
  beforeEach(() => {
    ({ controller, caller, victim, ca } = suite);
  });

  describe('takes', () => {
    const kinds = [
      ['ec-p256', 'ec-p384'],
      ['ec-p384', 'rsa-2048'],
      ['rsa-2048', 'rsa-2048'],
      ['rsa-2048', 'ec-p256'],
    ] as const;
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
        const stored = async () =>
          (
            await controller.database.query('SELECT last_auth_resolved_to_root FROM authenticators WHERE id = $1', [
              authenticatorId,
            ])
          ).rows[0]?.['last_auth_resolved_to_root'];
        const shown: [Shown, isComplete: boolean][] = [
          [{ cert: chainPem, key }, true],
          [{ cert: leafPem, key }, false],
          [{ cert: leafPem + issuerPem + issuerPem, key }, true],
          [{ cert: leafPem + makeCa().pem, key }, false],
        ];
        for (const [cert, isComplete] of shown) {
          const session = sessionOf(await world.login(cert));
          expect(session).to.include({
            identityId: caller.id,
            authenticatorId,
            isCertExtendable: true,
            isMfaRequired: false,
          });
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
      for (const rest of [
        [low, middle],
        [middle, low],
        [ca, middle, low],
        [low, low, middle, middle],
        [stranger, middle, makeLeaf(stranger), low],
      ]) {
        const session = sessionOf(await world.login(shownBy(leaf, ...rest)));
        expect(session['identityId']).to.equal(caller.id);
        expect(session).not.to.have.property('improperClientCertChain');
        expect(session['isCertExtendable']).to.equal(false);
      }
      for (const rest of [[], [low], [middle], [stranger, low]])
        expectLoginRefused(await world.login(shownBy(leaf, ...rest)));
    });

    it('chains of Ed25519 keys, alone and mixed with others, also below a root of that kind', async () => {
      const { id: caId, ca: root } = await newVerifiedCa(controller, {}, { keyKind: 'ed25519' });
      for (const [between, end] of [
        ['ed25519', 'ed25519'],
        ['ec-p256', 'ed25519'],
        ['rsa-2048', 'ec-p384'],
        ['ed25519', 'rsa-2048'],
      ] as const) {
        const middle = makeCa({ parent: root, keyKind: between });
        const leaf = makeLeaf(middle, { keyKind: end });
        const body = { method: 'cert', identityId: caller.id, certPem: leaf.pem + middle.pem };
        expectStatus(await controller.admin.post(`${MANAGEMENT}/authenticators`, body), 201);
        const session = sessionOf(await world.login(shownBy(leaf, middle)));
        expect(session['identityId'], `${between} > ${end}`).to.equal(caller.id);
        const stranger = makeCa({ keyKind: 'ed25519', subject: middle.subject, subjectKeyId: middle.subjectKeyId });
        expectLoginRefused(await world.login(shownBy(makeLeaf(stranger), middle)));
      }
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
    });

    it('no body, an empty one and one about the client, which it keeps', async () => {
      const client = world.client(shownBy(await leafOf(caller)));
      for (const body of [undefined, {}, { envInfo: { os: 'plan9' }, sdkInfo: { type: 'test' }, configTypes: ['all'] }])
        expectStatus(await client.post(LOGIN, body), 200);
      const { envInfo, sdkInfo } = entityOf(await controller.admin.get(`${MANAGEMENT}/identities/${caller.id}`));
      expect([envInfo, sdkInfo]).to.deep.equal([{ os: 'plan9' }, { type: 'test' }]);
      const answer = expectStatus(await client.post(`${MANAGEMENT}/authenticate?method=cert`), 200);
      expect(answer.headers['zt-session']).to.equal(sessionOf(answer)['token']);
    });

    it('and tells that a new certificate was asked for', async () => {
      const { chainPem, leafPem, fingerprint, keys, privateKeyPem: key } = await world.issued();
      const id = await world.register(caller.id, { pem: leafPem, fingerprint, keys }, null);
      const client = world.client({ cert: chainPem, key });
      expect(expectStatus(await client.post(LOGIN), 200).headers).not.to.have.property(
        'ziti-authenticator-extend-requested',
      );
      await controller.database.query('UPDATE authenticators SET extend_requested_at = now() WHERE id = $1', [id]);
      expect(expectStatus(await client.post(LOGIN), 200).headers['ziti-authenticator-extend-requested']).to.equal(
        'true',
      );
    });

    it('a login or the end of its authenticator, and leaves no session without one', async () => {
      for (let round = 0; round < 10; round += 1) {
        const leaf = await leafOf(caller);
        const client = world.client(shownBy(leaf));
        const first = sessionOf(await client.post(LOGIN));
        const [answer] = await Promise.all([
          client.post(LOGIN),
          controller.database.query('DELETE FROM authenticators WHERE fingerprint = $1', [leaf.fingerprint]),
        ]);
        expect(answer.status).to.be.oneOf([200, 401, 403]);
        const { rows } = await controller.database.query('SELECT FROM api_sessions WHERE authenticator_id = $1', [
          first['authenticatorId'],
        ]);
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
    const claim: ExternalIdClaim = {
      location: 'SAN_URI',
      matcher: 'SCHEME',
      matcherCriteria: 'spiffe',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    };
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
      expect(
        (await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [session.id])).rows,
      ).to.have.length(0);
      expectLoginRefused(await world.login(shownBy(leaf)));
    });

    it('refuses an external id that is unknown, not in the certificate, or of another CA', async () => {
      expectLoginRefused(await world.login(shownBy(makeLeaf(issuer, { names: { uri: [`${externalId}x`] } }))));
      expectLoginRefused(await world.login(shownBy(makeLeaf(issuer))));
      expectLoginRefused(
        await world.login(shownBy(makeLeaf(issuer, { names: { dns: ['example.org'], email: [externalId] } }))),
      );
      for (const other of [ca, makeCa(), makeCa({ subject: issuer.subject })]) {
        expectLoginRefused(await world.login(shownBy(makeLeaf(other, { names: { uri: [externalId] } }), issuer)));
      }
      await controller.database.query('UPDATE cas SET is_auth_enabled = false WHERE id = $1', [issuerId]);
      expectLoginRefused(await world.login(shownBy(makeLeaf(issuer, { names: { uri: [externalId] } }))));
    });

    it('refuses a disabled identity', async () => {
      const leaf = makeLeaf(issuer, { names: { uri: [externalId] } });
      expectStatus(
        await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }),
        200,
      );
      expectLoginRefused(await world.login(shownBy(leaf)));
    });

    it('falls back to the fingerprint where a certificate has none', async () => {
      const leaf = await leafOf(victim, {}, issuer, issuerId);
      expect(identityOf(await world.login(shownBy(leaf)))).to.equal(victim.id);
      const claimed = await leafOf(victim, { names: { uri: [externalId] } }, issuer, issuerId);
      expect(identityOf(await world.login(shownBy(claimed)))).to.equal(caller.id);
    });
  });
});
