/**
 * A small company's network, for pages that show one: people and devices, services, policies of all kinds, and each
 * state that access may have. Routers are rows: what counts is what is known of them.
 */
import { expectStatus } from './client.js';
import type { TestController } from './controller.js';
import { make } from './entities.js';
import { HOST, addTerminator, connect, openHost } from './explain-scene.js';
import {
  makeConfig,
  makeEdgeRouterPolicy,
  makeIdentity,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from './make.js';
import { MANAGEMENT } from './paths.js';

export interface CompanyNetwork {
  readonly identities: Readonly<Record<string, string>>;
  readonly services: Readonly<Record<string, string>>;
  readonly policies: Readonly<Record<string, string>>;
  readonly routers: readonly string[];
}

const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  'anna.keller': ['sales'],
  'ben.okafor': ['sales'],
  'chloe.martin': ['sales', 'leads'],
  'dev-laptop-1': ['engineering'],
  'dev-laptop-2': ['engineering'],
  'dev-laptop-3': ['engineering'],
  'dev-laptop-4': ['engineering', 'on-call'],
  'build-server': ['ci'],
  'ops-station': ['operations', 'on-call'],
  'contractor-7': ['contractors'],
  'contractor-9': ['contractors'],
  'host-berlin': ['hosts'],
  'host-lisbon': ['hosts'],
};
const SERVICES: Readonly<Record<string, readonly string[]>> = {
  wiki: ['everyday'],
  mail: ['everyday'],
  crm: ['sales-apps'],
  git: ['code'],
  artifacts: ['code'],
  grafana: ['monitoring'],
  'prod-db': ['production'],
};
/** Services that a host offers now. */
const HOSTED = ['wiki', 'mail', 'crm', 'git', 'artifacts', 'grafana'];

const DIALS: readonly (readonly [name: string, identities: readonly string[], services: readonly string[]])[] = [
  ['everybody-everyday', ['#all'], ['#everyday']],
  ['sales-crm', ['#sales'], ['#sales-apps']],
  ['engineers-code', ['#engineering', '#ci'], ['#code']],
  ['on-call-monitoring', ['#on-call'], ['#monitoring']],
  ['operations-production', ['#operations'], ['#production']],
];

async function makeAll(
  names: Readonly<Record<string, readonly string[]>>,
  maker: (name: string, roleAttributes: string[]) => Promise<string>,
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const [name, attributes] of Object.entries(names)) made[name] = await maker(name, [...attributes]);
  return made;
}

async function makeRouters(controller: TestController, names: readonly string[]): Promise<string[]> {
  await openHost(controller);
  for (const name of names) {
    const sql = 'INSERT INTO routers (id, name, is_edge, role_attributes) VALUES ($1, $1, true, $2)';
    await controller.database.query(sql, [name, ['public']]);
  }
  for (const name of names.slice(0, -1)) await connect(controller, name);
  return [...names];
}

/** Links between each two routers that are there, with these latencies in milliseconds. */
async function linkRouters({ database }: TestController, routers: readonly string[]): Promise<void> {
  const pairs = routers.flatMap((from, index) => routers.slice(index + 1).map((to) => [from, to] as const));
  for (const [index, [from, to]] of pairs.entries()) {
    const latency = (index + 1) * 9_400_000;
    await database.query(
      "INSERT INTO router_links VALUES ($1, $2, 1, $3, $4, 'tls', 'tls:router.example:6000', now(), $5, $5, 1, '[]')",
      [`link-${index + 1}`, HOST, from, to, latency],
    );
  }
}

interface Traffic {
  readonly clients: readonly string[];
  readonly serviceId: string;
  readonly terminatorId: string;
}

/** Circuits from the first router to the second, and a day of use. */
async function sendTraffic({ database }: TestController, { clients, serviceId, terminatorId }: Traffic): Promise<void> {
  for (const [index, clientId] of clients.entries())
    await database.query(
      `INSERT INTO circuits (id, host_id, created_at, service_id, terminator_id, client_id, router_ids, link_ids, cost)
      VALUES ($1, $2, now() - make_interval(mins => $3), $4, $5, $6, '{berlin,lisbon}', '{link-1}', 10)`,
      [`circuit-${index}`, HOST, 3 * (index + 1), serviceId, terminatorId, clientId],
    );
  await database.query(
    `INSERT INTO usage_hours SELECT date_trunc('hour', now()) - make_interval(hours => h), 'service', $1,
      (1 + h % 7) * 40000000, (2 + h % 5) * 150000000, 40 + (h * 13) % 60, h % 4 FROM generate_series(0, 23) h`,
    [serviceId],
  );
  await database.query('UPDATE router_hosts SET circuits = $1', [clients.length]);
  await database.query(
    `INSERT INTO dial_minutes SELECT now() - make_interval(mins => m), 3 + m % 4, m % 9 / 8
    FROM generate_series(0, 55) m`,
  );
}

