/**
 * One run of the server process: making room for it, starting it, waiting until it answers, ending it.
 * Whether it should run is not decided here but in the supervisor.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { writeAccessRules } from './access.js';
import type { Account } from './account.js';
import { type Binaries, serverEnvironment } from './binaries.js';
import { DATABASE, dataArgument, USER } from './cluster.js';
import { codeOf, EmbeddedDatabaseError, messageOf } from './error.js';
import type { Log } from './log.js';
import { clusterProcesses, holdsWithin, pause, postmasterPid, processIdentity, signalProcess } from './processes.js';
import type { ServerLog } from './server-log.js';
import { PORT, SOCKET } from './socket-path.js';

export interface ServerPlan {
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly account: Account;
  /** The directory through which clients reach the socket. */
  readonly host: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly serverLog: ServerLog;
  readonly log: Log;
}

export interface Server {
  readonly process: ChildProcess;
  /** Resolves when it has ended, with how it did. */
  readonly ended: Promise<string>;
}

/**
 * Recovery after a crash may replay all of `max_wal_size`; ending it early would only make the next start repeat it.
 */
const READY_MS = 600_000;
const FAST_STOP_MS = 60_000;
const IMMEDIATE_STOP_MS = 5000;
/** How long a start is tried again while processes that cannot be seen (macOS) still hold the cluster. */
const LEFTOVER_MS = 15_000;

const DEFAULTS: Readonly<Record<string, string>> = {
  fsync: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  log_checkpoints: 'off',
  // Refused statements reach the controller as errors; here they would only put data of users into a log.
  log_min_messages: 'log',
};

/** Last, so that no setting can open the server to anyone else or move what the supervisor relies on. */
const FIXED: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(PORT),
  // Relative to the cluster, where only its owner can enter, so neither length nor characters of a path matter.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  log_destination: 'stderr',
  logging_collector: 'off',
};

/** Starts the server and waits until the controller's database answers. An abort ends the attempt with an error. */
export async function startServer(plan: ServerPlan, abort: AbortSignal): Promise<Server> {
  const deadline = performance.now() + LEFTOVER_MS;
  for (;;) {
    await endLeftovers(plan);
    await writeAccessRules(plan.cluster, plan.account);
    const logStart = plan.serverLog.size();
    const server = spawnServer(plan);
    const failure = await readiness(plan, server, abort);
    if (failure === undefined) return server;

    const logLines = plan.serverLog.tail(logStart);
    const held = /pre-existing shared memory block|lock file "[^"]*" already exists/.test(logLines);
    if (held && !abort.aborted && performance.now() < deadline) {
      await pause(100, abort);
      continue;
    }
    throw new EmbeddedDatabaseError(
      `The embedded PostgreSQL in ${plan.cluster} did not start: ${failure}. Nothing was deleted. ` +
        'Correct what its log names; if its files are damaged, restore them from a backup.',
      { logLines },
    );
  }
}

/** Fast shutdown: ends all connections, writes everything down. Harsher when that takes too long. */
export async function stopServer(server: Server): Promise<void> {
  server.process.ref();
  const finished = server.ended.then(() => true);
  for (const [signal, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', IMMEDIATE_STOP_MS],
    ['SIGKILL', IMMEDIATE_STOP_MS],
  ] as const) {
    server.process.kill(signal);
    const waiting = new AbortController();
    const done = await Promise.race([finished, pause(patience, waiting.signal).then(() => false)]);
    waiting.abort();
    if (done) return;
  }
}

function spawnServer({ cluster, binaries, account, settings, serverLog }: ServerPlan): Server {
  const all = Object.entries({ ...DEFAULTS, ...settings, ...FIXED });
  const args = ['-D', dataArgument(cluster, account), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // Detached: a session of its own, out of reach of a terminal's Ctrl-C. Not referenced: it alone keeps no controller
  // alive.
  const child = spawn(binaries.postgres, args, {
    cwd: cluster,
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', serverLog.descriptor, serverLog.descriptor],
    ...account,
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code ?? 'unknown'}`));
  });
  child.unref();
  return { process: child, ended };
}

/** @returns why it did not become ready, in which case it does not run any more */
async function readiness(
  { cluster, host, log }: ServerPlan,
  server: Server,
  abort: AbortSignal,
): Promise<string | undefined> {
  const begun = performance.now();
  let end: string | undefined;
  const ended = server.ended.then((how) => {
    end = how;
  });
  let reported = begun;
  let problem = 'no answer yet';
  while (!abort.aborted && performance.now() - begun < READY_MS) {
    if (end !== undefined) return `it ended at once (${end})`;
    if (existsSync(path.join(cluster, SOCKET))) {
      const error = await connectionError(host);
      if (error === undefined) return undefined;
      problem = messageOf(error);
      // Refused, no such database, or no way to the socket: waiting does not mend it.
      if (/^(28|3D|EACCES|EPERM|ENOTDIR|EINVAL)/.test(codeOf(error) ?? '')) break;
    }
    if (performance.now() - reported > 10_000) {
      reported = performance.now();
      log.warn({ cluster, problem }, 'still waiting for the embedded PostgreSQL, which may be recovering from a crash');
    }
    await Promise.race([ended, pause(5)]);
  }
  await stopServer(server);
  return abort.aborted ? 'the controller is stopping' : problem;
}

async function connectionError(host: string): Promise<unknown> {
  const client = new pg.Client({
    host,
    port: PORT,
    user: USER,
    database: DATABASE,
    ssl: false,
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => undefined);
    return error;
  }
  await client.end();
  return undefined;
}

/**
 * Ends what an earlier controller or a killed postmaster left running in the cluster, and removes files that
 * name a process which is not it any more. An orphaned server is not taken over but stopped in good order: a
 * server is always our child, of this release and with these settings, for the price of 0.1 s.
 */
async function endLeftovers({ cluster, log }: ServerPlan): Promise<void> {
  const alive = (): number[] => clusterProcesses(cluster);
  const none = (): boolean => alive().length === 0;
  const postmaster = postmasterPid(cluster);

  if (postmaster !== undefined && alive().includes(postmaster)) {
    log.warn({ cluster, pid: postmaster }, 'stopping the PostgreSQL server that an earlier controller left running');
    signalProcess(postmaster, 'SIGINT');
    await holdsWithin(FAST_STOP_MS, none);
  }
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    if (none()) break;
    log.warn({ cluster, pids: alive(), signal }, 'ending PostgreSQL processes that outlived their server');
    for (const pid of alive()) signalProcess(pid, signal);
    await holdsWithin(IMMEDIATE_STOP_MS, none);
  }
  if (!none()) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL processes of ${cluster} cannot be ended: ${alive().join(', ')}. End them, or restart the machine, ` +
        'then start again.',
    );
  }
  for (const file of [SOCKET, `${SOCKET}.lock`]) rmSync(path.join(cluster, file), { force: true });
  // PostgreSQL copes with a pid file of a dead process by itself, and then also looks for its shared memory;
  // but a pid that another program got since would stop it for ever.
  if (postmaster !== undefined && processIdentity(postmaster) !== undefined)
    rmSync(path.join(cluster, 'postmaster.pid'), { force: true });
}
