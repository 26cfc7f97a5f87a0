/**
 * What the attacks act on: 3,001 services that one low identity sees, another identity to suffer from them, and an
 * administrator.
 */
import { randomBytes } from 'node:crypto';
import { ApiClient } from '../api-client.js';
import { ensureAll, number } from '../ensure.js';
import { SERIAL } from '../load.js';
import type { Target } from '../load.js';
import type { OwnController } from '../own-controller.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import type { Known, Named } from '../world.js';

export const SERVICES = 3_001;
const IDENTITIES = 500;
const TAG_LETTERS = 600;
const GROUPS = 20;

export interface Person {
  readonly client: ApiClient;
  readonly username: string;
  readonly password: string;
}

export interface AbuseWorld {
  readonly target: Target;
  readonly admin: ApiClient;
  /** Another administrator, who only wants usual answers. */
  readonly overseer: ApiClient;
  readonly attacker: Person;
  readonly victim: Person;
  readonly services: readonly Known[];
}

const WORDS = ['straße', 'hafen', 'turm', 'Ωmega', 'wald', 'brücke', 'feld', 'quelle', 'markt', 'licht'];

/** A text of its own for each service, with letters beyond ASCII, for upper-casing. */
function note(index: number): string {
  let text = `${number(index)} `;
  for (let at = index; text.length < TAG_LETTERS; at = (at * 7 + 3) % 9_973)
    text += `${WORDS[at % WORDS.length] ?? ''} `;
  return text.slice(0, TAG_LETTERS);
}

export async function seedAbuse(own: OwnController): Promise<AbuseWorld> {
  const { hostname, port } = new URL(own.url);
  const anonymous = new ApiClient(own.url);
  const admin = await anonymous.loginToManage(own.username, own.password);
  const all = (path: string, count: number, body: (index: number) => Readonly<Record<string, unknown>>) =>
    ensureAll<Named>(admin, 'abuse', { path, prefix: 'abuse-', count, body });
  const types = await admin.listAll<Named>(`${MANAGEMENT}/config-types`, 'name = "host.v1"');
  const data = { protocol: 'tcp', address: 'abuse.example.org', port: 443 };
  const config = await admin.create(`${MANAGEMENT}/configs`, {
    name: 'abuse-config',
    configTypeId: types[0]?.id,
    data,
  });
  const services = await all('services', SERVICES, (index) => ({
    name: `abuse-service-${number(index)}`,
    encryptionRequired: true,
    configs: [config],
    roleAttributes: [`abuse-app-${index % GROUPS}`],
    tags: { note: note(index) },
  }));
  await all('identities', IDENTITIES, (index) => ({
    name: `abuse-identity-${number(index)}`,
    type: 'Device',
    isAdmin: false,
    roleAttributes: [`abuse-dept-${index % GROUPS}`],
    tags: { note: note(index) },
  }));
  await all('service-policies', 1, () => ({
    name: 'abuse-all',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#abuse-low'],
    serviceRoles: ['#all'],
  }));
  // Sessions need a router that their owner may use.
  const everybody = { semantic: 'AnyOf', identityRoles: ['#all'], edgeRouterRoles: ['#all'], serviceRoles: ['#all'] };
  await admin.create(`${MANAGEMENT}/edge-routers`, { name: 'abuse-router' });
  for (const path of ['edge-router-policies', 'service-edge-router-policies'])
    await admin.create(`${MANAGEMENT}/${path}`, { name: 'abuse-routers', ...everybody });
  const attacker = await person(anonymous, admin, 'attacker', false);
  const victim = await person(anonymous, admin, 'victim', false);
  const { client: overseer } = await person(anonymous, admin, 'overseer', true);
  anonymous.close();
  return { target: { host: hostname, port: Number(port) }, admin, overseer, attacker, victim, services };
}

/** An identity that may dial everything. */
async function person(anonymous: ApiClient, admin: ApiClient, username: string, isAdmin: boolean): Promise<Person> {
  const password = `Aa1!${randomBytes(18).toString('base64url')}`;
  const body = { name: username, type: 'Device', isAdmin, roleAttributes: ['abuse-low'] };
  const identityId = await admin.create(`${MANAGEMENT}/identities`, body);
  await admin.create(`${MANAGEMENT}/authenticators`, { identityId, method: 'updb', username, password });
  return { client: await anonymous.login(username, password), username, password };
}

/** For a query; the place of the serial number stays as it is. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(encodeURIComponent(SERIAL), SERIAL);

export const servicesWith = (query: string): string => `${CLIENT}/services?${query}`;
export const filtered = (filter: string, more = ''): string => servicesWith(`filter=${encoded(filter)}${more}`);
