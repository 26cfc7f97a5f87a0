/** Services: their fields, configs and lists. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { idsOf, itemsOf, read, totalOf } from '../support/entities.js';
import { makeConfig, makeService, makeServicePolicy } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/services`;
const HOST = 'NH5p4FpGR';
const CLIENT_V1 = 'f2dd2df0-9c04-4b84-a91e-71437ac229f1';

describe('services', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const service = (name: string) => ({ name, encryptionRequired: true });
  const create = async (extra: object = {}) => makeService(controller, { ...service(unique('service')), ...extra });
  const detail = async (id: string) => read(controller, `services/${id}`);
  const patch = async (id: string, changes: object) => controller.admin.patch(`${PATH}/${id}`, changes);
  const hostConfig = async () =>
    makeConfig(controller, { configTypeId: HOST, data: { address: 'localhost', port: 80, protocol: 'tcp' } });
  const clientConfig = async () =>
    makeConfig(controller, { configTypeId: CLIENT_V1, data: { hostname: 'a', port: 1 } });

  behavesLikeAnyResource({
    collection: 'services',
    singular: 'service',
    controller: () => controller,
    body: service,
    nestedLinks: ['configs', 'service-edge-router-policies', 'service-policies', 'terminators'],
  });

  it('starts with every default', async () => {
    const { _links, id, createdAt, updatedAt, name, ...rest } = await detail(await create());
    expect(rest).to.deep.equal({
      config: {},
      configs: [],
      encryptionRequired: true,
      maxIdleTimeMillis: 0,
      permissions: [],
      postureQueries: [],
      roleAttributes: [],
      tags: {},
      terminatorStrategy: 'smartrouting',
    });
    expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  it('takes the explicit nulls and zeros that command line clients send', async () => {
    const id = await create({
      configs: null,
      roleAttributes: null,
      terminatorStrategy: null,
      maxIdleTimeMillis: 0,
      tags: {},
    });
    expect(await detail(id)).to.deep.include({ configs: [], roleAttributes: [], terminatorStrategy: 'smartrouting' });
  });

  it('keeps every field that is given, sets sorted', async () => {
    const configs = [await hostConfig(), await clientConfig()];
    const id = await create({
      terminatorStrategy: 'sticky',
      maxIdleTimeMillis: 60_000,
      roleAttributes: ['b', 'a', 'b'],
      configs: [...configs].reverse(),
      encryptionRequired: false,
    });
    expect(await detail(id)).to.deep.include({
      terminatorStrategy: 'sticky',
      maxIdleTimeMillis: 60_000,
      roleAttributes: ['a', 'b'],
      configs: [...configs].sort(),
      encryptionRequired: false,
    });
  });

  it('wants encryptionRequired at creation; PATCH ignores it and PUT sets it, to false when absent', async () => {
    const name = unique('service');
    expectField(
      await controller.admin.post(PATH, { name }),
      'encryptionRequired',
      'encryptionRequired in body is required',
      '<nil>',
    );
    const id = await create({ name });
    const { updatedAt } = await detail(id);
    expectStatus(await patch(id, { encryptionRequired: false }), 200);
    expect(await detail(id)).to.include({ encryptionRequired: true, updatedAt });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { name }), 200);
    expect((await detail(id))['encryptionRequired']).to.equal(false);
  });

  it('falls back to defaults for what a PUT leaves out', async () => {
    const name = unique('service');
    const id = await create({
      name,
      terminatorStrategy: 'random',
      maxIdleTimeMillis: 5,
      roleAttributes: ['a'],
      configs: [await hostConfig()],
    });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, service(name)), 200);
    expect(await detail(id)).to.deep.include({
      terminatorStrategy: 'smartrouting',
      maxIdleTimeMillis: 0,
      roleAttributes: [],
      configs: [],
      encryptionRequired: true,
    });
  });

  it('changes with PATCH only what is given: null is not supplied, empty values clear', async () => {
    const configs = [await hostConfig()];
    const id = await create({ terminatorStrategy: 'random', maxIdleTimeMillis: 5, roleAttributes: ['a'], configs });
    const before = await detail(id);
    expectStatus(
      await patch(id, {
        name: null,
        terminatorStrategy: null,
        maxIdleTimeMillis: null,
        roleAttributes: null,
        configs: null,
        tags: null,
      }),
      200,
    );
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await patch(id, { terminatorStrategy: '', roleAttributes: [], maxIdleTimeMillis: 0 }), 200);
    expect(await detail(id)).to.deep.include({
      terminatorStrategy: 'smartrouting',
      roleAttributes: [],
      maxIdleTimeMillis: 0,
      configs,
    });
    expectStatus(await patch(id, { configs: [] }), 200);
    expect((await detail(id))['configs']).to.deep.equal([]);
  });

  it('raises updatedAt when only its configs change', async () => {
    const id = await create();
    const { updatedAt } = await detail(id);
    expectStatus(await patch(id, { configs: [await hostConfig()] }), 200);
    expect((await detail(id)).updatedAt > updatedAt).to.equal(true);
  });

  it('knows four terminator strategies', async () => {
    for (const terminatorStrategy of ['smartrouting', 'weighted', 'random', 'sticky'])
      expect((await detail(await create({ terminatorStrategy })))['terminatorStrategy']).to.equal(terminatorStrategy);
    const id = await create();
    const message = 'terminatorStrategy with name bogus not found';
    expectNotFound(
      await controller.admin.post(PATH, { ...service(unique('service')), terminatorStrategy: 'bogus' }),
      message,
    );
    expectNotFound(await patch(id, { terminatorStrategy: 'bogus' }), message);
    expectNotFound(
      await controller.admin.put(`${PATH}/${id}`, { ...service(unique('service')), terminatorStrategy: 'bogus' }),
      message,
    );
  });

  it('refuses what cannot be stored', async () => {
    for (const maxIdleTimeMillis of [1e30, -1, 1.5])
      expect(
        (await controller.admin.post(PATH, { ...service(unique('service')), maxIdleTimeMillis })).status,
        `${maxIdleTimeMillis}`,
      ).to.equal(400);
    expectField(
      await controller.admin.post(PATH, { ...service(unique('service')), roleAttributes: ['#x'] }),
      'roleAttributes',
      'role attributes may not be prefixed with #',
      '#x',
    );
    expectField(
      await patch(await create(), { roleAttributes: ['@x'] }),
      'roleAttributes',
      'role attributes may not be prefixed with @',
      '@x',
    );
  });

  it('refuses an unknown config, and then changes nothing', async () => {
    const name = unique('service');
    const config = await hostConfig();
    const id = await create({ name, configs: [config] });
    expectNotFound(
      await controller.admin.post(PATH, { ...service(unique('service')), configs: [config, 'nope'] }),
      'configs with id nope not found',
    );
    expectNotFound(await patch(id, { name: unique('other'), configs: ['nope'] }), 'configs with id nope not found');
    expectNotFound(
      await controller.admin.put(`${PATH}/${id}`, { ...service(unique('other')), configs: ['nope'] }),
      'configs with id nope not found',
    );
    expect(await detail(id)).to.deep.include({ name, configs: [config] });
  });

  it('takes one config of each type', async () => {
    const [a, b] = [unique('a'), unique('b')];
    const [first, second] = await Promise.all(
      [a, b].map((name) =>
        makeConfig(controller, { name, configTypeId: HOST, data: { address: 'x', port: 80, protocol: 'tcp' } }),
      ),
    );
    const reason = new RegExp(
      `^duplicate configs named (${a} and ${b}|${b} and ${a}) found for config type host\\.v1\\. ` +
        'Only one config of a given typed is allowed per service $',
    );
    const configs = [first, second];
    expectField(
      await controller.admin.post(PATH, { ...service(unique('service')), configs }),
      'configs',
      reason,
      `[${configs.join(' ')}]`,
    );
    const id = await create({ configs: [first] });
    expectField(await patch(id, { configs }), 'configs', reason);
    expectStatus(await patch(id, { configs: [second] }), 200);
    expect((await detail(id))['configs']).to.deep.equal([second]);
  });

  it('leaves the @id list of every policy, hosting maps and config uses when it is deleted', async () => {
    const [gone, stays, config] = [await create(), await create(), await hostConfig()];
    expectStatus(await patch(gone, { configs: [config] }), 200);
    const policy = await makeServicePolicy(controller, {
      type: 'Bind',
      semantic: 'AllOf',
      serviceRoles: [`@${gone}`, `@${stays}`],
    });
    expectStatus(await controller.admin.delete(`${PATH}/${gone}`), 200);
    const { serviceRoles, serviceRolesDisplay } = await read(controller, `service-policies/${policy}`);
    expect(serviceRoles).to.deep.equal([`@${stays}`]);
    expect(serviceRolesDisplay).to.have.length(1);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/configs/${config}`), 200);
  });

  it('lists its configs, identities and policies', async () => {
    const configs = [await hostConfig(), await clientConfig()].sort();
    const attribute = unique('attribute');
    const id = await create({ configs, roleAttributes: [attribute] });
    const [dialer, binder] = [await controller.newCaller(), await controller.newCaller()];
    const policy = async (type: 'Dial' | 'Bind', identityId: string) =>
      makeServicePolicy(controller, { type, identityRoles: [`@${identityId}`], serviceRoles: [`#${attribute}`] });
    const policies = [await policy('Dial', dialer.id), await policy('Bind', binder.id)].sort();
    const list = async (nested: string) =>
      idsOf(expectStatus(await controller.admin.get(`${PATH}/${id}/${nested}`), 200));
    expect(await list('configs')).to.deep.equal(configs);
    expect(await list('service-policies')).to.deep.equal(policies);
    expect(await list('identities')).to.deep.equal([dialer.id, binder.id].sort());
    expect(await list('identities?policyType=dial')).to.deep.equal([dialer.id]);
    expect(await list('identities?policyType=bind')).to.deep.equal([binder.id]);
    const page = expectStatus(await controller.admin.get(`${PATH}/${id}/identities?limit=1&offset=1`), 200);
    expect([idsOf(page), totalOf(page)]).to.deep.equal([[dialer.id, binder.id].sort().slice(1), 2]);
    for (const nested of ['configs', 'identities', 'service-policies'])
      expectNotFound(await controller.admin.get(`${PATH}/nope/${nested}`), 'service with id nope not found');
  });

  describe('as an identity sees them', () => {
    it('are those it may reach, with its permissions, by id or by name', async () => {
      const caller = await controller.newCaller();
      const [mine] = [await create(), await create()];
      await makeServicePolicy(controller, {
        type: 'Bind',
        identityRoles: [`@${caller.id}`],
        serviceRoles: [`@${mine}`],
      });
      for (const who of [caller.id, caller.name]) {
        const list = expectStatus(await controller.admin.get(`${PATH}?asIdentity=${who}`), 200);
        expect(itemsOf(list).map((item) => [item.id, item['permissions']])).to.deep.equal([[mine, ['Bind']]]);
        expect(totalOf(list)).to.equal(1);
      }
      expectNotFound(await controller.admin.get(`${PATH}?asIdentity=nope`), 'identity with id or name nope not found');
    });

    it('show administrators all services with their own permissions, and the configs that they ask for', async () => {
      const config = await hostConfig();
      const id = await create({ configs: [config] });
      expect((await detail(id))['permissions']).to.deep.equal([]);
      const { id: adminId } = itemsOf(
        await controller.admin.get(`${MANAGEMENT}/identities?filter=isDefaultAdmin=true`),
      )[0] ?? { id: '' };
      await makeServicePolicy(controller, { identityRoles: [`@${adminId}`], serviceRoles: [`@${id}`] });
      expect((await detail(id))['permissions']).to.deep.equal(['Dial']);
      const find = async (query: string) =>
        itemsOf(await controller.admin.get(`${PATH}?filter=id%3D%22${id}%22${query}`))[0]?.['config'];
      expect(await find('')).to.deep.equal({});
      expect(await find('&configTypes=host.v1')).to.deep.equal({
        'host.v1': { address: 'localhost', port: 80, protocol: 'tcp' },
      });
    });
  });
});
