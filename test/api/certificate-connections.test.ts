/** Connections that show a client certificate: only sessions of the identity it belongs to may be used over them. */
import { expect } from 'chai';
import { entityOf } from '../support/entities.js';
import { INVALID_SESSION } from '../support/challenges.js';
import { expectLoginRefused } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { makeCa, makeLeaf, makeRequest, makeSelfSigned, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { LOGIN, ago, sessionOf, useCertificateLogins } from './certificate-support.js';

const CURRENT = `${CLIENT}/current-identity`;

describe('a connection with a certificate', () => {
  const suite = useCertificateLogins();
  const { world, leafOf } = suite;
  let controller: TestController;
  let caller: Caller;
  let victim: Caller;
  let ca: TestCertificate;
  beforeEach(() => {
    ({ controller, caller, victim, ca } = suite);
  });

  const token = (answer: Answer) => String(sessionOf(answer)['token']);
  const expectForeign = (answer: Answer) => {
    expectStatus(answer, 401);
    expect(answer.error?.code).to.equal('UNAUTHORIZED');
    expect(answer.headers['www-authenticate']).to.equal(INVALID_SESSION);
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
    const { certificate } = entityOf(
      expectStatus(await caller.client.post(`${CLIENT}/current-api-session/certificates`, { csr }), 201),
    );
    const shown = { cert: String(certificate), key };
    expectStatus(await world.client(shown, caller.client.token).get(CURRENT), 200);
    expectForeign(await world.client(shown, victim.client.token).get(CURRENT));
    expectLoginRefused(await world.login(shown));
    const named = makeCa();
    await world.trust(named, {
      claim: {
        location: 'COMMON_NAME',
        matcher: 'ALL',
        matcherCriteria: '',
        parser: 'NONE',
        parserCriteria: '',
        index: 0,
      },
    });
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
    await controller.database.query('UPDATE authenticators SET identity_id = $1 WHERE fingerprint = $2', [
      victim.id,
      leaf.fingerprint,
    ]);
    const second = token(await client.post(LOGIN));
    expectStatus(await client.get(CURRENT, { headers: { 'zt-session': second } }), 200);
    expectForeign(await client.get(CURRENT, { headers: { 'zt-session': first } }));
  });

  it('ends at the next request of an identity that was disabled or deleted', async () => {
    const client = world.client(shownBy(await leafOf(caller)));
    const zt = { headers: { 'zt-session': token(await client.post(LOGIN)) } };
    expectStatus(await client.get(CURRENT, zt), 200);
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/disable`, { durationMinutes: 0 }),
      200,
    );
    expectForeign(await client.get(CURRENT, zt));
    const other = world.client(shownBy(await leafOf(victim)));
    const its = { headers: { 'zt-session': token(await other.post(LOGIN)) } };
    expectStatus(await other.get(CURRENT, its), 200);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${victim.id}`), 200);
    expectForeign(await other.get(CURRENT, its));
  });
});
