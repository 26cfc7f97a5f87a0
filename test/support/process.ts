/**
 * The real command in a process of its own, as an operator runs it: `node <dist>/commands/main.js`, settings through
 * the environment, answers over HTTPS. What a suite starts it ends by pid, the servers of killed controllers too.
 */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clusterProcesses, postmasterPid, processIdentity, signalProcess } from '../../db/embedded/processes.js';
import { deadlocksIn } from './deadlocks.js';
import { createClient, expectStatus } from './client.js';
import type { Client } from './client.js';
import { ADMIN } from './controller.js';
import { until } from './poll.js';
import { MANAGEMENT } from './paths.js';

export const MAIN = fileURLToPath(new URL('../../commands/main.js', import.meta.url));
export const IS_ROOT = process.geteuid?.() === 0;
/** No start of ours takes longer, not even after a crash on a busy machine. */
export const START_DEADLINE_MS = 60_000;

export interface ProcessOptions {
  /** Settings by their environment variables; listens on a free port of 127.0.0.1 by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command and what it takes, or options of `start`. */
  readonly args?: readonly string[];
  readonly node?: string;
  readonly main?: string;
  /** Run as another user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LogLine extends Readonly<Record<string, unknown>> {
  readonly level: string;
  readonly msg: string;
}

export interface ControllerProcess {
  readonly pid: number;
  readonly dataDir: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The JSON lines on stdout so far. */
  readonly log: () => LogLine[];
  /** Where it listens, once `/livez` answers there. @throws when it ends first or the deadline passes */
  ready(deadlineMs?: number): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Exit>;
  /** SIGTERM, then its exit. */
  stop(): Promise<Exit>;
}

const PREPARE = fileURLToPath(new URL('prepare-cluster.js', import.meta.url));
let prepared: string | undefined;

/** A cluster with the schema of this release and no network, made once in a process. */
function preparedCluster(): string {
  if (prepared !== undefined) return prepared;
  const place = mkdtempSync(join(tmpdir(), 'edge-prepared-'));
  process.once('exit', () => {
    rmSync(place, { recursive: true, force: true });
  });
  execFileSync(process.execPath, [PREPARE, place]);
  return (prepared = join(place, 'postgres'));
}

/** What the tests of one suite start and make. */
export class ProcessShop {
  private readonly places: string[] = [];
  private readonly controllers: ControllerProcess[] = [];
  private readonly clients: Client[] = [];

  /** A directory that only we may enter; removed in the end. */
  place(): string {
    const place = mkdtempSync(join(tmpdir(), 'edge-life-'));
    this.places.push(place);
    return place;
  }

