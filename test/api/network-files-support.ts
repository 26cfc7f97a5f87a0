/** Networks for tests of network files: one with everything in it, and both ways to read and change one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentFrom } from '../../commands/network/export-network.js';
import { fileText } from '../../commands/network/files.js';
import type { NetworkAccess } from '../../commands/network/access.js';
import { importInto, readEntries } from '../../commands/network/import-network.js';
import { withLocalNetwork } from '../../commands/network/local.js';
import { withRemoteNetwork } from '../../commands/network/remote.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { createLogger } from '../../server/base/log.js';
import type { KindName } from '../../domain/network-files/kind-names.js';
import { makeCa } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';

/** The ways to a network: its database, or the API of its controller. */
export type Way = 'database' | 'API';

export async function throughDatabase<T>(
  { dataDir, database }: TestController,
  work: (access: NetworkAccess) => Promise<T>,
): Promise<T> {
  const env = { EDGE_DATA_DIR: dataDir, DATABASE_URL: database.url, EDGE_ADVERTISE: 'localhost:1280' };
  return withLocalNetwork(readConfig({ env }), createLogger({ level: 'silent', format: 'json' }), work);
}

/** Where a client that checks certificates finds the controller. */
export const namedUrl = ({ url }: TestController): string => `https://localhost:${new URL(url).port}`;

/** Files for the options of the commands. */
export async function credentialsIn(folder: string, { database }: TestController) {
  const { rows } = await database.query(`SELECT cert_pem FROM pki_entities WHERE purpose = 'root'`);
  const [ca, passwordFile] = [join(folder, 'ca.pem'), join(folder, 'password')];
  writeFileSync(ca, String(rows[0]?.['cert_pem']));
  writeFileSync(passwordFile, `${ADMIN.password}\n`);
  return { ca, passwordFile, username: ADMIN.username };
}

