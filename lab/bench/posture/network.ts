/** Two controllers over one database, and endpoints under posture in it: written by SQL, as their reports left them. */
import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../db/embedded/supervisor.js';
import { endOf, launchController } from '../../controller-process.js';
import { requireNoDeadlocks } from '../faults.js';
import { ApiClient } from '../api-client.js';
import type { Target } from '../load.js';
import type { Closers } from '../measure.js';
import { MANAGEMENT } from '../world.js';
import { ROOMY } from '../roomy.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const CONTROLLERS = 2;

export interface PostureNetwork {
  readonly targets: readonly Target[];
  readonly controllerPids: readonly number[];
  readonly postgresPid: number;
  readonly client: pg.Client;
  /** Ids of the checks that reports name. */
  readonly checks: Checks;
}

export interface Checks {
  readonly os: string;
  readonly mac: string;
  readonly domain: string;
  readonly process: string;
}

export async function startNetwork(endpoints: number, closers: Closers): Promise<PostureNetwork> {
  const dir = mkdtempSync(join(tmpdir(), 'edge-bench-'));
  closers.push(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  const server = await startEmbeddedPostgres({ dataDir: join(dir, 'database'), log: silent });
  closers.push(() => {
    requireNoDeadlocks(join(dir, 'database'));
  });
  closers.push(() => server.stop());
  const { host, port, user, database } = server.connection;
  const password = randomBytes(18).toString('base64url');
  const env = {
    ...ROOMY,
    DATABASE_URL: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}&sslmode=disable`,
    EDGE_MASTER_KEY: randomBytes(32).toString('hex'),
    EDGE_ADMIN_PASSWORD: password,
  };
  const running = [];
  for (let index = 0; index < CONTROLLERS; index += 1) {
    const controller = await launchController({
      logFile: join(dir, `controller-${index}.log`),
      onChild: (child: ChildProcess) => closers.push(() => endOf(child)),
      env: { ...env, EDGE_NAME: `bench-${index}`, EDGE_DATA_DIR: join(dir, `controller-${index}`) },
    });
    running.push(controller);
  }
  const url = running[0]?.url ?? '';
  const client = new pg.Client({ ...server.connection, ssl: false });
  await client.connect();
  closers.push(() => client.end());
  const anonymous = new ApiClient(url);
  const admin = await anonymous.loginToManage('admin', password);
  const checks = await prepare(admin);
  await admin.logOut();
  anonymous.close();
  await fill(client, endpoints, checks);
  return {
    targets: running.map((controller) => {
      const { hostname, port: at } = new URL(controller.url);
      return { host: hostname, port: Number(at) };
    }),
    controllerPids: running.map(({ child }) => child.pid ?? 0),
    postgresPid: Number(readFileSync(join(dir, 'database/postgres/postmaster.pid'), 'utf8').split('\n')[0]),
    client,
    checks,
  };
}

export const PATH = '/usr/bin/agent';
const HASH = 'ab'.repeat(32);
const OS = { type: 'Linux', version: '6.1.0' };
const DOMAIN = 'corp.example.org';

async function prepare(admin: ApiClient): Promise<Checks> {
  const check = (typeId: string, criteria: object) =>
    admin.create(`${MANAGEMENT}/posture-checks`, {
      name: `bench-${typeId}`,
      typeId,
      roleAttributes: ['bench-posture'],
      ...criteria,
    });
  const service = await admin.create(`${MANAGEMENT}/services`, { name: 'bench-service', encryptionRequired: true });
  const checks = {
    os: await check('OS', { operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] }),
    mac: await check('MAC', { macAddresses: ['02fc00aa1234'] }),
    domain: await check('DOMAIN', { domains: [DOMAIN] }),
    process: await check('PROCESS', { process: { osType: 'Linux', path: PATH, hashes: [HASH] } }),
  };
  await admin.create(`${MANAGEMENT}/service-policies`, {
    name: 'bench-posture',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: [`@${service}`],
    postureCheckRoles: ['#bench-posture'],
  });
  return checks;
}

/** Of an endpoint. @param also  one more address, when what it reports is to change */
export const reportOf = ({ os, mac, domain, process }: Checks, also = ''): object[] => [
  { typeId: 'OS', id: os, ...OS },
  { typeId: 'MAC', id: mac, macAddresses: ['02:fc:00:aa:12:34', ...(also === '' ? [] : [also])] },
  { typeId: 'DOMAIN', id: domain, domain: DOMAIN },
  { typeId: 'PROCESS', id: process, path: PATH, isRunning: true, hash: HASH, signerFingerprints: [] },
];

/** Of the API session of an endpoint; in SQL `md5('bench token-' || i)::uuid`. */
export function tokenOf(endpoint: number): string {
  const hex = createHash('md5').update(`bench token-${endpoint}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** As many logins would take an hour of hashing. Triggers are off: what they keep is written at the end. */
async function fill(client: pg.Client, endpoints: number, { os, mac, domain, process }: Checks): Promise<void> {
  const all = `generate_series(0, ${endpoints - 1}) i`;
  const id = (kind: string) => `left(md5('${kind}-' || i), 22)`;
  const at = "'2026-01-01T00:00:00.000Z'";
  await client.query('BEGIN');
  await client.query("SET LOCAL session_replication_role = 'replica'");
  await client.query('SET LOCAL statement_timeout = 0');
  await client.query(`INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id)
    SELECT ${id('identity')}, 'bench-endpoint-' || i, 'Device', false, 'default' FROM ${all}`);
  await client.query(`INSERT INTO authenticators (id, identity_id, method, username, password_hash)
    SELECT ${id('authenticator')}, ${id('identity')}, 'updb', 'bench-endpoint-' || i, 'none' FROM ${all}`);
  await client.query(`INSERT INTO api_sessions (id, identity_id, authenticator_id, method, token_hash, ip_address,
      last_activity_at)
    SELECT ${id('api-session')}, ${id('identity')}, ${id('authenticator')}, 'password',
      sha256(convert_to(md5('bench token-' || i)::uuid::text, 'UTF8')), '127.0.0.1',
      now() - (i % 60) * interval '1 second' FROM ${all}`);
  const documents = JSON.stringify({
    os: { checkId: os, at: '', ...OS, build: null },
    mac: { checkId: mac, at: '', addresses: ['02fc00aa1234'] },
    domain: { checkId: domain, at: '', domain: DOMAIN },
    processes: [{ checkId: process, at: '', path: PATH, isRunning: true, hash: HASH, signerFingerprints: [] }],
  }).replaceAll('"at":""', `"at":${at.replaceAll("'", '"')}`);
  await client.query(
    `INSERT INTO api_session_postures (api_session_id, reported) SELECT ${id('api-session')}, $1::jsonb FROM ${all}`,
    [documents],
  );
  await client.query(`INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
    SELECT ${id('session')}, ${id('api-session')}, ${id('identity')}, (SELECT id FROM services), 'Dial',
      repeat(md5('session token-' || i), 16), (SELECT epoch FROM model_epochs WHERE name = 'grants') FROM ${all}`);
  for (const kind of ['identities', 'authenticators', 'api_sessions', 'sessions'])
    await client.query('INSERT INTO entity_counts (kind, total) VALUES ($1, $2)', [kind, endpoints]);
  await client.query('COMMIT');
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT');
}
