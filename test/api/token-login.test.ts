// Logins with tokens of external JWT signers: what opens a session, what does not, and what ends one.
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { makeCa } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const LOGIN = `${CLIENT}/authenticate?method=ext-jwt`;
const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('logins with tokens of external signers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController({ EDGE_OUTGOING_ALLOW: '127.0.0.1' });
  });
  after(() => controller.stop());

  interface Provider {
    readonly id: string;
    readonly issuer: string;
    readonly ca: TestCertificate;
  }
  const provider = async (changes: object = {}): Promise<Provider> => {
    const [ca, issuer] = [makeCa(), `https://${unique('issuer')}/`];
    const body = { name: unique('signer'), issuer, audience: 'network', certPem: ca.pem, kid: 'k1', enabled: true };
    return { id: await make(controller, 'external-jwt-signers', { ...body, ...changes }), issuer, ca };
  };
  const person = async (changes: object = {}) => makeIdentity(controller, { name: unique('person'), ...changes });
  const sign = async (claims: Record<string, unknown>, key: KeyObject, header: object = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header }).sign(key);
  const claimsOf = ({ issuer }: Provider, sub: string, changes: object = {}) => ({
    iss: issuer,
    aud: 'network',
    sub,
    exp: now() + 60,
    ...changes,
  });
  const login = async (token: string): Promise<Answer> =>
    controller.anonymous.send('POST', LOGIN, {}, { headers: { authorization: `Bearer ${token}` } });
  const expectRefused = (answer: Answer, what = '') => {
    expect(answer.status, what).to.equal(403);
    const { error, headers } = answer;
    expect(error?.code, what).to.equal('INVALID_AUTH');
    expect(error?.cause, what).to.equal(undefined);
    expect(headers['www-authenticate'], what).to.equal(undefined);
  };
  const tokenOf = (answer: Answer) => (expectStatus(answer, 200).data as { token: string }).token;
  const statusOf = async (token: string) =>
    (
      await controller.anonymous.send('GET', `${CLIENT}/current-api-session`, undefined, {
        headers: { 'zt-session': token },
      })
    ).status;

  it('opens a session of the identity that the claim names, with the signer as its authenticator', async () => {
    const signer = await provider();
    const sub = await person();
    const session = expectStatus(await login(await sign(claimsOf(signer, sub), signer.ca.keys.privateKey)), 200);
    expect(session.data).to.include({ identityId: sub, authenticatorId: `extJwtId:${signer.id}` });
    const several = claimsOf(signer, sub, { aud: ['other', 'network'] });
    expectStatus(await login(await sign(several, signer.ca.keys.privateKey)), 200);
  });

  it('finds the identity by its externalId and a claim within others, when the signer says so', async () => {
    const signer = await provider({ claimsProperty: '/who/mail~1main', useExternalId: true });
    const externalId = unique('mail');
    const id = await person({ externalId });
    const claims = claimsOf(signer, 'nobody', { who: { 'mail/main': externalId } });
    const answer = expectStatus(await login(await sign(claims, signer.ca.keys.privateKey)), 200);
    expect((answer.data as { identityId: string }).identityId).to.equal(id);
    expectRefused(
      await login(await sign(claimsOf(signer, id, { who: { 'mail/main': id } }), signer.ca.keys.privateKey)),
    );
  });

  it('reads a top-level claim by its bare name', async () => {
    const signer = await provider({ claimsProperty: 'mail', useExternalId: true });
    const externalId = unique('mail');
    const id = await person({ externalId });
    const token = await sign(claimsOf(signer, 'nobody', { mail: externalId }), signer.ca.keys.privateKey);
    expect(expectStatus(await login(token), 200).data).to.include({ identityId: id });
  });

  it('opens none for what is wrong with the token', async () => {
    const signer = await provider();
    const other = await provider({ kid: 'k2' });
    const sub = await person();
    const key = signer.ca.keys.privateKey;
    const good = claimsOf(signer, sub);
    const with_ = (changes: object) => sign({ ...good, ...changes }, key);
    const { exp, ...endless } = good;
    const hmac = (secret: string | Buffer) => {
      const input = `${encoded({ alg: 'HS256', kid: 'k1' })}.${encoded(good)}`;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };
    const wrong: Record<string, string> = {
      'alg none': `${encoded({ alg: 'none', kid: 'k1' })}.${encoded(good)}.`,
      'HS256 with the certificate': hmac(signer.ca.pem),
      'HS256 with the public key': hmac(signer.ca.keys.publicKey.export({ type: 'spki', format: 'pem' })),
      'HS256 with the public key in DER': hmac(signer.ca.keys.publicKey.export({ type: 'spki', format: 'der' })),
      'unknown issuer': await with_({ iss: 'https://nobody.example.com/' }),
      'issuer of another signer': await with_({ iss: other.issuer }),
      'no issuer': await with_({ iss: undefined }),
      'wrong audience': await with_({ aud: 'elsewhere' }),
      'no audience': await with_({ aud: undefined }),
      'no exp': await sign(endless, key),
      'exp that is a text': await with_({ exp: String(exp) }),
      'expired': await with_({ exp: now() - 60 }),
      'nbf in the future': await with_({ nbf: now() + 60 }),
      'kid of another signer': await sign(good, key, { kid: 'k2' }),
      'no kid': await sign(good, key, { kid: undefined }),
      'key of another': await sign(good, other.ca.keys.privateKey),
      'critical header': await new SignJWT(good)
        .setProtectedHeader({ alg: 'ES256', kid: 'k1', crit: ['strange'], strange: true })
        .sign(key, { crit: { strange: true } }),
      'claim missing': await with_({ sub: undefined }),
      'claim of no text': await with_({ sub: '' }),
      'identity unknown': await with_({ sub: 'nobody' }),
      'claim with NUL': await with_({ sub: 'a\0b' }),
      'issuer with NUL': await with_({ iss: 'a\0b' }),
      'too long': await with_({ filler: 'x'.repeat(20_000) }),
      'no JWT': 'nonsense',
    };
    for (const [what, token] of Object.entries(wrong)) expectRefused(await login(token), what);
    for (const value of [{}, [sub], 7, true, null])
      expectRefused(await login(await with_({ sub: value })), JSON.stringify(value));
    expectRefused(await controller.anonymous.post(LOGIN, {}));
    expectStatus(await login(await sign(good, key)), 200);
  });

  it('opens one for each of a crowd that comes at once, and sends none away', async () => {
    const signer = await provider();
    const claims = claimsOf(signer, await person());
    const tokens = await Promise.all(
      Array.from({ length: 60 }, () => sign({ ...claims, jti: randomUUID() }, signer.ca.keys.privateKey)),
    );
    const answers = await Promise.all(tokens.map(login));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  it('bears with clocks that are a little apart', async () => {
    const signer = await provider();
    const sub = await person();
    const token = (changes: object) => sign(claimsOf(signer, sub, changes), signer.ca.keys.privateKey);
    expectStatus(await login(await token({ exp: now() - 1 })), 200);
    expectStatus(await login(await token({ nbf: now() + 5 })), 200);
  });

  it('opens none of a disabled signer, and ends those that it opened; so does its deletion', async () => {
    const signer = await provider();
    const sub = await person();
    const token = await sign(claimsOf(signer, sub), signer.ca.keys.privateKey);
    const session = tokenOf(await login(token));
    const path = `${MANAGEMENT}/external-jwt-signers/${signer.id}`;
    expectStatus(await controller.admin.patch(path, { enabled: false }), 200);
    expectRefused(await login(token));
    expect(await statusOf(session)).to.equal(401);
    expectStatus(await controller.admin.patch(path, { enabled: true }), 200);
    const again = tokenOf(await login(token));
    expectStatus(await controller.admin.delete(path), 200);
    expectRefused(await login(token));
    expect(await statusOf(again)).to.equal(401);
  });

  it('obeys the auth policy: method, signers, and the end of sessions it no longer allows', async () => {
    const [signer, other] = [await provider(), await provider()];
    const { primary } = await read<{ primary: object }>(controller, 'auth-policies/default');
    const settings = (extJwt: object) => ({ primary: { ...primary, extJwt }, secondary: { requireTotp: false } });
    const allowed = settings({ allowed: true, allowedSigners: [signer.id] });
    const authPolicyId = await make(controller, 'auth-policies', { name: unique('policy'), ...allowed });
    const sub = await person({ authPolicyId });
    const token = await sign(claimsOf(signer, sub), signer.ca.keys.privateKey);
    expectRefused(await login(await sign(claimsOf(other, sub), other.ca.keys.privateKey)));
    const session = tokenOf(await login(token));
    const forbid = { primary: { extJwt: { allowed: false } } };
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/auth-policies/${authPolicyId}`, forbid), 200);
    expectRefused(await login(token));
    expect(await statusOf(session)).to.equal(401);
  });

  it('opens none for a token that was revoked, nor for one that its identity had before it was', async () => {
    const signer = await provider();
    const sub = await person();
    const key = signer.ca.keys.privateKey;
    const revoke = async (type: string, id: string) =>
      expectStatus(await controller.admin.post(`${MANAGEMENT}/revocations`, { type, id }), 201);
    const jti = randomUUID();
    const [token, sibling] = [
      await sign(claimsOf(signer, sub, { jti }), key),
      await sign(claimsOf(signer, sub, { jti: randomUUID() }), key),
    ];
    expectStatus(await login(token), 200);
    await revoke('JTI', jti);
    expectRefused(await login(token));
    expectStatus(await login(sibling), 200);
    const [before, later] = [
      await sign(claimsOf(signer, sub, { iat: now() - 600 }), key),
      await sign(claimsOf(signer, sub, { iat: now() + 600 }), key),
    ];
    expectStatus(await login(before), 200);
    await revoke('IDENTITY', sub);
    expectRefused(await login(before));
    expectStatus(await login(later), 200);
    expectStatus(await login(sibling), 200);
  });

  it('opens none for a disabled identity', async () => {
    const signer = await provider();
    const sub = await person();
    expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${sub}/disable`, { durationMinutes: 5 }), 200);
    expectRefused(await login(await sign(claimsOf(signer, sub), signer.ca.keys.privateKey)));
  });

  describe('whose keys are published', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    let server: Server;
    let endpoint: string;
    let asked = 0;
    let isSilent = false;
    before(async () => {
      const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' });
      const secret = { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' };
      const body = JSON.stringify({ keys: [secret, jwk(weak.publicKey, 'weak'), jwk(publicKey, 'p1'), null, 7] });
      server = createServer((_, response) => {
        asked += 1;
        if (!isSilent) response.end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    });
    after(() => {
      server.close();
      server.closeAllConnections();
    });
    /** @param query  makes another endpoint of it */
    const published = async (query = '') => provider({ certPem: null, kid: null, jwksEndpoint: `${endpoint}${query}` });
    const rsa = (alg: string, kid?: string) => ({ alg, kid });

    it('are taken from the endpoint by key id, once for many logins, and no key that is weak or secret', async () => {
      const signer = await published();
      const sub = await person();
      const claims = claimsOf(signer, sub);
      const before = asked;
      const tokens = await Promise.all(
        ['RS256', 'PS256', 'RS512'].map((alg) => sign(claims, privateKey, rsa(alg, 'p1'))),
      );
      for (const answer of await Promise.all(tokens.map(login))) expectStatus(answer, 200);
      const secret = `${encoded({ alg: 'HS256', kid: 'secret' })}.${encoded(claims)}`;
      const forged = `${secret}.${createHmac('sha256', 'secret').update(secret).digest('base64url')}`;
      const refused = [
        forged,
        await sign(claims, privateKey, rsa('RS256')),
        await sign(claims, privateKey, rsa('RS256', 'p9')),
      ];
      for (const token of refused) expectRefused(await login(token));
      expect(asked - before).to.equal(1);
    });

    it('hold up no other signer while their endpoint is silent', async () => {
      const [silent, other] = [await published('?silent'), await provider()];
      const sub = await person();
      isSilent = true;
      const token = await sign(claimsOf(silent, sub), privateKey, rsa('RS256', 'p1'));
      // More than may be under way at a time.
      const waiting = Array.from({ length: 40 }, () => login(token));
      expectStatus(await login(await sign(claimsOf(other, sub), other.ca.keys.privateKey)), 200);
      for (const answer of await Promise.all(waiting)) expectRefused(answer);
      isSilent = false;
    });

    it('are not asked for where the network is not open', async () => {
      const signer = await published('?closed');
      // Set while the settings of outgoing requests were others.
      await controller.database.query('UPDATE external_jwt_signers SET jwks_endpoint = $1 WHERE id = $2', [
        'https://10.0.0.1/jwks',
        signer.id,
      ]);
      expectRefused(await login(await sign(claimsOf(signer, await person()), privateKey, rsa('RS256', 'p1'))));
    });
  });
});