export async function throughApi<T>(
  controller: TestController,
  work: (access: NetworkAccess) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-files-'));
  const credentials = await credentialsIn(folder, controller);
  try {
    return await withRemoteNetwork({ url: namedUrl(controller), ...credentials }, work);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const through: Readonly<Record<Way, typeof throughDatabase>> = { database: throughDatabase, API: throughApi };

const nothing = () => undefined;

/** What `export` writes. */
export const exported = async (way: Way, controller: TestController, only?: ReadonlySet<KindName>): Promise<string> =>
  through[way](controller, async (access) => fileText(await contentFrom(access, only, nothing)));

export interface Imported {
  readonly lines: readonly string[];
  /** The last of them. */
  readonly summary: string;
}

export interface How {
  readonly isDryRun?: boolean;
  readonly isPruning?: boolean;
  readonly only?: ReadonlySet<KindName>;
}

/** What `import` does with a file of this text. */
export async function imported(way: Way, controller: TestController, text: string, how: How = {}): Promise<Imported> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-files-'));
  try {
    const file = join(folder, 'network.yaml');
    writeFileSync(file, text);
    const entries = readEntries({ files: [file], only: how.only });
    const lines: string[] = [];
    const out = { line: (line: string) => lines.push(line), progress: nothing };
    const { isDryRun = false, isPruning = false } = how;
    await through[way](controller, (access) => importInto(access, entries, { isDryRun, isPruning }, out));
    return { lines, summary: lines.at(-1) ?? '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Names that a careless reader or writer of files would lose. */
export const ODD_NAMES = [
  'yes',
  'null',
  '1e3',
  '0x10',
  '2001-01-01',
  ' leading',
  'trailing ',
  '#hash',
  '@at',
  'a: b',
  '- dash',
  '"quoted"',
  "it's",
  'back\\slash',
  'line\nbreak',
  'tab\there',
  'grüße 世界 😀',
  '\u202eright to left',
  'mark \ufeff and \u2028 separator',
  'del \u007f',
  '__proto__',
  'constructor',
  '*star',
  '&and',
  '!bang',
  '{brace}',
  '[bracket]',
  '%percent',
  '<<',
  '~',
];

const UPDB = {
  allowed: true,
  lockoutDurationMinutes: 3,
  maxAttempts: 4,
  minPasswordLength: 9,
  requireMixedCase: true,
  requireNumberChar: false,
  requireSpecialChar: false,
};

/** Fills a network with every kind of entity, each of whose fields has another value than the usual one. */
export async function fillNetwork(controller: TestController): Promise<void> {
  const add = (collection: string, body: object) => make(controller, collection, body);
  const tags = { 'team "a"': 'payments', 'yes': true, 'count': 3, 'nothing': null };
  const type = await add('config-types', {
    name: 'own type',
    target: 'service',
    schema: { type: 'object', properties: { port: { type: 'integer', minimum: 1 } }, required: ['port'] },
    tags,
  });
  await add('config-types', { name: 'free type', schema: null });
  const config = await add('configs', { name: 'own config', configTypeId: type, data: { port: 5432 }, tags });
  const other = await add('configs', { name: 'other config', configTypeId: type, data: { port: 1 } });
  const jwks = 'https://keys.example.org/jwks';
  const signer = await add('external-jwt-signers', {
    name: 'login provider',
    issuer: 'https://issuer.example.org/',
    audience: 'network',
    enabled: true,
    jwksEndpoint: jwks,
    claimsProperty: '/email',
    useExternalId: true,
    clientId: 'console',
    scopes: ['openid', 'email'],
    externalAuthUrl: 'https://issuer.example.org/login',
    targetToken: 'ID',
    kid: 'k1',
    tags,
  });
  const policy = await add('auth-policies', {
    name: 'tokens only',
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [signer] },
      updb: UPDB,
    },
    secondary: { requireTotp: true, requireExtJwtSigner: signer },
    tags,
  });
  // The two refer to each other.
  expectStatus(
    await controller.admin.patch(`${MANAGEMENT}/external-jwt-signers/${signer}`, {
      enrollToTokenEnabled: true,
      enrollAuthPolicyId: policy,
      enrollNameClaimsSelector: '/name',
      enrollAttributeClaimsSelector: '/groups',
    }),
    200,
  );
  await add('external-jwt-signers', {
    name: 'certified provider',
    issuer: 'https://other.example.org/',
    audience: 'network',
    enabled: false,
    certPem: makeCa().pem,
  });
  const check = await addPostureChecks(controller);
  await add('cas', {
    name: 'partner CA',
    certPem: makeCa().pem,
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: false,
    identityRoles: ['partner', 'b'],
    identityNameFormat: '[caName] [commonName]',
    externalIdClaim: {
      location: 'COMMON_NAME',
      matcher: 'PREFIX',
      matcherCriteria: 'dev-',
      parser: 'SPLIT',
      parserCriteria: '-',
      index: 1,
    },
    tags,
  });
  const service = await add('services', {
    name: 'database',
    encryptionRequired: false,
    terminatorStrategy: 'sticky',
    maxIdleTimeMillis: 60_000,
    configs: [config],
    roleAttributes: ['data', 'slow'],
    tags,
  });
  const router = await add('edge-routers', {
    name: 'berlin 1',
    cost: 10,
    noTraversal: true,
    disabled: true,
    isTunnelerEnabled: true,
    ctrlChanListeners: { 'tls:192.0.2.1:6262': ['a', 'b'] },
    roleAttributes: ['public'],
    appData: { floor: 3 },
    tags,
  });
  await add('transit-routers', { name: 'paris 1', cost: 7, noTraversal: true, tags });
  const identity = await add('identities', {
    name: 'laptop 17',
    type: 'Device',
    isAdmin: false,
    authPolicyId: policy,
    externalId: 'laptop@example.org',
    roleAttributes: ['sales', 'berlin'],
    permissions: ['service.read', 'config'],
    appData: { seat: '4a' },
    defaultHostingCost: 5,
    defaultHostingPrecedence: 'required',
    serviceHostingCosts: { [service]: 11 },
    serviceHostingPrecedences: { [service]: 'failed' },
    tags,
    enrollment: { ott: true },
  });
  expectStatus(
    await controller.admin.post(`${MANAGEMENT}/identities/${identity}/service-configs`, [
      { serviceId: service, configId: other },
    ]),
    200,
  );
  // What belongs to a tunneler, and what every network has, can be changed too.
  for (const [id, change] of [
    [router, { roleAttributes: ['tunneler'], defaultHostingCost: 2 }],
    [await defaultAdminId(controller), { name: 'the boss', roleAttributes: ['boss'] }],
  ] as const) {
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, change), 200);
  }
  await add('service-policies', {
    name: 'dial it',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: [`@${identity}`, `@${router}`, '#sales'],
    serviceRoles: [`@${service}`, '#data'],
    postureCheckRoles: [`@${check}`, '#checked'],
    tags,
  });
  await add('service-policies', { name: 'bind all', type: 'Bind', semantic: 'AnyOf', serviceRoles: ['#all'] });
  await add('edge-router-policies', {
    name: 'routers',
    semantic: 'AnyOf',
    edgeRouterRoles: [`@${router}`, '#public'],
    identityRoles: [`@${identity}`],
    tags,
  });
  await add('service-edge-router-policies', {
    name: 'services',
    semantic: 'AllOf',
    edgeRouterRoles: ['#all'],
    serviceRoles: [`@${service}`],
    tags,
  });
  expectStatus(
    await controller.admin.post(`${MANAGEMENT}/controller-settings`, {
      controllerId: 'global',
      oidc: { redirectUris: ['https://console.example.org/back'], postLogoutUris: ['https://console.example.org/'] },
      tags,
    }),
    201,
  );
  const ids: string[] = [];
  for (const name of ODD_NAMES) ids.push(await add('services', { name, encryptionRequired: true }));
  for (const name of ODD_NAMES) await add('identities', { name, type: 'User', isAdmin: false });
  await add('service-policies', {
    name: ODD_NAMES.join(' '),
    type: 'Dial',
    semantic: 'AnyOf',
    serviceRoles: ids.map((id) => `@${id}`),
  });
}

/** @returns the id of one */
async function addPostureChecks(controller: TestController): Promise<string> {
  const checks = [
    { typeId: 'MAC', name: 'cards', macAddresses: ['02:FC:00:AA:12:34', '02fc00aa0000'], roleAttributes: ['checked'] },
    { typeId: 'DOMAIN', name: 'domains', domains: ['b.example.org', 'a.example.org'] },
    { typeId: 'OS', name: 'systems', operatingSystems: [{ type: 'Linux', versions: ['>=5.4.0'] }] },
    { typeId: 'MFA', name: 'codes', timeoutSeconds: 3600, promptOnWake: true },
    { typeId: 'MFA', name: 'codes for ever' },
    { typeId: 'PROCESS', name: 'agent', process: { osType: 'Linux', path: '/usr/bin/agent', hashes: ['AB12'] } },
    {
      typeId: 'PROCESS_MULTI',
      name: 'agents',
      semantic: 'AnyOf',
      processes: [{ osType: 'Windows', path: 'C:\\agent.exe', hashes: [], signerFingerprints: ['FF00'] }],
    },
  ];
  const ids: string[] = [];
  for (const check of checks) ids.push(await make(controller, 'posture-checks', check));
  return ids[0] ?? '';
}

export async function defaultAdminId({ database }: TestController): Promise<string> {
  const { rows } = await database.query('SELECT id FROM identities WHERE is_default_admin');
  return String(rows[0]?.['id']);
}
