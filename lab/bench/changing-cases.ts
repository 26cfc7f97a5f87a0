/** The cases that change something: the kinds with a life cycle, and logging in, out and enrolling. */
import { randomBytes } from 'node:crypto';
import type { OperationId } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import { PARALLEL, forEachParallel } from './api-client.js';
import { methodOf } from './case.js';
import type { BenchCase, CaseContext, Group } from './case.js';
import { lifecycle, newName } from './lifecycle.js';
import type { Kind } from './lifecycle.js';
import { interceptData } from './seed.js';
import { MANAGEMENT, madeOf, requestBytes } from './world.js';
import type { World } from './world.js';

/** Hashing a password takes some 12 ms of a core: cases that do it are kept short. */
const HASHES_PER_SECOND = 200;
const WRITES_PER_SECOND = 1500;
const later = new Date(Date.now() + 86_400_000).toISOString();
const tags = { patched: true };
const PASSWORD = `Aa1!${randomBytes(9).toString('base64url')}`;

const identity: Kind = {
  noun: 'identity',
  collection: 'identities',
  perSecond: WRITES_PER_SECOND,
  operations: { create: 'createIdentity', patch: 'patchIdentity', update: 'updateIdentity', delete: 'deleteIdentity' },
  create: () => ({
    name: newName('identity'),
    type: 'Device',
    isAdmin: false,
    roleAttributes: ['bench-new', 'bench-dept-1'],
    tags: {},
  }),
  patch: { roleAttributes: ['bench-new', 'bench-dept-2'] },
  update: () => ({ name: newName('identity-put'), type: 'Device', isAdmin: false, roleAttributes: ['bench-new'] }),
  acts: [
    { name: 'disable', operationId: 'disableIdentity', path: '/disable', body: { durationMinutes: 10 } },
    { name: 'enable', operationId: 'enableIdentity', path: '/enable', body: {} },
  ],
};
/** Made unmeasured, for authenticators and enrollments to belong to. */
const owner: Kind = {
  noun: 'owner',
  collection: 'identities',
  perSecond: WRITES_PER_SECOND,
  operations: {},
  create: identity.create,
};

const service: Kind = {
  noun: 'service',
  collection: 'services',
  perSecond: WRITES_PER_SECOND,
  operations: { create: 'createService', patch: 'patchService', update: 'updateService', delete: 'deleteService' },
  create: () => ({ name: newName('service'), encryptionRequired: true, roleAttributes: ['bench-new'], configs: [] }),
  patch: { roleAttributes: ['bench-new', 'bench-app-1'] },
  update: () => ({
    name: newName('service-put'),
    encryptionRequired: true,
    roleAttributes: ['bench-new'],
    configs: [],
  }),
};

const config: Kind = {
  noun: 'config',
  collection: 'configs',
  perSecond: WRITES_PER_SECOND,
  operations: { create: 'createConfig', patch: 'patchConfig', update: 'updateConfig', delete: 'deleteConfig' },
  create: ({ interceptTypeId }) => ({
    name: newName('config'),
    configTypeId: interceptTypeId,
    data: interceptData('new.example.org'),
  }),
  patch: { data: interceptData('patched.example.org') },
  update: () => ({ name: newName('config-put'), data: interceptData('put.example.org') }),
};

const configType: Kind = {
  noun: 'config type',
  collection: 'config-types',
  perSecond: WRITES_PER_SECOND / 5,
  operations: {
    create: 'createConfigType',
    patch: 'patchConfigType',
    update: 'updateConfigType',
    delete: 'deleteConfigType',
  },
  create: () => ({ name: newName('type'), schema: { type: 'object', properties: { queue: { type: 'string' } } } }),
  patch: { tags },
  update: () => ({ name: newName('type-put'), schema: { type: 'object', properties: { queue: { type: 'string' } } } }),
};

const servicePolicy: Kind = {
  noun: 'service policy',
  collection: 'service-policies',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createServicePolicy',
    patch: 'patchServicePolicy',
    update: 'updateServicePolicy',
    delete: 'deleteServicePolicy',
  },
  create: () => ({
    name: newName('policy'),
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#bench-dept-3'],
    serviceRoles: ['#bench-app-4'],
  }),
  patch: { serviceRoles: ['#bench-app-5'] },
  update: () => ({
    name: newName('policy-put'),
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#bench-dept-3'],
    serviceRoles: ['#bench-app-6'],
  }),
};

