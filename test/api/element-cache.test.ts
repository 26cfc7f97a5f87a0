/**
 * Lists of identities, whose elements are sent again as they were written while their rows are the same: whatever
 * changes of an identity, by whatever way, is in the next list, and no caller gets what was written for another.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import { newVerifiedCa } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { documentOf } from '../support/document.js';
import type { Schema } from '../support/document.js';
import { itemsOf, make, read } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { makeEdgeRouterPolicy, makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { enrollTotp } from '../support/totp.js';
import { PASSWORD } from '../support/users.js';

const FAR = '2099-01-01T00:00:00Z';
const PRESENCE = ['edgeRouterConnectionStatus', 'hasEdgeRouterConnection'];
/** What no change of an identity changes, and what none shows. */
const CONSTANT = ['createdAt', 'id', 'interfaces', 'isDefaultAdmin'];

/** All members that an entity may have in an answer, by the document that is served. */
function membersOf(name: string): string[] {
  const collect = ({ $ref, allOf = [], properties = {} }: Schema): string[] => [
    ...($ref === undefined ? [] : membersOf($ref.replace('#/definitions/', ''))),
    ...allOf.flatMap(collect),
    ...Object.keys(properties),
  ];
  return collect(documentOf('management').definitions[name] ?? {});
}

interface Subject {
  readonly id: string;
  /** Its username, too. */
  readonly name: string;
}

interface Change {
  readonly of: string;
  /** Members that the change shows in. */
  readonly shows: readonly string[];
  readonly make: (subject: Subject) => Promise<unknown>;
}

