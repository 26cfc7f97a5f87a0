import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT, behavesLikeAnyResource, expectField, expectNotFound, idsOf, make, read, totalOf } from '../cases/resource.js';

const PATH = `${MANAGEMENT}/service-policies`;

describe('service policies', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController(); });
  after(() => controller.stop());

  const policy = (name: string) => ({ name, type: 'Dial', semantic: 'AnyOf' });
  const create = async (extra: object = {}) => make(controller, 'service-policies', { ...policy(unique('policy')), ...extra });
  const detail = async (id: string) => read(controller, `service-policies/${id}`);
  const post = async (extra: object) => controller.admin.post(PATH, { ...policy(unique('policy')), ...extra });
  const identity = async (extra: object = {}) => make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...extra });
  const service = async (extra: object = {}) => make(controller, 'services', { name: unique('service'), encryptionRequired: false, ...extra });

  behavesLikeAnyResource({ collection: 'service-policies', singular: 'servicePolicy', controller: () => controller, body: policy, nestedLinks: ['services', 'identities', 'posture-checks'] });

  it('starts with empty lists', async () => {
    const { _links, id, createdAt, updatedAt, name, ...rest } = await detail(await create({ identityRoles: null, serviceRoles: null }));
    expect(rest).to.deep.equal({
      identityRoles: [], identityRolesDisplay: [], postureCheckRoles: [], postureCheckRolesDisplay: [], semantic: 'AnyOf',
      serviceRoles: [], serviceRolesDisplay: [], tags: {}, type: 'Dial',
    });
    expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  it('keeps roles as sorted sets and shows @ids by their present names', async () => {
    const name = unique('identity');
    const [identityId, serviceId] = [await identity({ name }), await service()];
    const id = await create({ identityRoles: [`@${identityId}`, '#b', '#a', '#b'], serviceRoles: [`@${serviceId}`], postureCheckRoles: ['#z', '#y'], type: 'Bind', semantic: 'AllOf' });
    expect(await detail(id)).to.deep.include({
      type: 'Bind', semantic: 'AllOf', identityRoles: ['#a', '#b', `@${identityId}`], serviceRoles: [`@${serviceId}`], postureCheckRoles: ['#y', '#z'],
      identityRolesDisplay: [{ name: '#a', role: '#a' }, { name: '#b', role: '#b' }, { name: `@${name}`, role: `@${identityId}` }],
      postureCheckRolesDisplay: [{ name: '#y', role: '#y' }, { name: '#z', role: '#z' }],
    });
    const renamed = unique('renamed');
    await controller.admin.patch(`${MANAGEMENT}/identities/${identityId}`, { name: renamed });
    expect((await detail(id))['identityRolesDisplay']).to.deep.include({ name: `@${renamed}`, role: `@${identityId}` });
  });

  it('accepts # alone, which selects nobody, and #all', async () => {
    await identity();
    const alone = await create({ identityRoles: ['#'] });
    expect(totalOf(await controller.admin.get(`${PATH}/${alone}/identities`))).to.equal(0);
    const all = await create({ identityRoles: ['#all'] });
    expect(totalOf(await controller.admin.get(`${PATH}/${all}/identities`))).to.equal(totalOf(await controller.admin.get(`${MANAGEMENT}/identities`)));
  });

  it('wants semantic and type, out of what there is', async () => {
    expectField(await controller.admin.post(PATH, { name: 'x', type: 'Dial' }), 'semantic', 'semantic in body is required', '<nil>');
    expectField(await controller.admin.post(PATH, { name: 'x', semantic: 'AnyOf' }), 'type', 'type in body is required', '<nil>');
    expectField(await post({ semantic: 'OneOf' }), 'semantic', 'semantic in body should be one of [AllOf AnyOf]', 'OneOf');
    expectField(await post({ semantic: '' }), 'semantic', 'semantic in body should be one of [AllOf AnyOf]', '');
    expectField(await post({ type: 'dial' }), 'type', 'type in body should be one of [Dial Bind Invalid]', 'dial');
    expectField(await post({ type: 'Invalid' }), 'type', /.+/, 'Invalid');
  });

  for (const [field, entities] of [['identityRoles', 'identities'], ['serviceRoles', 'services'], ['postureCheckRoles', 'postureChecks']] as const) {
    it(`refuses ${field} that are malformed or name nobody, in create, PUT and PATCH`, async () => {
      const id = await create();
      const before = await detail(id);
      const unprefixed = 'role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)';
      for (const [roles, reason, value] of [
        [['probe-a'], unprefixed, '[probe-a]'], [[''], unprefixed, '[]'],
        [['#probe-a', '#all'], 'if using #all, it should be the only role specified', '[#all #probe-a]'],
        [['@bogus'], `no ${entities} found with the given ids`, '[bogus]'], [['#a', '@x', '@bogus', '@'], `no ${entities} found with the given ids`, '[ bogus x]'],
      ] as const) {
        expectField(await post({ [field]: roles }), field, reason, value);
        expectField(await controller.admin.put(`${PATH}/${id}`, { ...policy(unique('policy')), [field]: roles }), field, reason, value);
        expectField(await controller.admin.patch(`${PATH}/${id}`, { name: unique('policy'), [field]: roles }), field, reason, value);
      }
      expect(await detail(id)).to.deep.equal(before);
    });
  }

  it('does not take a name for an id, nor an id of another kind', async () => {
    const name = unique('identity');
    const id = await identity({ name });
    expectField(await post({ identityRoles: [`@${name}`] }), 'identityRoles', 'no identities found with the given ids', `[${name}]`);
    expectField(await post({ serviceRoles: [`@${id}`] }), 'serviceRoles', 'no services found with the given ids', `[${id}]`);
  });

  it('changes with PATCH only what is given, and with PUT everything', async () => {
    const name = unique('policy');
    const id = await create({ name, type: 'Bind', semantic: 'AllOf', identityRoles: ['#a'], serviceRoles: ['#b'], postureCheckRoles: ['#c'] });
    const before = await detail(id);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { name: null, type: null, semantic: null, identityRoles: null, serviceRoles: null, postureCheckRoles: null, tags: null }), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { identityRoles: [], semantic: 'AnyOf' }), 200);
    expect(await detail(id)).to.deep.include({ identityRoles: [], serviceRoles: ['#b'], postureCheckRoles: ['#c'], semantic: 'AnyOf', type: 'Bind' });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, policy(name)), 200);
    expect(await detail(id)).to.deep.include({ identityRoles: [], serviceRoles: [], postureCheckRoles: [], semantic: 'AnyOf', type: 'Dial' });
  });

  it('lists whom and what it selects, by its semantic, paged and filtered', async () => {
    const attributes = [unique('a'), unique('b')];
    const [both, one, named] = [await identity({ roleAttributes: attributes }), await identity({ roleAttributes: attributes.slice(1) }), await identity()];
    const services = await Promise.all([0, 1, 2].map((index) => service({ name: unique(`s${index}`), roleAttributes: attributes })));
    const id = await create({ semantic: 'AllOf', identityRoles: [...attributes.map((a) => `#${a}`), `@${named}`], serviceRoles: [`#${attributes[0] ?? ''}`] });
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/identities`))).to.deep.equal([both, named].sort());
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { semantic: 'AnyOf' }), 200);
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/identities`))).to.deep.equal([both, one, named].sort());
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/services?limit=2&sort=name%20desc`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([[...services].reverse().slice(0, 2), 3]);
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/services?filter=id%3D%22${services[1] ?? ''}%22`))).to.deep.equal([services[1]]);
    for (const nested of ['identities', 'services']) expectNotFound(await controller.admin.get(`${PATH}/nope/${nested}`), 'servicePolicy with id nope not found');
  });

  it('never keeps an @id of an identity that was deleted at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await identity();
      const [made, gone] = await Promise.all([post({ identityRoles: [`@${id}`] }), controller.admin.delete(`${MANAGEMENT}/identities/${id}`)]);
      expect([201, 400]).to.include(made.status);
      expectStatus(gone, 200);
    }
    const { rows } = await controller.database.query(`SELECT r FROM service_policies, unnest(identity_roles) r
      WHERE r LIKE '@%' AND NOT EXISTS (SELECT FROM identities WHERE '@' || id = r)`);
    expect(rows).to.deep.equal([]);
  });

  it('survives deletes of services and changes of the policies that name them at the same time', async () => {
    const services = await Promise.all(Array.from({ length: 12 }, () => service()));
    const config = await make(controller, 'configs', { name: unique('config'), configTypeId: 'NH5p4FpGR', data: { address: 'x', port: 1, protocol: 'tcp' } });
    await Promise.all(services.map((id) => controller.admin.patch(`${MANAGEMENT}/services/${id}`, { configs: [config] })));
    const policies = await Promise.all([0, 1, 2].map(() => create({ serviceRoles: services.map((id) => `@${id}`) })));
    const answers = await Promise.all(services.flatMap((id, index) => [
      controller.admin.delete(`${MANAGEMENT}/services/${id}`),
      controller.admin.patch(`${PATH}/${policies[index % 3] ?? ''}`, { tags: { index } }),
    ]));
    expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).to.deep.equal(answers.map(() => ''));
    for (const id of policies) expect((await detail(id))['serviceRoles']).to.deep.equal([]);
  });

  describe('with posture checks', () => {
    const check = async (roleAttributes: readonly string[] = [], name = unique('check')) =>
      make(controller, 'posture-checks', { name, typeId: 'DOMAIN', domains: ['corp.example.org'], roleAttributes });

    it('show them by their present names and forget those that are deleted', async () => {
      const name = unique('check');
      const checkId = await check([], name);
      const id = await create({ postureCheckRoles: ['#a', `@${checkId}`] });
      expect((await detail(id))['postureCheckRolesDisplay']).to.deep.equal([{ name: '#a', role: '#a' }, { name: `@${name}`, role: `@${checkId}` }]);
      expectStatus(await controller.admin.patch(`${MANAGEMENT}/posture-checks/${checkId}`, { typeId: 'DOMAIN', name: `${name}-renamed` }), 200);
      expect((await detail(id))['postureCheckRolesDisplay']).to.deep.include({ name: `@${name}-renamed`, role: `@${checkId}` });
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/posture-checks/${checkId}`), 200);
      expect(await detail(id)).to.deep.include({ postureCheckRoles: ['#a'], postureCheckRolesDisplay: [{ name: '#a', role: '#a' }] });
    });

    it('list those that they select, by their semantic, paged and filtered', async () => {
      const attributes = [unique('a'), unique('b')];
      const [both, one, named] = [await check(attributes), await check(attributes.slice(0, 1)), await check()];
      const id = await create({ semantic: 'AllOf', postureCheckRoles: [...attributes.map((a) => `#${a}`), `@${named}`] });
      const list = async (query = '') => expectStatus(await controller.admin.get(`${PATH}/${id}/posture-checks${query}`), 200);
      expect(idsOf(await list())).to.deep.equal([both, named].sort());
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, { semantic: 'AnyOf' }), 200);
      expect(idsOf(await list())).to.deep.equal([both, named, one].sort());
      const page = await list('?limit=1&sort=name');
      expect([idsOf(page), totalOf(page)]).to.deep.equal([[both], 3]);
      expect(idsOf(await list(`?filter=id%3D%22${one}%22`))).to.deep.equal([one]);
      expect(idsOf(await controller.admin.get(`${PATH}/${await create()}/posture-checks`))).to.deep.equal([]);
      expectNotFound(await controller.admin.get(`${PATH}/nope/posture-checks`), 'servicePolicy with id nope not found');
    });

    it('do not pass while they select one, and tell so at the service', async () => {
      const attribute = unique('posture');
      const { id: identityId, client } = await controller.newCaller();
      const serviceId = await service();
      await create({ identityRoles: [`@${identityId}`], serviceRoles: [`@${serviceId}`], postureCheckRoles: [`#${attribute}`] });
      const isPassing = async () => {
        const { postureQueries } = expectStatus(await client.get(`/edge/client/v1/services/${serviceId}`), 200).data as { postureQueries: { isPassing: boolean }[] };
        return postureQueries.map((item) => item.isPassing);
      };
      const lastChange = async () => (expectStatus(await client.get('/edge/client/v1/current-api-session/service-updates'), 200).data as { lastChangeAt: string }).lastChangeAt;
      expect(await isPassing()).to.deep.equal([true]);
      const before = await lastChange();
      const checkId = await check([attribute]);
      expect(await isPassing()).to.deep.equal([false]);
      expect(await lastChange() > before).to.equal(true);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/posture-checks/${checkId}`), 200);
      expect(await isPassing()).to.deep.equal([true]);
    });

    it('never keep an @id of a check that was deleted at the same time', async () => {
      for (let round = 0; round < 6; round += 1) {
        const id = await check();
        const [made, gone] = await Promise.all([post({ postureCheckRoles: [`@${id}`] }), controller.admin.delete(`${MANAGEMENT}/posture-checks/${id}`)]);
        expect([201, 400]).to.include(made.status);
        expectStatus(gone, 200);
      }
      const { rows } = await controller.database.query(`SELECT r FROM service_policies, unnest(posture_check_roles) r
        WHERE r LIKE '@%' AND NOT EXISTS (SELECT FROM posture_checks WHERE '@' || id = r)`);
      expect(rows).to.deep.equal([]);
    });
  });
});