  /**
   * A data directory for a first start that finds its embedded PostgreSQL there, which takes half of its work from it:
   * for suites that are not about first starts.
   */
  dataDir(): string {
    const dataDir = join(this.place(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    execFileSync('cp', ['-a', preparedCluster(), dataDir]);
    return dataDir;
  }

  start(dataDir: string, options: ProcessOptions = {}): ControllerProcess {
    const controller = startProcess(dataDir, options);
    this.controllers.push(controller);
    return controller;
  }

  client(url: string, token?: string): Client {
    const client = createClient(url, token);
    this.clients.push(client);
    return client;
  }

  /** A client with a session of the default administrator. */
  async login(url: string, password: string = ADMIN.password, username: string = ADMIN.username): Promise<Client> {
    const answer = expectStatus(
      await this.client(url).post(`${MANAGEMENT}/authenticate?method=password`, { username, password }),
      200,
    );
    return this.client(url, (answer.data as { token: string }).token);
  }

  async end(): Promise<void> {
    this.clients.forEach((client) => {
      client.close();
    });
    this.controllers.forEach((controller) => {
      controller.kill('SIGKILL');
    });
    await Promise.all(this.controllers.map(({ ended }) => ended));
    const left = () => [...new Set(this.controllers.map(({ dataDir }) => dataDir))].flatMap(serverProcesses);
    left().forEach((pid) => {
      signalProcess(pid, 'SIGKILL');
    });
    await until('the servers of killed controllers are gone', () => left().length === 0);
    const dataDirs = [...new Set(this.controllers.map(({ dataDir }) => dataDir))];
    const stuck = dataDirs.filter((dataDir) => deadlocksIn(dataDir) > 0);
    this.places.forEach((place) => {
      rmSync(place, { recursive: true, force: true });
    });
    if (stuck.length > 0) throw new Error(`changes waited for each other in a circle in ${stuck.join(', ')}`);
  }
}

/** The live processes of the embedded server of a data directory. */
export function serverProcesses(dataDir: string): number[] {
  return ['postgres', 'postgres.new']
    .map((name) => join(dataDir, name))
    .filter((cluster) => existsSync(cluster))
    .flatMap(clusterProcesses);
}

/** The pid of the embedded server; undefined while there is none. */
export function serverPid(dataDir: string): number | undefined {
  const pid = postmasterPid(join(dataDir, 'postgres'));
  return pid !== undefined && serverProcesses(dataDir).includes(pid) ? pid : undefined;
}

export const isAlive = (pid: number): boolean => processIdentity(pid) !== undefined;

/** The answer, or an error when it takes longer. */
export async function within<T>(what: string, deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`not within ${deadlineMs} ms: ${what}`));
    }, deadlineMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function startProcess(
  dataDir: string,
  { env = {}, args = [], node = process.execPath, main = MAIN, owner }: ProcessOptions,
): ControllerProcess {
  const isCommand = args[0]?.startsWith('-') === false;
  const child = spawn(node, [main, ...(isCommand ? args : ['start', ...args])], {
    // Nothing of the developer's own settings; coverage and source maps would only slow it down.
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      EDGE_DATA_DIR: dataDir,
      EDGE_LISTEN: '127.0.0.1:0',
      EDGE_ADVERTISE: 'localhost:1280',
      ...env,
    },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...owner,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  let exit: Exit | undefined;
  const ended = endOf(child).then((how) => (exit = how));
  const log = () => output.stdout.split('\n').flatMap(parseLine);
  return {
    pid: child.pid ?? 0,
    dataDir,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    log,
    ended,
    kill: (signal) => {
      child.kill(signal);
    },
    async ready(deadlineMs = START_DEADLINE_MS) {
      const url = await until(
        'the controller is ready',
        () => {
          if (exit !== undefined)
            throw new Error(`it ended (${String(exit.code ?? exit.signal)}): ${output.stderr}${output.stdout}`);
          return log().find(({ msg }) => msg === 'controller is ready')?.['url'] as string | undefined;
        },
        deadlineMs,
      ).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}\n${output.stderr}${output.stdout}`);
      });
      const client = createClient(url);
      try {
        expectStatus(await within('/livez answers', deadlineMs, client.get('/livez')), 200);
      } finally {
        client.close();
      }
      return url;
    },
    async stop() {
      child.kill('SIGTERM');
      return within('the controller stops', START_DEADLINE_MS, ended);
    },
  };
}

/** After its last output. */
function endOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

/** A log line that is cut off at the end is left out. */
function parseLine(line: string): LogLine[] {
  try {
    return line.startsWith('{') ? [JSON.parse(line) as LogLine] : [];
  } catch {
    return [];
  }
}

export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** Of the system's user without rights; for what runs only where root can act as it. @throws where there is none */
export function otherUser(): UserIds {
  const ids = nobody();
  if (ids === undefined) throw new Error('this system has no user nobody');
  return ids;
}

/** The ids of the user `nobody`; undefined where there is none. */
export function nobody(): UserIds | undefined {
  const [, , uid, gid] =
    (existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '')
      .split('\n')
      .find((line) => line.startsWith('nobody:'))
      ?.split(':') ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
