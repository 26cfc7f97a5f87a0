import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT, behavesLikeAnyResource, expectField, expectNotFound, idsOf, make, read, totalOf } from '../cases/resource.js';

const PATH = `${MANAGEMENT}/edge-router-policies`;

describe('edge router policies', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController(); });
  after(() => controller.stop());

  const policy = (name: string) => ({ name, semantic: 'AnyOf' });
  const create = async (extra: object = {}) => make(controller, 'edge-router-policies', { ...policy(unique('policy')), ...extra });
  const detail = async (id: string) => read(controller, `edge-router-policies/${id}`);
  const post = async (extra: object) => controller.admin.post(PATH, { ...policy(unique('policy')), ...extra });
  const identity = async (extra: object = {}) => make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...extra });
  const router = async (extra: object = {}) => make(controller, 'edge-routers', { name: unique('router'), ...extra });

  behavesLikeAnyResource({ collection: 'edge-router-policies', singular: 'edgeRouterPolicy', controller: () => controller, body: policy, nestedLinks: ['edge-routers', 'identities'] });

  it('starts with empty lists, and is not the system\'s', async () => {
    const { _links, id, createdAt, updatedAt, name, ...rest } = await detail(await create({ identityRoles: null, edgeRouterRoles: null, isSystem: true }));
    expect(rest).to.deep.equal({
      edgeRouterRoles: [], edgeRouterRolesDisplay: [], identityRoles: [], identityRolesDisplay: [], isSystem: false, semantic: 'AnyOf', tags: {},
    });
    expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  it('keeps roles as sorted sets and shows @ids by their present names', async () => {
    const [name, renamed] = [unique('router'), unique('renamed')];
    const [routerId, identityId] = [await router({ name }), await identity()];
    const id = await create({ edgeRouterRoles: [`@${routerId}`, '#b', '#a', '#b'], identityRoles: [`@${identityId}`], semantic: 'AllOf' });
    expect(await detail(id)).to.deep.include({
      semantic: 'AllOf', edgeRouterRoles: ['#a', '#b', `@${routerId}`], identityRoles: [`@${identityId}`],
      edgeRouterRolesDisplay: [{ name: '#a', role: '#a' }, { name: '#b', role: '#b' }, { name: `@${name}`, role: `@${routerId}` }],
    });
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/edge-routers/${routerId}`, { name: renamed }), 200);
    expect((await detail(id))['edgeRouterRolesDisplay']).to.deep.include({ name: `@${renamed}`, role: `@${routerId}` });
  });

  for (const [field, entities] of [['identityRoles', 'identities'], ['edgeRouterRoles', 'routers']] as const) {
    it(`refuses ${field} that are malformed or name nobody, in create, PUT and PATCH`, async () => {
      const id = await create();
      const before = await detail(id);
      for (const [roles, reason, value] of [
        [['probe-a'], /^role entries must prefixed/, '[probe-a]'], [['#probe-a', '#all'], 'if using #all, it should be the only role specified', '[#all #probe-a]'],
        [['#a', '@x', '@bogus'], `no ${entities} found with the given ids`, '[bogus x]'],
      ] as const) {
        expectField(await post({ [field]: roles }), field, reason, value);
        expectField(await controller.admin.put(`${PATH}/${id}`, { ...policy(unique('policy')), [field]: roles }), field, reason, value);
        expectField(await controller.admin.patch(`${PATH}/${id}`, { name: unique('policy'), [field]: roles }), field, reason, value);
      }
      expect(await detail(id)).to.deep.equal(before);
    });
  }

  it('does not take names, ids of another kind, or transit routers for edge routers', async () => {
    const name = unique('router');
    const wrong = [await identity(), await make(controller, 'transit-routers', { name: unique('transit') })];
    await router({ name });
    for (const id of [...wrong, name]) expectField(await post({ edgeRouterRoles: [`@${id}`] }), 'edgeRouterRoles', 'no routers found with the given ids', `[${id}]`);
    expectField(await controller.admin.post(PATH, { name: 'x' }), 'semantic', 'semantic in body is required', '<nil>');
    expectField(await post({ semantic: 'OneOf' }), 'semantic', 'semantic in body should be one of [AllOf AnyOf]', 'OneOf');
  });

  it('changes with PATCH only what is given, and with PUT everything', async () => {
    const name = unique('policy');
    const id = await create({ name, semantic: 'AllOf', identityRoles: ['#a'], edgeRouterRoles: ['#b'] });
    const before = await detail(id);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { name: null, semantic: null, identityRoles: null, edgeRouterRoles: null, tags: null }), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { identityRoles: [], semantic: 'AnyOf' }), 200);
    expect(await detail(id)).to.deep.include({ identityRoles: [], edgeRouterRoles: ['#b'], semantic: 'AnyOf' });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, policy(name)), 200);
    expect(await detail(id)).to.deep.include({ identityRoles: [], edgeRouterRoles: [] });
  });

  it('is found by semantic, by its roles as sets and by isSystem', async () => {
    const role = unique('#role');
    const id = await create({ semantic: 'AllOf', identityRoles: [role, '#x'], edgeRouterRoles: [role] });
    const find = async (filter: string) => idsOf(expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`), 200));
    expect(await find(`anyOf(identityRoles) = "${role}"`)).to.deep.equal([id]);
    expect(await find(`anyOf(edgeRouterRoles) = "${role}" and semantic = "AllOf" and isSystem = false`)).to.deep.equal([id]);
    expect(await find(`anyOf(edgeRouterRoles) = "${role}" and semantic = "AnyOf"`)).to.deep.equal([]);
    expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent('serviceRoles = "x"')}`), 400);
  });

  it('lists what and whom it selects, by its semantic, paged and filtered', async () => {
    const attributes = [unique('a'), unique('b')];
    const roles = attributes.map((attribute) => `#${attribute}`);
    const [both, one, named] = [await router({ roleAttributes: attributes }), await router({ roleAttributes: attributes.slice(1) }), await router()];
    const people = await Promise.all([0, 1, 2].map((index) => identity({ name: unique(`i${index}`), roleAttributes: attributes })));
    const id = await create({ semantic: 'AllOf', edgeRouterRoles: [...roles, `@${named}`], identityRoles: roles });
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/edge-routers`))).to.deep.equal([both, named].sort());
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { semantic: 'AnyOf' }), 200);
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/edge-routers`))).to.deep.equal([both, one, named].sort());
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/edge-routers?filter=id%3D%22${one}%22`))).to.deep.equal([one]);
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/identities?limit=2&sort=name%20desc`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([[...people].reverse().slice(0, 2), 3]);
    for (const nested of ['identities', 'edge-routers']) expectNotFound(await controller.admin.get(`${PATH}/nope/${nested}`), 'edgeRouterPolicy with id nope not found');
  });

  it('never selects a transit router, not even with #all', async () => {
    await make(controller, 'transit-routers', { name: unique('transit') });
    const id = await create({ edgeRouterRoles: ['#all'] });
    const all = totalOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/edge-routers`), 200));
    expect(totalOf(expectStatus(await controller.admin.get(`${PATH}/${id}/edge-routers`), 200))).to.equal(all);
  });

  it('loses the @id of an edge router or identity that is deleted, also at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [routerId, identityId] = [await router({ isTunnelerEnabled: round % 2 === 0 }), await identity()];
      const kept = await create({ edgeRouterRoles: [`@${routerId}`, '#x'], identityRoles: [`@${identityId}`] });
      const [made, ...gone] = await Promise.all([post({ edgeRouterRoles: [`@${routerId}`], identityRoles: [`@${identityId}`] }),
        controller.admin.delete(`${MANAGEMENT}/edge-routers/${routerId}`), controller.admin.delete(`${MANAGEMENT}/identities/${identityId}`)]);
      expect([201, 400]).to.include(made.status);
      for (const answer of gone) expectStatus(answer, 200);
      expect(await detail(kept)).to.deep.include({ edgeRouterRoles: ['#x'], identityRoles: [] });
    }
    const { rows } = await controller.database.query(`SELECT r FROM edge_router_policies, unnest(identity_roles || edge_router_roles) r
      WHERE r LIKE '@%' AND NOT EXISTS (SELECT FROM identities WHERE '@' || id = r) AND NOT EXISTS (SELECT FROM routers WHERE '@' || id = r)`);
    expect(rows).to.deep.equal([]);
  });
});
