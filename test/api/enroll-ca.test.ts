/** Enrollment with nothing but a certificate of a registered CA (method ca), and what ends with the CA. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { createCertificateClient, makeCa, makeLeaf, makeSelfSigned, nameOf, shownBy } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import type { TestController } from '../support/controller.js';
import { entityOf, read } from '../support/entities.js';
import { expectError } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { COMMON_NAME, HOUR_MS, expectInUse, useCertificateEnrollments } from './certificate-enrollment-support.js';

describe('enrollment with a certificate alone', () => {
  const { authority, change, post, identities, authenticatorsOf, ...suite } = useCertificateEnrollments();
  let controller: TestController;
  before(() => {
    controller = suite.controller();
  });
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
      [makeLeaf(unverified.ca), []],
      [makeLeaf(disabled.ca), []],
      [makeLeaf(gone.ca), []],
      [makeLeaf(makeCa()), []],
      [makeLeaf(makeCa()), [ca]],
      [stranger, []],
      [stranger, [ca]],
      [stranger, [victim, ca]],
      [makeLeaf(victim), [victim]],
      [ca, []],
      [makeLeaf(ca, { notBefore: new Date(Date.now() - 3 * HOUR_MS), notAfter: new Date(Date.now() - HOUR_MS) }), []],
    ] as const)
      expectError(await enroll(leaf, others), 400, 'CERT_FAILED_VALIDATION');
    expect(await identities()).to.deep.equal([]);
  });

  it('makes an identity of the type Default with the roles of the CA', async () => {
    const { name, id: caId, ca } = await authority({ identityRoles: ['b', 'a'] });
    const leaf = makeLeaf(ca, { commonName: 'host 1' });
    expect(expectStatus(await enroll(leaf), 200).data).to.deep.equal({});
    const [made] = await identities();
    expect(made).to.deep.include({
      name: `${name}-host 1`,
      typeId: 'Default',
      isAdmin: false,
      externalId: null,
      roleAttributes: ['a', 'b'],
      authPolicyId: 'default',
      enrollment: {},
    });
    const [authenticator] = await authenticatorsOf(made?.id ?? '');
    expect(authenticator).to.deep.include({ method: 'cert', fingerprint: leaf.fingerprint });
    expectInUse(await enroll(leaf), leaf);
    expect(await identities()).to.have.length(1);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
    expect(await authenticatorsOf(made?.id ?? '')).to.deep.equal([]);
  });

  it('picks the right one of several CAs', async () => {
    const all = [
      await authority({ identityRoles: ['one'] }),
      await authority({ identityRoles: ['two'] }),
      await authority({ identityRoles: ['three'] }),
    ];
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
    const { ca, id, name } = await authority({
      identityNameFormat: '[caId]/[caName]/[commonName]/[identityId]/[requestedName]/[other]',
    });
    expectStatus(
      await enroll(
        makeLeaf(ca, { subject: nameOf(['2.5.4.10', 'x'], ['2.5.4.3', '[caName], CN="a"'], ['2.5.4.3', 'second']) }),
      ),
      200,
    );
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
    const names = (await identities()).map((one) => (one['name'] === one.id ? 'its id' : (one['name'] as string)));
    expect(names.sort()).to.deep.equal(['its id', 'mine', 'mine000001']);
    expectError(await generic('method=ca', makeLeaf(makeCa())), 400, 'CERT_FAILED_VALIDATION');
    const id = await makeIdentity(controller, {
      enrollment: { ottca: caId },
    });
    const { enrollment } = await read<{
      enrollment: { ottca: { token: string } };
    }>(controller, `identities/${id}`);
    expectError(
      await generic(`method=ott&token=${enrollment.ottca.token}`, makeLeaf(ca)),
      400,
      'INVALID_ENROLL_METHOD',
    );
    expect(
      expectStatus(await generic(`method=ottca&token=${enrollment.ottca.token}`, makeLeaf(ca)), 200).data,
    ).to.have.all.keys('controllers');
    expect(await authenticatorsOf(id)).to.have.length(1);
  });

  it('numbers names that are taken, also for many at the same time', async () => {
    const { ca } = await authority({ identityNameFormat: 'fleet' });
    await makeIdentity(controller, { name: 'fleet000abc' });
    await makeIdentity(controller, { name: 'fleet0000007' });
    expectStatus(await enroll(makeLeaf(ca)), 200);
    expectStatus(await enroll(makeLeaf(ca)), 200);
    const names = async () =>
      (await identities())
        .map((one) => one['name'] as string)
        .filter((one) => /^fleet(\d{6})?$/.test(one))
        .sort();
    expect(await names()).to.deep.equal(['fleet', 'fleet000001']);
    const answers = await Promise.all(Array.from({ length: 24 }, () => enroll(makeLeaf(ca))));
    expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).to.deep.equal(answers.map(() => ''));
    expect(await names()).to.deep.equal([
      'fleet',
      ...Array.from({ length: 25 }, (_, index) => `fleet${String(index + 1).padStart(6, '0')}`),
    ]);
  });

  it('refuses a certificate whose claim comes out empty, or blank', async () => {
    const { ca } = await authority({
      externalIdClaim: { ...COMMON_NAME, parser: 'SPLIT', parserCriteria: '/', index: 1 },
    });
    for (const commonName of ['device/', 'device//x', 'device/ ', 'device/\u2003', 'device'])
      expectError(await enroll(makeLeaf(ca, { commonName })), 400, 'MISSING_CERT_CLAIM');
    expect(await identities()).to.deep.equal([]);
  });

  it('keeps only the claim of the certificate, where the CA has one', async () => {
    const { ca } = await authority({
      externalIdClaim: {
        ...COMMON_NAME,
        location: 'SAN_URI',
        matcher: 'SCHEME',
        matcherCriteria: 'spiffe',
        parser: 'SPLIT',
        parserCriteria: '/',
        index: 3,
      },
    });
    const leaf = makeLeaf(ca, { names: { uri: ['https://x/y/z', 'spiffe://corp/device-7'] } });
    expectError(await enroll(makeLeaf(ca)), 400, 'MISSING_CERT_CLAIM');
    expectStatus(await enroll(leaf), 200);
    const [made] = await identities();
    expect(made?.['externalId']).to.equal('device-7');
    expect(await authenticatorsOf(made?.id ?? '')).to.deep.equal([]);
    expectInUse(await enroll(leaf), leaf);
    const renewed = makeLeaf(ca, { names: { uri: ['spiffe://corp/device-7'] } });
    expectInUse(await enroll(renewed), renewed);
    expect(await identities()).to.have.length(1);
  });

  it('makes nothing of a CA that is deleted at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, ca } = await authority();
      const [made, gone] = await Promise.all([
        enroll(makeLeaf(ca)),
        controller.admin.delete(`${MANAGEMENT}/cas/${id}`),
      ]);
      expect([200, 400]).to.include(made.status);
      expectStatus(gone, 200);
    }
    expect(
      (await controller.database.query('SELECT id FROM authenticators WHERE method = $1', ['cert'])).rows,
    ).to.deep.equal([]);
  });

  it('ends with the CA: its authenticators and the API sessions they opened', async () => {
    const { id: caId, ca } = await authority();
    expectStatus(await post('ca', makeLeaf(ca)), 200);
    const [{ id } = { id: '' }] = await identities();
    const [{ id: authenticatorId } = { id: '' }] = await authenticatorsOf(id);
    const caller = await controller.newCaller();
    const claimed = await controller.newCaller();
    const untouched = await controller.newCaller();
    await controller.database.query('UPDATE api_sessions SET authenticator_id = $1 WHERE identity_id = $2', [
      authenticatorId,
      caller.id,
    ]);
    await controller.database.query(
      "UPDATE api_sessions SET authenticator_id = 'internal', ca_id = $1 WHERE identity_id = $2",
      [caId, claimed.id],
    );
    await change(caId, { isAuthEnabled: false });
    for (const { client } of [caller, claimed]) expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/cas/${caId}`), 200);
    for (const { client } of [caller, claimed]) expectStatus(await client.get(`${CLIENT}/current-identity`), 401);
    expectStatus(await untouched.client.get(`${CLIENT}/current-identity`), 200);
    expect(entityOf(await controller.admin.get(`${MANAGEMENT}/identities/${id}`)).id).to.equal(id);
  });
});
