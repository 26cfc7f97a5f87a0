/** Edge router policies: what every resource and every policy does, and their own. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { EDGE_ROUTERS, IDENTITIES, behavesLikeAnyPolicy } from '../support/any-policy.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { make, read, totalOf } from '../support/entities.js';
import { expectField } from '../support/expect.js';
import { makeEdgeRouterPolicy } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/edge-router-policies`;

describe('edge router policies', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const policy = (name: string) => ({ name, semantic: 'AnyOf' });
  const create = async (extra: object = {}) => makeEdgeRouterPolicy(controller, extra);

  behavesLikeAnyResource({
    collection: 'edge-router-policies',
    singular: 'edgeRouterPolicy',
    controller: () => controller,
    body: policy,
    nestedLinks: ['edge-routers', 'identities'],
  });

  behavesLikeAnyPolicy({
    collection: 'edge-router-policies',
    singular: 'edgeRouterPolicy',
    controller: () => controller,
    body: policy,
    lists: [EDGE_ROUTERS, IDENTITIES],
    fields: { isSystem: false },
  });

  it("is not made the system's by who asks for it", async () => {
    const id = await create({ isSystem: true });
    expect((await read(controller, `edge-router-policies/${id}`))['isSystem']).to.equal(false);
    expectStatus(
      await controller.admin.get(`${PATH}?filter=${encodeURIComponent(`id = "${id}" and isSystem = false`)}`),
      200,
    );
  });

  it('does not take a transit router for an edge router', async () => {
    const id = await make(controller, 'transit-routers', { name: unique('transit') });
    expectField(
      await controller.admin.post(PATH, { ...policy(unique('policy')), edgeRouterRoles: [`@${id}`] }),
      'edgeRouterRoles',
      'no routers found with the given ids',
      `[${id}]`,
    );
  });

  it('never selects a transit router, not even with #all', async () => {
    await make(controller, 'transit-routers', { name: unique('transit') });
    const id = await create({ edgeRouterRoles: ['#all'] });
    const all = totalOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/edge-routers`), 200));
    expect(totalOf(expectStatus(await controller.admin.get(`${PATH}/${id}/edge-routers`), 200))).to.equal(all);
  });
});
