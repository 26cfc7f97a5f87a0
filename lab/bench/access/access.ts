/**
 * What `--access` measures: the picture of who reaches what in a network of its own, each time read anew, with nothing
 * asked of devices and with posture asked of three quarters of them, and its lists.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { runningConnection } from '../../../db/embedded/supervisor.js';
import { ApiClient } from '../api-client.js';
import { failFor } from '../faults.js';
import type { Closers } from '../measure.js';
import { median } from '../median.js';
import type { BenchOptions } from '../options.js';
import { OwnController } from '../own-controller.js';
import { cpuMsOf, treeCpuMsOf } from '../posture/cpu.js';
import { clearProgress, showProgress } from '../progress.js';
import { machine } from '../report.js';
import { MANAGEMENT } from '../world.js';
import { measureDryRun } from './dry-run.js';
import { askForPosture, fill } from './fill.js';

const ROUNDS = 9;
/** What a picture was read from is kept for a second. */
const KEPT_MS = 1_100;

/** Medians of the rounds. */
interface AccessRow {
  readonly name: string;
  readonly ms: number;
  readonly slowestMs: number;
  readonly controllerCpuMs: number;
  readonly databaseCpuMs: number;
  readonly errors: number;
}

const PATHS: Readonly<Record<string, string>> = {
  'picture': '/network/access',
  'picture of what is blocked': '/network/access?state=blocked',
  'identities of a service 50': '/network/access/identities?serviceId=app-0&limit=50',
  'blocked identities of a service 50': '/network/access/identities?serviceId=app-0&state=blocked&limit=50',
  'services of an identity 50': '/network/access/services?identityId=person-0&limit=50',
  'unused identities 5': '/network/unused/identities?limit=5&sort=unusedSince',
  'unused services 5': '/network/unused/services?limit=5&sort=unusedSince',
  'overview': '/network/overview',
};

const DRY_RUN = 'import --dry-run --access';

export async function measureAccess(options: BenchOptions, closers: Closers): Promise<void> {
  const { identities, services, only, jsonFile } = options;
  const facts = machine();
  const startedAt = new Date().toISOString();
  showProgress('starting a controller');
  const own = await OwnController.start((stop) => closers.push(stop));
  const anonymous = new ApiClient(own.url);
  const admin = await anonymous.loginToManage(own.username, own.password);
  closers.push(() => {
    admin.close();
    anonymous.close();
  });
  const client = new pg.Client(runningConnection(join(own.dir, 'data')));
  await client.connect();
  closers.push(() => client.end());
  showProgress('filling it');
  await fill(client, admin, { identities, services });
  clearProgress();
  process.stdout.write(
    `machine     ${facts.cores} x ${facts.processor}, load ${facts.load} before\n` +
      `network     ${identities} identities, ${services} services, 100 policies, 21 routers\n\n${HEAD}\n`,
  );
  const rows = await measureAll(own, admin, only, '');
  await askForPosture(client);
  rows.push(...(await measureAll(own, admin, only, ', with posture')));
  if (only.length === 0 || only.includes(DRY_RUN)) {
    const { ms, slowestMs } = measureDryRun(own);
    process.stdout.write(`\n${DRY_RUN}: ${Math.round(ms)} ms, ${Math.round(slowestMs)} at most\n`);
  }
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, rows }, null, 1)}\n`);
  failFor(rows.filter(({ errors }) => errors > 0).map(({ name }) => name));
}

async function measureAll(
  own: OwnController,
  admin: ApiClient,
  only: readonly string[],
  suffix: string,
): Promise<AccessRow[]> {
  const rows: AccessRow[] = [];
  for (const [name, path] of Object.entries(PATHS)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const row = await measureOne(own, admin, `${name}${suffix}`, path);
    process.stdout.write(`${lineOf(row)}\n`);
    rows.push(row);
  }
  return rows;
}

async function measureOne(own: OwnController, admin: ApiClient, name: string, path: string): Promise<AccessRow> {
  const [ms, controller, database]: number[][] = [[], [], []];
  let errors = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    await rest(KEPT_MS);
    const [own0, tree0, from] = [cpuMsOf(own.pid), treeCpuMsOf(own.pid), performance.now()];
    const { status } = await admin.send('GET', `${MANAGEMENT}${path}`);
    const took = performance.now() - from;
    const [own1, tree1] = [cpuMsOf(own.pid), treeCpuMsOf(own.pid)];
    if (status !== 200) errors += 1;
    if (round === 0) continue; // warms up
    ms?.push(took);
    controller?.push(own1 - own0);
    database?.push(tree1 - tree0 - (own1 - own0));
  }
  return {
    name,
    ms: median(ms ?? []),
    slowestMs: Math.max(...(ms ?? [])),
    controllerCpuMs: median(controller ?? []),
    databaseCpuMs: median(database ?? []),
    errors,
  };
}

const HEAD =
  '| answer | median ms | slowest ms | CPU of the controller, ms | CPU of PostgreSQL, ms |\n|---|---|---|---|---|';

const lineOf = ({ name, ms, slowestMs, controllerCpuMs, databaseCpuMs, errors }: AccessRow): string =>
  `| ${name}${errors > 0 ? ` (${errors} errors)` : ''} | ${Math.round(ms)} | ${Math.round(slowestMs)} | ` +
  `${controllerCpuMs} | ${databaseCpuMs} |`;