/** It selects everything: what it costs must not depend on how much that is. */
const wholePolicy: Kind = {
  noun: 'policy all to all',
  collection: 'service-policies',
  perSecond: WRITES_PER_SECOND,
  operations: servicePolicy.operations,
  create: () => ({
    name: newName('whole'),
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  }),
  patch: { identityRoles: ['#all'], tags },
  update: () => ({
    name: newName('whole-put'),
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  }),
};

const authenticator: Kind = {
  noun: 'authenticator',
  collection: 'authenticators',
  owner,
  perSecond: HASHES_PER_SECOND,
  operations: {
    create: 'createAuthenticator',
    patch: 'patchAuthenticator',
    update: 'updateAuthenticator',
    delete: 'deleteAuthenticator',
  },
  create: (_, identityId) => ({ method: 'updb', identityId, username: `bench-${identityId}`, password: PASSWORD }),
  patch: { tags },
  update: () => ({ username: newName('user'), password: PASSWORD }),
};

const enrollment: Kind = {
  noun: 'enrollment',
  collection: 'enrollments',
  owner,
  perSecond: WRITES_PER_SECOND,
  operations: { create: 'createEnrollment', delete: 'deleteEnrollment' },
  create: (_, identityId) => ({ method: 'ott', identityId, expiresAt: later }),
  acts: [
    { name: 'by id', operationId: 'detailEnrollment', path: '' },
    { name: 'refresh', operationId: 'refreshEnrollment', path: '/refresh', body: { expiresAt: later } },
  ],
};

const sessionsOf = (world: World): string[] => madeOf(world, 'API session');
const enrolled = (world: World): string[] => madeOf(world, 'enrolled identity');
const deleteSession = (world: World) => (id: string) =>
  requestBytes(world, { method: 'DELETE', path: `${MANAGEMENT}/api-sessions/${id}`, token: world.admin.token });
const sessions: Group = {
  clearUp: async ({ world, load }) => {
    const requests = sessionsOf(world).splice(0).map(deleteSession(world));
    if (requests.length > 0)
      await load.run(world.target, { mode: 'once', requests, connections: PARALLEL, seconds: 60 });
  },
};
const few = ({ seconds }: CaseContext): number => Math.ceil(Math.min(2, seconds) * HASHES_PER_SECOND * 0.2);
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const login = (world: World) =>
  requestBytes(world, {
    method: 'POST',
    path: `${basePaths.client}/authenticate?method=password`,
    body: {
      username: world.clientIdentity.username,
      password: world.clientIdentity.password,
      configTypes: ['intercept.v1'],
    },
  });

const loginCases: readonly BenchCase[] = [
  {
    name: 'authenticate',
    api: 'client',
    operationId: 'authenticate',
    group: sessions,
    plan: async ({ world }) => ({ mode: 'cycle', collectsIds: true, requests: [login(world)] }),
    after: async ({ world }, { ids }) => {
      sessionsOf(world).push(...ids);
    },
  },
  {
    name: 'API session by id',
    api: 'management',
    operationId: 'detailAPISessions',
    group: sessions,
    plan: async (context) => {
      await logIn(context, 10);
      const { world } = context;
      return {
        mode: 'cycle',
        requests: sessionsOf(world)
          .slice(0, 100)
          .map((id) =>
            requestBytes(world, { method: 'GET', path: `${MANAGEMENT}/api-sessions/${id}`, token: world.admin.token }),
          ),
      };
    },
  },
  {
    name: 'API session delete',
    api: 'management',
    operationId: 'deleteAPISessions',
    group: sessions,
    plan: async (context) => {
      await logIn(context, few(context));
      const pool = sessionsOf(context.world);
      const ids = pool.splice(0, few(context));
      return { mode: 'once', requests: ids.map(deleteSession(context.world)), spends: { ids, pool } };
    },
  },
  {
    name: 'log out',
    api: 'client',
    operationId: 'deleteCurrentApiSession',
    plan: async (context) => {
      const { world } = context;
      const tokens: (string | undefined)[] = [];
      await forEachParallel(times(few(context)), async () => {
        const session = await world.admin.login(world.clientIdentity.username, world.clientIdentity.password);
        session.close();
        tokens.push(session.token);
      });
      return {
        mode: 'once',
        requests: tokens.map((token) =>
          requestBytes(world, { method: 'DELETE', path: `${basePaths.client}/current-api-session`, token }),
        ),
      };
    },
  },
];

