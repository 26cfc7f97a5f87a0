/**
 * A controller to measure: a child process with an embedded PostgreSQL, both in a temporary directory that goes away
 * with it. Settings in the environment hold, but for those that tell where it listens and what it stores where.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { ApiClient } from './api-client.js';
import { CLIENT } from './world.js';

const OURS = ['DATABASE_URL', 'EDGE_CONFIG', 'EDGE_MASTER_KEY', 'EDGE_MASTER_KEY_FILE', 'EDGE_OLD_MASTER_KEYS', 'EDGE_TRUST_DOMAIN'];
const START_MS = 120_000;
const STOP_MS = 30_000;

export interface Memory { readonly residentMiB: number; readonly peakMiB: number }

interface Running { readonly child: ChildProcess; readonly url: string; readonly startMs: number; readonly postgresVersion: string | undefined }

export class OwnController {
  readonly username = 'admin';
  readonly postgresVersion: string | undefined;

  private constructor(readonly dir: string, readonly password: string, private running: Running) {
    this.postgresVersion = running.postgresVersion;
  }

  get url(): string { return this.running.url; }

  /** Of its process, whose children are those of PostgreSQL. */
  get pid(): number { return this.running.child.pid ?? 0; }

  /** From the start of its process to its first answer. */
  get startMs(): number { return this.running.startMs; }

  /**
   * @param atEnd  gets what stops it and removes its directory, before there is anything to wait for
   * @throws Error with the end of its log when it does not come up
   */
  static async start(atEnd: (stop: () => Promise<void>) => void): Promise<OwnController> {
    const dir = mkdtempSync(join(tmpdir(), 'edge-bench-'));
    const password = randomBytes(18).toString('base64url');
    const children: ChildProcess[] = [];
    atEnd(async () => {
      for (const child of children) await endOf(child);
      rmSync(dir, { recursive: true, force: true });
    });
    return new OwnController(dir, password, await launch(dir, password, (child) => { children.push(child); }));
  }

  /** Stops it and starts it again on what it has stored, at another port. @returns milliseconds from start to first answer */
  async restart(atEnd: (stop: () => Promise<void>) => void): Promise<number> {
    await endOf(this.running.child);
    this.running = await launch(this.dir, this.password, (child) => { atEnd(() => endOf(child)); });
    return this.running.startMs;
  }

  /**
   * Does at once what PostgreSQL's autovacuum does in the minutes after so much was written: it would take one of the cores
   * in the middle of what is measured, and of a large network more than of a small one.
   */
  async settle(): Promise<void> {
    const client = new pg.Client(runningConnection(join(this.dir, 'data')));
    await client.connect();
    try {
      await client.query('VACUUM (ANALYZE)');
      await client.query('CHECKPOINT');
    } finally {
      await client.end();
    }
  }

  /** Of the controller's process alone; undefined where /proc is missing. */
  memory(): Memory | undefined {
    try {
      const status = readFileSync(`/proc/${this.running.child.pid}/status`, 'utf8');
      const mib = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) / 1024);
      return { residentMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
    } catch {
      return undefined;
    }
  }
}

async function launch(dir: string, password: string, onChild: (child: ChildProcess) => void): Promise<Running> {
  const logFile = join(dir, 'controller.log');
  const env: NodeJS.ProcessEnv = {
    ...process.env, EDGE_DATA_DIR: join(dir, 'data'), EDGE_LISTEN: '127.0.0.1:0', EDGE_ADVERTISE: 'localhost:1280', EDGE_NAME: 'bench',
    EDGE_ADMIN_USERNAME: 'admin', EDGE_ADMIN_PASSWORD: password, EDGE_LOG_FORMAT: 'json', EDGE_LOG_LEVEL: 'info',
  };
  for (const name of OURS) env[name] = undefined;
  const log = openSync(logFile, 'w', 0o600);
  const startedAt = performance.now();
  // A file, not a pipe: what it logs while it is measured must cost it what it costs anywhere.
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../server/main.js', import.meta.url))], { env, stdio: ['ignore', log, log] });
  closeSync(log);
  onChild(child);
  const lines = () => readFileSync(logFile, 'utf8').split('\n').flatMap(parseLine);
  try {
    const url = await waitFor(child, () => lines().find(({ msg }) => msg === 'controller is ready')?.url);
    const client = new ApiClient(url);
    await client.call('GET', `${CLIENT}/version`);
    client.close();
    return { child, url, startMs: performance.now() - startedAt, postgresVersion: lines().find(({ msg }) => msg === 'embedded PostgreSQL is ready')?.version };
  } catch (error) {
    const end = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
    throw new Error(`${(error as Error).message}; its log ends:\n${end}`, { cause: error });
  }
}

interface LogLine { readonly msg?: string; readonly url?: string; readonly version?: string }

function parseLine(line: string): LogLine[] {
  try { return [JSON.parse(line) as LogLine]; } catch { return []; }
}

async function waitFor<T>(child: ChildProcess, look: () => T | undefined): Promise<T> {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await delay(20)) {
    const found = look();
    if (found !== undefined) return found;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the controller ended instead of starting');
  }
  throw new Error(`the controller was not ready after ${START_MS / 1000} s`);
}

/** Asks it to stop, which also stops its database, and kills it when it does not. */
async function endOf(child: ChildProcess): Promise<void> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (isOver()) return;
  child.kill('SIGTERM');
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline && !isOver();) await delay(50);
  if (!isOver()) child.kill('SIGKILL');
}
