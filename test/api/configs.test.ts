/**
 * Configs: checked by the schema of their type, and their places at services and routers. Against a whole controller.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, make, read, totalOf } from '../support/entities.js';
import { makeConfig, makeService } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/configs`;
const HOST = 'NH5p4FpGR';
const DATA = { address: 'localhost', port: 80, protocol: 'tcp' };
const FOR_ROUTERS = { configTypeId: 'router.link.v1', data: {} };

describe('configs', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const config = (name: string) => ({ name, configTypeId: HOST, data: DATA });
  const create = async (extra: object = {}) => makeConfig(controller, { ...config(unique('config')), ...extra });
  const detail = async (id: string) => read(controller, `configs/${id}`);
  const post = async (extra: object) => controller.admin.post(PATH, { ...config(unique('config')), ...extra });

  behavesLikeAnyResource({ collection: 'configs', singular: 'config', controller: () => controller, body: config });

  it('reads back type and data, nested ones too', async () => {
    const free = await make(controller, 'config-types', { name: unique('free') });
    const data = { list: [1, 'a', null, { deep: [true] }], number: 1.25, empty: {}, none: null };
    const item = await detail(await create({ configTypeId: free, data }));
    expect(item).to.deep.include({ data, configTypeId: free });
    expect(item['configType']).to.include({ entity: 'config-types', id: free });
    expect((item['configType'] as { _links: object })._links).to.deep.equal({
      self: { href: `./config-types/${free}` },
    });
  });

  it('wants a type that is there, by its id', async () => {
    for (const configTypeId of ['nope', 'host.v1', ''])
      expectField(await post({ configTypeId }), 'type', 'invalid config type', configTypeId);
    expectField(
      await controller.admin.post(PATH, { name: unique('config'), data: DATA }),
      'configTypeId',
      'configTypeId in body is required',
      '<nil>',
    );
  });

  it('wants an object as data', async () => {
    expectField(
      await controller.admin.post(PATH, { name: unique('config'), configTypeId: HOST }),
      'data',
      'data in body is required',
      '<nil>',
    );
    expectField(await post({ data: null }), 'data', 'data in body is required');
    for (const data of ['x', 1, [], true]) expectField(await post({ data }), 'data', /.+/);
  });

  it('tells where and why data breaks the schema of its type', async () => {
    expectField(
      await post({ data: { address: 'localhost', protocol: 'tcp', port: 80, zz: 1 } }),
      '(root)',
      '(root) is invalid: (root): Additional property zz is not allowed',
    );
    expectField(
      await post({ configTypeId: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1', data: { hostname: 'a' } }),
      '(root)',
      '(root) is invalid: (root): port is required',
    );
    expectField(
      await post({ data: { ...DATA, port: -1 } }),
      'port',
      'port is invalid: port: Must be greater than or equal to 0',
    );
    expectField(
      await post({ data: { ...DATA, listenOptions: { maxConnections: 0 } } }),
      'listenOptions.maxConnections',
      'listenOptions.maxConnections is invalid: listenOptions.maxConnections: Must be greater than or equal to 1',
    );
  });

  it('checks data in PUT and PATCH, and then changes nothing', async () => {
    const name = unique('config');
    const id = await create({ name });
    expectField(
      await controller.admin.put(`${PATH}/${id}`, { name: unique('other'), data: { zz: 1 } }),
      '(root)',
      /^\(root\) is invalid/,
    );
    expectField(
      await controller.admin.patch(`${PATH}/${id}`, { name: unique('other'), data: {} }),
      '(root)',
      /^\(root\) is invalid/,
    );
    expect(await detail(id)).to.deep.include({ name, data: DATA });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { data: null }), 200);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { data: { ...DATA, port: 81 } }), 200);
    expect((await detail(id))['data']).to.deep.equal({ ...DATA, port: 81 });
    expectField(await controller.admin.put(`${PATH}/${id}`, { name }), 'data', 'data in body is required');
  });

  it('never changes its type', async () => {
    const name = unique('config');
    const id = await create({ name });
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { configTypeId: 'g7cIWbcGg' }), 200);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { name, data: DATA, configTypeId: 'g7cIWbcGg' }), 200);
    expect((await detail(id))['configTypeId']).to.equal(HOST);
  });

  for (const [collection, body] of [
    ['services', { encryptionRequired: false }],
    ['edge-routers', {}],
    ['transit-routers', {}],
  ] as const) {
    it(`is never left with one of the ${collection} when it is deleted at the same time`, async () => {
      const taken = await make(controller, collection, { name: unique('carrier'), ...body });
      for (let round = 0; round < 8; round += 1) {
        const id = await create(collection === 'services' ? {} : FOR_ROUTERS);
        const [made, gone] = await Promise.all([
          round % 2 === 0
            ? controller.admin.post(`${MANAGEMENT}/${collection}`, { name: unique('carrier'), ...body, configs: [id] })
            : controller.admin.patch(`${MANAGEMENT}/${collection}/${taken}`, { configs: [id] }),
          controller.admin.delete(`${PATH}/${id}`),
        ]);
        expectStatus(gone, 200);
        expect([round % 2 === 0 ? 201 : 200, 404]).to.include(made.status);
        const carrier = made.status === 201 ? entityOf(made).id : taken;
        expect((await read(controller, `${collection}/${carrier}`))['configs']).to.deep.equal([]);
      }
    });
  }

  for (const collection of ['edge-routers', 'transit-routers']) {
    it(`is one of its type on each of the ${collection}, in create, PUT and PATCH`, async () => {
      const other = await makeConfig(controller, {
        configTypeId: await make(controller, 'config-types', { name: unique('type'), target: 'router' }),
        data: {},
      });
      const [first, second] = [await create(FOR_ROUTERS), await create(FOR_ROUTERS)];
      const reason =
        /^duplicate configs named \S+ and \S+ found for config type router\.link\.v1\. Only one .* per router$/;
      const configs = [first, other, second];
      const body = () => ({ name: unique('router'), configs });
      expectField(
        await controller.admin.post(`${MANAGEMENT}/${collection}`, body()),
        'configs',
        reason,
        `[${configs.join(' ')}]`,
      );
      const router = await make(controller, collection, { name: unique('router'), configs: [first, other] });
      expectField(
        await controller.admin.post(`${MANAGEMENT}/${collection}`, { name: unique('router'), configs: [first, first] }),
        'configs',
        reason,
        `[${first} ${first}]`,
      );
      const before = await read(controller, `${collection}/${router}`);
      expect(before['configs']).to.deep.equal([first, other].sort());
      for (const answer of [
        await controller.admin.put(`${MANAGEMENT}/${collection}/${router}`, body()),
        await controller.admin.patch(`${MANAGEMENT}/${collection}/${router}`, body()),
      ]) {
        expectField(answer, 'configs', reason, `[${configs.join(' ')}]`);
      }
      expect(await read(controller, `${collection}/${router}`)).to.deep.equal(before);
      expectStatus(
        await controller.admin.patch(`${MANAGEMENT}/${collection}/${router}`, { configs: [second, other] }),
        200,
      );
      expect((await read(controller, `${collection}/${router}`))['configs']).to.deep.equal([second, other].sort());
    });
  }

  it('lists the services that carry it, paged and filtered', async () => {
    const id = await create();
    const names = [unique('a'), unique('b'), unique('c')];
    const services = await Promise.all(names.map((name) => makeService(controller, { name, configs: [id] })));
    await makeService(controller, { name: unique('none') });
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/services?limit=2&sort=name`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([services.slice(0, 2), 3]);
    expect(
      idsOf(await controller.admin.get(`${PATH}/${id}/services?filter=name%3D%22${names[2] ?? ''}%22`)),
    ).to.deep.equal([services[2]]);
    const beyond = expectStatus(await controller.admin.get(`${PATH}/${id}/services?offset=10`), 200);
    expect([idsOf(beyond), totalOf(beyond)]).to.deep.equal([[], 3]);
    expectNotFound(await controller.admin.get(`${PATH}/nope/services`), 'config with id nope not found');
  });
});
