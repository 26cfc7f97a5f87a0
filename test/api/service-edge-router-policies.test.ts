import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT, behavesLikeAnyResource, expectField, expectNotFound, idsOf, make, read, totalOf } from '../cases/resource.js';

const PATH = `${MANAGEMENT}/service-edge-router-policies`;

describe('service edge router policies', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController(); });
  after(() => controller.stop());

  const policy = (name: string) => ({ name, semantic: 'AnyOf' });
  const create = async (extra: object = {}) => make(controller, 'service-edge-router-policies', { ...policy(unique('policy')), ...extra });
  const detail = async (id: string) => read(controller, `service-edge-router-policies/${id}`);
  const post = async (extra: object) => controller.admin.post(PATH, { ...policy(unique('policy')), ...extra });
  const service = async (extra: object = {}) => make(controller, 'services', { name: unique('service'), encryptionRequired: false, ...extra });
  const router = async (extra: object = {}) => make(controller, 'edge-routers', { name: unique('router'), ...extra });

  behavesLikeAnyResource({ collection: 'service-edge-router-policies', singular: 'serviceEdgeRouterPolicy', controller: () => controller, body: policy, nestedLinks: ['edge-routers', 'services'] });

  it('starts with empty lists', async () => {
    const { _links, id, createdAt, updatedAt, name, ...rest } = await detail(await create({ serviceRoles: null, edgeRouterRoles: null }));
    expect(rest).to.deep.equal({ edgeRouterRoles: [], edgeRouterRolesDisplay: [], semantic: 'AnyOf', serviceRoles: [], serviceRolesDisplay: [], tags: {} });
    expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  it('keeps roles as sorted sets and shows @ids by their present names', async () => {
    const [routerName, serviceName] = [unique('router'), unique('service')];
    const [routerId, serviceId] = [await router({ name: routerName }), await service({ name: serviceName })];
    expect(await detail(await create({ edgeRouterRoles: [`@${routerId}`, '#b', '#a', '#b'], serviceRoles: [`@${serviceId}`], semantic: 'AllOf' }))).to.deep.include({
      semantic: 'AllOf', edgeRouterRoles: ['#a', '#b', `@${routerId}`], serviceRoles: [`@${serviceId}`],
      edgeRouterRolesDisplay: [{ name: '#a', role: '#a' }, { name: '#b', role: '#b' }, { name: `@${routerName}`, role: `@${routerId}` }],
      serviceRolesDisplay: [{ name: `@${serviceName}`, role: `@${serviceId}` }],
    });
  });

  for (const [field, entities] of [['serviceRoles', 'services'], ['edgeRouterRoles', 'routers']] as const) {
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

  it('changes with PATCH only what is given, and with PUT everything', async () => {
    const name = unique('policy');
    const id = await create({ name, semantic: 'AllOf', serviceRoles: ['#a'], edgeRouterRoles: ['#b'] });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { serviceRoles: [], semantic: 'AnyOf', edgeRouterRoles: null }), 200);
    expect(await detail(id)).to.deep.include({ serviceRoles: [], edgeRouterRoles: ['#b'], semantic: 'AnyOf' });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, policy(name)), 200);
    expect(await detail(id)).to.deep.include({ serviceRoles: [], edgeRouterRoles: [] });
  });

  it('is found by semantic and by its roles as sets', async () => {
    const role = unique('#role');
    const id = await create({ semantic: 'AllOf', serviceRoles: [role, '#x'], edgeRouterRoles: [role] });
    const find = async (filter: string) => idsOf(expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`), 200));
    expect(await find(`anyOf(serviceRoles) = "${role}" and anyOf(edgeRouterRoles) = "${role}" and semantic = "AllOf"`)).to.deep.equal([id]);
    expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent('identityRoles = "x"')}`), 400);
  });

  it('lists what it selects on both sides, paged and filtered', async () => {
    const attributes = [unique('a'), unique('b')];
    const roles = attributes.map((attribute) => `#${attribute}`);
    const [full, half] = [await router({ roleAttributes: attributes }), await router({ roleAttributes: attributes.slice(1) })];
    const services = await Promise.all([0, 1, 2].map((index) => service({ name: unique(`s${index}`), roleAttributes: attributes })));
    const id = await create({ semantic: 'AllOf', edgeRouterRoles: roles, serviceRoles: roles });
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/edge-routers`))).to.deep.equal([full]);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { semantic: 'AnyOf' }), 200);
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/edge-routers`))).to.deep.equal([full, half].sort());
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/services?limit=2&sort=name%20desc`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([[...services].reverse().slice(0, 2), 3]);
    for (const nested of ['services', 'edge-routers']) expectNotFound(await controller.admin.get(`${PATH}/nope/${nested}`), 'serviceEdgeRouterPolicy with id nope not found');
  });

  it('loses the @id of an edge router or service that is deleted at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [routerId, serviceId] = [await router(), await service()];
      const kept = await create({ edgeRouterRoles: [`@${routerId}`], serviceRoles: [`@${serviceId}`, '#y'] });
      const [made, ...gone] = await Promise.all([post({ edgeRouterRoles: [`@${routerId}`], serviceRoles: [`@${serviceId}`] }),
        controller.admin.delete(`${MANAGEMENT}/edge-routers/${routerId}`), controller.admin.delete(`${MANAGEMENT}/services/${serviceId}`)]);
      expect([201, 400]).to.include(made.status);
      for (const answer of gone) expectStatus(answer, 200);
      expect(await detail(kept)).to.deep.include({ edgeRouterRoles: [], serviceRoles: ['#y'] });
    }
    const { rows } = await controller.database.query(`SELECT r FROM service_edge_router_policies, unnest(service_roles || edge_router_roles) r
      WHERE r LIKE '@%' AND NOT EXISTS (SELECT FROM services WHERE '@' || id = r) AND NOT EXISTS (SELECT FROM routers WHERE '@' || id = r)`);
    expect(rows).to.deep.equal([]);
  });
});
