// Measures a controller, its own or a running one. For people, never for a timed test. The parts are in scripts/bench/.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ApiClient } from './bench/api-client.js';
import { Floor } from './bench/floor.js';
import { LoadGenerator } from './bench/load.js';
import { parseOptions, USAGE, UsageError } from './bench/options.js';
import type { BenchOptions, Login } from './bench/options.js';
import { OwnController } from './bench/own-controller.js';
import type { Memory } from './bench/own-controller.js';
import { clearProgress, showProgress } from './bench/progress.js';
import { busyNote, errorNotes, headLines, machine, memoryLine, reportJson, tableHead, tableRow, unmeasuredNote, validationLine } from './bench/report.js';
import type { Row } from './bench/report.js';
import { allCases, pickCases, runCases, unmeasured } from './bench/runner.js';
import { seed } from './bench/seed.js';
import { measureValidation } from './bench/validation-cost.js';

const print = (lines: string | readonly string[]): void => { process.stdout.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`); };

type Closers = (() => Promise<void> | void)[];

async function bench(options: BenchOptions, closers: Closers): Promise<void> {
  const cases = pickCases(options.only);
  const facts = machine();
  const startedAt = new Date().toISOString();
  const own = options.base === undefined ? await startOwn(closers) : undefined;
  const login: Login = options.base ?? own ?? raise();
  const memory: Record<string, Memory | undefined> = { started: own?.memory() };
  const scale = { identities: options.identities, services: options.services };
  const world = await seed({ label: 'controller', ...login, ...scale });
  const other = options.compare === undefined ? undefined
    : await seed({ label: 'compare', ...scale, username: login.username, password: login.password, ...options.compare });
  for (const { admin, client } of other === undefined ? [world] : [world, other]) closers.push(() => admin.logOut(), () => client.logOut());
  memory['filled'] = own?.memory();

  const load = new LoadGenerator();
  closers.push(() => load.close());
  const floor = await Floor.start(load, options.seconds);
  closers.push(() => { floor.stop(); });
  const head = {
    startedAt, machine: facts, scale: { ...scale, seconds: options.seconds },
    controller: { version: await versionOf(login.url), postgres: own?.postgresVersion, url: own === undefined ? login.url : 'started for this run' },
  };
  const rows: Row[] = [];
  print(['', ...headLines({ ...head, floors: [], validation: undefined, memory, unmeasured: [] }), ...(other === undefined ? [] : [`ratio       rate over that of ${options.compare?.url ?? ''}`]), '', tableHead()]);
  await runCases({
    cases, connections: options.connections, seconds: options.seconds, load, floor, world, other,
    onRow: (row) => { rows.push(row); print(tableRow(row)); },
  });
  memory['measured'] = own?.memory();
  showProgress('measuring validation');
  const validation = await measureValidation(world);
  clearProgress();
  const left = options.only.length > 0 ? [] : unmeasured();
  print(['', validationLine(validation), ...(own === undefined ? [] : [memoryLine(memory)]), ...busyNote(rows),
    ...unmeasuredNote(left), ...errorNotes(rows, options.compare?.url ?? '')]);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, reportJson({ ...head, rows, floors: floor.all, validation, memory, unmeasured: left }));
}

function raise(): never { throw new Error('no controller'); }

async function startOwn(closers: Closers): Promise<OwnController> {
  showProgress('starting a controller');
  return OwnController.start((stop) => closers.push(stop));
}

async function versionOf(url: string): Promise<string> {
  const client = new ApiClient(url);
  const { version } = await client.call<{ version: string }>('GET', '/edge/client/v1/version');
  client.close();
  return `controller ${version}`;
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args, process.env);
  if (options.isHelp) { process.stdout.write(USAGE); return; }
  if (options.isList) { print(allCases.map(({ name }) => name)); return; }
  const closers: Closers = [];
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= (async () => { for (const closer of closers.splice(0).reverse()) await closer(); })());
  const interrupt = () => {
    clearProgress();
    void close().finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    await bench(options, closers);
  } finally {
    await close();
  }
}

/** What is thrown on purpose, or by the network, needs no stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error.constructor === Error || error instanceof UsageError ? error.message : (error.stack ?? error.message);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    clearProgress();
    process.stderr.write(`bench: ${describe(error)}\n${error instanceof UsageError ? `\n${USAGE}` : ''}`);
    process.exitCode = 1;
  });
}
