/**
 * Fills a controller through its API: identities with a broad and a selective role attribute each, services with a
 * config, Dial and Bind policies between them, and what seed-routing.ts adds. What is there already, by name, is used
 * again.
 */
import { randomBytes } from 'node:crypto';
import { ApiClient } from './api-client.js';
import { ensureAll, number } from './ensure.js';
import type { Entities } from './ensure.js';
import { seedRouting, seedSessions } from './seed-routing.js';
import { MANAGEMENT } from './world.js';
import type { Named, World } from './world.js';

/** Departments are broad (a twentieth of all identities each), sites selective (25 identities each). */
export const GROUPS = 20;
const SITE_SIZE = 25;
const TOWNS = [
  'aarhus',
  'bergen',
  'cadiz',
  'dresden',
  'evora',
  'fulda',
  'ghent',
  'haifa',
  'izmir',
  'jena',
  'kazan',
  'lyon',
  'malmo',
];
const THINGS = ['laptop', 'phone', 'gateway', 'sensor', 'tablet', 'kiosk', 'server'];

export interface SeedOptions {
  readonly label: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly identities: number;
  readonly services: number;
}

const of = (words: readonly string[], index: number): string => words[index % words.length] ?? '';
export const identityName = (index: number): string =>
  `bench-identity-${number(index)}-${of(TOWNS, index)}-${of(THINGS, index)}`;

function identityBody(index: number) {
  return {
    name: identityName(index),
    type: 'Device',
    isAdmin: false,
    roleAttributes: [`bench-dept-${index % GROUPS}`, `bench-site-${Math.floor(index / SITE_SIZE)}`],
    tags: { town: of(TOWNS, index), floor: String(index % 7) },
  };
}

export async function seed({ label, url, username, password, identities, services }: SeedOptions): Promise<World> {
  const anonymous = new ApiClient(url);
  const admin = await anonymous.loginToManage(username, password);
  const { hostname, port } = new URL(url);
  const ensure = (what: Entities) => ensureAll<Named>(admin, label, what);
  const interceptTypeId = (await admin.listAll<Named>(`${MANAGEMENT}/config-types`, 'name = "intercept.v1"'))[0]?.id;
  if (interceptTypeId === undefined) throw new Error(`${url} has no config type intercept.v1`);

  const madeIdentities = await ensure({
    path: 'identities',
    prefix: 'bench-identity-',
    count: identities,
    body: identityBody,
  });
  const configs = await ensure({
    path: 'configs',
    prefix: 'bench-config-',
    count: services,
    body: (index) => ({
      name: `bench-config-${number(index)}`,
      configTypeId: interceptTypeId,
      data: interceptData(`bench-${index}.example.org`),
    }),
  });
  const madeServices = await ensure({
    path: 'services',
    prefix: 'bench-service-',
    count: services,
    body: (index) => ({
      name: `bench-service-${number(index)}-${of(THINGS, index)}`,
      encryptionRequired: true,
      configs: [configs[index]?.id],
      roleAttributes: [`bench-app-${index % GROUPS}`],
    }),
  });
  const policies = await ensure({
    path: 'service-policies',
    prefix: 'bench-policy-',
    count: 2 * GROUPS + 1,
    body: policyBody,
  });
  const clientIdentity = await ensureClient(admin);
  const client = await anonymous.login(clientIdentity.username, clientIdentity.password, {
    configTypes: ['intercept.v1'],
  });
  anonymous.close();
  const routing = await seedRouting(admin, label, madeServices);
  const sessions = await seedSessions(client, madeServices);
  return {
    label,
    target: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 443 : port) },
    admin,
    credentials: { username, password },
    client,
    clientIdentity,
    identities: madeIdentities,
    configs,
    services: madeServices,
    policies,
    interceptTypeId,
    ...routing,
    sessions,
    made: new Map(),
  };
}

export const interceptData = (address: string) => ({
  protocols: ['tcp'],
  addresses: [address],
  portRanges: [{ low: 443, high: 443 }],
});

/**
 * The first 20 let departments dial groups of services, the next 20 let sites bind them, the last lets the client dial
 * all.
 */
function policyBody(index: number) {
  const group = index % GROUPS;
  const name = `bench-policy-${number(index)}`;
  if (index === 2 * GROUPS)
    return { name, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#bench-client'], serviceRoles: ['#all'] };
  const isDial = index < GROUPS;
  return {
    name,
    type: isDial ? 'Dial' : 'Bind',
    semantic: 'AnyOf',
    identityRoles: [isDial ? `#bench-dept-${group}` : `#bench-site-${group}`],
    serviceRoles: [`#bench-app-${group}`],
  };
}

/** The password is a new random one each time: nothing usable stays behind. */
async function ensureClient(admin: ApiClient): Promise<World['clientIdentity']> {
  const name = 'bench-client';
  const password = `Aa1!${randomBytes(18).toString('base64url')}`;
  const found = (await admin.listAll<Named>(`${MANAGEMENT}/identities`, `name = "${name}"`))[0];
  const id =
    found?.id ??
    (await admin.create(`${MANAGEMENT}/identities`, {
      name,
      type: 'Device',
      isAdmin: false,
      roleAttributes: ['bench-client', 'bench-dept-0'],
    }));
  const old = (
    await admin.listAll<{ id: string; method: string }>(`${MANAGEMENT}/authenticators`, `identity = "${id}"`)
  ).filter(({ method }) => method === 'updb');
  for (const authenticator of old) await admin.call('DELETE', `${MANAGEMENT}/authenticators/${authenticator.id}`);
  const authenticatorId = await admin.create(`${MANAGEMENT}/authenticators`, {
    identityId: id,
    method: 'updb',
    username: name,
    password,
  });
  return { id, username: name, password, authenticatorId };
}
