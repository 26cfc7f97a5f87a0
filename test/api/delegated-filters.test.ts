/** Filters tell a delegate nothing of linked entities that it may not read. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf, make, totalOf } from '../support/entities.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectFault } from '../support/expect.js';
import { MANAGEMENT as M } from '../support/paths.js';

describe('filters of delegates', () => {
  let controller: TestController;
  let [identity, service, policy] = ['', '', ''];
  before(async () => {
    controller = await startTestController();
    identity = await makeIdentity(controller, {
      name: unique('admin'),
      isAdmin: true,
      externalId: 'secret-external',
      tags: { badge: 'secret-badge' },
    });
    const [configType] = itemsOf(expectStatus(await controller.admin.get(`${M}/config-types?limit=1`), 200));
    expect(configType).to.not.equal(undefined);
    const typeId = await make(controller, 'config-types', { name: unique('type'), schema: {} });
    const config = await makeConfig(controller, { configTypeId: typeId, data: {}, tags: { owner: 'secret-owner' } });
    const body = { name: unique('service'), encryptionRequired: false, configs: [config] };
    service = await makeService(controller, body);
    policy = await makeServicePolicy(controller, { identityRoles: [`@${identity}`], serviceRoles: [`@${service}`] });
  });
  after(async () => {
    await controller.stop();
  });

  const OF_POLICIES: Readonly<Record<string, readonly string[]>> = {
    'not isEmpty(from identities where isAdmin = true and tags.badge >= "secret")': ['identity.read'],
    'not isEmpty(from identities where externalId >= "secret")': ['identity.read'],
    'count(from identities where sort by externalId limit 1) = 1': ['identity.read'],
    'not isEmpty(from services where not isEmpty(from configs where tags.owner >= "secret"))': [
      'service.read',
      'config.read',
    ],
  };
  /** Every list that takes such a filter, with what it takes to read it. */
  const lists = (): readonly (readonly [
    path: string,
    filter: string,
    needed: readonly string[],
    permission: string,
  ])[] => [
    ...Object.entries(OF_POLICIES).flatMap(([filter, needed]) =>
      ['service-policies', `identities/${identity}/service-policies`, `services/${service}/service-policies`].map(
        (path) => [path, filter, needed, 'service-policy.read'] as const,
      ),
    ),
    ...['services', `identities/${identity}/services`, `service-policies/${policy}/services`].map(
      (path) =>
        [path, 'not isEmpty(from configs where tags.owner >= "secret")', ['config.read'], 'service.read'] as const,
    ),
  ];
  const asked = (path: string, filter: string) => `${M}/${path}?filter=${encodeURIComponent(filter)}`;

  it('answer 400 without the permission for what is linked, and with it what was asked', async () => {
    for (const [path, filter, needed, permission] of lists()) {
      for (const missing of needed) {
        const held = [permission, ...needed.filter((each) => each !== missing)];
        const { client } = await controller.newCaller({ permissions: held });
        const { cause } = expectFault(await client.get(asked(path, filter)), 400, 'INVALID_FILTER');
        expect(JSON.stringify(cause), path).to.include(`to the permission ${missing} alone`);
      }
      for (const held of [[permission, ...needed], ['admin_readonly']]) {
        const { client } = await controller.newCaller({ permissions: held });
        expect(totalOf(expectStatus(await client.get(asked(path, filter)), 200)), path).to.equal(1);
      }
      expect(totalOf(expectStatus(await controller.admin.get(asked(path, filter)), 200)), path).to.equal(1);
    }
  });

  it('find links by id and by name without more permissions', async () => {
    const { client } = await controller.newCaller({ permissions: ['service-policy.read'] });
    const { name } = entityOf(expectStatus(await controller.admin.get(`${M}/identities/${identity}`), 200));
    for (const filter of [
      `anyOf(identities) = "${identity}"`,
      `not isEmpty(from identities where id = "${identity}")`,
      `not isEmpty(from identities where name = "${String(name)}" sort by name)`,
    ])
      expect(totalOf(expectStatus(await client.get(asked('service-policies', filter)), 200)), filter).to.equal(1);
  });
});
