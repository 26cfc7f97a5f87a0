/** One service, its host and its dialers, each right by a policy of its own; and every way to take one of them away. */
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { unique } from './controller.js';
import type { Caller, TestController } from './controller.js';
import { make } from './entities.js';
import { CLIENT, MANAGEMENT } from './paths.js';
import type { Shown } from './traffic.js';

type Made = Pick<TestController, 'admin' | 'newCaller'>;

/** Ids of policies. */
interface Policies {
  readonly bind: string;
  readonly dial: string;
  /** Of the routers themselves. */
  readonly ownDial: string;
  readonly hostRouters: string;
  readonly dialerRouters: string;
  readonly serviceRouters: string;
}

export class AccessScene {
  private constructor(
    readonly serviceId: string,
    readonly name: string,
    readonly policies: Policies,
    /** Of the posture check that dialers must pass; '' for none. */
    readonly checkId: string,
    /** One for each router, in the same order. */
    readonly hosts: readonly Shown[],
    readonly dialers: readonly Shown[],
  ) {}

  /** @param isPostured  dialers must pass a posture check, and do */
  static async open(controller: Made, routerIds: readonly string[], { isPostured = false } = {}): Promise<AccessScene> {
    const name = unique('scene');
    const create = (collection: string, body: object) => make(controller, collection, body);
    const policy = (collection: string, body: object) =>
      create(collection, { name: unique('policy'), semantic: 'AnyOf', ...body });
    const edgeRouterRoles = routerIds.map((id) => `@${id}`);
    const serviceId = await create('services', { name, encryptionRequired: false });
    const serviceRoles = [`@${serviceId}`];
    const checkId = isPostured
      ? await create('posture-checks', { name: unique('check'), typeId: 'DOMAIN', domains: ['good'] })
      : '';
    const grant = (type: string, identityRoles: readonly string[], more = {}) =>
      policy('service-policies', { type, identityRoles, serviceRoles, ...more });
    const policies = {
      bind: await grant('Bind', [`#${name}-host`]),
      dial: await grant('Dial', [`#${name}-dial`], isPostured ? { postureCheckRoles: [`@${checkId}`] } : {}),
      ownDial: await grant('Dial', edgeRouterRoles),
      hostRouters: await policy('edge-router-policies', { identityRoles: [`#${name}-host`], edgeRouterRoles }),
      dialerRouters: await policy('edge-router-policies', { identityRoles: [`#${name}-dial`], edgeRouterRoles }),
      serviceRouters: await policy('service-edge-router-policies', { serviceRoles, edgeRouterRoles }),
    };
    const session = async (type: 'Bind' | 'Dial', attribute: string): Promise<Shown> => {
      const caller = await controller.newCaller({ roleAttributes: [attribute] });
      if (isPostured) await passPosture(caller);
      const answer = await caller.client.post(`${CLIENT}/sessions`, { serviceId, type });
      const { id, token } = expectStatus(answer, 201).data as { id: string; token: string };
      return { id, sessionToken: token, apiSessionToken: caller.client.token ?? '', caller };
    };
    const hosts: Shown[] = [];
    const dialers: Shown[] = [];
    for (let index = 0; index < routerIds.length; index += 1) {
      hosts.push(await session('Bind', `${name}-host`));
      dialers.push(await session('Dial', `${name}-dial`));
    }
    return new AccessScene(serviceId, name, policies, checkId, hosts, dialers);
  }
}

async function passPosture({ client }: Caller): Promise<void> {
  const body = { typeId: 'DOMAIN', id: '0', domain: 'good' };
  expectStatus(await client.post(`${CLIENT}/posture-response`, body), 201);
}

export interface Way {
  readonly what: string;
  readonly isPostured?: boolean;
  /** @param admin  of the controller that is asked for the change */
  readonly take: (scene: AccessScene, admin: Client) => Promise<void>;
}

const remove = async (admin: Client, path: string) => {
  expectStatus(await admin.delete(`${MANAGEMENT}/${path}`), 200);
};
const patch = async (admin: Client, path: string, body: object) => {
  expectStatus(await admin.patch(`${MANAGEMENT}/${path}`, body), 200);
};

const policyWays = (whose: string, collection: string, key: keyof Policies, roles: object): readonly [Way, Way] => [
  {
    what: `the policy of ${whose} is deleted`,
    take: ({ policies }, admin) => remove(admin, `${collection}/${policies[key]}`),
  },
  {
    what: `the policy of ${whose} is narrowed`,
    take: ({ policies }, admin) => patch(admin, `${collection}/${policies[key]}`, { semantic: 'AnyOf', ...roles }),
  },
];

const NO_ROUTER = { edgeRouterRoles: ['#none'] };
const NO_IDENTITY = { identityRoles: ['#none'] };

const sessionWays = (end: 'hosts' | 'dialers'): readonly Way[] => {
  const all = async (scene: AccessScene, take: (shown: Shown) => Promise<void>) => {
    for (const shown of scene[end]) await take(shown);
  };
  const one = end.slice(0, -1);
  return [
    {
      what: `the session of the ${one} is deleted`,
      take: (scene, admin) => all(scene, ({ id }) => remove(admin, `sessions/${id}`)),
    },
    {
      what: `the ${one} logs out`,
      take: (scene) =>
        all(scene, async ({ caller }) => {
          expectStatus(await caller.client.delete(`${CLIENT}/current-api-session`), 200);
        }),
    },
    {
      what: `the identity of the ${one} is disabled`,
      take: (scene, admin) =>
        all(scene, async ({ caller }) => {
          const path = `${MANAGEMENT}/identities/${caller.id}/disable`;
          expectStatus(await admin.post(path, { durationMinutes: 5 }), 200);
        }),
    },
    {
      what: `the identity of the ${one} is deleted`,
      take: (scene, admin) => all(scene, ({ caller }) => remove(admin, `identities/${caller.id}`)),
    },
    {
      what: `the ${one} loses its role`,
      take: (scene, admin) =>
        all(scene, ({ caller }) => patch(admin, `identities/${caller.id}`, { roleAttributes: [] })),
    },
  ];
};

/** What clients lose that dial. */
export const DIALER_WAYS: readonly Way[] = [
  ...policyWays('dialers and routers', 'edge-router-policies', 'dialerRouters', NO_ROUTER),
  ...policyWays('dialers', 'service-policies', 'dial', NO_IDENTITY),
  ...sessionWays('dialers'),
  {
    what: 'the dialer does not pass its posture check any more',
    isPostured: true,
    take: ({ checkId }, admin) => patch(admin, `posture-checks/${checkId}`, { typeId: 'DOMAIN', domains: ['other'] }),
  },
];
/** What hosts lose. */
export const HOST_WAYS: readonly Way[] = [
  ...policyWays('hosts and routers', 'edge-router-policies', 'hostRouters', NO_ROUTER),
  ...policyWays('hosts', 'service-policies', 'bind', NO_IDENTITY),
  ...sessionWays('hosts'),
];
/** What all lose. */
export const COMMON_WAYS: readonly Way[] = [
  ...policyWays('the service and routers', 'service-edge-router-policies', 'serviceRouters', NO_ROUTER),
  { what: 'the service is deleted', take: ({ serviceId }, admin) => remove(admin, `services/${serviceId}`) },
];
/** What routers lose that dial by themselves. */
export const OWN_WAYS: readonly Way[] = policyWays('routers', 'service-policies', 'ownDial', NO_IDENTITY);
