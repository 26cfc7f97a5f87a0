/** A network in which posture decides: two controllers, one router for all, and callers with a service under checks. */
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import { entityOf, idsOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { Pair } from './server-support.js';

export interface PostureQuery extends Entity {
  readonly isPassing: boolean;
  readonly queryType: string;
  readonly timeout: number;
  readonly timeoutRemaining: number;
  readonly timeoutAt?: string;
}
export interface PostureQueries {
  readonly isPassing: boolean;
  readonly policyId: string;
  readonly policyType: string;
  readonly postureQueries: PostureQuery[];
}

/** A caller whose one service is granted by one policy, under checks. */
export interface Guarded {
  readonly id: string;
  readonly name: string;
  /** Of one API session, by either controller. */
  readonly client: Client;
  readonly elsewhere: Client;
  readonly service: string;
  readonly policy: string;
  readonly checks: readonly string[];
}

export interface PostureNetwork extends Pair {
  make(collection: string, body: object): Promise<string>;
  change(path: string, body: object): Promise<void>;
  check(body: object): Promise<string>;
  guard(checks: readonly string[], policy?: object): Promise<Guarded>;
  loginAs(name: string): Promise<{ client: Client; elsewhere: Client }>;
}

export async function startPostureNetwork(): Promise<PostureNetwork> {
  const pair = await startPair();
  const { admin, database, one, two } = pair;
  await database.query(`INSERT INTO routers (id, name, is_edge) VALUES ('gate', 'gate', true)`);
  await database.query(`INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
    VALUES ('a', 'a', 'AnyOf', '{#all}', '{#all}')`);
  await database.query(`INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
    VALUES ('a', 'a', 'AnyOf', '{#all}', '{#all}')`);
  const make = async (collection: string, body: object) =>
    entityOf(expectStatus(await admin.post(`${M}/${collection}`, body), 201)).id;
  const loginAs = async (name: string) => {
    const client = await one.login(name, PASSWORD);
    return { client, elsewhere: two.client(client.token) };
  };
  return {
    ...pair,
    make,
    loginAs,
    async change(path, body) {
      expectStatus(await admin.patch(`${M}/${path}`, body), 200);
    },
    check: (body) => make('posture-checks', { name: unique('check'), ...body }),
    async guard(checks, policy = {}) {
      const name = unique('caller');
      const { id } = await makeUser(admin, name);
      const service = await make('services', { name: unique('service'), encryptionRequired: false });
      return {
        id,
        name,
        service,
        checks,
        policy: await make('service-policies', {
          name: unique('policy'),
          type: 'Dial',
          semantic: 'AnyOf',
          identityRoles: [`@${id}`],
          serviceRoles: [`@${service}`],
          postureCheckRoles: checks.map((check) => `@${check}`),
          ...policy,
        }),
        ...(await loginAs(name)),
      };
    },
  };
}

export const report = async (client: Client, body: object): Promise<Answer> =>
  expectStatus(await client.post(`${C}/posture-response`, body), 201);
export const reportAll = async (client: Client, body: readonly object[]): Promise<Answer> =>
  expectStatus(await client.post(`${C}/posture-response-bulk`, body), 200);

/** What a client reads of the service's policies. */
export async function queriesOf(client: Client, service: string): Promise<PostureQueries[]> {
  const detail = entityOf(expectStatus(await client.get(`${C}/services/${service}`), 200));
  return detail['postureQueries'] as PostureQueries[];
}

export async function isPassing(client: Client, service: string): Promise<boolean> {
  return (await queriesOf(client, service)).some((policy) => policy.isPassing);
}

export async function onlyQuery(client: Client, service: string): Promise<PostureQuery> {
  const [policy] = await queriesOf(client, service);
  const [query] = policy?.postureQueries ?? [];
  if (query === undefined) throw new Error('the service has no posture query');
  return query;
}

export const openSession = (client: Client, serviceId: string, type = 'Dial'): Promise<Answer> =>
  client.post(`${C}/sessions`, { serviceId, type });
export const opened = async (client: Client, serviceId: string): Promise<string> =>
  entityOf(expectStatus(await openSession(client, serviceId), 201)).id;
export const ownSessions = async (client: Client): Promise<string[]> => idsOf(await client.get(`${C}/sessions`));
export const lastChange = async (client: Client): Promise<string> =>
  String(entityOf(expectStatus(await client.get(`${C}/current-api-session/service-updates`), 200))['lastChangeAt']);
