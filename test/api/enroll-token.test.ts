/** Enrollment by a token of an external JWT signer, over HTTPS: what is refused, and what comes of the rest. */
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { certificatesOf } from '../../domain/pki/pem.js';
import { authPolicy } from '../support/auth-policy.js';
import type { PolicyChanges } from '../support/auth-policy.js';
import { createCertificateClient, makeCa, makeKeys, makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf, knownControllers, make, read } from '../support/entities.js';
import { expectFault, expectField } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { bearing, makeSigner, nowSeconds, tokenOf } from '../support/tokens.js';
import type { TestClaims, TestSigner } from '../support/tokens.js';

const ENROLL = `${CLIENT}/enroll/token`;
const BOTH = { enrollToCertEnabled: true, enrollToTokenEnabled: true, useExternalId: true };
const INVALID = 'INVALID_ENROLLMENT_TOKEN';
const NOT_ALLOWED = 'INVALID_ENROLLMENT_NOT_ALLOWED';

describe('enrollment by a token of an external signer', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const newSigner = async (changes: object = {}) => makeSigner(controller.admin, { ...BOTH, ...changes });
  const enroll = async (token: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    controller.anonymous.post(ENROLL, body, { headers: { ...bearing(token).headers, ...headers } });
  const toCert = async (token: string, pem = makeRequest().pem) => enroll(token, { clientCsr: pem });
  const identities = async (filter: string) =>
    itemsOf(
      expectStatus(await controller.admin.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent(filter)}`), 200),
    );
  const withExternalId = async (externalId: string) => identities(`externalId="${externalId}"`);
  const counted = async () => {
    const tables = ['identities', 'authenticators', 'issued_certificates', 'used_tokens'];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    return (await controller.database.query(`SELECT ${counts.join(', ')}`)).rows[0];
  };
  const patchSigner = async ({ id }: TestSigner, changes: object) =>
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/external-jwt-signers/${id}`, changes), 200);

  describe('is refused', () => {
    let signer: TestSigner;
    let atFirst: unknown;
    before(async () => {
      signer = await newSigner();
    });
    beforeEach(async () => {
      atFirst = await counted();
    });
    afterEach(async () => {
      expect(await counted(), 'a refusal leaves nothing').to.deep.equal(atFirst);
    });
    const token = async (changes: TestClaims = {}) => tokenOf(signer, unique('subject'), changes);

    it('without a token, and with what is none', async () => {
      expectField(await controller.anonymous.post(ENROLL, {}), 'Authorization', 'Authorization in header is required');
      for (const authorization of ['Basic dXNlcjpwYXNz', 'Bearer', 'Bearer nonsense', `Bearer ${'x'.repeat(15_000)}`]) {
        const answer = await controller.anonymous.post(ENROLL, {}, { headers: { authorization } });
        expectFault(answer, 400, INVALID);
      }
    });

    it('for whatever is wrong with the token, without saying what', async () => {
      const other = await newSigner();
      const disabled = await newSigner({ enabled: false });
      const good = await token();
      const wrong: Record<string, string> = {
        'expired': await token({ exp: nowSeconds() - 60 }),
        'no exp': await token({ exp: undefined }),
        'nbf in the future': await token({ nbf: nowSeconds() + 60 }),
        'wrong audience': await token({ aud: 'elsewhere' }),
        'no audience': await token({ aud: undefined }),
        'unknown issuer': await token({ iss: 'https://nobody.example.com/' }),
        'issuer of another': await token({ iss: other.issuer }),
        'no issuer': await token({ iss: undefined }),
        'key of another': await tokenOf({ ...signer, key: other.key }, 'subject'),
        'disabled signer': await tokenOf(disabled, 'subject'),
        'no signature': good.slice(0, good.lastIndexOf('.') + 1),
        'alg none': `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${good.split('.')[1]}.`,
      };
      for (const [what, bad] of Object.entries(wrong)) {
        for (const body of [{}, { clientCsr: makeRequest().pem }]) {
          const error = expectFault(await enroll(bad, body), 400, INVALID);
          expect(error.cause, what).to.equal(undefined);
        }
      }
    });

    it('for a token of another signer than the header names, and the header takes no check away', async () => {
      const other = await newSigner();
      const named = (id: string) => ({ 'ziti-token-issuer-id': id });
      for (const id of [other.id, 'nobody', signer.issuer])
        expectFault(await enroll(await token(), {}, named(id)), 400, INVALID);
      for (const changes of [{ exp: nowSeconds() - 60 }, { aud: 'elsewhere' }, { iss: other.issuer }])
        expectFault(await enroll(await token(changes), {}, named(signer.id)), 400, INVALID);
      const forged = await tokenOf({ ...signer, key: other.key }, 'subject');
      expectFault(await enroll(forged, {}, named(signer.id)), 400, INVALID);
    });

    it('for what the signer does not enroll to', async () => {
      const csr = { clientCsr: makeRequest().pem };
      for (const [changes, bodies] of [
        [{ enrollToCertEnabled: false, enrollToTokenEnabled: false }, [{}, { clientCsr: '' }, csr]],
        [{ enrollToCertEnabled: false }, [csr]],
        [{ enrollToTokenEnabled: false }, [{}, { clientCsr: null }]],
        [{ useExternalId: false }, [{}]],
      ] as const) {
        const limited = await newSigner(changes);
        for (const body of bodies) {
          const answer = await enroll(await tokenOf(limited, unique('subject')), body);
          const { cause } = expectFault(answer, 409, NOT_ALLOWED);
          expect(cause?.['message'], JSON.stringify(changes)).to.match(/^the signer/);
        }
      }
    });

    it('where the auth policy of the new identity does not let it log in by what it enrolls for', async () => {
      const csr = makeRequest().pem;
      const refused = async (primary: PolicyChanges, clientCsr: string, message: string) => {
        const enrollAuthPolicyId = await make(controller, 'auth-policies', authPolicy(primary));
        const limited = await newSigner({ enrollAuthPolicyId });
        const answer = await enroll(await tokenOf(limited, unique('subject')), { clientCsr });
        expect(expectFault(answer, 409, NOT_ALLOWED).cause?.['message']).to.equal(message);
      };
      const none = { allowed: false, allowedSigners: [] };
      await refused(
        { cert: { allowed: false, allowExpiredCerts: true } },
        csr,
        'the auth policy allows no login with certificates',
      );
      await refused({ extJwt: none }, '', 'the auth policy allows no login with tokens');
      await refused(
        { extJwt: { allowed: true, allowedSigners: [signer.id] } },
        '',
        'the auth policy allows no login with tokens of this signer',
      );
    });

    it('for its claims before it is for what the signer or the policy allow', async () => {
      const enrollAuthPolicyId = await make(
        controller,
        'auth-policies',
        authPolicy({ extJwt: { allowed: false, allowedSigners: [] } }),
      );
      const closed = { enrollToCertEnabled: false, enrollToTokenEnabled: false };
      for (const changes of [closed, { enrollAuthPolicyId }]) {
        const limited = await newSigner({ ...changes, enrollNameClaimsSelector: '/name' });
        expectFault(await enroll(await tokenOf(limited, unique('subject'))), 400, INVALID);
        const named = await tokenOf(limited, unique('subject'), { name: unique('name') });
        expectFault(await enroll(named), 409, NOT_ALLOWED);
      }
    });

    it('for a claim that is missing or of no use, and says which', async () => {
      const picky = await newSigner({
        claimsProperty: '/who/id',
        enrollNameClaimsSelector: '/name',
        enrollAttributeClaimsSelector: '/roles',
      });
      const good = { who: { id: unique('external') }, name: unique('name'), roles: ['a'] };
      const many = Array.from({ length: 101 }, (_, n) => `role-${n}`);
      for (const [claim, changes] of [
        ['/who/id', { who: undefined }],
        ['/who/id', { who: { id: 7 } }],
        ['/who/id', { who: { id: 'x'.repeat(513) } }],
        ['/name', { name: undefined }],
        ['/name', { name: '' }],
        ['/name', { name: ['a'] }],
        ['/name', { name: 'a\0b' }],
        ['/roles', { roles: many }],
        ['/roles', { roles: ['a', 7] }],
        ['/roles', { roles: [''] }],
        ['/roles', { roles: { a: 'b' } }],
        ['/roles', { roles: '#all' }],
        ['/roles', { roles: ['@admin'] }],
        ['/roles', { roles: ['x'.repeat(513)] }],
        ['/roles', { roles: true }],
      ] as const) {
        const answer = await enroll(await tokenOf(picky, 'anybody', { ...good, ...changes }));
        const { cause } = expectFault(answer, 400, INVALID);
        expect(cause?.['message'], JSON.stringify(changes)).to.match(new RegExp(`^the claim ${claim}, `));
      }
    });

    it('for a subject that has an identity, by its external id or by its id where the signer means that', async () => {
      const enrolled = 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED';
      const externalId = unique('external');
      const body = { name: unique('somebody'), isAdmin: true, externalId };
      const id = await makeIdentity(controller, body);
      atFirst = await counted();
      const byId = await newSigner({ useExternalId: false });
      for (const csr of [makeRequest().pem, '', 'nonsense'])
        expectFault(await enroll(await tokenOf(signer, externalId), { clientCsr: csr }), 409, enrolled);
      expectFault(await toCert(await tokenOf(byId, externalId)), 409, enrolled);
      expectFault(await toCert(await tokenOf(byId, id)), 409, enrolled);
    });

    it('for a name that is taken', async () => {
      const name = unique('taken');
      await makeIdentity(controller, { name });
      const naming = await newSigner({ enrollNameClaimsSelector: 'name' });
      atFirst = await counted();
      for (const clientCsr of [makeRequest().pem, '']) {
        const answer = await enroll(await tokenOf(naming, unique('subject'), { name }), { clientCsr });
        expectField(answer, 'name', `duplicate value '${name}' in unique index on identities store`, name);
      }
    });

    it('for a CSR that will not do', async () => {
      const request = makeRequest();
      const bad: Record<string, string> = {
        'no PEM': 'nonsense',
        'a certificate': makeCa().pem,
        'RSA of 1024 bits': makeRequest({ keyKind: 'rsa-1024' }).pem,
        'an odd curve': makeRequest({ keyKind: 'ec-secp256k1' }).pem,
        'SHA-1': makeRequest({ hash: 'sha1' }).pem,
        'two requests': request.pem + makeRequest().pem,
      };
      for (const [what, pem] of Object.entries(bad)) {
        const answer = await toCert(await token(), pem);
        expect(answer.error?.code, what).to.equal('COULD_NOT_PROCESS_CSR');
        expectStatus(answer, 400);
      }
    });

    it('with a body that is none', async () => {
      const authorization = `Bearer ${await token()}`;
      const post = (rawBody: string) =>
        controller.anonymous.send('POST', ENROLL, undefined, {
          headers: { authorization, 'content-type': 'application/json' },
          rawBody,
        });
      for (const rawBody of ['', '{', '[]', '{"clientCsr":7}']) expectStatus(await post(rawBody), 400);
    });
  });

  it('gives a certificate for the key of the CSR, with which the identity logs in', async () => {
    const signer = await newSigner({ enrollNameClaimsSelector: 'name', enrollAttributeClaimsSelector: '/roles' });
    const [subject, name] = [unique('subject'), unique('name')];
    const keys = makeKeys();
    const { pem } = makeRequest({ keys, commonName: 'another name' });
    const token = await tokenOf(signer, subject, { name, roles: ['b', 'a', 'b'] });
    const { cert, ca } = expectStatus(await toCert(token, pem), 200).data as { cert: string; ca: string };
    const [made] = await withExternalId(subject);
    expect(made).to.deep.include({
      name,
      externalId: subject,
      typeId: 'Default',
      isAdmin: false,
      isDefaultAdmin: false,
      authPolicyId: 'default',
      roleAttributes: ['a', 'b'],
      permissions: null,
    });
    expect(certificatesOf(ca)).to.not.be.empty;
    const client = createCertificateClient(controller.url, {
      cert,
      key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    const session = entityOf(expectStatus(await client.post(`${CLIENT}/authenticate?method=cert`, {}), 200));
    expect(session).to.include({ identityId: made?.id, isCertExtendable: true });
    client.close();
    const authenticators = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${made?.id}/authenticators`));
    expect(authenticators.map((each) => [each['method'], each['isIssuedByNetwork']])).to.deep.equal([['cert', true]]);
    expect(new X509Certificate(cert).publicKey.equals(keys.publicKey)).to.equal(true);
  });

  it('makes an identity that logs in with tokens, without an authenticator, under a policy of its signer', async () => {
    const { primary } = await read<{ primary: object }>(controller, 'auth-policies/default');
    const policy = { name: unique('policy'), primary, secondary: { requireTotp: false } };
    const enrollAuthPolicyId = await make(controller, 'auth-policies', policy);
    const signer = await newSigner({ enrollAuthPolicyId });
    const subject = unique('subject');
    expect(expectStatus(await enroll(await tokenOf(signer, subject)), 200).data).to.deep.equal({
      controllers: await knownControllers(controller),
    });
    const [made] = await withExternalId(subject);
    expect(made).to.deep.include({ name: subject, authPolicyId: enrollAuthPolicyId, roleAttributes: [] });
    expect(made?.['authenticators']).to.deep.equal({});
    const token = await tokenOf(signer, subject);
    const login = await controller.anonymous.send('POST', `${CLIENT}/authenticate?method=ext-jwt`, {}, bearing(token));
    expect(entityOf(expectStatus(login, 200))).to.include({ identityId: made?.id });
  });

  it('takes one role attribute as a text, and none for a claim that is not there', async () => {
    const signer = await newSigner({ enrollAttributeClaimsSelector: '/role' });
    for (const [role, expected] of [
      ['sales', ['sales']],
      [undefined, []],
      [null, []],
      [[], []],
    ] as const) {
      const subject = unique('subject');
      expectStatus(await enroll(await tokenOf(signer, subject, { role })), 200);
      expect((await withExternalId(subject)).map((each) => each['roleAttributes'])).to.deep.equal([expected]);
    }
  });

  it('is the same with the signer named, in the generic form, and with PEM', async () => {
    const signer = await newSigner();
    const token = async () => tokenOf(signer, unique('subject'));
    expectStatus(await enroll(await token(), {}, { 'ziti-token-issuer-id': signer.id }), 200);
    expectStatus(await enroll(await token(), {}, { 'ziti-token-issuer-id': '' }), 200);
    const generic = `${CLIENT}/enroll?method=token`;
    const post = async (path: string, body: object, options = {}) => controller.anonymous.post(path, body, options);
    expect(expectStatus(await post(generic, {}, bearing(await token())), 200).data).to.have.keys(['controllers']);
    const { pem } = makeRequest();
    const issued = expectStatus(await post(generic, { clientCsr: pem }, bearing(await token())), 200).data;
    expect(issued).to.have.keys(['ca', 'cert', 'controllers']);
    const { headers } = bearing(await token());
    const asPem = await controller.anonymous.send('POST', generic, undefined, {
      headers: { ...headers, 'content-type': 'application/x-pem-file' },
      rawBody: makeRequest().pem,
    });
    expect(expectStatus(asPem, 200).data).to.have.keys(['ca', 'cert', 'controllers']);
    expectFault(await post(generic, {}), 400, INVALID);
  });

  it('happens once for a subject, however many ask in the same instant', async () => {
    const signer = await newSigner({ enrollNameClaimsSelector: '/name' });
    for (const isToCert of [true, false]) {
      const [subject, name] = [unique('subject'), unique('name')];
      const same = await tokenOf(signer, subject, { name });
      const tokens = [same, same, ...(await Promise.all([1, 2, 3, 4].map(() => tokenOf(signer, subject, { name }))))];
      const requests = tokens.map((token) => ({ token, pem: isToCert ? makeRequest().pem : '' }));
      const answers = await Promise.all(requests.map(({ token, pem }) => toCert(token, pem)));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused).to.have.length(tokens.length - 1);
      for (const answer of refused) expectFault(answer, 409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
      const found = await withExternalId(subject);
      expect(found).to.have.length(1);
      const { rows } = await controller.database.query('SELECT FROM authenticators WHERE identity_id = $1', [
        found[0]?.id,
      ]);
      expect(rows).to.have.length(isToCert ? 1 : 0);
    }
  });

  it('does not happen twice with one token: not without the identity, nor with another signature', async () => {
    const signer = await newSigner();
    const subject = unique('subject');
    const token = await tokenOf(signer, subject, { exp: nowSeconds() + 600 });
    expectStatus(await enroll(token), 200);
    expectFault(await enroll(token), 409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED');
    const [made] = await withExternalId(subject);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${made?.id}`), 200);
    const atFirst = await counted();
    for (const again of [token, withOtherSignature(token)]) {
      expectFault(await enroll(again), 410, 'INVALID_ENROLLMENT_ALREADY_ENROLLED');
      expectFault(await toCert(again), 410, 'INVALID_ENROLLMENT_ALREADY_ENROLLED');
    }
    expect(await counted()).to.deep.equal(atFirst);
    expectStatus(await enroll(await tokenOf(signer, subject)), 200);
  });

  it('forgets tokens that have ended, and keeps the ones of any end until then', async () => {
    const signer = await newSigner();
    await controller.database.query(
      `INSERT INTO used_tokens (token_hash, expires_at) SELECT sha256(n::text::bytea), now() - interval '2 hours'
      FROM generate_series(1, 5) AS s (n)`,
    );
    for (const exp of [1e300, 253_402_300_800, nowSeconds() + 60.5])
      expectStatus(await enroll(await tokenOf(signer, unique('subject'), { exp })), 200);
    const { rows } = await controller.database.query(`SELECT count(*)::int AS ended FROM used_tokens
      WHERE expires_at < now() - interval '1 hour'`);
    expect(rows).to.deep.equal([{ ended: 0 }]);
  });

  it('obeys a change of the signer from the next request on', async () => {
    const signer = await newSigner();
    const subject = unique('subject');
    const token = await tokenOf(signer, subject);
    await patchSigner(signer, { enabled: false });
    expectFault(await enroll(token), 400, INVALID);
    await patchSigner(signer, { enabled: true, enrollToTokenEnabled: false });
    expectFault(await enroll(token), 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
    await patchSigner(signer, { enrollToTokenEnabled: true });
    expectStatus(await enroll(token), 200);
    expect(await withExternalId(subject)).to.have.length(1);
  });
});

/** The same token with the other of the two signatures (r, s) and (r, n - s), which both are good. */
function withOtherSignature(token: string): string {
  const end = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(end), 'base64url');
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = order - BigInt(`0x${signature.subarray(32).toString('hex')}`);
  const other = Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
  return token.slice(0, end) + other.toString('base64url');
}
