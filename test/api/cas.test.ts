/**
 * CAs of third parties: registered, verified, changed and removed, and what goes with them. Against a whole
 * controller.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { makeCa, makeLeaf, makeRsaKeys, makeSelfSigned } from '../support/certificates.js';
import type { TestCertificate } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, linksOf, make, read } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/cas`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HOUR_MS = 3_600_000;
const flags = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true };
const claim = {
  location: 'COMMON_NAME',
  matcher: 'PREFIX',
  matcherCriteria: 'dev-',
  parser: 'SPLIT',
  parserCriteria: '-',
  index: 1,
};

describe('cas', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const body = (name: string, ca: TestCertificate = makeCa()) => ({
    name,
    certPem: ca.pem,
    identityRoles: [],
    ...flags,
  });
  const settings = (name: string) => ({ name, identityRoles: [], identityNameFormat: '', ...flags });
  const create = async (extra: object = {}) => make(controller, 'cas', { ...body(unique('ca')), ...extra });
  const post = async (extra: object) => controller.admin.post(PATH, { ...body(unique('ca')), ...extra });
  const detail = async (id: string) => read(controller, `cas/${id}`);

  behavesLikeAnyResource({
    collection: 'cas',
    singular: 'ca',
    controller: () => controller,
    body: (name) => ({ ...body(name), identityNameFormat: '' }),
  });

  it('starts unverified, with a token to prove it by and the usual format of names', async () => {
    const ca = makeCa();
    const id = await create({ certPem: ca.pem, identityRoles: ['b', 'a', 'b'] });
    const { verificationToken, createdAt, updatedAt, name, _links, ...rest } = await detail(id);
    expect(rest).to.deep.equal({
      id,
      certPem: ca.pem,
      fingerprint: ca.fingerprint,
      identityNameFormat: '[caName]-[commonName]',
      identityRoles: ['a', 'b'],
      ...flags,
      isVerified: false,
      tags: {},
    });
    expect(verificationToken).to.match(UUID);
    expect([createdAt, updatedAt, name, _links]).to.not.include(undefined);
  });

  it('links to what can be done with it', async () => {
    const id = await create();
    const self = `./cas/${id}`;
    expect(linksOf(await detail(id))).to.deep.equal({ self, verify: `${self}/verify`, jwt: `${self}/jwt` });
    await controller.admin.patch(`${PATH}/${id}`, { isAutoCaEnrollmentEnabled: false });
    expect(linksOf(await detail(id))).to.deep.equal({ self, verify: `${self}/verify` });
  });

  it('refuses as certPem what is no usable certificate of a CA', async () => {
    const ca = makeCa();
    for (const [certPem, reason] of [
      ['', 'could not parse block #1'],
      ['nonsense', 'could not parse block #1'],
      [ca.privateKeyPem, 'could not parse block #1'],
      ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'could not parse block #1'],
      ['-----BEGIN CERTIFICATE-----\n', 'could not parse block #1'],
      [`${ca.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, 'could not parse block #2'],
      [`${ca.pem}${ca.privateKeyPem}`, 'could not parse block #2'],
      [makeSelfSigned().pem, 'certificate is not a CA'],
      [`${makeLeaf(ca).pem}${ca.pem}`, 'certificate is not a CA'],
      [makeCa({ isVersion1: true }).pem, 'certificate is not a CA'],
      [makeCa({ keyUsage: ['digitalSignature'] }).pem, 'certificate is not a CA'],
      [makeCa({ keyKind: 'rsa-1024' }).pem, 'an RSA key must have 2048 to 8192 bits, this one has 1024'],
      ...[3, 65_538].map(
        (exponent) =>
          [
            makeCa({ keys: makeRsaKeys(exponent) }).pem,
            'the exponent of the RSA key is not an odd number from 65537 to 4294967295',
          ] as const,
      ),
      [makeCa({ keyKind: 'ec-secp256k1' }).pem, 'the curve of the key is not one of P-256, P-384, P-521'],
      [ca.pem.repeat(11), 'at most 10 certificates are accepted'],
    ] as const)
      expectField(await post({ certPem }), 'certPem', reason);
    expectField(await post({ certPem: null }), 'certPem', 'certPem in body is required');
  });

  it('refuses a registered certificate, also by many at once, and takes it after the delete', async () => {
    const ca = makeCa();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post({ certPem: ca.pem })));
    const [made] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 400)).to.have.length(4);
    const { id } = entityOf(made as Answer);
    expectField(
      await post({ certPem: `remark\n${ca.pem}${makeCa().pem}` }),
      'certPem',
      `certificate already used as CA. The ca that has it is ${id}.`,
    );
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
    expectStatus(await post({ certPem: ca.pem }), 201);
  });

  it('refuses the certificates of the network itself', async () => {
    const { text } = await controller.anonymous.get(`${MANAGEMENT}/.well-known/est/cacerts`);
    expect(text).to.not.equal('');
    const { rows } = await controller.database.query(
      "SELECT cert_pem FROM pki_entities WHERE purpose IN ('root', 'intermediate')",
    );
    expect(rows).to.not.deep.equal([]);
    for (const row of rows)
      expectField(await post({ certPem: row['cert_pem'] }), 'certPem', 'certificate is one of this network itself');
  });

  it('never changes its certificate, nor what was proven', async () => {
    const id = await create();
    const before = await detail(id);
    const other = { certPem: makeCa().pem, fingerprint: 'x', isVerified: true, verificationToken: 'x' };
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, other), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { ...settings(before['name'] as string), ...other }), 200);
    const { updatedAt, ...after } = await detail(id);
    expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal(before);
    expect(updatedAt > before.updatedAt).to.equal(true);
  });

  it('changes with PATCH only what is given, and with PUT everything', async () => {
    const id = await create({ identityRoles: ['a'], identityNameFormat: '[identityId]', externalIdClaim: claim });
    const before = await detail(id);
    const nulls = {
      name: null,
      isAuthEnabled: null,
      isAutoCaEnrollmentEnabled: null,
      isOttCaEnrollmentEnabled: null,
      identityRoles: null,
      identityNameFormat: null,
      tags: null,
    };
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, nulls), 200);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: { location: null } }), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(
      await controller.admin.patch(`${PATH}/${id}`, {
        isAuthEnabled: false,
        identityRoles: [],
        identityNameFormat: '',
        externalIdClaim: { index: 2 },
      }),
      200,
    );
    expect(await detail(id)).to.deep.include({
      isAuthEnabled: false,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
      identityNameFormat: '[caName]-[commonName]',
      externalIdClaim: { ...claim, index: 2 },
    });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: {} }), 200);
    expect((await detail(id))['externalIdClaim']).to.deep.equal({ ...claim, index: 2 });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: null }), 200);
    expect(await detail(id)).to.not.have.property('externalIdClaim');
    expectField(
      await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: { index: 2 } }),
      'externalIdClaim.location',
      'externalIdClaim.location in body is required',
    );
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: claim }), 200);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, settings(before['name'] as string)), 200);
    expect(await detail(id))
      .to.deep.include({ ...flags, identityRoles: [] })
      .and.not.have.property('externalIdClaim');
    for (const field of Object.keys(settings('x'))) {
      const rest = Object.fromEntries(Object.entries(settings('x')).filter(([key]) => key !== field));
      expectField(await controller.admin.put(`${PATH}/${id}`, rest), field, `${field} in body is required`);
    }
  });

  it('refuses identityRoles that are selectors', async () => {
    const id = await create();
    for (const prefix of ['#', '@']) {
      const identityRoles = ['a', `${prefix}b`];
      for (const answer of [
        await post({ identityRoles }),
        await controller.admin.patch(`${PATH}/${id}`, { identityRoles }),
        await controller.admin.put(`${PATH}/${id}`, { ...settings('x'), identityRoles }),
      ]) {
        expectField(answer, 'identityRoles', `role attributes may not be prefixed with ${prefix}`, `${prefix}b`);
      }
    }
  });

  it('refuses a claim that cannot work, and one that is not whole', async () => {
    const id = await create({ externalIdClaim: claim });
    const refused = (answer: Answer, reason: string) => {
      expectStatus(answer, 400);
      expect(answer.error?.code).to.equal('INVALID_FIELD');
      expect(answer.error?.message).to.equal(reason);
    };
    const reason =
      "the value 'location=COMMON_NAME matcher=SCHEME parser=SPLIT' for 'externalIdClaim' is invalid: " +
      'unsupported matcher [SCHEME] for location [COMMON_NAME]';
    refused(await post({ externalIdClaim: { ...claim, matcher: 'SCHEME' } }), reason);
    refused(await controller.admin.patch(`${PATH}/${id}`, { externalIdClaim: { matcher: 'SCHEME' } }), reason);
    refused(
      await controller.admin.put(`${PATH}/${id}`, {
        ...settings('x'),
        externalIdClaim: { ...claim, matcher: 'SCHEME' },
      }),
      reason,
    );
    for (const member of Object.keys(claim)) {
      const rest = Object.fromEntries(Object.entries(claim).filter(([key]) => key !== member));
      expectField(
        await post({ externalIdClaim: rest }),
        `externalIdClaim.${member}`,
        `externalIdClaim.${member} in body is required`,
      );
    }
    expect((await detail(id))['externalIdClaim']).to.deep.equal(claim);
  });

  it('is found by what its list can be filtered by', async () => {
    const ca = makeCa();
    const id = await create({ certPem: ca.pem, isAuthEnabled: false });
    const { verificationToken, name } = await detail(id);
    const list = async (filter: string) => controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`);
    for (const filter of [
      `name = "${name as string}"`,
      `fingerprint = "${ca.fingerprint}"`,
      `verificationToken = "${verificationToken as string}"`,
      `isVerified = false and name = "${name as string}"`,
      `isAuthEnabled = false and isAutoCaEnrollmentEnabled = true and isOttCaEnrollmentEnabled = true and id = "${id}"`,
    ]) {
      expect(idsOf(expectStatus(await list(filter), 200)), filter).to.deep.equal([id]);
    }
    expect(idsOf(expectStatus(await list('verificationToken = "nope"'), 200))).to.deep.equal([]);
    expectStatus(await list('certPem contains "A"'), 400);
    expect((await list('true')).meta.filterableFields).to.include.members([
      'name',
      'fingerprint',
      'isVerified',
      'verificationToken',
      'isAuthEnabled',
      'isAutoCaEnrollmentEnabled',
      'isOttCaEnrollmentEnabled',
    ]);
  });

  it('answers its JWT as bare text in every state, to administrators', async () => {
    const id = await create({ isAutoCaEnrollmentEnabled: false });
    const answer = expectStatus(await controller.admin.get(`${PATH}/${id}/jwt`), 200);
    expect(answer.headers['content-type']).to.equal('application/jwt');
    const [header = '', claims = '', signature = ''] = answer.text.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).to.deep.equal({
      iss: 'https://localhost:1280/',
      sub: id,
      aud: ['openziti-enroller'],
      jti: id,
      em: 'ca',
      ctrls: null,
    });
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).to.include({ typ: 'JWT' });
    expect(signature).to.match(/^[\w-]{40,}$/);
    expectNotFound(await controller.admin.get(`${PATH}/nope/jwt`), 'ca with id nope not found');
    expectStatus(await controller.anonymous.get(`${PATH}/${id}/jwt`), 401);
    expectStatus(await (await controller.newCaller()).client.get(`${PATH}/${id}/jwt`), 401);
  });

  describe('enrollments by token and certificate', () => {
    const identity = async (extra: object = {}) =>
      controller.admin.post(`${MANAGEMENT}/identities`, {
        name: unique('identity'),
        type: 'User',
        isAdmin: false,
        ...extra,
      });
    const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();

    it('show their CA in every read, verified or not', async () => {
      const name = unique('ca');
      const caId = await create({ name });
      const at = (part = '') => ({ href: `./cas/${caId}${part}` });
      const ca = {
        _links: { self: at(), jwt: at('/jwt'), verify: at('/verify') },
        entity: 'cas',
        id: caId,
        name,
      };
      const identityId = entityOf(expectStatus(await identity({ enrollment: { ottca: caId, ott: true } }), 201)).id;
      const { enrollment } = await read<{
        enrollment: { ottca: Record<string, unknown>; ott: Record<string, unknown> };
      }>(controller, `identities/${identityId}`);
      expect(enrollment.ottca).to.deep.include({ ca, caId });
      expect(enrollment.ott).to.not.have.any.keys('ca', 'caId');
      const other = entityOf(expectStatus(await identity(), 201)).id;
      const id = await make(controller, 'enrollments', { identityId: other, method: 'ottca', caId, expiresAt });
      expect(await read(controller, `enrollments/${id}`)).to.deep.include({
        ca,
        caId,
        method: 'ottca',
        identityId: other,
      });
      const list = expectStatus(
        await controller.admin.get(`${MANAGEMENT}/enrollments?filter=${encodeURIComponent(`caId = "${caId}"`)}`),
        200,
      ).data as { ca: unknown }[];
      expect(list.map((item) => item.ca)).to.deep.equal([ca, ca]);
      expectStatus(await controller.admin.delete(`${PATH}/${caId}`), 200);
      expectNotFound(
        await controller.admin.get(`${MANAGEMENT}/enrollments/${id}`),
        `enrollment with id ${id} not found`,
      );
      expect((await read(controller, `identities/${identityId}`))['enrollment']).to.have.all.keys('ott');
    });

    it('need a CA that is there', async () => {
      const name = unique('identity');
      const answer = expectStatus(await identity({ name, enrollment: { ottca: 'nope' } }), 404);
      expect(answer.error).to.deep.include({
        code: 'NOT_FOUND',
        cause: { field: 'caId', reason: 'ca not found', value: 'nope' },
      });
      expect(
        idsOf(await controller.admin.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent(`name = "${name}"`)}`)),
      ).to.deep.equal([]);
      const identityId = entityOf(expectStatus(await identity(), 201)).id;
      for (const caId of ['nope', '', null]) {
        const refused = expectStatus(
          await controller.admin.post(`${MANAGEMENT}/enrollments`, { identityId, method: 'ottca', caId, expiresAt }),
          400,
        );
        expect(refused.error).to.deep.include({
          code: 'INVALID_FIELD',
          message: 'The field contains an invalid value: ca not found',
        });
      }
      expectStatus(
        await controller.admin.post(`${MANAGEMENT}/enrollments`, {
          identityId,
          method: 'ott',
          caId: 'nope',
          expiresAt,
        }),
        201,
      );
    });
  });
});