describe('identities in lists', function () {
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
  const patched =
    (changes: object) =>
    ({ id }: Subject) =>
      send('PATCH', `identities/${id}`, changes);
  const listed = async ({ id }: Subject, by = admin): Promise<Entity> => {
    const path = `${MANAGEMENT}/identities?filter=${encodeURIComponent(`id = "${id}"`)}`;
    const [item] = itemsOf(expectStatus(await by.get(path), 200));
    if (item === undefined) throw new Error(`${id} is not in the list`);
    return item;
  };
  /** Its element is kept afterwards, by whatever rule lists keep one. */
  const listedOften = async (subject: Subject): Promise<Entity> => {
    for (let time = 0; time < 3; time += 1) await listed(subject);
    return listed(subject);
  };
  const newSubject = async (): Promise<Subject> => {
    const name = unique('subject');
    const id = await makeIdentity(controller, { name });
    return { id, name };
  };
  const withPassword = (subject: Subject) =>
    send(
      'POST',
      'authenticators',
      { identityId: subject.id, method: 'updb', username: unique('user'), password: PASSWORD },
      201,
    );
  const authenticatorOf = async ({ id }: Subject): Promise<Entity> =>
    itemsOf(await send('GET', `identities/${id}/authenticators`))[0] as Entity;
  const enrollmentOf = async ({ id }: Subject): Promise<Entity> =>
    itemsOf(await send('GET', `identities/${id}/enrollments`))[0] as Entity;
  let client: Client | undefined;
  const login = async (subject: Subject, body: object = {}) =>
    (client = await controller.login(subject.name, PASSWORD, { ...body }));
  const online = async ({ id }: Subject, isConnected: boolean) => {
    router.sendTyped(ContentType.ConnectEvents, ConnectEventsSchema, { events: [{ identityId: id, isConnected }] });
    const wanted = isConnected ? 'online' : 'offline';
    await until(`the identity is ${wanted}`, async () => {
      return (await read(controller, `identities/${id}`))['edgeRouterConnectionStatus'] === wanted;
    });
  };
  let router: ScriptedRouter;
  let serviceId: string;
  let authPolicyId: string;
  before(async () => {
    router = await ScriptedRouter.online(controller.url, await newRouter(controller));
    serviceId = await makeService(controller);
    const policy = await read(controller, 'auth-policies/default');
    const { primary, secondary } = policy as unknown as { primary: object; secondary: object };
    authPolicyId = await make(controller, 'auth-policies', { name: unique('policy'), primary, secondary });
  });
  after(() => {
    router.close();
  });

  const changes: readonly Change[] = [
    { of: 'its name', shows: ['name', 'updatedAt'], make: (subject) => patched({ name: unique('other') })(subject) },
    { of: 'its type', shows: ['type', 'typeId'], make: patched({ type: 'Device' }) },
    {
      of: 'its external id',
      shows: ['externalId'],
      make: ({ id, name }) => patched({ externalId: name })({ id, name }),
    },
    { of: 'its role attributes', shows: ['roleAttributes'], make: patched({ roleAttributes: ['one', 'two'] }) },
    { of: 'its tags', shows: ['tags'], make: patched({ tags: { town: 'lyon', count: 3 } }) },
    { of: 'its tags beyond Latin-1', shows: ['tags'], make: patched({ tags: { town: '東京 🗼 "\\' } }) },
    { of: 'its app data', shows: ['appData'], make: patched({ appData: { theme: 'dark' } }) },
    { of: 'its cost', shows: ['defaultHostingCost'], make: patched({ defaultHostingCost: 7 }) },
    {
      of: 'its precedence',
      shows: ['defaultHostingPrecedence'],
      make: patched({ defaultHostingPrecedence: 'failed' }),
    },
    {
      of: 'what hosting a service costs it',
      shows: ['serviceHostingCosts'],
      make: (subject) => patched({ serviceHostingCosts: { [serviceId]: 9 } })(subject),
    },
    {
      of: 'its precedence for a service',
      shows: ['serviceHostingPrecedences'],
      make: (subject) => patched({ serviceHostingPrecedences: { [serviceId]: 'required' } })(subject),
    },
    {
      of: 'the service that it hosts, which is deleted',
      shows: ['serviceHostingCosts', 'serviceHostingPrecedences'],
      make: () => send('DELETE', `services/${serviceId}`),
    },
    {
      of: 'its auth policy',
      shows: ['authPolicy', 'authPolicyId'],
      make: (subject) => patched({ authPolicyId })(subject),
    },
    {
      of: 'the name of its auth policy',
      shows: ['authPolicy'],
      make: () => send('PATCH', `auth-policies/${authPolicyId}`, { name: unique('renamed') }),
    },
    { of: 'a password that it gets', shows: ['authenticators'], make: withPassword },
    {
      of: 'its username',
      shows: ['authenticators'],
      make: async (subject) =>
        send('PATCH', `authenticators/${(await authenticatorOf(subject)).id}`, { username: subject.name }),
    },
    {
      of: 'its login',
      shows: ['hasApiSession', 'envInfo', 'sdkInfo'],
      make: (subject) => login(subject, { envInfo: { os: 'plan9' }, sdkInfo: { version: '1.2.3' } }),
    },
    {
      of: 'another device that it logs in from',
      shows: ['envInfo', 'sdkInfo'],
      make: (subject) => login(subject, { envInfo: { os: 'haiku' }, sdkInfo: { version: '1.2.4' } }),
    },
    {
      of: 'its second factor',
      shows: ['isMfaEnabled'],
      make: () => enrollTotp(client as Client),
    },
    {
      of: 'its second factor, taken away',
      shows: ['isMfaEnabled'],
      make: ({ id }) => send('DELETE', `identities/${id}/mfa`),
    },
    {
      of: 'its logout',
      shows: ['hasApiSession'],
      make: async ({ id }) => {
        const filter = encodeURIComponent(`identity = "${id}"`);
        for (const session of itemsOf(await send('GET', `api-sessions?filter=${filter}`)))
          await send('DELETE', `api-sessions/${session.id}`);
      },
    },
    {
      of: 'its password, taken away',
      shows: ['authenticators'],
      make: async (subject) => send('DELETE', `authenticators/${(await authenticatorOf(subject)).id}`),
    },
    {
      of: 'an enrollment by a CA',
      shows: ['enrollment'],
      make: async ({ id }) => {
        const { id: caId } = await newVerifiedCa(controller);
        return send('POST', 'enrollments', { identityId: id, method: 'ottca', caId, expiresAt: FAR }, 201);
      },
    },
    {
      of: 'the name of the CA of its enrollment',
      shows: ['enrollment'],
      make: async (subject) => {
        const { caId } = (await enrollmentOf(subject)) as Entity & { caId: string };
        return send('PATCH', `cas/${caId}`, { name: unique('ca') });
      },
    },
    {
      of: 'an enrollment that lasts longer',
      shows: ['enrollment'],
      make: async (subject) => {
        const { id } = await enrollmentOf(subject);
        return send('POST', `enrollments/${id}/refresh`, { expiresAt: '2098-01-01T00:00:00Z' });
      },
    },
    {
      of: 'an enrollment that is gone',
      shows: ['enrollment'],
      make: async (subject) => send('DELETE', `enrollments/${(await enrollmentOf(subject)).id}`),
    },
    { of: 'a router that it is connected to', shows: PRESENCE, make: (subject) => online(subject, true) },
    { of: 'a router that it has left', shows: PRESENCE, make: (subject) => online(subject, false) },
    { of: 'its permissions', shows: ['permissions'], make: patched({ permissions: ['service.read'] }) },
    { of: 'its rights as administrator', shows: ['isAdmin'], make: patched({ isAdmin: true }) },
    {
      of: 'an administrator that is disabled for a time',
      shows: ['disabled', 'disabledAt', 'disabledUntil'],
      make: ({ id }) => send('POST', `identities/${id}/disable`, { durationMinutes: 60 }),
    },
    {
      of: 'the time that has passed',
      shows: ['disabled', 'disabledAt', 'disabledUntil'],
      make: ({ id }) =>
        controller.database.query(
          `UPDATE identities SET disabled_at = now() - interval '2 hours', disabled_until = now() - interval '1 hour'
          WHERE id = $1`,
          [id],
        ),
    },
    {
      of: 'all of it at once',
      shows: ['name', 'roleAttributes', 'tags', 'isAdmin', 'permissions', 'authPolicy'],
      make: ({ id, name }) => send('PUT', `identities/${id}`, { name: `${name} again`, type: 'User', isAdmin: false }),
    },
  ];

  it('show each change of one at once, and are what the identity itself shows', async () => {
    const subject = await newSubject();
    const changed = new Set<string>();
    for (const { of, shows, make: change } of changes) {
      const before = await listedOften(subject);
      await change(subject);
      const after = await listed(subject);
      expect(after, of).to.deep.equal(await read(controller, `identities/${subject.id}`));
      expect(await listed(subject), of).to.deep.equal(after);
      for (const member of shows) expect(after[member], `${of}: ${member}`).to.not.deep.equal(before[member]);
      for (const member of new Set([...Object.keys(before), ...Object.keys(after)]))
        if (JSON.stringify(before[member]) !== JSON.stringify(after[member])) changed.add(member);
    }
    const all = membersOf('identityDetail').filter((member) => !CONSTANT.includes(member));
    expect([...changed].sort()).to.deep.equal([...new Set(all)].sort());
  });

  it('show a new total while all elements stay the same', async () => {
    const total = async () =>
      expectStatus(await admin.get(`${MANAGEMENT}/identities?limit=1`), 200).meta.pagination?.totalCount ?? 0;
    for (let time = 0; time < 3; time += 1) await total();
    const before = await total();
    await newSubject();
    expect(await total()).to.equal(before + 1);
  });

  it('do not show one that is deleted and made again under its name as what it was', async () => {
    const subject = await newSubject();
    await listedOften(subject);
    await send('DELETE', `identities/${subject.id}`);
    const id = await makeIdentity(controller, { name: subject.name, type: 'Device' });
    expect(await listed({ ...subject, id })).to.deep.equal(await read(controller, `identities/${id}`));
  });

  it('show how to enroll to those who may see it, whoever asked first', async () => {
    const delegate = (await controller.newCaller({ permissions: ['identity', 'config.read'] })).client;
    const peer = (await controller.newCaller({ permissions: ['identity', 'config'] })).client;
    const body = { name: unique('raised'), type: 'User' as const, isAdmin: false, enrollment: { ott: true } };
    const id = await makeIdentity(controller, { ...body, permissions: ['config'] });
    const subject = { id, name: body.name };
    for (let time = 0; time < 3; time += 1) {
      expect((await listed(subject))['enrollment']).to.have.property('ott');
      expect((await listed(subject, delegate))['enrollment']).to.deep.equal({});
      expect((await listed(subject, peer))['enrollment']).to.have.property('ott');
    }
    await patched({ permissions: ['config.read'] })(subject);
    expect((await listed(subject, delegate))['enrollment']).to.have.property('ott');
  });

  it('are the same in every list that has them', async () => {
    const attribute = unique('attribute');
    const name = unique('member');
    const id = await makeIdentity(controller, { name, roleAttributes: [attribute] });
    const service = await makeService(controller);
    const roles = { identityRoles: [`#${attribute}`] };
    const policy = await makeServicePolicy(controller, { ...roles, serviceRoles: [`@${service}`] });
    const edge = await makeEdgeRouterPolicy(controller, { ...roles, edgeRouterRoles: ['#all'] });
    const paths = [
      `identities?filter=${encodeURIComponent(`name = "${name}"`)}`,
      `identities?roleFilter=${encodeURIComponent(`#${attribute}`)}`,
      `service-policies/${policy}/identities`,
      `services/${service}/identities`,
      `edge-router-policies/${edge}/identities`,
      `edge-routers/${router.id}/identities`,
      `identities?filter=${encodeURIComponent(`name = "${name}" limit none`)}`,
    ];
    for (const tags of [{ round: 1 }, { round: 2 }]) {
      await patched({ tags })({ id, name });
      for (const path of [...paths, ...paths])
        expect(itemsOf(await send('GET', path)), path).to.deep.equal([await read(controller, `identities/${id}`)]);
    }
  });

  it('are what they are in a list without limit, too', async () => {
    const all = itemsOf(await send('GET', `identities?filter=${encodeURIComponent('true limit none')}`));
    for (const item of all) expect(item).to.deep.equal(await read(controller, `identities/${item.id}`));
  });
});
