/** JWTs are signed as jose verifies them, with the claims that clients read. */
import { verify, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import {
  caClaims,
  createJwtSigner,
  enrollmentClaims,
  networkClaims,
  sessionClaims,
  type JwtClaims,
} from '../../domain/auth/signed-jwt.js';
import { certFingerprint, newKeyPair, type KeyKind } from '../../domain/pki/keys.js';
import { importX509, jwtVerify } from 'jose';

const now = new Date('2030-01-01T00:00:00.999Z');
const advertise = 'ctrl.example.org:1280';
const routersReach = 'routers.example.org:6262';

async function server(kind: KeyKind): Promise<{ certPem: string; privateKeyPem: string }> {
  const [rootKeys, keys] = await Promise.all([newKeyPair(), newKeyPair(kind)]);
  const root = await createRootCa({ commonName: 'root', keys: rootKeys, now });
  const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
  const { certPem } = await issueServerCertificate(issuer, {
    commonName: 'ctrl',
    keys,
    uri: 'spiffe://td/controller/c',
    names: { dns: ['localhost'] },
    now,
  });
  return { certPem, privateKeyPem: keys.privateKeyPem };
}

const part = (jwt: string, index: number): unknown =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString());

describe('JWT signer', () => {
  for (const [kind, algorithm] of [
    ['ec-p256', 'ES256'],
    ['rsa-2048', 'RS256'],
  ] as const) {
    describe(`with ${kind}`, () => {
      let pair: { certPem: string; privateKeyPem: string };
      before(async () => {
        pair = await server(kind);
      });

      it('signs what the certificate verifies', async () => {
        const signer = createJwtSigner(pair);
        const claims = enrollmentClaims({
          advertise,
          routersReach,
          subjectId: 'id1',
          token: 'tok',
          method: 'ott',
          expiresAt: now,
        });
        const jwt = await signer.sign(claims);
        expect(signer.algorithm).to.equal(algorithm);
        expect(part(jwt, 0)).to.deep.equal({ alg: algorithm, kid: certFingerprint(pair.certPem), typ: 'JWT' });
        const verified = await jwtVerify(jwt, await importX509(pair.certPem, algorithm), {
          currentDate: new Date('2029-12-31'),
        });
        expect(verified.payload).to.deep.equal(claims);
        const [head, body, signature] = jwt.split('.') as [string, string, string];
        const key = { key: new X509Certificate(pair.certPem).publicKey, dsaEncoding: 'ieee-p1363' as const };
        expect(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).to.equal(
          true,
        );
      });

      it('signs what another certificate does not verify', async () => {
        const jwt = await createJwtSigner(pair).sign({ sub: 'x' });
        const other = await importX509((await server(kind)).certPem, algorithm);
        expect(
          await jwtVerify(jwt, other).then(
            () => 'verified',
            () => 'refused',
          ),
        ).to.equal('refused');
      });

      it('signs claims that cannot be changed', async () => {
        const [head, , signature] = (await createJwtSigner(pair).sign({ sub: 'x' })).split('.');
        const forged = `${head}.${Buffer.from('{"sub":"y"}').toString('base64url')}.${signature}`;
        const key = await importX509(pair.certPem, algorithm);
        expect(
          await jwtVerify(forged, key).then(
            () => 'verified',
            () => 'refused',
          ),
        ).to.equal('refused');
      });
    });
  }

  it('refuses a key that does not belong to the certificate', async () => {
    const [one, two] = await Promise.all([server('ec-p256'), server('ec-p256')]);
    expect(() => createJwtSigner({ certPem: one.certPem, privateKeyPem: two.privateKeyPem })).to.throw(
      /does not belong/,
    );
  });

  it('refuses what is no certificate and what is no key', async () => {
    const { certPem, privateKeyPem } = await server('ec-p256');
    expect(() => createJwtSigner({ certPem: 'x', privateKeyPem })).to.throw();
    expect(() => createJwtSigner({ certPem, privateKeyPem: 'x' })).to.throw(/private key/);
  });
});

describe('claims', () => {
  const cases: [string, JwtClaims, JwtClaims][] = [
    [
      'of an enrollment',
      enrollmentClaims({ advertise, routersReach, subjectId: 'id1', token: 'tok', method: 'ottca', expiresAt: now }),
      {
        iss: 'https://ctrl.example.org:1280',
        sub: 'id1',
        aud: [''],
        exp: 1_893_456_000,
        jti: 'tok',
        em: 'ottca',
        ctrls: ['tls:routers.example.org:6262'],
      },
    ],
    [
      'of a CA',
      caClaims({ advertise, caId: 'ca1' }),
      {
        iss: 'https://ctrl.example.org:1280/',
        sub: 'ca1',
        aud: ['openziti-enroller'],
        jti: 'ca1',
        em: 'ca',
        ctrls: null,
      },
    ],
    [
      'of the network',
      networkClaims({ advertise, tokenId: 't1' }),
      {
        iss: 'https://ctrl.example.org:1280/',
        sub: 'https://ctrl.example.org:1280/',
        aud: ['openziti-enroller'],
        jti: 't1',
        em: 'network',
        ctrls: null,
      },
    ],
    [
      'of a session',
      sessionClaims({
        advertise,
        sessionId: 's1',
        serviceId: 'svc',
        apiSessionId: 'as',
        identityId: 'id',
        type: 'Bind',
        isLegacy: true,
        now,
      }),
      {
        iss: 'https://ctrl.example.org:1280',
        sub: 'svc',
        aud: ['openziti'],
        exp: 1_924_992_000,
        iat: 1_893_456_000,
        jti: 's1',
        z_asid: 'as',
        z_iid: 'id',
        z_t: 's',
        z_st: 'Bind',
        z_leg: true,
      },
    ],
  ];
  for (const [what, made, expected] of cases)
    it(`${what} are complete and nothing more`, () => expect(made).to.deep.equal(expected));
});
