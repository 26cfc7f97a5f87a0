/** One identity that reaches one service over a router, with every link of the chain there to be broken. */
import type { ChainItem } from '../../domain/explain/explanation.js';
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { unique } from './controller.js';
import type { Caller, TestController } from './controller.js';
import { makeIdentity, makeService, makeServicePolicy } from './make.js';
import { CLIENT, MANAGEMENT } from './paths.js';

export interface Explained {
  readonly outcome: string;
  readonly cause: string | null;
  readonly verdict: string;
  readonly remedy: string;
  readonly links: readonly {
    readonly step: string;
    readonly state: string;
    readonly finding: string;
    readonly items: readonly ChainItem[];
  }[];
}

export const HOST = 'host-of-the-test';

/** A process with channels of routers, which lives as long as the test. */
export async function openHost({ database }: TestController): Promise<void> {
  await database.query(
    'INSERT INTO router_hosts (id, controller_id, seen_at) ' +
      "SELECT $1, id, now() + interval '1 day' FROM controllers LIMIT 1",
    [HOST],
  );
}

/** Straight into the tables: what counts is what is known of routers, not how they come to be. */
export async function addRouter({ database }: TestController, attributes: readonly string[] = []): Promise<string> {
  const id = unique('router');
  await database.query('INSERT INTO routers (id, name, is_edge, role_attributes) VALUES ($1, $1, true, $2)', [
    id,
    attributes,
  ]);
  return id;
}

export async function connect({ database }: TestController, routerId: string): Promise<void> {
  await database.query(
    `INSERT INTO router_channels (router_id, host_id, sync_status, hostname, protocols, version_info)
    VALUES ($1, $2, 'SYNC_DONE', 'localhost', '{"tls":"tls://localhost:1"}',
      '{"arch":"","buildDate":"","os":"","revision":"","version":""}')`,
    [routerId, HOST],
  );
}

export async function disconnect({ database }: TestController, routerId: string): Promise<void> {
  await database.query('DELETE FROM router_channels WHERE router_id = $1', [routerId]);
}

export async function addTerminator(
  { database }: TestController,
  {
    serviceId,
    routerId,
    hostId,
    instanceId = '',
  }: Record<'serviceId' | 'routerId' | 'hostId', string> & { instanceId?: string },
): Promise<void> {
  await database.query(
    `INSERT INTO terminators (id, service_id, router_id, binding, address, host_id, instance_id)
    VALUES ($1, $2, $3, 'edge', $1, $4, $5)`,
    [unique('terminator'), serviceId, routerId, hostId, instanceId],
  );
}

export async function routerPolicy(
  { database }: TestController,
  kind: 'identity' | 'service',
  roles: readonly string[],
  routerRoles: readonly string[],
  semantic = 'AnyOf',
): Promise<string> {
  const table = kind === 'identity' ? 'edge_router_policies' : 'service_edge_router_policies';
  const id = unique('policy');
  await database.query(
    `INSERT INTO ${table} (id, name, semantic, ${kind}_roles, edge_router_roles) VALUES ($1, $1, $2, $3, $4)`,
    [id, semantic, roles, routerRoles],
  );
  return id;
}

export interface ExplainScene {
  readonly caller: Caller;
  readonly service: string;
  readonly serviceName: string;
  readonly policy: string;
  readonly router: string;
  readonly host: string;
  readonly identityRouters: string;
}

/** @param attribute  of identity and service, which the policy names */
export async function openScene(controller: TestController): Promise<ExplainScene> {
  const attribute = unique('attribute');
  const caller = await controller.newCaller({ roleAttributes: [attribute] });
  const serviceName = unique('service');
  const service = await makeService(controller, { name: serviceName, roleAttributes: [attribute] });
  const policy = await makeServicePolicy(controller, {
    name: unique('secret-policy'),
    identityRoles: [`#${attribute}`],
    serviceRoles: [`#${attribute}`],
  });
  const router = await addRouter(controller);
  await connect(controller, router);
  const identityRouters = await routerPolicy(controller, 'identity', [`@${caller.id}`], [`@${router}`]);
  await routerPolicy(controller, 'service', [`@${service}`], [`@${router}`]);
  const host = await makeIdentity(controller, { name: unique('secret-host') });
  await addTerminator(controller, { serviceId: service, routerId: router, hostId: host });
  return { caller, service, serviceName, policy, router, host, identityRouters };
}

export const explained = async (client: Client, identity: string, service: string, query = ''): Promise<Explained> =>
  expectStatus(await client.get(`${MANAGEMENT}/identities/${identity}/explain/${service}${query}`), 200)
    .data as Explained;

export const ownExplained = async (client: Client, service: string, query = ''): Promise<Explained> =>
  expectStatus(await client.get(`${CLIENT}/services/${service}/explain${query}`), 200).data as Explained;

export const linkOf = ({ links }: Explained, step: string): Explained['links'][number] => {
  const link = links.find((each) => each.step === step);
  if (link === undefined) throw new Error(`no link ${step}`);
  return link;
};
