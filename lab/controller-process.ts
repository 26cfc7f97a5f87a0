/** A controller in a process of its own, for scripts that measure it or try what it survives. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient } from './bench/api-client.js';

/** Settings that decide what a controller stores where: never those of the environment. */
const OURS = [
  'DATABASE_URL',
  'EDGE_CONFIG',
  'EDGE_MASTER_KEY',
  'EDGE_MASTER_KEY_FILE',
  'EDGE_OLD_MASTER_KEYS',
  'EDGE_TRUST_DOMAIN',
];
const MAIN = fileURLToPath(new URL('../commands/main.js', import.meta.url));
const START_MS = 120_000;
const STOP_MS = 30_000;

export interface ControllerLaunch {
  /** Its file and arguments; this revision's unless given. */
  readonly program?: readonly string[] | undefined;
  /** Written afresh; holds what it logs. */
  readonly logFile: string;
  /** Its settings; those that it lacks hold as the environment has them. */
  readonly env: Readonly<Record<string, string>>;
  /** Gets the process before there is anything to wait for. */
  readonly onChild: (child: ChildProcess) => void;
}

export interface RunningController {
  readonly child: ChildProcess;
  readonly url: string;
  /** From the start of its process to its first answer. */
  readonly startMs: number;
  /** Of the embedded server, where there is one. */
  readonly postgresVersion: string | undefined;
}

/** Listens on a free port of 127.0.0.1. @throws Error with the end of its log when it does not come up */
export async function launchController({
  program = [MAIN, 'start'],
  logFile,
  env,
  onChild,
}: ControllerLaunch): Promise<RunningController> {
  const all: NodeJS.ProcessEnv = { ...process.env };
  for (const name of OURS) all[name] = undefined;
  Object.assign(all, {
    EDGE_LISTEN: '127.0.0.1:0',
    EDGE_ADVERTISE: 'localhost:1280',
    EDGE_LOG_FORMAT: 'json',
    EDGE_LOG_LEVEL: 'info',
    ...env,
  });
  const log = openSync(logFile, 'w', 0o600);
  const startedAt = performance.now();
  // A file, not a pipe: what it logs while it is measured must cost it what it costs anywhere.
  const child = spawn(process.execPath, program, { env: all, stdio: ['ignore', log, log] });
  closeSync(log);
  onChild(child);
  const lines = () => readFileSync(logFile, 'utf8').split('\n').flatMap(parseLine);
  try {
    const url = await waitFor(child, () => lines().find(({ msg }) => msg === 'controller is ready')?.url);
    const client = new ApiClient(url);
    await client.call('GET', '/edge/client/v1/version');
    client.close();
    const startMs = performance.now() - startedAt;
    const postgresVersion = lines().find(({ msg }) => msg === 'embedded PostgreSQL is ready')?.version;
    return { child, url, startMs, postgresVersion };
  } catch (error) {
    const end = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
    throw new Error(`${(error as Error).message}; its log ends:\n${end}`, { cause: error });
  }
}

interface LogLine {
  readonly msg?: string;
  readonly url?: string;
  readonly version?: string;
}

function parseLine(line: string): LogLine[] {
  try {
    return [JSON.parse(line) as LogLine];
  } catch {
    return [];
  }
}

async function waitFor<T>(child: ChildProcess, look: () => T | undefined): Promise<T> {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await delay(20)) {
    const found = look();
    if (found !== undefined) return found;
    if (hasEnded(child)) throw new Error('the controller ended instead of starting');
  }
  throw new Error(`the controller was not ready after ${START_MS / 1000} s`);
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Asks it to stop, which also stops its database, and kills it when it does not. */
export async function endOf(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGTERM');
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline && !hasEnded(child);) await delay(50);
  if (!hasEnded(child)) child.kill('SIGKILL');
}
