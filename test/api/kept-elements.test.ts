/**
 * Lists whose elements are sent again as they were written while their rows are the same, apart from those of
 * identities: what changes of anything that an element shows is in the next list, also where it is a name of something
 * else, and no caller gets what was written for another.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make, read } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import {
  makeConfig,
  makeEdgeRouterPolicy,
  makeIdentity,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { enrollTotp } from '../support/totp.js';
import { PASSWORD, newUser } from '../support/users.js';

interface Change {
  readonly of: string;
  /** Members that the change shows in. */
  readonly shows: readonly string[];
  readonly make: () => Promise<unknown>;
}

const TAGS = { town: '東京 🗼 "\\' };

/** How often a list is read before its elements are surely kept. */
const OFTEN = 3;

describe('kept elements of lists', function () {
  this.timeout(120_000);
  let controller: TestController;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    ({ admin } = controller);
  });
  after(() => controller.stop());

  const send = async (method: string, path: string, body?: object, status = 200) =>
    expectStatus(await admin.send(method, `${MANAGEMENT}/${path}`, body), status);
  const patch = (path: string, changes: object) => () => send('PATCH', path, changes);
  const renamed =
    (path: string, also = {}) =>
    () =>
      send('PATCH', path, { name: unique('renamed'), ...also });
  const elementOf = async (path: string, id: string, by = admin): Promise<Entity> => {
    const items = itemsOf(expectStatus(await by.get(path), 200));
    return items.find((item) => item.id === id) ?? expect.fail(`${id} is not in ${path}`);
  };
  const readOften = async (path: string, id: string): Promise<Entity> => {
    for (let time = 1; time < OFTEN; time += 1) await elementOf(path, id);
    return elementOf(path, id);
  };
  const byId = (collection: string, id: string) =>
    `${MANAGEMENT}/${collection}?filter=${encodeURIComponent(`id = "${id}"`)}`;
  /** Each change is in the lists at once, which show what the entity itself shows. */
  const showsEach = async (
    collection: string,
    id: string,
    changes: readonly Change[],
    others: readonly string[] = [],
  ) => {
    const paths = [byId(collection, id), ...others.map((path) => `${MANAGEMENT}/${path}`)];
    for (const { of, shows, make: change } of changes) {
      const before = await Promise.all(paths.map((path) => readOften(path, id)));
      await change();
      const now = await read(controller, `${collection}/${id}`);
      for (const [at, path] of paths.entries()) {
        for (const time of ['first', 'second'])
          expect(await elementOf(path, id), `${of}, ${path}, ${time}`).to.deep.equal(now);
        for (const member of shows) expect(now[member], `${of}: ${member}`).to.not.deep.equal(before[at]?.[member]);
      }
    }
  };

  describe('of policies', () => {
    let identity: string;
    let service: string;
    let router: string;
    before(async () => {
      identity = await makeIdentity(controller);
      service = await makeService(controller);
      router = await makeRouter(controller);
    });

    it('show new names of what service policies name', async () => {
      const check = await make(controller, 'posture-checks', {
        name: unique('check'),
        typeId: 'MAC',
        macAddresses: ['02:00:00:00:00:01'],
      });
      const roles = { identityRoles: [`@${identity}`], serviceRoles: [`@${service}`] };
      const id = await makeServicePolicy(controller, { ...roles, postureCheckRoles: [`@${check}`] });
      await showsEach(
        'service-policies',
        id,
        [
          { of: 'its identity', shows: ['identityRolesDisplay'], make: renamed(`identities/${identity}`) },
          { of: 'its service', shows: ['serviceRolesDisplay'], make: renamed(`services/${service}`) },
          {
            of: 'its check',
            shows: ['postureCheckRolesDisplay'],
            make: renamed(`posture-checks/${check}`, { typeId: 'MAC' }),
          },
          {
            of: 'its check, which is deleted',
            shows: ['postureCheckRoles', 'postureCheckRolesDisplay'],
            make: () => send('DELETE', `posture-checks/${check}`),
          },
          { of: 'its tags', shows: ['tags'], make: patch(`service-policies/${id}`, { tags: TAGS }) },
        ],
        [`identities/${identity}/service-policies`, `services/${service}/service-policies`],
      );
    });

    it('show new names of what edge router policies name', async () => {
      const roles = { identityRoles: [`@${identity}`], edgeRouterRoles: [`@${router}`] };
      const id = await makeEdgeRouterPolicy(controller, roles);
      await showsEach(
        'edge-router-policies',
        id,
        [
          { of: 'its identity', shows: ['identityRolesDisplay'], make: renamed(`identities/${identity}`) },
          { of: 'its router', shows: ['edgeRouterRolesDisplay'], make: renamed(`edge-routers/${router}`) },
          { of: 'its semantic', shows: ['semantic'], make: patch(`edge-router-policies/${id}`, { semantic: 'AllOf' }) },
        ],
        [`identities/${identity}/edge-router-policies`, `edge-routers/${router}/edge-router-policies`],
      );
    });

    it('show new names of what service edge router policies name', async () => {
      const roles = { serviceRoles: [`@${service}`], edgeRouterRoles: [`@${router}`] };
      const id = await makeServiceEdgeRouterPolicy(controller, roles);
      await showsEach(
        'service-edge-router-policies',
        id,
        [
          { of: 'its service', shows: ['serviceRolesDisplay'], make: renamed(`services/${service}`) },
          { of: 'its router', shows: ['edgeRouterRolesDisplay'], make: renamed(`edge-routers/${router}`) },
          { of: 'its name', shows: ['name', 'updatedAt'], make: renamed(`service-edge-router-policies/${id}`) },
        ],
        [`services/${service}/service-edge-router-policies`, `edge-routers/${router}/service-edge-router-policies`],
      );
    });
  });

  it('show what posture checks ask for now', async () => {
    const body = { name: unique('check'), typeId: 'MAC', macAddresses: ['02:00:00:00:00:01'] };
    const id = await make(controller, 'posture-checks', body);
    const policy = await makeServicePolicy(controller, { postureCheckRoles: [`@${id}`] });
    const path = `posture-checks/${id}`;
    await showsEach(
      'posture-checks',
      id,
      [
        {
          of: 'its addresses',
          shows: ['macAddresses'],
          make: patch(path, { typeId: 'MAC', macAddresses: ['02:00:00:00:00:02'] }),
        },
        {
          of: 'its attributes',
          shows: ['roleAttributes'],
          make: patch(path, { typeId: 'MAC', roleAttributes: ['a'] }),
        },
      ],
      [`service-policies/${policy}/posture-checks`],
    );
  });

  it('show the data of configs, and new names of their types', async () => {
    const type = await make(controller, 'config-types', { name: unique('type') });
    const id = await makeConfig(controller, { configTypeId: type, data: { port: 1 } });
    const service = await makeService(controller, { configs: [id] });
    await showsEach(
      'configs',
      id,
      [
        { of: 'its data', shows: ['data'], make: patch(`configs/${id}`, { data: { port: 2, of: ['a "b" \\'] } }) },
        { of: 'its type', shows: ['configType'], make: renamed(`config-types/${type}`) },
      ],
      [`services/${service}/configs`, `config-types/${type}/configs`],
    );
  });

  it('show authenticators and whose they are', async () => {
    const user = await newUser(admin);
    const [known] = itemsOf(await send('GET', `identities/${user.id}/authenticators`));
    const id = known?.id ?? '';
    const client = await controller.login(user.name, PASSWORD);
    const own = `${CLIENT}/current-identity/authenticators`;
    for (let time = 0; time < OFTEN; time += 1)
      expect((await elementOf(own, id, client))['_links']).to.deep.equal({
        self: { href: `.${own.slice(CLIENT.length)}/${id}` },
      });
    await showsEach(
      'authenticators',
      id,
      [
        { of: 'its username', shows: ['username'], make: patch(`authenticators/${id}`, { username: unique('user') }) },
        { of: 'its identity', shows: ['identity'], make: renamed(`identities/${user.id}`) },
      ],
      [`identities/${user.id}/authenticators`],
    );
  });

  it('show new names and costs of terminators', async () => {
    const [service, router] = [await makeService(controller), await makeRouter(controller)];
    const draft = { service, router, binding: 'transport', address: 'tcp:localhost:1' };
    const id = await make(controller, 'terminators', draft);
    await showsEach(
      'terminators',
      id,
      [
        { of: 'its service', shows: ['service'], make: renamed(`services/${service}`) },
        { of: 'its router', shows: ['router'], make: renamed(`edge-routers/${router}`) },
        { of: 'its cost', shows: ['cost'], make: patch(`terminators/${id}`, { cost: 9 }) },
        {
          of: 'its router, which is to take no more',
          shows: ['precedence'],
          make: () => controller.database.query('INSERT INTO quiesced_routers (router_id) VALUES ($1)', [router]),
        },
      ],
      [`services/${service}/terminators`],
    );
  });

  it('show how to enroll a router, and whether one is connected', async () => {
    const identity = await newUser(admin);
    const known = await newRouter(controller);
    const { id } = known;
    await makeEdgeRouterPolicy(controller, { identityRoles: [`@${identity.id}`], edgeRouterRoles: [`@${id}`] });
    const client = await controller.login(identity.name, PASSWORD);
    const own = `${CLIENT}/current-identity/edge-routers`;
    const isOnline = async () => (await elementOf(own, id, client))['isOnline'];
    for (let time = 0; time < OFTEN; time += 1) expect(await isOnline()).to.equal(false);
    let link: ScriptedRouter | undefined;
    const connection = (wanted: boolean) => async () => {
      if (wanted) link = await ScriptedRouter.online(controller.url, known);
      else link?.close();
      await until(`the router is ${wanted ? '' : 'not '}connected`, async () => {
        return (await read(controller, `edge-routers/${id}`))['isOnline'] === wanted;
      });
      expect(await isOnline()).to.equal(wanted);
    };
    await showsEach(
      'edge-routers',
      id,
      [
        { of: 'its connection', shows: ['isOnline', 'syncStatus'], make: connection(true) },
        { of: 'its cost', shows: ['cost'], make: patch(`edge-routers/${id}`, { cost: 5 }) },
        { of: 'its connection, which is lost', shows: ['isOnline'], make: connection(false) },
        {
          of: 'a certificate that is worth nothing',
          shows: ['isVerified', 'enrollmentToken'],
          make: () => send('POST', `edge-routers/${id}/re-enroll`),
        },
      ],
      [`identities/${identity.id}/edge-routers`],
    );
  });

  it('show what grants a session, and the routers by which it goes', async () => {
    const user = await newUser(admin);
    const known = await newRouter(controller);
    const [service, other] = [await makeService(controller), await makeService(controller)];
    const roles = { identityRoles: [`@${user.id}`], serviceRoles: [`@${service}`], edgeRouterRoles: [`@${known.id}`] };
    const { identityRoles, serviceRoles, edgeRouterRoles } = roles;
    await makeEdgeRouterPolicy(controller, { identityRoles, edgeRouterRoles });
    await makeServiceEdgeRouterPolicy(controller, { serviceRoles, edgeRouterRoles });
    const policy = await makeServicePolicy(controller, { identityRoles, serviceRoles });
    const client = await controller.login(user.name, PASSWORD);
    const { id } = expectStatus(await client.post(`${CLIENT}/sessions`, { serviceId: service }), 201).data as Entity;
    const own = `${CLIENT}/sessions`;
    /** The change shows in the list of the owner as well. */
    const andToOwner = (change: () => Promise<unknown>) => async () => {
      for (let time = 0; time < OFTEN; time += 1) await elementOf(own, id, client);
      await change();
      const now = expectStatus(await client.get(`${own}/${id}`), 200).data;
      for (const time of ['first', 'second']) expect(await elementOf(own, id, client), time).to.deep.equal(now);
    };
    let link: ScriptedRouter | undefined;
    const connected = async () => {
      link = await ScriptedRouter.online(controller.url, known);
    };
    const routersOf = async () => (await read<{ edgeRouters: object[] }>(controller, `sessions/${id}`)).edgeRouters;
    const lost = async () => {
      link?.close();
      await until('the router is gone', async () => (await routersOf()).length === 0);
    };
    await showsEach('sessions', id, [
      { of: 'its service', shows: ['service'], make: andToOwner(renamed(`services/${service}`)) },
      { of: 'its policy', shows: ['servicePolicies'], make: andToOwner(renamed(`service-policies/${policy}`)) },
      { of: 'its router', shows: ['edgeRouters'], make: andToOwner(connected) },
      { of: 'the name of its router', shows: ['edgeRouters'], make: andToOwner(renamed(`edge-routers/${known.id}`)) },
      {
        of: 'another policy',
        shows: ['servicePolicies'],
        make: andToOwner(() => makeServicePolicy(controller, { identityRoles, serviceRoles: ['#all'] })),
      },
      {
        of: 'its policy, which is about another service',
        shows: ['servicePolicies'],
        make: andToOwner(patch(`service-policies/${policy}`, { serviceRoles: [`@${other}`] })),
      },
      { of: 'its router, which is gone', shows: ['edgeRouters'], make: andToOwner(lost) },
    ]);
  });

  it('show how to enroll a router to those who may see it, whoever asked first', async () => {
    const names = ['edge-routers', 'transit-routers'] as const;
    const reader = (await controller.newCaller({ permissions: ['router.read'] })).client;
    for (const collection of names) {
      const id = await make(controller, collection, { name: unique('router') });
      const path = byId(collection, id);
      for (let time = 0; time < OFTEN; time += 1) {
        expect(await elementOf(path, id)).to.have.property('enrollmentToken');
        expect(await elementOf(path, id, reader)).to.not.have.property('enrollmentToken');
      }
      await showsEach(collection, id, [
        { of: 'its cost', shows: ['cost'], make: patch(`${collection}/${id}`, { cost: 3 }) },
        { of: 'its name', shows: ['name'], make: renamed(`${collection}/${id}`) },
      ]);
    }
  });

  it('show what an API session owes, and the new name of its identity', async () => {
    const user = await newUser(admin);
    const client = await controller.login(user.name, PASSWORD);
    const current = expectStatus(await client.get(`${CLIENT}/current-api-session`), 200).data as Entity;
    const { authPolicyId } = await read<{ authPolicyId: string }>(controller, `identities/${user.id}`);
    const { primary, secondary } = await read<{ primary: object; secondary: object }>(
      controller,
      `auth-policies/${authPolicyId}`,
    );
    const strict = { name: unique('strict'), primary, secondary: { ...secondary, requireTotp: true } };
    const policy = await make(controller, 'auth-policies', strict);
    await showsEach('api-sessions', current.id, [
      { of: 'its identity', shows: ['identity'], make: renamed(`identities/${user.id}`) },
      {
        of: 'a policy that asks for a second factor',
        shows: ['authQueries'],
        make: patch(`identities/${user.id}`, { authPolicyId: policy }),
      },
      { of: 'its second factor', shows: ['isMfaRequired'], make: () => enrollTotp(client) },
    ]);
  });
});
