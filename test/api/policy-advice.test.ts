/** What policy advice says of an identity and a service. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

describe('policy advice', () => {
  let controller: TestController;
  let identity: string;
  let service: string;
  let serviceName: string;
  const attribute = unique('attribute');
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  beforeEach(async () => {
    serviceName = unique('service');
    identity = await makeIdentity(controller, { roleAttributes: [attribute] });
    service = await makeService(controller, { name: serviceName, roleAttributes: [attribute] });
  });

  const advice = async () =>
    expectStatus(await controller.admin.get(`${MANAGEMENT}/identities/${identity}/policy-advice/${service}`), 200)
      .data as Record<string, unknown>;
  const policy = async (type: 'Dial' | 'Bind', extra: object = {}) =>
    makeServicePolicy(controller, { type, identityRoles: [`@${identity}`], serviceRoles: [`@${service}`], ...extra });
  /** Straight into the tables: what counts here are the policies, not how routers come to be. */
  const router = async (attributes: readonly string[], isEdge = true) => {
    const id = unique('router');
    await controller.database.query(
      'INSERT INTO routers (id, name, is_edge, role_attributes) VALUES ($1, $1, $2, $3)',
      [id, isEdge, attributes],
    );
    return id;
  };
  const routerPolicy = async (
    table: string,
    column: string,
    roles: readonly string[],
    routerRoles: readonly string[],
  ) =>
    controller.database.query(
      `INSERT INTO ${table} (id, name, semantic, ${column}, edge_router_roles) VALUES ($1, $1, 'AllOf', $2, $3)`,
      [unique('policy'), roles, routerRoles],
    );

  it('names identity and service, and leaves out what is false or none', async () => {
    const { identity: identityRef, service: serviceRef, ...rest } = await advice();
    expect(rest).to.deep.equal({ commonRouters: [], identityId: identity, serviceId: service });
    expect(identityRef).to.deep.include({ entity: 'identities', id: identity });
    expect(serviceRef).to.deep.include({ entity: 'services', id: service, name: serviceName });
  });

  it('tells what the service policies allow', async () => {
    await policy('Bind');
    expect(await advice())
      .to.include({ isBindAllowed: true })
      .and.not.have.property('isDialAllowed');
    await policy('Dial', { identityRoles: [`#${attribute}`], serviceRoles: [`#${attribute}`] });
    expect(await advice()).to.include({ isBindAllowed: true, isDialAllowed: true });
  });

  it('leaves posture aside', async () => {
    const check = await make(controller, 'posture-checks', { name: unique('check'), typeId: 'DOMAIN', domains: ['a'] });
    await policy('Dial', { postureCheckRoles: [`@${check}`] });
    expect(await advice()).to.include({ isDialAllowed: true });
  });

  it('counts the edge routers of each, and lists those that both may use', async () => {
    const [shared, forIdentity, forService] = [unique('shared'), unique('mine'), unique('its')];
    const common = await router([shared, forIdentity]);
    await router([shared, forIdentity], false);
    await router([forIdentity]);
    await router([forIdentity]);
    const named = await router([forService]);
    await routerPolicy('edge_router_policies', 'identity_roles', [`#${attribute}`], [`#${forIdentity}`]);
    await routerPolicy('service_edge_router_policies', 'service_roles', [`@${service}`], [`#${shared}`, `@${named}`]);
    await routerPolicy('service_edge_router_policies', 'service_roles', ['@somebody-else'], ['#all']);
    const { commonRouters, ...rest } = await advice();
    expect(rest).to.include({ identityRouterCount: 3, serviceRouterCount: 2 });
    expect(commonRouters).to.have.length(1);
    expect((commonRouters as object[])[0]).to.deep.include({
      entity: 'edge-routers',
      id: common,
      name: common,
      isOnline: false,
    });
  });

  it('wants both to be there, and an administrator', async () => {
    const path = (id: string, serviceId: string) => `${MANAGEMENT}/identities/${id}/policy-advice/${serviceId}`;
    expectNotFound(await controller.admin.get(path('nope', service)), 'identity with id nope not found');
    expectNotFound(await controller.admin.get(path(identity, 'nope')), 'service with id nope not found');
    const { client } = await controller.newCaller();
    for (const caller of [client, controller.anonymous]) expectStatus(await caller.get(path(identity, service)), 401);
  });
});
