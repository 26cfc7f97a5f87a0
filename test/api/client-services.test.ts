/** The services that a client may use, as the client API shows them. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import { makeConfig, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { accessCases, identities, services, withIds } from '../cases/access.js';

const PATH = `${CLIENT}/services`;
const HOST = { address: 'localhost', port: 80, protocol: 'tcp' };
const TUNNEL = { hostname: 'a.example', port: 443 };

describe('services of the client API', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  const allow = async (caller: Pick<Caller, 'id'>, serviceId: string, type: 'Dial' | 'Bind' = 'Dial') =>
    makeServicePolicy(controller, { type, identityRoles: [`@${caller.id}`], serviceRoles: [`@${serviceId}`] });
  const config = async (configTypeId: string, data: Record<string, unknown>) =>
    makeConfig(controller, { configTypeId, data });

  describe('for each kind of policy', () => {
    for (const { name, policies, allowed } of accessCases.filter((_, index) => [0, 2, 6, 12, 16, 18].includes(index))) {
      it(name, async () => {
        const ids = new Map<string, string>();
        const word = unique('case');
        const marked = (attributes: readonly string[]) => attributes.map((attribute) => `${word}${attribute}`);
        const mark = (roles: readonly string[]) =>
          withIds(roles, (entity) => ids.get(entity) ?? '').map((role) =>
            role.startsWith('#') && role !== '#all' ? `#${word}${role.slice(1)}` : role,
          );
        const callers = new Map<string, Caller>();
        for (const who of ['alice', 'bob', 'dave']) {
          const caller = await controller.newCaller({ roleAttributes: marked(identities[who] ?? []) });
          callers.set(who, caller);
          ids.set(who, caller.id);
        }
        ids.set(
          'carol',
          await makeIdentity(controller, { name: unique('carol'), roleAttributes: marked(identities['carol'] ?? []) }),
        );
        for (const [what, attributes] of Object.entries(services))
          ids.set(what, await makeService(controller, { roleAttributes: marked(attributes) }));
        const made = await Promise.all(
          policies.map(({ type = 'Dial', semantic, identityRoles, serviceRoles }) =>
            makeServicePolicy(controller, {
              type,
              semantic,
              identityRoles: mark(identityRoles),
              serviceRoles: mark(serviceRoles),
            }),
          ),
        );
        for (const [who, { client }] of callers) {
          const own = itemsOf(expectStatus(await client.get(`${PATH}?limit=500`), 200));
          const seen = Object.keys(services).flatMap((what) =>
            ((own.find(({ id }) => id === ids.get(what))?.['permissions'] as string[] | undefined) ?? []).map(
              (type) => `${who} ${type.toLowerCase()}s ${what}`,
            ),
          );
          expect(seen).to.have.members(allowed.filter((pair) => pair.startsWith(`${who} `)));
          for (const what of Object.keys(services)) {
            const isReached = allowed.some((pair) => pair.startsWith(`${who} `) && pair.endsWith(` ${what}`));
            expect((await client.get(`${PATH}/${ids.get(what) ?? ''}`)).status, `${who} reads ${what}`).to.equal(
              isReached ? 200 : 404,
            );
          }
        }
        await Promise.all(made.map((id) => controller.admin.delete(`${MANAGEMENT}/service-policies/${id}`)));
      });
    }
  });

  it('answers for one that may not be reached as for one that is not there', async () => {
    const { client } = await controller.newCaller();
    const id = await makeService(controller);
    expectNotFound(await client.get(`${PATH}/${id}`), `service with id ${id} not found`);
    expectNotFound(await client.get(`${PATH}/nope`), 'service with id nope not found');
  });

  it('are for administrators too only those that they may reach', async () => {
    const admin = await controller.newCaller({ isAdmin: true });
    const [mine, other] = [await makeService(controller), await makeService(controller)];
    await allow(admin, mine);
    expect(idsOf(await admin.client.get(PATH))).to.deep.equal([mine]);
    expectNotFound(await admin.client.get(`${PATH}/${other}`), `service with id ${other} not found`);
  });

  it('show permissions, the policies that grant them, and links', async () => {
    const caller = await controller.newCaller();
    const id = await makeService(controller, { roleAttributes: ['shown'] });
    const policies = [await allow(caller, id), await allow(caller, id, 'Bind'), await allow(caller, id)];
    const item = entityOf(expectStatus(await caller.client.get(`${PATH}/${id}`), 200));
    expect(item).to.deep.include({
      permissions: ['Bind', 'Dial'],
      roleAttributes: ['shown'],
      encryptionRequired: false,
      configs: [],
      config: {},
    });
    const queries = item['postureQueries'] as {
      policyId: string;
      policyType: string;
      isPassing: boolean;
      postureQueries: unknown[];
    }[];
    expect(queries.map(({ policyId, policyType }) => [policyId, policyType]).sort()).to.deep.equal(
      policies.map((policy, index) => [policy, index === 1 ? 'Bind' : 'Dial']).sort(),
    );
    expect(queries.every(({ isPassing, postureQueries }) => isPassing && postureQueries.length === 0)).to.equal(true);
    expect(linksOf(item)['self']).to.equal(`./services/${id}`);
  });

  it('change at once with policies and role attributes', async () => {
    const caller = await controller.newCaller();
    const attribute = unique('attribute');
    const id = await makeService(controller);
    const policy = await makeServicePolicy(controller, { identityRoles: [`#${attribute}`], serviceRoles: [`@${id}`] });
    const seen = async () => idsOf(expectStatus(await caller.client.get(PATH), 200));
    expect(await seen()).to.deep.equal([]);
    await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, { roleAttributes: [attribute] });
    expect(await seen()).to.deep.equal([id]);
    await controller.admin.patch(`${MANAGEMENT}/service-policies/${policy}`, { serviceRoles: [] });
    expect(await seen()).to.deep.equal([]);
    await controller.admin.patch(`${MANAGEMENT}/service-policies/${policy}`, { serviceRoles: ['#all'] });
    expect(await seen()).to.include(id);
    await controller.admin.delete(`${MANAGEMENT}/service-policies/${policy}`);
    expect(await seen()).to.deep.equal([]);
  });

  it('are paged, sorted, filtered, and filtered by role within what may be reached', async () => {
    const attribute = unique('attribute');
    const caller = await controller.newCaller();
    const names = ['a', 'b', 'c', 'd'].map(unique);
    const ids = await Promise.all(
      names.map((name, index) => makeService(controller, { name, roleAttributes: index === 0 ? [] : [attribute] })),
    );
    for (const id of ids.slice(0, 3)) await allow(caller, id);
    const get = async (query: string) => {
      const answer = expectStatus(await caller.client.get(`${PATH}?${query}`), 200);
      return [idsOf(answer), totalOf(answer)];
    };
    expect(await get('sort=name%20desc&limit=2')).to.deep.equal([[ids[2], ids[1]], 3]);
    expect(await get('sort=name&limit=2&offset=2')).to.deep.equal([[ids[2]], 3]);
    expect(await get('offset=5')).to.deep.equal([[], 3]);
    expect(await get('offset=5&limit=-1')).to.deep.equal([[], 3]);
    expect(await get('limit=-1&sort=name')).to.deep.equal([ids.slice(0, 3), 3]);
    expect(await get(`filter=name%3D%22${names[3] ?? ''}%22`)).to.deep.equal([[], 0]);
    expect(await get(`filter=name%3D%22${names[1] ?? ''}%22`)).to.deep.equal([[ids[1]], 1]);
    expect(await get(`roleFilter=%23${attribute}&sort=name`)).to.deep.equal([[ids[1], ids[2]], 2]);
    expect(await get(`roleFilter=%40${ids[0] ?? ''}&roleFilter=%40${ids[3] ?? ''}`)).to.deep.equal([[ids[0]], 1]);
    expect(await get('roleFilter=%23all')).to.deep.equal([[], 0]);
    expectStatus(await caller.client.get(`${PATH}?roleFilter=bare`), 400);
    expectStatus(await caller.client.get(`${PATH}?roleFilter=%23a&roleSemantic=OneOf`), 400);
  });

  describe('with configs', () => {
    let caller: Caller;
    let id: string;
    let own: { id: string; name: string };
    before(async () => {
      caller = await controller.newCaller();
      own = { id: '', name: unique('own.v1') };
      own.id = await make(controller, 'config-types', { name: own.name });
      id = await makeService(controller, {
        configs: [
          await config('NH5p4FpGR', HOST),
          await config('f2dd2df0-9c04-4b84-a91e-71437ac229f1', TUNNEL),
          await config(own.id, { any: [1] }),
        ],
      });
      await allow(caller, id);
    });
    const seen = async (configTypes: readonly string[], query = '') => {
      const client = await controller.login(caller.username, caller.password, { configTypes });
      return itemsOf(expectStatus(await client.get(`${PATH}${query}`), 200))[0]?.['config'];
    };

    it('shows the data of the types that the session asked for, by name or by id', async () => {
      expect(await seen([])).to.deep.equal({});
      expect(await seen(['host.v1'])).to.deep.equal({ 'host.v1': HOST });
      expect(await seen(['NH5p4FpGR', own.name])).to.deep.equal({ 'host.v1': HOST, [own.name]: { any: [1] } });
      expect(await seen(['nope', 'intercept.v1'])).to.deep.equal({});
      expect(await seen(['nope', 'all'])).to.deep.equal({
        'host.v1': HOST,
        'ziti-tunneler-client.v1': TUNNEL,
        [own.name]: { any: [1] },
      });
    });

    it('tells the session which types it asked for, as ids, without unknown ones', async () => {
      const asked = async (configTypes: readonly string[]) => {
        const client = await controller.login(caller.username, caller.password, { configTypes });
        return entityOf(await client.get(`${CLIENT}/current-api-session`))['configTypes'];
      };
      expect(await asked(['host.v1', own.id, 'nope', 'host.v1'])).to.have.members(['NH5p4FpGR', own.id]);
      expect(await asked(['host.v1', 'all'])).to.deep.equal(['all']);
    });

    it('lets a request ask for others than the session did', async () => {
      expect(await seen(['host.v1'], '?configTypes=ziti-tunneler-client.v1')).to.deep.equal({
        'ziti-tunneler-client.v1': TUNNEL,
      });
      expect(await seen([], `?configTypes=host.v1&configTypes=${own.id}`)).to.deep.equal({
        'host.v1': HOST,
        [own.name]: { any: [1] },
      });
      expect(await seen([], '?configTypes=all')).to.have.all.keys('host.v1', 'ziti-tunneler-client.v1', own.name);
      expect(await seen(['all'], '?configTypes=nope')).to.deep.equal({});
    });
  });

  describe('changed there', () => {
    it('by an administrator, as on the management API', async () => {
      const id = await makeService(controller);
      const { admin } = controller;
      const name = unique('put');
      expectStatus(
        await admin.put(`${PATH}/${id}`, { name, encryptionRequired: true, roleAttributes: ['b', 'a'] }),
        200,
      );
      expect(await read(controller, `services/${id}`)).to.deep.include({
        name,
        encryptionRequired: true,
        roleAttributes: ['a', 'b'],
      });
      expectStatus(await admin.patch(`${PATH}/${id}`, { tags: { a: 1 } }), 200);
      expect((await read(controller, `services/${id}`)).tags).to.deep.equal({ a: 1 });
      expectStatus(await admin.delete(`${PATH}/${id}`), 200);
      for (const answer of [
        await admin.delete(`${PATH}/${id}`),
        await admin.patch(`${PATH}/${id}`, {}),
        await admin.put(`${PATH}/${id}`, { name }),
      ])
        expectNotFound(answer, `service with id ${id} not found`);
    });

    it('by nobody else, even one who may bind it', async () => {
      const caller = await controller.newCaller();
      const id = await makeService(controller);
      await allow(caller, id, 'Bind');
      const before = await read(controller, `services/${id}`);
      for (const client of [caller.client, controller.anonymous]) {
        expectStatus(await client.put(`${PATH}/${id}`, { name: 'x' }), 401);
        expectStatus(await client.patch(`${PATH}/${id}`, { name: 'x' }), 401);
        expectStatus(await client.delete(`${PATH}/${id}`), 401);
      }
      expectStatus(await controller.admin.post(PATH, { name: 'x', encryptionRequired: false }), 405);
      expect(await read(controller, `services/${id}`)).to.deep.equal(before);
    });
  });
});
