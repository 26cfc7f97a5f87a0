/** Configs that an identity gets in place of those of a service. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { totalOf } from '../support/entities.js';
import { makeConfig, makeService, makeServicePolicy } from '../support/make.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const HOST = 'NH5p4FpGR';
const TUNNELER = 'f2dd2df0-9c04-4b84-a91e-71437ac229f1';

describe('service configs of an identity', () => {
  let controller: TestController;
  let caller: Caller;
  let service: string;
  let ownHost: string;
  before(async () => {
    controller = await startTestController();
    ownHost = await host('own');
  });
  beforeEach(async () => {
    caller = await controller.newCaller({ configTypes: ['all'] });
    service = await makeService(controller, { configs: [ownHost] });
    await makeServicePolicy(controller, { identityRoles: ['#all'], serviceRoles: [`@${service}`] });
  });
  after(() => controller.stop());

  const host = async (address: string) =>
    makeConfig(controller, { configTypeId: HOST, data: { address, port: 1, protocol: 'tcp' } });
  const tunneler = async (hostname: string) =>
    makeConfig(controller, { configTypeId: TUNNELER, data: { hostname, port: 1 } });
  const path = (id = caller.id) => `${MANAGEMENT}/identities/${id}/service-configs`;
  const pair = (configId: string, serviceId = service) => ({ serviceId, configId });
  const assign = async (...pairs: object[]) => {
    const answer = expectStatus(await controller.admin.post(path(), pairs), 200);
    expect(answer.data).to.deep.equal({});
  };
  const list = async (query = '') => {
    const answer = expectStatus(await controller.admin.get(`${path()}${query}`), 200);
    return (answer.data as { serviceId: string; configId: string }[]).map(({ serviceId, configId }) => ({
      serviceId,
      configId,
    }));
  };
  type Data = Record<string, { address?: string; hostname?: string }>;
  const seen = async (client = caller.client) =>
    (expectStatus(await client.get(`${CLIENT}/services/${service}`), 200).data as { config: Data }).config;

  it('are listed with references to service and config', async () => {
    expect(await list()).to.deep.equal([]);
    const config = await host('other');
    await assign(pair(config));
    const answer = expectStatus(await controller.admin.get(path()), 200);
    expect(answer.data).to.have.length(1);
    const [item] = answer.data as { config: object; service: object; configId: string; serviceId: string }[];
    expect(item).to.deep.include({ configId: config, serviceId: service });
    expect(item?.config).to.deep.include({ entity: 'configs', id: config });
    expect(item?.service).to.deep.include({ entity: 'services', id: service });
    expect(totalOf(answer)).to.equal(1);
  });

  it('take the place of the config of the service of that type, for that identity only', async () => {
    const other = await controller.newCaller({ configTypes: ['all'] });
    await assign(pair(await host('mine')));
    expect((await seen())['host.v1']?.address).to.equal('mine');
    expect((await seen(other.client))['host.v1']?.address).to.equal('own');
    const listed = expectStatus(await caller.client.get(`${CLIENT}/services`), 200).data as {
      id: string;
      config: Data;
      configs: string[];
    }[];
    const item = listed.find(({ id }) => id === service);
    expect([item?.config['host.v1']?.address, item?.configs]).to.deep.equal(['mine', [ownHost]]);
    const asIdentity = expectStatus(
      await controller.admin.get(
        `${MANAGEMENT}/services?asIdentity=${caller.id}&configTypes=all&filter=id%3D%22${service}%22`,
      ),
      200,
    ).data as { config: Data }[];
    expect(asIdentity[0]?.config['host.v1']?.address).to.equal('mine');
  });

  it('add a type that the service lacks, and show only the types that were asked for', async () => {
    await assign(pair(await tunneler('mine')), pair(await host('mine')));
    expect(Object.keys(await seen())).to.deep.equal(['host.v1', 'ziti-tunneler-client.v1']);
    const client = await controller.login(caller.username, caller.password, { configTypes: ['host.v1'] });
    expect(Object.keys(await seen(client))).to.deep.equal(['host.v1']);
    const narrowed = expectStatus(
      await caller.client.get(`${CLIENT}/services?configTypes=ziti-tunneler-client.v1&filter=id%3D%22${service}%22`),
      200,
    ).data as { config: Data }[];
    expect(narrowed[0]?.config['ziti-tunneler-client.v1']?.hostname).to.equal('mine');
  });

  it('are one per service and type: a later one replaces, also within a request', async () => {
    const [first, second, third, otherType] = [await host('1'), await host('2'), await host('3'), await tunneler('t')];
    await assign(pair(first));
    await assign(pair(second), pair(otherType));
    expect(await list()).to.have.deep.members([pair(second), pair(otherType)]);
    await assign(pair(first), pair(third));
    expect(await list()).to.have.deep.members([pair(third), pair(otherType)]);
  });

  it('are removed as pairs, or all of them without a body', async () => {
    const [config, otherType] = [await host('1'), await tunneler('t')];
    await assign(pair(config), pair(otherType));
    for (const body of [[], [pair(ownHost)], [pair(config, 'nope')]]) {
      expectStatus(await controller.admin.delete(path(), body), 200);
      expect(await list(), JSON.stringify(body)).to.have.length(2);
    }
    expectStatus(await controller.admin.delete(path(), [pair(config)]), 200);
    expect(await list()).to.deep.equal([pair(otherType)]);
    expect((await seen())['host.v1']?.address).to.equal('own');
    await assign(pair(config));
    expect(expectStatus(await controller.admin.delete(path()), 200).data).to.deep.equal({});
    expect(await list()).to.deep.equal([]);
  });

  it('pass over services that are not there, and refuse configs that are not, as a whole', async () => {
    const config = await host('1');
    await assign(pair(config, 'nope'));
    expect(await list()).to.deep.equal([]);
    expectNotFound(await controller.admin.post(path(), [pair(config), pair('nope')]), 'configs with id nope not found');
    expect(await list()).to.deep.equal([]);
    await assign();
    for (const body of [{}, [{ serviceId: service }], [{ configId: config }], ['x']])
      expectStatus(await controller.admin.post(path(), body), 400);
  });

  it('want an identity that is there', async () => {
    const message = 'identity with id nope not found';
    expectNotFound(await controller.admin.get(path('nope')), message);
    expectNotFound(await controller.admin.post(path('nope'), []), message);
    expectNotFound(await controller.admin.delete(path('nope')), message);
  });

  it('go with their service and their config', async () => {
    const config = await host('1');
    await assign(pair(config), pair(await tunneler('t')));
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/configs/${config}`), 200);
    expect(await list()).to.have.length(1);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${service}`), 200);
    expect(await list()).to.deep.equal([]);
  });

  it('are filtered, sorted and paged', async () => {
    const configs = await Promise.all(['a', 'b'].map(host));
    const services = await Promise.all([0, 1].map(() => makeService(controller)));
    await assign(...services.map((id, index) => pair(configs[index] ?? '', id)));
    expect(await list(`?filter=serviceId%3D%22${services[1] ?? ''}%22`)).to.deep.equal([
      pair(configs[1] ?? '', services[1]),
    ]);
    expect((await list('?sort=configId%20desc&limit=1')).map(({ configId }) => configId)).to.deep.equal(
      [...configs].sort().slice(1),
    );
    expectStatus(await controller.admin.get(`${path()}?filter=name%3D%22a%22`), 400);
  });

  it('change since when the services of that identity are as they are, and of no other', async () => {
    const other = await controller.newCaller({ configTypes: ['all'] });
    const lastChange = async ({ client }: Caller) =>
      (
        expectStatus(await client.get(`${CLIENT}/current-api-session/service-updates`), 200).data as {
          lastChangeAt: string;
        }
      ).lastChangeAt;
    const before = [await lastChange(caller), await lastChange(other)];
    await assign(pair(await host('changed')));
    const after = [await lastChange(caller), await lastChange(other)];
    expect((after[0] ?? '') > (before[0] ?? '')).to.equal(true);
    expect(after[1]).to.equal(before[1]);
  });

  it('survive many writers and deletes at once', async () => {
    const configs = await Promise.all([1, 2, 3, 4].map((n) => host(String(n))));
    const services = await Promise.all([1, 2, 3].map(() => makeService(controller)));
    const all = services.flatMap((id) => configs.map((config) => pair(config, id)));
    const answers = await Promise.all([
      ...configs.map(() => controller.admin.post(path(), all)),
      controller.admin.post(path(), [...all].reverse()),
      controller.admin.delete(path()),
      controller.admin.delete(`${MANAGEMENT}/services/${services[0] ?? ''}`),
    ]);
    expect(answers.map(({ status, text }) => (status === 200 ? '' : text))).to.deep.equal(answers.map(() => ''));
  });

  it('are for administrators only', async () => {
    for (const client of [caller.client, controller.anonymous]) {
      expectStatus(await client.get(path()), 401);
      expectStatus(await client.post(path(), []), 401);
      expectStatus(await client.delete(path()), 401);
    }
  });
});