/** With the present password, which is checked, and the same again as the new one, which is hashed. */
const ownChange = (
  name: string,
  operationId: 'patchCurrentIdentityAuthenticator' | 'updateCurrentIdentityAuthenticator',
): BenchCase => ({
  name,
  api: 'client',
  operationId,
  plan: async ({ world }) => {
    const { username, password, authenticatorId } = world.clientIdentity;
    return {
      mode: 'cycle',
      requests: [
        requestBytes(world, {
          method: methodOf('client', operationId),
          path: `${basePaths.client}/current-identity/authenticators/${authenticatorId}`,
          body: {
            username,
            currentPassword: password,
            ...(operationId === 'updateCurrentIdentityAuthenticator' ? { password } : {}),
          },
          token: world.client.token,
        }),
      ],
    };
  },
});

async function logIn({ world, load }: CaseContext, wanted: number): Promise<void> {
  const missing = wanted - sessionsOf(world).length;
  if (missing <= 0) return;
  const { ids } = await load.run(world.target, {
    mode: 'cycle',
    requests: [login(world)],
    collectsIds: true,
    connections: PARALLEL,
    seconds: 60,
    maxRequests: missing,
  });
  sessionsOf(world).push(...ids);
}

const enrollments: Group = {
  clearUp: async ({ world }) => {
    await forEachParallel(enrolled(world).splice(0), (id) =>
      world.admin.call('DELETE', `${MANAGEMENT}/identities/${id}`),
    );
  },
};

const PAIRS = 50;

/**
 * Over and over the same pairs of service and config, for an identity of its own: assigned again, or taken away and
 * gone.
 */
const serviceConfigs = (
  name: string,
  operationId: 'associateIdentitysServiceConfigs' | 'disassociateIdentitysServiceConfigs',
): BenchCase => ({
  name,
  api: 'management',
  operationId,
  plan: async ({ world }) => ({
    mode: 'cycle',
    requests: world.services.slice(0, PAIRS).flatMap(({ id }, index) => {
      const [identity, config] = [world.identities[index], world.configs[index]];
      return identity === undefined || config === undefined
        ? []
        : [
            requestBytes(world, {
              method: methodOf('management', operationId),
              path: `${MANAGEMENT}/identities/${identity.id}/service-configs`,
              body: [{ serviceId: id, configId: config.id }],
              token: world.admin.token,
            }),
          ];
    }),
  }),
});

/** Each token works once, so each request has an identity of its own. */
const enrolling = (name: string, operationId: OperationId<'client'>, path: string): BenchCase => ({
  name,
  api: 'client',
  operationId,
  group: enrollments,
  plan: async (context) => {
    const { world } = context;
    const requests: Buffer[] = [];
    await forEachParallel(times(few(context)), async () => {
      const username = `bench-new-${randomBytes(9).toString('hex')}`;
      const id = await world.admin.create(`${MANAGEMENT}/identities`, {
        name: username,
        type: 'Device',
        isAdmin: false,
        enrollment: { updb: username },
      });
      const [made] = await world.admin.call<{ token: string }[]>('GET', `${MANAGEMENT}/identities/${id}/enrollments`);
      enrolled(world).push(id);
      requests.push(
        requestBytes(world, {
          method: 'POST',
          path: `${basePaths.client}${path}token=${made?.token ?? ''}`,
          body: { username, password: PASSWORD },
        }),
      );
    });
    return { mode: 'once', requests };
  },
});

export const changingCases: readonly BenchCase[] = [
  ...loginCases,
  ownChange('own authenticator patch', 'patchCurrentIdentityAuthenticator'),
  { ...ownChange('own authenticator update', 'updateCurrentIdentityAuthenticator'), isAlone: true },
  ...[identity, service, config, configType, servicePolicy, wholePolicy, authenticator, enrollment].flatMap(lifecycle),
  serviceConfigs('service config assign', 'associateIdentitysServiceConfigs'),
  serviceConfigs('service config unassign', 'disassociateIdentitysServiceConfigs'),
  enrolling('enroll updb', 'enrollUpdb', '/enroll/updb?'),
  enrolling('enroll', 'enroll', '/enroll?method=updb&'),
];
