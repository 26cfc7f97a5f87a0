/**
 * Runs a PostgreSQL server of our own in the data directory and keeps it running: one per data directory, on a
 * private unix socket, started again when it dies. Knows nothing of tables; callers bring their own connections.
 */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { serverAccount } from './account.js';
import { findBinaries } from './binaries.js';
import { checkCluster, clusterExists, createCluster, DATABASE, USER } from './cluster.js';
import { EmbeddedDatabaseError, messageOf } from './error.js';
import { lockDirectory } from './lock.js';
import type { Log } from './log.js';
import { OwnFileError, ownDirectory } from './own-files.js';
import { clusterIn } from './paths.js';
import { pause } from './processes.js';
import { type Server, type ServerPlan, startServer, stopServer } from './server.js';
import { openServerLog } from './server-log.js';
import { PORT, socketPath } from './socket-path.js';

export interface EmbeddedOptions {
  /** The controller's data directory, made (0700) when it is missing; the cluster lies in its folder `postgres`. */
  readonly dataDir: string;
  readonly log: Log;
  /** More PostgreSQL settings. Those about the socket and the log's place cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A cluster may be made where there is a master key without one: its content is about to come back. */
  readonly isRestore?: boolean;
  /** Ends a start that is under way with an error. Once it has started, `stop` ends it. */
  readonly abort?: AbortSignal;
}

export interface EmbeddedDatabase {
  /** Settings for node-pg; `host` is a directory. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  /** True when a new cluster was made. */
  readonly created: boolean;
  /** Calls the listener each time the server had died and answers again; its old connections are gone. */
  onRestart(listener: () => void): void;
  /** Fast shutdown; resolves when the server has ended and the data directory is free. */
  stop(): Promise<void>;
}

const connectionAt = (host: string) => ({ host, port: PORT, user: USER, database: DATABASE });

const UPKEEP_MS = 60_000;
/** A server that ran this long starts the backoff afresh. */
const SETTLED_MS = 10_000;
const LONGEST_BACKOFF_MS = 5000;

/**
 * How to reach the server that a running controller keeps in this data directory. Only connecting shows whether one
 * runs.
 */
export function runningConnection(dataDir: string): EmbeddedDatabase['connection'] {
  return connectionAt(socketPath(clusterIn(realpathSync(dataDir))).directory);
}

/** @throws EmbeddedDatabaseError with what, where and how to fix; nothing is deleted and nothing left running */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const undo: (() => void)[] = [];
  const cleanUp = (): void => {
    for (const step of undo.splice(0).reverse()) {
      try {
        step();
      } catch (error) {
        options.log.warn({ err: error }, 'cleaning up after the embedded PostgreSQL failed');
      }
    }
  };
  try {
    for (const name of Object.keys(options.settings ?? {})) {
      if (!/^\w+(\.\w+)?$/.test(name))
        throw new EmbeddedDatabaseError(
          `"${name}" is not the name of a PostgreSQL setting. Correct the settings of the embedded database.`,
        );
    }
    const dataDir = ownDirectory(options.dataDir);
    undo.push(lockDirectory(dataDir).release);
    const { plan, created } = await prepare(dataDir, options, undo);
    const server = await startServer(plan, options.abort ?? new AbortController().signal);
    options.log.info(
      { cluster: plan.cluster, version: plan.binaries.version, created },
      'embedded PostgreSQL is ready',
    );
    return supervise(plan, server, created, cleanUp);
  } catch (error) {
    cleanUp();
    if (error instanceof EmbeddedDatabaseError) throw error;
    if (error instanceof OwnFileError)
      throw new EmbeddedDatabaseError(
        `The embedded PostgreSQL in ${options.dataDir} cannot be started: ${error.message}.`,
      );
    throw new EmbeddedDatabaseError(
      `The embedded PostgreSQL in ${options.dataDir} cannot be started: ${messageOf(error)}. ` +
        'Make sure that the directory exists, has space and belongs to the user of the controller.',
      { cause: error },
    );
  }
}

async function prepare(
  dataDir: string,
  { log, settings = {}, isRestore = false }: EmbeddedOptions,
  undo: (() => void)[],
): Promise<{ plan: ServerPlan; created: boolean }> {
  const cluster = clusterIn(dataDir);
  const serverLog = openServerLog(path.join(dataDir, 'postgres.log'));
  undo.push(serverLog.close);
  serverLog.rotate();

  const account = serverAccount(cluster, log);
  const present = clusterExists(dataDir, cluster, isRestore);
  const binaries = await findBinaries(dataDir, account);
  if (present) {
    checkCluster(cluster, binaries, serverLog.tail());
  } else {
    log.info({ cluster, version: binaries.version }, 'making a new embedded PostgreSQL cluster');
    await createCluster(dataDir, cluster, binaries, account);
  }
  const socket = socketPath(cluster);
  undo.push(socket.remove);
  const upkeep = setInterval(() => {
    try {
      serverLog.rotate();
      socket.refresh();
    } catch (error) {
      log.warn({ err: error }, 'upkeep of the embedded PostgreSQL failed');
    }
  }, UPKEEP_MS).unref();
  undo.push(() => clearInterval(upkeep));
  return { plan: { cluster, binaries, account, host: socket.directory, settings, serverLog, log }, created: !present };
}

function notify(listener: () => void, log: Log): void {
  try {
    listener();
  } catch (error) {
    log.error({ err: error }, 'a listener for restarts of the embedded PostgreSQL failed');
  }
}

function supervise(plan: ServerPlan, first: Server, created: boolean, cleanUp: () => void): EmbeddedDatabase {
  const { log, cluster } = plan;
  const listeners: (() => void)[] = [];
  const closing = new AbortController();
  let current = first;

  // A controller that ends without stop() ends the server as well; only one that is killed cannot.
  const onExit = (): void => {
    current.process.kill('SIGINT');
  };
  process.once('exit', onExit);

  /** Keeps the server running until stop(). */
  const watch = async (): Promise<void> => {
    let failures = 0;
    for (;;) {
      const since = performance.now();
      const how = await current.ended;
      if (closing.signal.aborted) return;
      log.error({ cluster, how }, 'the embedded PostgreSQL ended by itself, starting it again');
      if (performance.now() - since > SETTLED_MS) failures = 0;
      for (;;) {
        if (failures > 0) await pause(Math.min(LONGEST_BACKOFF_MS, 100 * 2 ** (failures - 1)), closing.signal);
        if (closing.signal.aborted) return;
        failures += 1;
        try {
          current = await startServer(plan, closing.signal);
          if (!closing.signal.aborted) break;
          return await stopServer(current);
        } catch (error) {
          if (closing.signal.aborted) return;
          log.error({ cluster, err: error }, 'the embedded PostgreSQL could not be started again, trying on');
        }
      }
      log.info({ cluster }, 'the embedded PostgreSQL is back');
      for (const listener of listeners) notify(listener, log);
    }
  };
  const watching = watch();
  const stop = async (): Promise<void> => {
    closing.abort();
    await stopServer(current);
    await watching;
    process.removeListener('exit', onExit);
    cleanUp();
    log.info({ cluster }, 'embedded PostgreSQL has stopped');
  };
  let stopped: Promise<void> | undefined;
  return {
    connection: connectionAt(plan.host),
    created,
    onRestart: (listener) => {
      listeners.push(listener);
    },
    stop: () => (stopped ??= stop()),
  };
}
