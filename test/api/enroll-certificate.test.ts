import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { createCertificateClient, makeCa, makeLeaf, makeSelfSigned, nameOf, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CLIENT, MANAGEMENT, entityOf, itemsOf, make, read } from '../cases/resource.js';
import type { Entity } from '../cases/resource.js';

const HOUR_MS = 3_600_000;
const COMMON_NAME = { location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '', parser: 'NONE', parserCriteria: '', index: 0 };

describe('enrollment by certificate', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController(); });
  afterEach(async () => {
    await controller.database.query('DELETE FROM cas');
    await controller.database.query('DELETE FROM identities WHERE NOT is_default_admin');
  });
  after(() => controller.stop());

  interface TestAuthority { readonly id: string; readonly name: string; readonly ca: TestCertificate }

  /** A verified CA that may do everything, unless told otherwise. */
  const authority = async ({ isVerified = true, ca = makeCa(), ...settings }: { isVerified?: boolean; ca?: TestCertificate } & Record<string, unknown> = {}): Promise<TestAuthority> => {
    const name = unique('ca');
    const id = await make(controller, 'cas', {
      name, certPem: ca.pem, identityRoles: ['enrolled'], isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, ...settings });
    if (isVerified) {
      const { verificationToken } = await read(controller, `cas/${id}`);
      const rawBody = makeLeaf(ca, { commonName: verificationToken as string }).pem;
      expectStatus(await controller.admin.send('POST', `${MANAGEMENT}/cas/${id}/verify`, undefined, { rawBody, headers: { 'content-type': 'text/plain' } }), 200);
    }
    return { id, name, ca };
  };
  const change = async (id: string, changes: object) => expectStatus(await controller.admin.patch(`${MANAGEMENT}/cas/${id}`, changes), 200);
  /** POSTs with the certificates shown in the handshake. */
  const post = async (path: string, leaf: TestCertificate, others: readonly TestCertificate[] = [], body?: object): Promise<Answer> => {
    const client = createCertificateClient(controller.url, shownBy(leaf, ...others));
    try {
      return await client.post(`${CLIENT}/enroll/${path}`, body);
    } finally {
      client.close();
    }
  };
  const expectError = (answer: Answer, status: number, code: string) => {
    expectStatus(answer, status);
    expect(answer.error?.code).to.equal(code);
  };
  const identities = async (): Promise<Entity[]> => itemsOf(await controller.admin.get(`${MANAGEMENT}/identities?limit=500&filter=${encodeURIComponent('isDefaultAdmin = false')}`));
  const authenticatorsOf = async (id: string) => itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${id}/authenticators`));
  const inUse = (answer: Answer, leaf: TestCertificate) => {
    expectError(answer, 409, 'CERT_IN_USE');
    expect((answer.error?.cause?.['data'] as { fingerprint: string }).fingerprint).to.equal(leaf.fingerprint);
  };

  describe('with a token', () => {
    const invited = async (caId: string, extra: object = {}) => {
      const id = await make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { ottca: caId }, ...extra });
      const { enrollment } = await read(controller, `identities/${id}`) as unknown as { enrollment: { ottca: { token: string } } };
      return { id, token: enrollment.ottca.token };
    };
    const enroll = async (token: string, leaf: TestCertificate, others: readonly TestCertificate[] = []) => post('ottca', leaf, others, { token });

    it('refuses certificates that do not lead to the CA, and keeps the token', async () => {
      const { id: caId, ca } = await authority();
      const other = await authority();
      const { id, token } = await invited(caId);
      const victim = makeLeaf(ca);
      const stranger = makeSelfSigned();
      expectError(await controller.anonymous.post(`${CLIENT}/enroll/ottca`, { token }), 400, 'CERTIFICATE_FAILED_VALIDATION');
      for (const [leaf, others] of [
        [makeLeaf(makeCa()), []], [makeLeaf(other.ca), []], [makeLeaf(other.ca), [ca]], [stranger, []], [stranger, [ca]], [stranger, [victim, ca]],
        [makeSelfSigned({ subject: victim.subject }), [victim]], [makeLeaf(victim), [victim]], [makeLeaf(ca, { isForged: true }), []],
        [makeLeaf(makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId })), []], [ca, []],
        [makeLeaf(ca, { notBefore: new Date(Date.now() - 3 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) }), []],
        [makeLeaf(ca, { notBefore: new Date(Date.now() + HOUR_MS) }), []], [makeLeaf(ca, { extendedKeyUsage: ['serverAuth'] }), []],
      ] as const) expectError(await enroll(token, leaf, others), 400, 'CERTIFICATE_FAILED_VALIDATION');
      // TLS itself checks signatures within what was sent, and may end the connection over a wrong one.
      expectStatus(await enroll(token, makeLeaf(makeCa({ subject: ca.subject, subjectKeyId: ca.subjectKeyId })), [ca]), 400);
      expect(await authenticatorsOf(id)).to.deep.equal([]);
      expectStatus(await enroll(token, victim), 200);
    });

    it('refuses a CA that is unverified, disabled or gone', async () => {
      const unverified = await authority({ isVerified: false });
      expectError(await enroll((await invited(unverified.id)).token, makeLeaf(unverified.ca)), 400, 'ENROLLMENT_CA_NOT_VALID');
      const { id: caId, ca } = await authority();
      const { id, token } = await invited(caId);
      await change(caId, { isOttCaEnrollmentEnabled: false });
      expectError(await enroll(token, makeLeaf(ca)), 400, 'ENROLLMENT_CA_NOT_VALID');
      await change(caId, { isOttCaEnrollmentEnabled: true, isAuthEnabled: false, isAutoCaEnrollmentEnabled: false });
      const gone = await invited(caId);
      expectStatus(await enroll(token, makeLeaf(ca)), 200);
      expect(await authenticatorsOf(id)).to.have.length(1);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
      expectError(await enroll(gone.token, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
      expect(await authenticatorsOf(id)).to.deep.equal([]);
    });

    it('refuses tokens that are unknown, expired, or of another method', async () => {
      const { id: caId, ca } = await authority();
      const { token } = await invited(caId);
      for (const bad of ['', 'nope', '5c0f0bb8-6a0e-4d0b-8a4e-51b9e0c7d5aa']) expectError(await enroll(bad, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
      expectError(await post('ottca', makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
      const id = await make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { ott: true } });
      const { enrollment } = await read(controller, `identities/${id}`) as unknown as { enrollment: { ott: { token: string } } };
      expectError(await enroll(enrollment.ott.token, makeLeaf(ca)), 400, 'INVALID_ENROLL_METHOD');
      await controller.database.query("UPDATE enrollments SET expires_at = now() - interval '1 second' WHERE token = $1", [token]);
      expectError(await enroll(token, makeLeaf(ca)), 400, 'ENROLLMENT_EXPIRED');
    });

    it('gives the identity the certificate, once', async () => {
      const { id: caId, ca } = await authority();
      const { id, token } = await invited(caId);
      const leaf = makeLeaf(ca);
      const answer = expectStatus(await post(`ottca?token=${token}`, leaf), 200);
      expect(answer.data).to.deep.equal({});
      const [made] = await authenticatorsOf(id);
      expect(made).to.deep.include({ method: 'cert', fingerprint: leaf.fingerprint, certPem: leaf.pem });
      const { rows } = await controller.database.query('SELECT ca_id, public_key_print, is_issued_by_network FROM authenticators WHERE fingerprint = $1', [leaf.fingerprint]);
      expect(rows[0]).to.deep.include({ ca_id: caId, is_issued_by_network: false });
      expect(rows[0]?.['public_key_print']).to.match(/^[0-9a-f]{64}$/);
      expect((await read(controller, `identities/${id}`))['enrollment']).to.deep.equal({});
      expectError(await enroll(token, makeLeaf(ca)), 404, 'INVALID_ENROLLMENT_TOKEN');
    });

    it('takes a chain through intermediates in any order', async () => {
      const { id: caId, ca } = await authority();
      const { token } = await invited(caId);
      const upper = makeCa({ parent: ca });
      const lower = makeCa({ parent: upper });
      const leaf = makeLeaf(lower);
      expectError(await enroll(token, leaf, [lower]), 400, 'CERTIFICATE_FAILED_VALIDATION');
      expectStatus(await enroll(token, leaf, [upper, lower, ca]), 200);
    });

    it('gives one authenticator to twenty at the same time', async () => {
      const { id: caId, ca } = await authority();
      const { id, token } = await invited(caId);
      const answers = await Promise.all(Array.from({ length: 20 }, () => enroll(token, makeLeaf(ca))));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(19).fill(404)]);
      expect(await authenticatorsOf(id)).to.have.length(1);
    });

    it('refuses a certificate that is in use, and keeps the token', async () => {
      const { id: caId, ca } = await authority();
      const [first, second] = [await invited(caId), await invited(caId)];
      const leaf = makeLeaf(ca);
      expectStatus(await enroll(first.token, leaf), 200);
      inUse(await enroll(second.token, leaf), leaf);
      expectStatus(await enroll(second.token, makeLeaf(ca)), 200);
      const many = await Promise.all(Array.from({ length: 6 }, () => invited(caId)));
      const shared = makeLeaf(ca);
      const answers = await Promise.all(many.map(({ token }) => enroll(token, shared)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(5).fill(409)]);
    });

    it('binds the claim of the certificate instead, where the CA has one', async () => {
      const { id: caId, ca } = await authority({ externalIdClaim: { ...COMMON_NAME, matcher: 'PREFIX', matcherCriteria: 'dev-' } });
      const { id, token } = await invited(caId);
      const device = unique('dev');
      expectError(await enroll(token, makeLeaf(ca, { commonName: 'other' })), 400, 'MISSING_CERT_CLAIM');
      expectStatus(await enroll(token, makeLeaf(ca, { commonName: device })), 200);
      expect(await read(controller, `identities/${id}`)).to.deep.include({ externalId: device, enrollment: {} });
      expect(await authenticatorsOf(id)).to.deep.equal([]);
      const second = await invited(caId);
      const thief = makeLeaf(ca, { commonName: device });
      inUse(await enroll(second.token, thief), thief);
      const third = await invited(caId, { externalId: unique('dev') });
      expectError(await enroll(third.token, makeLeaf(ca, { commonName: unique('dev') })), 400, 'CERTIFICATE_FAILED_VALIDATION');
      const { externalId } = await read(controller, `identities/${third.id}`);
      expectStatus(await enroll(third.token, makeLeaf(ca, { commonName: externalId as string })), 200);
    });
  });

  describe('with the certificate alone', () => {
    const enroll = async (leaf: TestCertificate, others: readonly TestCertificate[] = []) => post('ca', leaf, others);

    it('tells when there is no CA at all', async () => {
      expectError(await enroll(makeLeaf(makeCa())), 400, 'ENROLLMENT_NO_VALID_CAS');
      expectError(await controller.anonymous.post(`${CLIENT}/enroll/ca`), 400, 'ENROLLMENT_NO_VALID_CAS');
    });

    it('refuses certificates of no CA that is verified and enrolls', async () => {
      const { ca } = await authority();
      const [unverified, disabled, gone] = [await authority({ isVerified: false }), await authority(), await authority()];
      await change(disabled.id, { isAutoCaEnrollmentEnabled: false });
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${gone.id}`), 200);
      expectError(await controller.anonymous.post(`${CLIENT}/enroll/ca`), 400, 'CERT_FAILED_VALIDATION');
      const stranger = makeSelfSigned();
      const victim = makeLeaf(ca);
      for (const [leaf, others] of [
        [makeLeaf(unverified.ca), []], [makeLeaf(disabled.ca), []], [makeLeaf(gone.ca), []], [makeLeaf(makeCa()), []], [makeLeaf(makeCa()), [ca]],
        [stranger, []], [stranger, [ca]], [stranger, [victim, ca]], [makeLeaf(victim), [victim]], [ca, []],
        [makeLeaf(ca, { notBefore: new Date(Date.now() - 3 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) }), []],
      ] as const) expectError(await enroll(leaf, others), 400, 'CERT_FAILED_VALIDATION');
      expect(await identities()).to.deep.equal([]);
    });

    it('makes an identity of the type Default with the roles of the CA', async () => {
      const { name, id: caId, ca } = await authority({ identityRoles: ['b', 'a'] });
      const leaf = makeLeaf(ca, { commonName: 'host 1' });
      expect(expectStatus(await enroll(leaf), 200).data).to.deep.equal({});
      const [made] = await identities();
      expect(made).to.deep.include({ name: `${name}-host 1`, typeId: 'Default', isAdmin: false, externalId: null, roleAttributes: ['a', 'b'], authPolicyId: 'default', enrollment: {} });
      const [authenticator] = await authenticatorsOf(made?.id ?? '');
      expect(authenticator).to.deep.include({ method: 'cert', fingerprint: leaf.fingerprint });
      inUse(await enroll(leaf), leaf);
      expect(await identities()).to.have.length(1);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
      expect(await authenticatorsOf(made?.id ?? '')).to.deep.equal([]);
    });

    it('picks the right one of several CAs', async () => {
      const all = [await authority({ identityRoles: ['one'] }), await authority({ identityRoles: ['two'] }), await authority({ identityRoles: ['three'] })];
      expectStatus(await enroll(makeLeaf(all[1]?.ca as TestCertificate)), 200);
      expect((await identities())[0]?.['roleAttributes']).to.deep.equal(['two']);
    });

    it('makes one identity of a certificate that is shown many times at once', async () => {
      const { ca } = await authority();
      const leaf = makeLeaf(ca);
      const answers = await Promise.all(Array.from({ length: 12 }, () => enroll(leaf)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(11).fill(409)]);
      expect(await identities()).to.have.length(1);
    });

    it('names by the format of the CA, and what the symbols stand for is no format', async () => {
      const { ca, id, name } = await authority({ identityNameFormat: '[caId]/[caName]/[commonName]/[identityId]/[requestedName]/[other]' });
      expectStatus(await enroll(makeLeaf(ca, { subject: nameOf(['2.5.4.10', 'x'], ['2.5.4.3', '[caName], CN="a"'], ['2.5.4.3', 'second']) })), 200);
      const [made] = await identities();
      expect(made?.['name']).to.equal(`${id}/${name}/[caName], CN="a"/${made?.id ?? ''}//[other]`);
      await change(id, { identityNameFormat: '[requestedName]' });
      expectStatus(await enroll(makeLeaf(ca)), 200);
      expect((await identities()).filter((one) => one['name'] === one.id)).to.have.length(1);
    });

    it('takes the name that the generic form asks for, and as any other method has tokens too', async () => {
      const { ca, id: caId } = await authority({ identityNameFormat: '[requestedName]' });
      const generic = async (query: string, leaf: TestCertificate, body?: object) => {
        const client = createCertificateClient(controller.url, shownBy(leaf));
        try {
          return await client.post(`${CLIENT}/enroll?${query}`, body);
        } finally {
          client.close();
        }
      };
      expect(expectStatus(await generic('method=ca', makeLeaf(ca), { name: 'mine' }), 200).data).to.deep.equal({});
      expectStatus(await generic('method=ca', makeLeaf(ca), { name: 'mine' }), 200);
      expectStatus(await generic('method=ca', makeLeaf(ca)), 200);
      const names = (await identities()).map((one) => one['name'] === one.id ? 'its id' : one['name'] as string);
      expect(names.sort()).to.deep.equal(['its id', 'mine', 'mine000001']);
      expectError(await generic('method=ca', makeLeaf(makeCa())), 400, 'CERT_FAILED_VALIDATION');
      const id = await make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { ottca: caId } });
      const { enrollment } = await read(controller, `identities/${id}`) as unknown as { enrollment: { ottca: { token: string } } };
      expectError(await generic(`method=ott&token=${enrollment.ottca.token}`, makeLeaf(ca)), 400, 'INVALID_ENROLL_METHOD');
      expect(expectStatus(await generic(`method=ottca&token=${enrollment.ottca.token}`, makeLeaf(ca)), 200).data).to.deep.equal({});
      expect(await authenticatorsOf(id)).to.have.length(1);
    });

    it('numbers names that are taken, also for many at the same time', async () => {
      const { ca } = await authority({ identityNameFormat: 'fleet' });
      await make(controller, 'identities', { name: 'fleet000abc', type: 'User', isAdmin: false });
      await make(controller, 'identities', { name: 'fleet0000007', type: 'User', isAdmin: false });
      expectStatus(await enroll(makeLeaf(ca)), 200);
      expectStatus(await enroll(makeLeaf(ca)), 200);
      const names = async () => (await identities()).map((one) => one['name'] as string).filter((one) => /^fleet(\d{6})?$/.test(one)).sort();
      expect(await names()).to.deep.equal(['fleet', 'fleet000001']);
      const answers = await Promise.all(Array.from({ length: 24 }, () => enroll(makeLeaf(ca))));
      expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).to.deep.equal(answers.map(() => ''));
      expect(await names()).to.deep.equal(['fleet', ...Array.from({ length: 25 }, (_, index) => `fleet${String(index + 1).padStart(6, '0')}`)]);
    });

    it('keeps only the claim of the certificate, where the CA has one', async () => {
      const { ca } = await authority({ externalIdClaim: { ...COMMON_NAME, location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe', parser: 'SPLIT', parserCriteria: '/', index: 3 } });
      const leaf = makeLeaf(ca, { names: { uri: ['https://x/y/z', 'spiffe://corp/device-7'] } });
      expectError(await enroll(makeLeaf(ca)), 400, 'MISSING_CERT_CLAIM');
      expectStatus(await enroll(leaf), 200);
      const [made] = await identities();
      expect(made?.['externalId']).to.equal('device-7');
      expect(await authenticatorsOf(made?.id ?? '')).to.deep.equal([]);
      inUse(await enroll(leaf), leaf);
      const renewed = makeLeaf(ca, { names: { uri: ['spiffe://corp/device-7'] } });
      inUse(await enroll(renewed), renewed);
      expect(await identities()).to.have.length(1);
    });

    it('makes nothing of a CA that is deleted at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, ca } = await authority();
        const [made, gone] = await Promise.all([enroll(makeLeaf(ca)), controller.admin.delete(`${MANAGEMENT}/cas/${id}`)]);
        expect([200, 400]).to.include(made.status);
        expectStatus(gone, 200);
      }
      expect((await controller.database.query('SELECT id FROM authenticators WHERE method = $1', ['cert'])).rows).to.deep.equal([]);
    });
  });

  it('ends with the CA: its authenticators and the API sessions they opened', async () => {
    const { id: caId, ca } = await authority();
    expectStatus(await post('ca', makeLeaf(ca)), 200);
    const [{ id } = { id: '' }] = await identities();
    const [{ id: authenticatorId } = { id: '' }] = await authenticatorsOf(id);
    const caller = await controller.newCaller();
    const claimed = await controller.newCaller();
    const untouched = await controller.newCaller();
    await controller.database.query('UPDATE api_sessions SET authenticator_id = $1 WHERE identity_id = $2', [authenticatorId, caller.id]);
    await controller.database.query("UPDATE api_sessions SET authenticator_id = 'internal', ca_id = $1 WHERE identity_id = $2", [caId, claimed.id]);
    await change(caId, { isAuthEnabled: false });
    for (const { client } of [caller, claimed]) expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
    for (const { client } of [caller, claimed]) expectStatus(await client.get(`${CLIENT}/current-identity`), 401);
    expectStatus(await untouched.client.get(`${CLIENT}/current-identity`), 200);
    expect(entityOf(await controller.admin.get(`${MANAGEMENT}/identities/${id}`)).id).to.equal(id);
  });
});
