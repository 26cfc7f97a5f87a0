/** Config types, and their schemas. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { idsOf, itemsOf, make, read, totalOf } from '../support/entities.js';
import { makeConfig } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/config-types`;
const SCHEMA = {
  type: 'object',
  required: ['port'],
  additionalProperties: false,
  properties: { port: { type: 'integer', minimum: 1, maximum: 65535 } },
};

describe('config types', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}) => make(controller, 'config-types', { name: unique('type'), ...extra });
  const detail = async (id: string) => read(controller, `config-types/${id}`);

  behavesLikeAnyResource({
    collection: 'config-types',
    singular: 'configType',
    controller: () => controller,
    body: (name) => ({ name }),
  });

  it('offers the built-in types from the start', async () => {
    const names = itemsOf(await controller.admin.get(`${PATH}?filter=isSystem=true&limit=500`)).map(
      (item) => item['name'],
    );
    expect(names).to.include.members([
      'host.v1',
      'host.v2',
      'intercept.v1',
      'ziti-tunneler-client.v1',
      'ziti-tunneler-server.v1',
      'router.link.v1',
    ]);
    expect(await detail('router.link.v1')).to.include({ name: 'router.link.v1', target: 'router' });
    expect(await detail('NH5p4FpGR')).to.include({ target: 'service' });
    expect((await detail('NH5p4FpGR'))['name']).to.equal('host.v1');
    expect((await detail('g7cIWbcGg'))['name']).to.equal('intercept.v1');
  });

  it('reads back a schema as it was given, null without one', async () => {
    expect((await detail(await create({ schema: SCHEMA })))['schema']).to.deep.equal(SCHEMA);
    expect((await detail(await create()))['schema']).to.equal(null);
    expect((await detail(await create({ schema: null })))['schema']).to.equal(null);
  });

  it('refuses a target that it does not know', async () => {
    for (const target of ['house', 'Router', ''])
      expectField(
        await controller.admin.post(PATH, { name: unique('type'), target }),
        'target',
        'target in body should be one of [service router other]',
        target,
      );
  });

  it('is for services unless it says otherwise, and stays what it is', async () => {
    const targetOf = async (id: string) => (await detail(id))['target'];
    for (const [extra, target] of [
      [{}, 'service'],
      [{ target: null }, 'service'],
      [{ target: 'service' }, 'service'],
      [{ target: 'router' }, 'router'],
      [{ target: 'other' }, 'other'],
    ] as const) {
      const name = unique('type');
      const id = await create({ name, ...extra });
      expect(await targetOf(id), JSON.stringify(extra)).to.equal(target);
      const changed = target === 'service' ? 'router' : 'service';
      expectStatus(await controller.admin.put(`${PATH}/${id}`, { name, target: changed }), 200);
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, { target: 'house' }), 200);
      expect(await targetOf(id)).to.equal(target);
    }
  });

  it('is found by its target', async () => {
    const id = await create({ target: 'other' });
    const find = async (filter: string) =>
      idsOf(expectStatus(await controller.admin.get(`${PATH}?limit=500&filter=${encodeURIComponent(filter)}`), 200));
    expect(await find('target = "other"')).to.include(id);
    expect(await find('target = "router"'))
      .to.include('router.link.v1')
      .and.not.include(id);
  });

  it('replaces the schema with PUT and PATCH; PATCH leaves it when it is null or absent', async () => {
    const name = unique('type');
    const id = await create({ name, schema: SCHEMA });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { schema: null, tags: { a: 1 } }), 200);
    expect((await detail(id))['schema']).to.deep.equal(SCHEMA);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { schema: { type: 'object' } }), 200);
    expect((await detail(id))['schema']).to.deep.equal({ type: 'object' });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { name }), 200);
    expect((await detail(id))['schema']).to.equal(null);
  });

  it('refuses what is no schema, and changes nothing', async () => {
    const id = await create({ schema: SCHEMA });
    for (const answer of [
      await controller.admin.post(PATH, { name: unique('type'), schema: { type: 'bogus' } }),
      await controller.admin.patch(`${PATH}/${id}`, { schema: { properties: [] } }),
      await controller.admin.put(`${PATH}/${id}`, { name: 'x', schema: { $ref: 'http://169.254.169.254/x' } }),
    ])
      expectField(answer, 'schema', /.+/);
    expectField(
      await controller.admin.post(PATH, { name: unique('type'), schema: 'x' }),
      'schema',
      'schema in body must be of type object: "x"',
    );
    expect((await detail(id))['schema']).to.deep.equal(SCHEMA);
  });

  it('keeps a schema that configs no longer match, and checks those configs only when they change', async () => {
    const id = await create({ schema: SCHEMA });
    const config = await makeConfig(controller, { configTypeId: id, data: { port: 80 } });
    expectStatus(
      await controller.admin.patch(`${PATH}/${id}`, { schema: { type: 'object', required: ['host'] } }),
      200,
    );
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/configs/${config}`, { name: unique('config') }), 200);
    expectField(
      await controller.admin.patch(`${MANAGEMENT}/configs/${config}`, { data: { port: 81 } }),
      '(root)',
      '(root) is invalid: (root): host is required',
    );
  });

  it('is not deleted while it has configs', async () => {
    const id = await create();
    const configs = [
      await makeConfig(controller, { configTypeId: id, data: {} }),
      await makeConfig(controller, { configTypeId: id, data: {} }),
    ];
    const answer = expectStatus(await controller.admin.delete(`${PATH}/${id}`), 409);
    expect(answer.error?.code).to.equal('CAN_NOT_DELETE_REFERENCED_ENTITY');
    const value = `[${[...configs].sort().join(' ')}]`;
    expect(answer.error?.cause).to.include({ field: 'type', value });
    const reason = `entity type configType referenced by config: ${value}. It is used by `;
    expect(String(answer.error?.cause?.['reason']).startsWith(reason)).to.equal(true);
    for (const config of configs) expectStatus(await controller.admin.delete(`${MANAGEMENT}/configs/${config}`), 200);
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
  });

  it('never loses a config to a delete of its type at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await create();
      const [made, gone] = await Promise.all([
        controller.admin.post(`${MANAGEMENT}/configs`, { name: unique('config'), configTypeId: id, data: {} }),
        controller.admin.delete(`${PATH}/${id}`),
      ]);
      expect([
        [201, 409],
        [400, 200],
      ]).to.deep.include([made.status, gone.status]);
    }
  });

  it('lists its configs, paged and filtered', async () => {
    const id = await create();
    const configs = await Promise.all(
      ['a', 'b', 'c'].map((word) => makeConfig(controller, { name: unique(word), configTypeId: id, data: {} })),
    );
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/configs?limit=2&sort=name`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([configs.slice(0, 2), 3]);
    expect(idsOf(await controller.admin.get(`${PATH}/${id}/configs?filter=name%20contains%20%22c%22`))).to.deep.equal([
      configs[2],
    ]);
    expectNotFound(await controller.admin.get(`${PATH}/nope/configs`), 'configType with id nope not found');
  });
});
