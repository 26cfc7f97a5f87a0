/**
 * A token of a signer that an auth policy requires with every request, over HTTPS: which tokens will do, what a session
 * is without one, and that a change of policy, signer or identity counts from the next request on. Two controllers
 * share a database.
 */
import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { makeCa } from '../support/certificates.js';
import { unique } from '../support/controller.js';
import { entityOf, itemsOf } from '../support/entities.js';
import { expectFault, expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { until } from '../support/poll.js';
import { bearing, makeSigner, nowSeconds, tokenOf } from '../support/tokens.js';
import type { TestClaims, TestSigner } from '../support/tokens.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

const ME = `${C}/current-identity`;
const SESSION = `${C}/current-api-session`;
const SIGNERS = `${M}/external-jwt-signers`;
/** Somebody whose policy requires the signer, and a session of theirs. */
interface Subject {
  readonly id: string;
  readonly name: string;
  readonly policyId: string;
  readonly signer: TestSigner;
  readonly client: Client;
  readonly token: (changes?: TestClaims) => Promise<string>;
}

describe('a token that an auth policy requires', function requiredSigners() {
  this.timeout(120_000);
  let pair: Pair;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ one, two, admin } = pair);
  });
  after(() => pair.stop());

  const newPolicy = async (secondary: object): Promise<string> => {
    return entityOf(expectStatus(await admin.post(`${M}/auth-policies`, authPolicy({ secondary })), 201)).id;
  };
  const newSubject = async (signerChanges: object = {}, fields: object = {}, secondary: object = {}) => {
    const signer = await makeSigner(admin, signerChanges);
    const policyId = await newPolicy({ requireExtJwtSigner: signer.id, ...secondary });
    const name = unique('subject');
    const { id } = await makeUser(admin, name, { authPolicyId: policyId, ...fields });
    const token = (changes: TestClaims = {}) => tokenOf(signer, id, changes);
    const subject: Subject = { id, name, policyId, signer, client: await one.login(name, PASSWORD), token };
    return subject;
  };
  const challenge = (fault: string, description: string, { id, issuer }: TestSigner) =>
    `Bearer realm="openziti-secondary-ext-jwt" error="${fault}" error_description="${description}" ` +
    `id="${id}" issuer="${issuer}"`;
  const missing = (answer: Answer) => {
    expectUnauthorized(answer, undefined);
  };
  const queriesOf = (answer: Answer) => entityOf(expectStatus(answer, 200))['authQueries'];
  const patchSigner = async ({ signer }: Subject, changes: object) =>
    expectStatus(await admin.patch(`${SIGNERS}/${signer.id}`, changes), 200);
  const patchPolicy = async ({ policyId }: Subject, secondary: object) =>
    expectStatus(await admin.patch(`${M}/auth-policies/${policyId}`, { secondary }), 200);
  /** At the other controller, which hears of changes a moment later. */
  const elsewhere = ({ client }: Subject) => two.client(client.token);
  const eventually = (subject: Subject, status: number, ...tokens: string[]) =>
    until(`${status} at the other controller`, async () => {
      const answer = await elsewhere(subject).get(ME, bearing(...tokens));
      return answer.status === status;
    });

  it('is asked of every request; without it the session can do as little as one that owes a code', async () => {
    const { client, signer, token } = await newSubject();
    missing(await client.get(ME));
    missing(await client.get(`${C}/services`));
    const good = await token();
    expectStatus(await client.get(ME, bearing(good)), 200);
    missing(await client.get(ME));
    expectStatus(await client.get(SESSION), 200);
    expectUnauthorized(
      await client.get(ME, bearing(await tokenOf(signer, 'somebody else'))),
      challenge('invalid', 'token is invalid', signer),
    );
    expectStatus(await client.delete(SESSION), 200);
  });

  it('is asked of administrators too', async () => {
    const { client, token } = await newSubject({}, { isAdmin: true });
    missing(await client.get(`${M}/identities?limit=1`));
    expectStatus(await client.get(`${M}/identities?limit=1`, bearing(await token())), 200);
  });

  it('is shown as a query until it comes along, to its owner, at the login and to administrators', async () => {
    const settings = { clientId: 'c1', externalAuthUrl: 'https://login.example.com/', scopes: ['openid'] };
    const { client, name, signer, token } = await newSubject(settings);
    const query = {
      clientId: 'c1',
      httpUrl: 'https://login.example.com/',
      id: signer.id,
      provider: 'url',
      scopes: ['openid'],
      typeId: 'EXT-JWT',
    };
    expect(queriesOf(await client.get(SESSION))).to.deep.equal([query]);
    expect(queriesOf(await client.get(SESSION, bearing(await token())))).to.deep.equal([]);
    const { id } = entityOf(await client.get(SESSION));
    expect(queriesOf(await admin.get(`${M}/api-sessions/${id}`))).to.deep.equal([query]);
    const listed = itemsOf(await admin.get(`${M}/api-sessions?filter=${encodeURIComponent(`id="${id}"`)}`));
    expect(listed.map((item) => item['authQueries'])).to.deep.equal([[query]]);

    const login = (...tokens: string[]) =>
      one
        .client()
        .post(`${C}/authenticate?method=password`, { username: name, password: PASSWORD }, bearing(...tokens));
    const without = await login();
    expect(queriesOf(without)).to.deep.equal([query]);
    expect(without.headers['www-authenticate']).to.equal(
      challenge('missing', 'no matching token was provided', signer),
    );
    const with_ = await login(await token());
    expect(queriesOf(with_)).to.deep.equal([]);
    expect(with_.headers['www-authenticate']).to.equal(undefined);
    const expired = await login(await token({ exp: nowSeconds() - 60 }));
    expect(queriesOf(expired)).to.deep.equal([query]);
    expect(expired.headers['www-authenticate']).to.equal(challenge('expired', 'token expired', signer));
  });

  it('leaves out what the signer does not have, and escapes what a header cannot hold', async () => {
    const issuer = `https://${unique('issuer')}.example.com/"ö\\`;
    const { client, signer, token } = await newSubject({ issuer });
    expect(queriesOf(await client.get(SESSION))).to.deep.equal([
      { id: signer.id, provider: 'url', scopes: [], typeId: 'EXT-JWT' },
    ]);
    const answer = await client.get(ME, bearing(await token({ iss: issuer, exp: nowSeconds() - 60 })));
    const shown = issuer.replace('"ö\\', '%22%C3%B6%5C');
    expectUnauthorized(answer, challenge('expired', 'token expired', { ...signer, issuer: shown }));
    expectStatus(await client.get(ME, bearing(await token({ iss: issuer }))), 200);
  });

  it('is refused for whatever is wrong with it, and as missing when it is of another', async () => {
    const subject = await newSubject();
    const { client, id, signer, token } = subject;
    const other = await makeSigner(admin);
    const good = await token();
    const [head = '', body = ''] = good.split('.');
    const hmac = createHmac('sha256', makeCa().pem).update(`${head}.${body}`).digest('base64url');
    const invalid: Record<string, string> = {
      'wrong audience': await token({ aud: 'elsewhere' }),
      'no audience': await token({ aud: undefined }),
      'no exp': await token({ exp: undefined }),
      'nbf in the future': await token({ nbf: nowSeconds() + 60 }),
      'no subject': await token({ sub: undefined }),
      'subject of no text': await token({ sub: [id] }),
      'name of the identity': await token({ sub: subject.name }),
      'key of another': await tokenOf({ ...signer, key: other.key }, id),
      'another signature': `${head}.${body}.${hmac}`,
      'no signature': `${head}.${body}.`,
      'no JWT': 'nonsense',
      'too long': await token({ filler: 'x'.repeat(13_000) }),
    };
    for (const [what, wrong] of Object.entries(invalid)) {
      const answer = await client.get(ME, bearing(wrong));
      expect(answer.headers['www-authenticate'], what).to.equal(challenge('invalid', 'token is invalid', signer));
      expectFault(answer, 401, 'UNAUTHORIZED');
    }
    const expired = await client.get(ME, bearing(await token({ exp: nowSeconds() - 60 })));
    expectUnauthorized(expired, challenge('expired', 'token expired', signer));
    missing(await client.get(ME, bearing(await tokenOf(other, id))));
    missing(await client.get(ME, { headers: { authorization: `Basic ${good}` } }));
    expectStatus(await client.get(ME, bearing(good)), 200);
  });

  it('may come among three bearer tokens, and no more are looked at', async () => {
    const { client, id, token } = await newSubject();
    const other = await tokenOf(await makeSigner(admin), id);
    const good = await token();
    expectStatus(await client.get(ME, bearing(other, 'nonsense', good)), 200);
    expectStatus(await client.get(ME, bearing(good, other)), 200);
    missing(await client.get(ME, bearing(other, other, other, good)));
  });

  it('opens nothing by itself, and is no session', async () => {
    const { token } = await newSubject();
    expectFault(await one.client().get(ME, bearing(await token())), 401, 'UNAUTHORIZED');
  });

  it('may be the one of an ext-jwt login, or come besides it', async () => {
    const { id, token, policyId } = await newSubject();
    const login = (...tokens: string[]) =>
      one.client().send('POST', `${C}/authenticate?method=ext-jwt`, {}, bearing(...tokens));
    const good = await token();
    expect(queriesOf(await login(good))).to.deep.equal([]);
    const primary = await makeSigner(admin);
    const extJwt = { allowed: true, allowedSigners: [primary.id] };
    expectStatus(await admin.patch(`${M}/auth-policies/${policyId}`, { primary: { extJwt } }), 200);
    for (const tokens of [
      [good, await tokenOf(primary, id)],
      [await tokenOf(primary, id), good],
    ]) {
      const session = entityOf(expectStatus(await login(...tokens), 200));
      expect(session).to.deep.include({ authQueries: [], authenticatorId: `extJwtId:${primary.id}` });
      const client = one.client(session['token'] as string);
      expectStatus(await client.get(ME, bearing(...tokens)), 200);
    }
    expectFault(await login(good), 403, 'INVALID_AUTH');
  });

  it('names the identity by its externalId where the signer says so, as long as that is its own', async () => {
    const externalId = unique('external');
    const subject = await newSubject({ useExternalId: true, claimsProperty: '/who/mail' }, { externalId });
    const { client, id } = subject;
    const good = await subject.token({ who: { mail: externalId } });
    expectStatus(await client.get(ME, bearing(good)), 200);
    expectStatus(await elsewhere(subject).get(ME, bearing(good)), 200);
    expectFault(await client.get(ME, bearing(await subject.token({ who: { mail: id } }))), 401, 'UNAUTHORIZED');
    expectStatus(await admin.patch(`${M}/identities/${id}`, { externalId: unique('external') }), 200);
    expectFault(await client.get(ME, bearing(good)), 401, 'UNAUTHORIZED');
    await eventually(subject, 401, good);
    expectStatus(await admin.patch(`${M}/identities/${id}`, { externalId: '' }), 200);
    expectFault(await client.get(ME, bearing(good)), 401, 'UNAUTHORIZED');
  });

  it('does not make up for a code, nor a code for it', async () => {
    const { client, token } = await newSubject({}, {}, { requireTotp: true });
    const good = bearing(await token());
    const types = async (options = {}) =>
      (queriesOf(await client.get(SESSION, options)) as { typeId: string }[]).map(({ typeId }) => typeId);
    expect(await types()).to.deep.equal(['MFA', 'EXT-JWT']);
    expect(await types(good)).to.deep.equal(['MFA']);
    missing(await client.get(ME, good));
  });

  it('is asked from the next request on when the policy begins to, and no more when it ends', async () => {
    const subject = await newSubject();
    const good = await subject.token();
    await patchPolicy(subject, { requireExtJwtSigner: '' });
    expectStatus(await subject.client.get(ME), 200);
    await eventually(subject, 200);
    await patchPolicy(subject, { requireExtJwtSigner: subject.signer.id });
    missing(await subject.client.get(ME));
    await eventually(subject, 401);
    expectStatus(await subject.client.get(ME, bearing(good)), 200);
    const other = await newPolicy({});
    expectStatus(await admin.patch(`${M}/identities/${subject.id}`, { authPolicyId: other }), 200);
    expectStatus(await subject.client.get(ME), 200);
    await eventually(subject, 200);
  });

  it('that was good before is looked at again once its signer has changed, on every controller', async () => {
    const subject = await newSubject();
    const good = await subject.token();
    const isGood = async () => (await subject.client.get(ME, bearing(good))).status === 200;
    await eventually(subject, 200, good);
    const { pem } = makeCa();
    const before = entityOf(await admin.get(`${SIGNERS}/${subject.signer.id}`));
    for (const [to, back] of [
      [{ enabled: false }, { enabled: true }],
      [{ audience: 'elsewhere' }, { audience: 'network' }],
      [{ issuer: `https://${unique('issuer')}.example.com/` }, { issuer: subject.signer.issuer }],
      [{ claimsProperty: '/email' }, { claimsProperty: '/sub' }],
      [{ useExternalId: true }, { useExternalId: false }],
      [{ kid: 'k2' }, { kid: 'k1' }],
      [{ certPem: pem }, { certPem: before['certPem'] }],
    ]) {
      const what = JSON.stringify(to);
      expect(await isGood(), what).to.equal(true);
      await patchSigner(subject, to ?? {});
      expect(await isGood(), what).to.equal(false);
      await eventually(subject, 401, good);
      await patchSigner(subject, back ?? {});
      expect(await isGood(), what).to.equal(true);
      await eventually(subject, 200, good);
    }
  });

  it('keeps its signer: that is not deleted, and the answer names the policy', async () => {
    const { policyId, signer, id } = await newSubject();
    const answer = await admin.delete(`${SIGNERS}/${signer.id}`);
    const { cause } = expectFault(answer, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
    expect(cause?.['field']).to.equal('secondary.requireExtJwtSigner');
    expect(cause?.['reason']).to.contain(
      `entity type externalJwtSigner referenced by authPolicy: [${policyId}]. It is `,
    );
    expectStatus(await admin.delete(`${M}/identities/${id}`), 200);
    expectStatus(await admin.delete(`${M}/auth-policies/${policyId}`), 200);
    expectStatus(await admin.delete(`${SIGNERS}/${signer.id}`), 200);
  });

  it('is not asked of the last administrator, who might not have one', async () => {
    const { id } = await makeSigner(admin);
    const secondary = { requireExtJwtSigner: id };
    const answer = await admin.patch(`${M}/auth-policies/default`, { secondary });
    expectFault(answer, 400, 'ENTITY_CAN_NOT_BE_UPDATED');
    const policyId = await newPolicy(secondary);
    const { identityId } = entityOf(await admin.get(SESSION)) as unknown as { identityId: string };
    const moved = await admin.patch(`${M}/identities/${identityId}`, { authPolicyId: policyId });
    expectFault(moved, 400, 'ENTITY_CAN_NOT_BE_UPDATED');
  });
});
