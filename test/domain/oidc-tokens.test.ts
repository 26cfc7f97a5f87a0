/** Tokens of a login: what is in them, and what is not taken for one of them. */
import { createHmac, generateKeyPairSync, createPublicKey, sign, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { importX509, jwtVerify, SignJWT } from 'jose';
import { createJwtSigner } from '../../domain/auth/signed-jwt.js';
import type { JwtSigner } from '../../domain/auth/signed-jwt.js';
import { idTokenClaims, readSessionToken, sessionTokenClaims } from '../../domain/oidc/claims.js';
import type { TokenSubject } from '../../domain/oidc/claims.js';
import { hostsOfCertificate } from '../../domain/oidc/issuers.js';
import { isOwn, ownClaims } from '../../domain/oidc/own-token.js';
import type { OwnKey } from '../../domain/oidc/own-token.js';
import { SignedHere } from '../../domain/oidc/signed-here.js';
import { createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import type { KeyKind } from '../../domain/pki/keys.js';

const ISSUER = 'https://ctrl.example.org:1280/oidc';
const SUBJECT: TokenSubject = {
  issuer: ISSUER,
  apiSessionId: '11111111-1111-4111-8111-111111111111',
  identityId: 'anna',
  identityName: 'Anna',
  externalId: null,
  authenticatorId: 'auth',
  isAdmin: false,
  clientId: 'native',
  scopes: ['openid'],
  methods: ['password'],
  authenticatedAt: new Date('2030-01-01T00:00:00.999Z'),
  configTypes: [],
  fingerprints: [],
  address: '127.0.0.1:5',
};
const TIMES = {
  tokenId: '22222222-2222-4222-8222-222222222222',
  issuedAt: new Date('2030-01-01T00:01:00.500Z'),
  expiresAt: new Date('2030-01-01T00:31:00.500Z'),
};

async function serverOf(kind: KeyKind): Promise<{ certPem: string; signer: JwtSigner; privateKeyPem: string }> {
  const now = new Date();
  const [rootKeys, keys] = await Promise.all([newKeyPair(), newKeyPair(kind)]);
  const root = await createRootCa({ commonName: 'root', keys: rootKeys, now });
  const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
  const names = { dns: ['ctrl.example.org', 'localhost'], ip: ['10.0.0.1', '::1'] };
  const { certPem } = await issueServerCertificate(issuer, {
    commonName: 'c',
    keys,
    uri: 'spiffe://td/controller/c',
    names,
    now,
  });
  return {
    certPem,
    privateKeyPem: keys.privateKeyPem,
    signer: createJwtSigner({ certPem, privateKeyPem: keys.privateKeyPem }),
  };
}

describe('tokens of a login', () => {
  let signer: JwtSigner;
  let privateKeyPem: string;
  let certPem: string;
  let keyOf: (kid: string) => OwnKey | undefined;
  before(async () => {
    ({ signer, privateKeyPem, certPem } = await serverOf('ec-p256'));
    const own = { key: createPublicKey(privateKeyPem), algorithm: signer.algorithm };
    keyOf = (kid) => (kid === signer.kid ? own : undefined);
  });

  for (const kind of ['ec-p256', 'rsa-2048'] as const)
    it(`are signed as others verify them, and are verified here, with a key of ${kind}`, async function signed() {
      this.timeout(30_000);
      const other = await serverOf(kind);
      const token = await other.signer.sign(sessionTokenClaims('a', SUBJECT, TIMES));
      const { algorithm, kid } = other.signer;
      const key = await importX509(other.certPem, algorithm);
      const { payload } = await jwtVerify(token, key, {
        currentDate: TIMES.issuedAt,
        audience: 'native',
        issuer: ISSUER,
      });
      const own = { key: createPublicKey(other.privateKeyPem), algorithm };
      expect(ownClaims(token, (named) => (named === kid ? own : undefined))).to.deep.equal(payload);
    });

  it('have the claims that clients and routers read', () => {
    const claims = sessionTokenClaims(
      'r',
      { ...SUBJECT, isAdmin: true, fingerprints: ['ab'], externalId: 'x', configTypes: ['all'] },
      TIMES,
    );
    expect(claims).to.deep.equal({
      iss: ISSUER,
      sub: 'anna',
      aud: ['native'],
      exp: 1893457860,
      iat: 1893456060,
      nbf: 1893456060,
      auth_time: 1893456000,
      amr: ['password'],
      client_id: 'native',
      jti: TIMES.tokenId,
      scopes: ['openid'],
      z_t: 'r',
      z_asid: SUBJECT.apiSessionId,
      z_aid: 'native',
      z_authid: 'auth',
      z_cfs: ['ab'],
      z_ra: '127.0.0.1:5',
      z_ia: true,
      z_eid: 'x',
      z_ct: ['all'],
    });
    const id = idTokenClaims(SUBJECT, TIMES, {
      algorithm: 'ES256',
      nonce: 'n',
      accessToken: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
    });
    // Example of OpenID Connect Core, appendix A.3.
    expect(id).to.include({ nonce: 'n', azp: 'native', name: 'Anna', at_hash: '77QmUPtjPfzWtF2AnpK9RQ' });
    expect(id).to.not.have.any.keys('z_t', 'z_asid', 'jti');
  });

  describe('that this process signed', () => {
    it('are known to the letter, the last of them', async () => {
      const signedHere = new SignedHere(2);
      const tokens = await Promise.all(['1', '2', '3'].map((sub) => signer.sign({ sub })));
      for (const token of tokens) signedHere.add(token);
      expect(tokens.map((token) => signedHere.has(token))).to.deep.equal([false, true, true]);
      for (const token of tokens) expect(signedHere.has(`${token}A`) || signedHere.has(token.slice(1))).to.equal(false);
    });

    it('are read without a look at the signature, but by a key that still counts', async () => {
      const token = await signer.sign({ sub: 'anna' });
      const bent = token.replace(/.{8}$/, 'AAAAAAAA');
      expect(ownClaims(token, keyOf, (each) => each === token)).to.deep.equal({ sub: 'anna' });
      expect(ownClaims(bent, keyOf, (each) => each === token)).to.equal(undefined);
      expect(
        ownClaims(
          token,
          () => undefined,
          () => true,
        ),
      ).to.equal(undefined);
    });
  });

  it('are read back', () => {
    const token = readSessionToken(sessionTokenClaims('a', SUBJECT, TIMES), (iss) => iss === ISSUER);
    expect(token).to.deep.equal({
      type: 'a',
      tokenId: TIMES.tokenId,
      apiSessionId: SUBJECT.apiSessionId,
      identityId: 'anna',
      clientId: 'native',
      issuer: ISSUER,
      issuedAt: new Date('2030-01-01T00:01:00Z'),
      expiresAt: new Date('2030-01-01T00:31:00Z'),
    });
  });

  for (const [what, changes] of [
    ['another issuer', { iss: 'https://evil.example/oidc' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: ['openziti'] }],
    ['an audience that is a text', { aud: 'native' }],
    ['two audiences', { aud: ['native', 'openziti'] }],
    ['an unknown client', { client_id: 'x', aud: ['x'] }],
    ['the type of a token for a service', { z_t: 's' }],
    ['the type of a TOTP token', { z_t: 't' }],
    ['no type', { z_t: undefined }],
    ['no session', { z_asid: undefined }],
    ['a session that is no UUID', { z_asid: 'x' }],
    ['a jti that is an identity', { jti: 'anna' }],
    ['no subject', { sub: '' }],
    ['an end that is a text', { exp: '1893457860' }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: NaN }],
    ['no time of issue', { iat: undefined }],
  ] as const)
    it(`are not taken with ${what}`, () => {
      expect(
        readSessionToken({ ...sessionTokenClaims('a', SUBJECT, TIMES), ...changes }, (iss) => iss === ISSUER),
      ).to.equal(undefined);
    });

  describe('that are forged', () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const withHeader = (header: object, key = privateKeyPem) => {
      const signed = `${part(header)}.${part({ sub: 'anna' })}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    };
    const cases: Readonly<Record<string, () => string | Promise<string>>> = {
      'with alg none': () => `${part({ alg: 'none', kid: signer.kid, typ: 'JWT' })}.${part({})}.`,
      'with alg none and a signature': () => withHeader({ alg: 'none', kid: signer.kid, typ: 'JWT' }),
      'by HMAC with the certificate': () => {
        const signed = `${part({ alg: 'HS256', kid: signer.kid, typ: 'JWT' })}.${part({ sub: 'anna' })}`;
        return `${signed}.${createHmac('sha256', certPem).update(signed).digest('base64url')}`;
      },
      'with another algorithm': () => withHeader({ alg: 'ES384', kid: signer.kid, typ: 'JWT' }),
      'with an unknown kid': () => withHeader({ alg: 'ES256', kid: 'other', typ: 'JWT' }),
      'without kid': () => withHeader({ alg: 'ES256', typ: 'JWT' }),
      'with a key in the header': () => withHeader({ alg: 'ES256', kid: signer.kid, typ: 'JWT', jwk: {} }),
      'with crit': () => withHeader({ alg: 'ES256', kid: signer.kid, typ: 'JWT', crit: ['exp'] }),
      'of another type': () => withHeader({ alg: 'ES256', kid: signer.kid, typ: 'at+jwt' }),
      'by another key': () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return withHeader(
          { alg: 'ES256', kid: signer.kid, typ: 'JWT' },
          privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        );
      },
      'by jose with another key': async () => {
        const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        return new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: signer.kid, typ: 'JWT' }).sign(privateKey);
      },
      'with a DER signature': () => {
        const signed = `${part({ alg: 'ES256', kid: signer.kid, typ: 'JWT' })}.${part({ sub: 'anna' })}`;
        return `${signed}.${sign('sha256', Buffer.from(signed), privateKeyPem).toString('base64url')}`;
      },
      'without a signature': () => `${part({ alg: 'ES256', kid: signer.kid, typ: 'JWT' })}.${part({})}.`,
      'with four parts': () => `${withHeader({ alg: 'ES256', kid: signer.kid, typ: 'JWT' })}.x`,
      'that are too long': () => `${part({ alg: 'ES256', kid: signer.kid, typ: 'JWT' })}.${'a'.repeat(9000)}.aaaa`,
      'that are no JSON': () => `${Buffer.from('{').toString('base64url')}.${part({})}.aaaa`,
    };
    for (const [what, make] of Object.entries(cases))
      it(`${what} have no claims`, async () => {
        expect(ownClaims(await make(), keyOf)).to.equal(undefined);
      });
    it('with claims of another are found out', async () => {
      const token = await signer.sign(sessionTokenClaims('a', SUBJECT, TIMES));
      const [header, , signature] = token.split('.');
      expect(ownClaims(token, keyOf)).to.not.equal(undefined);
      expect(ownClaims(`${header}.${part({ sub: 'boss' })}.${signature}`, keyOf)).to.equal(undefined);
      expect(isOwn(`${header}.${part({})}.${signature}`, keyOf), 'by its header alone').to.equal(true);
    });
    it('with another text of the same signature are refused', async () => {
      const token = await signer.sign({ sub: 'anna' });
      const last = token.at(-1) ?? '';
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const twin = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
      expect(ownClaims(token.slice(0, -1) + twin, keyOf)).to.equal(undefined);
    });
  });

  it('are issued under the names of the certificate', () => {
    expect(hostsOfCertificate(new X509Certificate(certPem))).to.have.members([
      'ctrl.example.org',
      'localhost',
      '10.0.0.1',
      '::1',
    ]);
  });
});
