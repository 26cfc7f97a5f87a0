/**
 * Logins by client certificate that are refused: the leaf of the handshake alone says who it is, and it must lead to
 * what is trusted now.
 */
import { expect } from 'chai';
import { expectLoginRefused } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { makeCa, makeLeaf, makeSelfSigned, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Caller, TestController } from '../support/controller.js';
import { LOGIN, ago, identityOf, sessionOf, useCertificateLogins } from './certificate-support.js';

describe('login by certificate: refuses', () => {
  const suite = useCertificateLogins();
  const { world, leafOf, sessionsOf } = suite;
  let controller: TestController;
  let caller: Caller;
  let victim: Caller;
  let ca: TestCertificate;
  let caId: string;
  beforeEach(() => {
    ({ controller, caller, victim, ca, caId } = suite);
  });
  const setPolicy = (changes: string) =>
    controller.database.query(`UPDATE auth_policies SET ${changes} WHERE id = 'default'`);

  it('a connection without a certificate, whatever its headers say', async () => {
    const leaf = await leafOf(victim);
    const encoded = leaf.der.toString('base64');
    const hints: Record<string, string>[] = [
      {},
      { 'x-client-certpem': encoded, 'x-edge-router-proxy-request': '1' },
      { 'x-client-certpem': encodeURIComponent(leaf.pem) },
      { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(leaf.pem)}"`, 'x-forwarded-for': '127.0.0.1' },
      { 'ssl-client-cert': encodeURIComponent(leaf.pem), 'ssl-client-verify': 'SUCCESS' },
      { 'x-ssl-client-sha1': leaf.fingerprint },
    ];
    for (const headers of hints) expectLoginRefused(await controller.anonymous.post(LOGIN, undefined, { headers }));
    expectLoginRefused(
      await controller.anonymous.post(LOGIN, {
        username: victim.username,
        password: victim.password,
        certPem: leaf.pem,
      }),
    );
  });

  it('to let headers change who a certificate says it is', async () => {
    const [own, other] = [await leafOf(caller), await leafOf(victim)];
    const headers = {
      'x-client-certpem': other.der.toString('base64'),
      'x-edge-router-proxy-request': '1',
      'ssl-client-cert': encodeURIComponent(other.pem),
    };
    expect(identityOf(await world.login(shownBy(own), undefined, { headers }))).to.equal(caller.id);
    expectLoginRefused(await world.login(shownBy(makeLeaf(ca)), undefined, { headers }));
  });

  it('a certificate of a trusted CA that nobody has', async () => {
    expectLoginRefused(await world.login(shownBy(makeLeaf(ca))));
    expectLoginRefused(await world.login(shownBy(makeLeaf(ca), ca)));
  });

  it("a victim's certificate behind one's own, once, twice and with the CA", async () => {
    const other = await leafOf(victim);
    const strange = makeCa();
    for (const own of [makeLeaf(ca), makeSelfSigned(), makeLeaf(strange), makeLeaf(ca, { subject: other.subject })]) {
      for (const rest of [[other], [other, other], [other, ca], [ca, other]])
        expectLoginRefused(await world.login(shownBy(own, ...rest)));
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
    expectLoginRefused(await world.login(shownBy(own, ca)));
    await world.register(caller.id, own, caId);
    expectLoginRefused(await world.login(shownBy(own, ca)));
    const claimed = makeSelfSigned();
    await world.register(caller.id, claimed, null);
    expectLoginRefused(await world.login(shownBy(claimed, ca)));
  });

  it('a certificate that only names the trusted CA as its issuer', async () => {
    const impostor = makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId });
    const leaf = makeLeaf(impostor);
    await world.register(caller.id, leaf, caId);
    for (const rest of [[], [ca], [impostor], [impostor, ca]])
      expectLoginRefused(await world.login(shownBy(leaf, ...rest)));
  });

  it('an authenticator whose certificate leads to another CA than it was made under', async () => {
    const other = makeCa();
    const otherId = await world.trust(other);
    const [foreign, own] = [makeLeaf(other), makeLeaf(ca)];
    await world.register(caller.id, foreign, caId);
    await world.register(caller.id, own, null);
    expectLoginRefused(await world.login(shownBy(foreign, other)));
    expectLoginRefused(await world.login(shownBy(own, ca)));
    const issued = await world.issued();
    await world.register(caller.id, { ...issued, pem: issued.leafPem }, otherId);
    expectLoginRefused(await world.login({ cert: issued.chainPem, key: issued.privateKeyPem }));
  });

  for (const [what, state] of [
    ['unverified', { isVerified: false }],
    ['closed to logins', { isAuthEnabled: false }],
  ] as const) {
    it(`the certificates of a CA that is ${what}`, async () => {
      const other = makeCa();
      const leaf = await leafOf(caller, {}, other, await world.trust(other, state));
      expectLoginRefused(await world.login(shownBy(leaf, other)));
    });
  }

  it('the certificates of a CA from the moment it is closed to logins or deleted', async () => {
    const other = makeCa();
    const otherId = await world.trust(other);
    const leaf = await leafOf(caller, {}, other, otherId);
    const client = world.client(shownBy(leaf));
    const login = sessionOf(await client.post(LOGIN));
    await controller.database.query('UPDATE cas SET is_auth_enabled = false WHERE id = $1', [otherId]);
    expectLoginRefused(await client.post(LOGIN));
    await controller.database.query('UPDATE cas SET is_auth_enabled = true WHERE id = $1', [otherId]);
    expectStatus(await client.post(LOGIN), 200);
    await controller.database.query('DELETE FROM cas WHERE id = $1', [otherId]);
    expectLoginRefused(await client.post(LOGIN));
    expect((await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [login.id])).rows).to.have.length(
      0,
    );
  });

  it('a certificate that is not valid yet, or whose CA is over', async () => {
    const leaf = await leafOf(caller, { notBefore: ago(-1), notAfter: ago(-2) });
    expectLoginRefused(await world.login(shownBy(leaf)));
    const over = makeCa({ notBefore: ago(9), notAfter: ago(1) });
    const below = await leafOf(caller, {}, over, await world.trust(over));
    expectLoginRefused(await world.login(shownBy(below, over)));
  });

  it('an expired certificate, unless the auth policy lets it pass', async () => {
    const old = makeCa({ notBefore: ago(9) });
    const leaf = await leafOf(caller, { notBefore: ago(5), notAfter: ago(1) }, old, await world.trust(old));
    try {
      await setPolicy('cert_allow_expired = false');
      expectLoginRefused(await world.login(shownBy(leaf)));
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
      expectLoginRefused(await world.login(shownBy(leaf)));
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, {
          username: caller.username,
          password: caller.password,
        }),
        200,
      );
    } finally {
      await setPolicy('cert_allowed = true');
    }
    expectStatus(await world.login(shownBy(leaf)), 200);
  });

  it('a CA as a client, and certificates for other uses', async () => {
    await world.register(caller.id, ca, caId);
    expectLoginRefused(await world.login(shownBy(ca)));
    for (const options of [
      { basicConstraints: { isCa: true } },
      { extendedKeyUsage: ['serverAuth'] },
      { keyUsage: ['keyEncipherment'] },
    ] as const) {
      expectLoginRefused(await world.login(shownBy(await leafOf(caller, options))));
    }
  });

  it('an identity that is disabled or deleted, and an authenticator that is deleted', async () => {
    const leaf = await leafOf(caller);
    const client = world.client(shownBy(leaf));
    expectStatus(await client.post(LOGIN), 200);
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }),
      200,
    );
    expectLoginRefused(await client.post(LOGIN));
    expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/enable`), 200);
    const { data } = expectStatus(await client.post(LOGIN), 200);
    expectStatus(
      await controller.admin.delete(
        `${MANAGEMENT}/authenticators/${String((data as { authenticatorId: string }).authenticatorId)}`,
      ),
      200,
    );
    expectLoginRefused(await client.post(LOGIN));
    await world.register(caller.id, leaf, caId);
    expectStatus(await client.post(LOGIN), 200);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${caller.id}`), 200);
    expectLoginRefused(await client.post(LOGIN));
  });
});
