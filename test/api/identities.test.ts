/** Identities: their fields, states and what goes with them. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/identities`;
const identity = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

describe('identities', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}, name = unique('identity')) =>
    makeIdentity(controller, { ...identity(name), ...extra });
  const detail = async (id: string) => read(controller, `identities/${id}`);
  const patch = async (id: string, changes: object) => controller.admin.patch(`${PATH}/${id}`, changes);

  behavesLikeAnyResource({
    collection: 'identities',
    singular: 'identity',
    controller: () => controller,
    body: identity,
    emptyNameInPatch: 'ignored',
    taken: (name) => `duplicate value '${name}' in unique index on identities store`,
    nestedLinks: [
      'authenticators',
      'edge-router-policies',
      'edge-routers',
      'enrollments',
      'failed-service-requests',
      'posture-data',
      'service-configs',
      'service-policies',
      'services',
    ],
  });

  it('starts with every default', async () => {
    const { _links, createdAt, updatedAt, authPolicy, type, id, name, ...rest } = await detail(await create());
    expect(rest).to.deep.equal({
      appData: {},
      authPolicyId: 'default',
      authenticators: {},
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      disabled: false,
      edgeRouterConnectionStatus: 'offline',
      enrollment: {},
      envInfo: {},
      externalId: null,
      hasApiSession: false,
      hasEdgeRouterConnection: false,
      isAdmin: false,
      isDefaultAdmin: false,
      isMfaEnabled: false,
      permissions: null,
      roleAttributes: [],
      sdkInfo: {},
      serviceHostingCosts: {},
      serviceHostingPrecedences: {},
      tags: {},
      typeId: 'User',
    });
    expect(authPolicy).to.deep.equal({
      _links: { self: { href: './auth-policies/default' } },
      entity: 'auth-policies',
      id: 'default',
      name: 'Default',
    });
    expect(type).to.deep.equal({
      _links: { self: { href: './identity-types/User' } },
      entity: 'identity-types',
      id: 'User',
      name: 'User',
    });
    expect(linksOf(await detail(id))['auth-policies']).to.equal('./auth-policies/default');
    expect([_links, createdAt, updatedAt, name]).to.not.include(undefined);
  });

  const full = () => ({
    type: 'Device',
    isAdmin: true,
    externalId: unique('external'),
    authPolicyId: 'default',
    roleAttributes: ['b', 'a', 'b', 'B'],
    permissions: ['admin_readonly'],
    appData: { colour: 'red', size: 3 },
    defaultHostingCost: 65535,
    defaultHostingPrecedence: 'required',
  });

  it('keeps every field that is given, role attributes as a sorted set', async () => {
    const fields = full();
    expect(await detail(await create(fields))).to.deep.include({
      ...fields,
      type: (await detail(await create({ type: 'Device' })))['type'],
      roleAttributes: ['B', 'a', 'b'],
    });
  });

  it('keeps permissions as a sorted set, null when it is empty, and cannot be filtered or sorted by them', async () => {
    for (const permissions of [undefined, null, []])
      expect((await detail(await create({ permissions })))['permissions'], JSON.stringify(permissions)).to.equal(null);
    const id = await create({ permissions: ['service.read', 'config', 'service.read'] });
    expect((await detail(id))['permissions']).to.deep.equal(['config', 'service.read']);
    expectStatus(await patch(id, { permissions: ['terminator', 'admin_readonly'] }), 200);
    expect((await detail(id))['permissions']).to.deep.equal(['admin_readonly', 'terminator']);
    for (const query of ['filter=permissions="config"', 'filter=anyOf(permissions)="config"', 'sort=permissions']) {
      const { text } = expectStatus(await controller.admin.get(`${PATH}?${encodeURI(query)}`), 400);
      expect(text, query).to.contain("unknown symbol 'permissions'");
    }
  });

  it('falls back to defaults for what a PUT leaves out', async () => {
    const name = unique('identity');
    const id = await create(full(), name);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, identity(name)), 200);
    expect(await detail(id)).to.deep.include({
      isAdmin: false,
      externalId: null,
      roleAttributes: [],
      permissions: null,
      appData: {},
      defaultHostingCost: 0,
      defaultHostingPrecedence: 'default',
      typeId: 'User',
    });
  });

  it('changes with PATCH only what is given: null is not supplied, empty values clear', async () => {
    const fields = full();
    const id = await create(fields);
    const nulls = Object.fromEntries(
      [...Object.keys(fields), 'name', 'tags', 'serviceHostingCosts', 'serviceHostingPrecedences'].map((key) => [
        key,
        null,
      ]),
    );
    const before = await detail(id);
    expectStatus(await patch(id, nulls), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(
      await patch(id, { externalId: '', roleAttributes: [], permissions: [], appData: {}, authPolicyId: '' }),
      200,
    );
    expect(await detail(id)).to.deep.include({
      externalId: null,
      roleAttributes: [],
      permissions: null,
      appData: {},
      authPolicyId: 'default',
      isAdmin: true,
      defaultHostingCost: 65535,
    });
  });

  it('keeps the type as it is given, whichever of the five it is', async () => {
    for (const type of ['User', 'Device', 'Service', 'Router', 'Default']) {
      const id = await create({ type });
      expect((await detail(id))['typeId']).to.equal(type);
      expect(idsOf(await controller.admin.get(`${PATH}?filter=type%3D%22${type}%22&limit=500`))).to.include(id);
    }
    expectField(
      await controller.admin.post(PATH, { ...identity(unique('x')), type: 'user' }),
      'type',
      'type in body should be one of [User Device Service Router Default]',
      'user',
    );
  });

  it('refuses bodies that lack what is required or break a limit', async () => {
    const name = unique('identity');
    expectField(
      await controller.admin.post(PATH, { name, type: 'User' }),
      'isAdmin',
      'isAdmin in body is required',
      '<nil>',
    );
    expectField(
      await controller.admin.post(PATH, { name, isAdmin: false }),
      'type',
      'type in body is required',
      '<nil>',
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), defaultHostingCost: 65536 }),
      'defaultHostingCost',
      'defaultHostingCost in body should be less than or equal to 65535',
      '65536',
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), defaultHostingCost: -1 }),
      'defaultHostingCost',
      /greater than or equal to 0/,
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), defaultHostingPrecedence: 'high' }),
      'defaultHostingPrecedence',
      'defaultHostingPrecedence in body should be one of [default required failed]',
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), permissions: ['everything'] }),
      'permissions.0',
      /^permissions\.0 in body should be one of \[/,
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), roleAttributes: ['ok', '#x'] }),
      'roleAttributes',
      'role attributes may not be prefixed with #',
      '#x',
    );
    expectField(
      await controller.admin.post(PATH, { ...identity(name), roleAttributes: ['@x'] }),
      'roleAttributes',
      'role attributes may not be prefixed with @',
      '@x',
    );
    expect(totalOf(await controller.admin.get(`${PATH}?filter=name%3D%22${name}%22`))).to.equal(0);
  });

  it('knows an external id once', async () => {
    const externalId = unique('external');
    const first = await create({ externalId });
    const second = await create();
    const reason = `duplicate value '${externalId}' in unique index on identities store`;
    expectField(
      await controller.admin.post(PATH, { ...identity(unique('x')), externalId }),
      'externalId',
      reason,
      externalId,
    );
    expectField(await patch(second, { externalId }), 'externalId', reason, externalId);
    expectStatus(await patch(first, { externalId: '' }), 200);
    expectStatus(await patch(second, { externalId }), 200);
  });

  it('tells of an unknown auth policy, and leaves nothing behind', async () => {
    const name = unique('identity');
    expectNotFound(
      await controller.admin.post(PATH, { ...identity(name), authPolicyId: 'nope', enrollment: { ott: true } }),
      'authPolicy with id nope not found',
    );
    expectNotFound(await patch(await create(), { authPolicyId: 'nope' }), 'authPolicy with id nope not found');
    expect(totalOf(await controller.admin.get(`${PATH}?filter=name%3D%22${name}%22`))).to.equal(0);
  });

  it('lists its own authenticators, enrollments, policies and services, and knows no unknown one', async () => {
    const caller = await controller.newCaller({ roleAttributes: ['lists'] });
    const other = await controller.newCaller();
    const enrollment = await make(controller, 'enrollments', {
      method: 'ott',
      identityId: caller.id,
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    const service = await makeService(controller);
    const bind = await makeService(controller);
    const policies = await Promise.all(
      (
        [
          ['Dial', service],
          ['Bind', bind],
        ] as const
      ).map(([type, id]) =>
        makeServicePolicy(controller, { type, semantic: 'AllOf', identityRoles: ['#lists'], serviceRoles: [`@${id}`] }),
      ),
    );
    const list = async (nested: string, id = caller.id) =>
      idsOf(expectStatus(await controller.admin.get(`${PATH}/${id}/${nested}`), 200));
    expect(
      itemsOf(await controller.admin.get(`${PATH}/${caller.id}/authenticators`)).map((item) => item['username']),
    ).to.deep.equal([caller.username]);
    expect(await list('enrollments')).to.deep.equal([enrollment]);
    expect(await list('service-policies')).to.deep.equal([...policies].sort());
    expect(await list('services')).to.deep.equal([service, bind].sort());
    expect(await list('services?policyType=dial')).to.deep.equal([service]);
    expect(await list('services?policyType=bind')).to.deep.equal([bind]);
    expect(await list('services', other.id)).to.deep.equal([]);
    expect(await list('service-policies', other.id)).to.deep.equal([]);
    for (const nested of ['authenticators', 'enrollments', 'service-policies', 'services']) {
      expectNotFound(await controller.admin.get(`${PATH}/nope/${nested}`), 'identity with id nope not found');
    }
  });

  it('shows the summary of authenticators and sessions, and what the client told of itself', async () => {
    const caller = await controller.newCaller();
    await controller.login(caller.username, caller.password, {
      envInfo: { os: 'plan9', arch: '' },
      sdkInfo: { type: 'test' },
    });
    const item = await detail(caller.id);
    expect(item).to.deep.include({ hasApiSession: true, envInfo: { os: 'plan9' }, sdkInfo: { type: 'test' } });
    expect((item['authenticators'] as { updb: object }).updb).to.include({ username: caller.username });
    for (const [told, shown] of [
      [{}, { envInfo: { os: 'plan9' }, sdkInfo: { type: 'test' } }],
      [
        { envInfo: null, sdkInfo: { version: '1' } },
        { envInfo: { os: 'plan9' }, sdkInfo: { version: '1' } },
      ],
      [{ envInfo: {} }, { envInfo: {}, sdkInfo: { version: '1' } }],
    ] as const) {
      await controller.login(caller.username, caller.password, told);
      expect(await detail(caller.id), JSON.stringify(told)).to.deep.include(shown);
    }
    const own = entityOf(await caller.client.get(`${CLIENT}/current-identity`));
    expect(linksOf(own)).to.deep.equal({ self: './current-identity', mfa: './current-identity/mfa' });
    expect({ ...own, _links: item['_links'] }).to.deep.equal(await detail(caller.id));
  });
});