/** One identity and one service that nobody has used for long, in a network that is as old as that. */
async function leaveUnused({ database }: TestController, identityId: string, serviceId: string): Promise<void> {
  const year = "interval '1 year'";
  await database.query(`UPDATE network SET uses_known_since = now() - ${year}`);
  for (const [table, kind, id, days] of [
    ['identities', 'identity', identityId, 127],
    ['services', 'service', serviceId, 208],
  ] as const) {
    await database.query(`UPDATE ${table} SET created_at = now() - ${year} WHERE id = $1`, [id]);
    const sql = 'INSERT INTO last_uses VALUES ($1, $2, now() - make_interval(days => $3))';
    await database.query(sql, [kind, id, days]);
  }
}

async function makePolicies(controller: TestController): Promise<Record<string, string>> {
  const policies: Record<string, string> = {};
  for (const [name, identityRoles, serviceRoles] of DIALS)
    policies[name] = await makeServicePolicy(controller, {
      ...{ name, identityRoles: [...identityRoles], serviceRoles: [...serviceRoles] },
    });
  await make(controller, 'posture-checks', {
    ...{ typeId: 'MAC', name: 'company device', roleAttributes: ['company'], macAddresses: ['0123456789ab'] },
  });
  policies['contractors-code'] = await makeServicePolicy(controller, {
    ...{ name: 'contractors-code', identityRoles: ['#contractors'], serviceRoles: ['#code'] },
    postureCheckRoles: ['#company'],
  });
  policies['hosts'] = await makeServicePolicy(controller, {
    ...{ name: 'hosts', type: 'Bind', identityRoles: ['#hosts'], serviceRoles: ['#all'] },
  });
  await makeEdgeRouterPolicy(controller, { name: 'all-routers', identityRoles: ['#all'], edgeRouterRoles: ['#all'] });
  await makeServiceEdgeRouterPolicy(controller, { name: 'all', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
  return policies;
}

/** A contractor at its device, which has told nothing of itself: no posture check passes. */
async function signInContractor(controller: TestController, name: string): Promise<string> {
  const { id } = await controller.newCaller({ roleAttributes: ['contractors'] });
  expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, { name }), 200);
  return id;
}

export async function buildCompany(controller: TestController): Promise<CompanyNetwork> {
  const routers = await makeRouters(controller, ['berlin', 'lisbon', 'oslo', 'spare']);
  await linkRouters(controller, routers.slice(0, 3));
  const identities = await makeAll(PEOPLE, (name, roleAttributes) =>
    name.startsWith('contractor-')
      ? signInContractor(controller, name)
      : makeIdentity(controller, { name, roleAttributes, type: 'Default' }),
  );
  const configTypeId = 'host.v1';
  const [hostType] = (await controller.admin.get(`${MANAGEMENT}/config-types?filter=name="${configTypeId}"`)).data as {
    id: string;
  }[];
  const services = await makeAll(SERVICES, async (name, roleAttributes) => {
    const data = { protocol: 'tcp', address: `${name}.internal`, port: 443 };
    const config = await makeConfig(controller, { name: `${name}-host`, configTypeId: hostType?.id ?? '', data });
    return makeService(controller, { name, roleAttributes, configs: [config] });
  });
  const policies = await makePolicies(controller);
  for (const [index, name] of HOSTED.entries())
    await addTerminator(controller, {
      serviceId: services[name] ?? '',
      routerId: routers[index % 3] ?? '',
      hostId: identities['host-berlin'] ?? '',
    });
  const [terminator] = (
    await controller.database.query('SELECT id FROM terminators WHERE service_id = $1', [services['git']])
  ).rows;
  await sendTraffic(controller, {
    clients: ['dev-laptop-1', 'dev-laptop-2', 'build-server'].map((name) => identities[name] ?? ''),
    ...{ serviceId: services['git'] ?? '', terminatorId: String(terminator?.['id']) },
  });
  await leaveUnused(controller, identities['ben.okafor'] ?? '', services['artifacts'] ?? '');
  return { identities, services, policies, routers };
}
