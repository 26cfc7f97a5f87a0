/** What configs of a type are for: services and identities take those for services, routers those for routers. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, make, read } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { makeConfig, makeIdentity, makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

const TARGETS = ['service', 'router', 'other'] as const;

describe('targets of config types', () => {
  let controller: TestController;
  const configs = {} as Record<(typeof TARGETS)[number], { id: string; text: string }>;
  before(async () => {
    controller = await startTestController();
    for (const target of TARGETS) {
      const [type, name] = [unique('type'), unique('config')];
      const configTypeId = await make(controller, 'config-types', { name: type, target });
      const id = await makeConfig(controller, { name, configTypeId, data: {} });
      configs[target] = { id, text: `config ${name} has config type ${type} which does not target` };
    }
  });
  after(() => controller.stop());

  const CARRIERS = [
    { collection: 'services', target: 'service', body: { encryptionRequired: false } },
    { collection: 'edge-routers', target: 'router', body: {} },
    { collection: 'transit-routers', target: 'router', body: {} },
  ] as const;

  for (const { collection, target, body } of CARRIERS) {
    const path = `${MANAGEMENT}/${collection}`;

    it(`${collection} refuse configs that are not for them, in POST, PUT and PATCH, and stay as they are`, async () => {
      const name = unique('carrier');
      const id = await make(controller, collection, { name, ...body, configs: [configs[target].id] });
      for (const other of TARGETS.filter((one) => one !== target)) {
        const given = { configs: [configs[target].id, configs[other].id] };
        for (const answer of [
          await controller.admin.post(path, { name: unique('carrier'), ...body, ...given }),
          await controller.admin.put(`${path}/${id}`, { name, ...body, ...given }),
          await controller.admin.patch(`${path}/${id}`, given),
        ])
          expectField(
            answer,
            'configs',
            `${configs[other].text} ${target}s`,
            `[${configs[target].id} ${configs[other].id}]`,
          );
      }
      expectNotFound(
        await controller.admin.patch(`${path}/${id}`, { configs: ['nope', configs.other.id] }),
        'configs with id nope not found',
      );
      expect((await read(controller, `${collection}/${id}`))['configs']).to.deep.equal([configs[target].id]);
    });

    it(`${collection} are found by their configs, and keep them when a PATCH names none`, async () => {
      const id = await make(controller, collection, {
        name: unique('carrier'),
        ...body,
        configs: [configs[target].id],
      });
      const none = await make(controller, collection, { name: unique('carrier'), ...body });
      expectStatus(await controller.admin.patch(`${path}/${id}`, { tags: { a: 1 } }), 200);
      expect((await read(controller, `${collection}/${id}`))['configs']).to.deep.equal([configs[target].id]);
      const filter = encodeURIComponent(`anyOf(configs) = "${configs[target].id}"`);
      const found = idsOf(expectStatus(await controller.admin.get(`${path}?limit=500&filter=${filter}`), 200));
      expect(found).to.include(id).and.not.include(none);
    });
  }

  it('identities refuse configs that are not for services, and stay as they are', async () => {
    const service = await makeService(controller);
    const identity = await makeIdentity(controller, { type: 'Device' });
    const path = `${MANAGEMENT}/identities/${identity}/service-configs`;
    for (const target of ['router', 'other'] as const)
      expectField(
        await controller.admin.post(path, [
          { serviceId: service, configId: configs.service.id },
          { serviceId: service, configId: configs[target].id },
        ]),
        'serviceConfigs',
        `${configs[target].text} services`,
      );
    expect(expectStatus(await controller.admin.get(path), 200).data).to.deep.equal([]);
    expectStatus(await controller.admin.post(path, [{ serviceId: service, configId: configs.service.id }]), 200);
  });
});
