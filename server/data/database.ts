/** Finds the server of a configuration's database, or starts it; brings the schema up to date and opens a pool. */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { runningConnection, startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import { hasNetwork, migrate, migrationNames } from '../../db/schema/migrate.js';
import { isTransactionPooled } from '../../db/postgres/pooler.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import type { OnCommit } from '../../db/postgres/touched.js';
import type { Closers } from '../base/closers.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { requireConnections } from '../../db/schema/connection-capacity.js';
import type { ConnectionCapacity } from '../../db/schema/connection-capacity.js';
import { OUTAGES } from '../../db/postgres/outages.js';
import { prepareDataDir } from './data-dir.js';
import { waitForDatabase } from './database-start.js';
import { externalServers, replicaChoice } from './replicas.js';
import type { Logger } from '../base/log.js';
import { OutageLog } from '../base/outage-log.js';

const { isWorker } = cluster;

/** Bounds of lists, as stores want them. */
export const listLimits = ({ defaultLimit, maxLimit, exactTotal }: Settings) => ({
  defaultLimit,
  maxLimit,
  countUpTo: exactTotal,
});

export interface ServerOptions {
  readonly config: Settings;
  readonly log: Logger;
  readonly closers: Closers;
  readonly abort: AbortSignal;
  /** Work through the embedded server that a running controller keeps, if one does. */
  readonly besideRunning?: boolean;
  /** The database is empty, and is to get the content of a snapshot. */
  readonly isRestore?: boolean;
}

export interface ConnectOptions extends ServerOptions {
  /** Connection as `locateServer` returns it. */
  readonly connection: ServerConfig;
  /** The database was found not to answer. */
  readonly onLost: () => void;
  readonly onCommit?: OnCommit;
  /** Refuses a start on an external database before its schema is made or changed. */
  readonly beforeSchema: (hasNetwork: () => Promise<boolean>) => Promise<void>;
}

/** No statement takes longer, however long a handler may. */
const LONGEST_LIST_MS = 30_000;

export interface OpenDatabase {
  readonly database: Database;
  readonly outages: OutageLog;
}

/** Waits for the server, brings the schema up to date and opens the pool. The closers are for the pool alone. */
export async function connectDatabase(options: ConnectOptions): Promise<OpenDatabase> {
  const { config, log, closers, abort, connection, onLost, onCommit, besideRunning } = options;
  const demand = { poolSize: besideRunning === true ? 1 : config.databasePoolSize, processes: config.workers };
  const prepare = async () => {
    if (config.databaseUrl !== null) {
      await refuseTransactionPooler(connection);
      await options.beforeSchema(() => hasNetwork(connection));
    }
    let newer: readonly string[] = [];
    const applied = await migrate(connection, migrationNames, (names) => {
      newer = names;
    });
    return { applied, newer, capacity: await requireConnections(connection, demand) };
  };
  const waiting = { patienceSeconds: config.databaseStartPatience, log, abort };
  const { applied, newer, capacity } = await waitForDatabase(prepare, waiting);
  if (!isWorker && besideRunning !== true) reportCapacity(capacity, log);
  if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
  if (newer.length > 0) log.warn({ newer }, 'the schema is that of a newer release, which this one can work with');
  const outages = new OutageLog(log, { diskFull: () => database.hasSpace() });
  closers.push(() => {
    outages.close();
  });
  const database = openDatabase({
    connection,
    poolSize: config.databasePoolSize,
    patienceMs: config.databasePatience * 1000,
    actor: { kind: 'controller', controller: config.name },
    isCounted: config.metricsListen !== null,
    onLimit: atMostEvery(LIMIT_LINE_MS, (open: number) => {
      const configured = config.databasePoolSize;
      const { advice } = OUTAGES.connectionLimit;
      log.warn({ open, configured }, `the pool works with fewer connections than configured. ${advice}.`);
    }),
    lists: {
      perIdentity: config.listsPerIdentity,
      waiting: config.listQueue,
      timeoutMs: Math.min(config.handlerTimeout * 1000, LONGEST_LIST_MS),
    },
    ...(onCommit === undefined ? {} : { onCommit }),
    ...(besideRunning === true ? {} : { replicas: replicaChoice(config, log) }),
    onConfirmationChange: (isConfirmed) => {
      outages.confirmed(isConfirmed);
    },
    onStateChange: (isUp, cause) => {
      if (isUp) {
        outages.recovered();
        return;
      }
      outages.lost(cause);
      onLost();
    },
  });
  closers.push(() => database.close());
  return { database, outages };
}

/** One that cannot be asked is left to the steps that follow: they say why. @throws ConfigError */
export async function refuseTransactionPooler(connection: ClientConfig): Promise<void> {
  if (!(await isTransactionPooled(connection).catch(() => false))) return;
  throw new ConfigError(
    'DATABASE_URL leads through a pooler in transaction mode, which shares server connections between ' +
      'statements: prepared statements and LISTEN do not work there. Connect directly, ' +
      'or set the pooler to session mode ' +
      '(PgBouncer: pool_mode = session).',
  );
}

const LIMIT_LINE_MS = 60_000;

function atMostEvery<T>(ms: number, call: (value: T) => void): (value: T) => void {
  let last = -Infinity;
  return (value) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    call(value);
  };
}

function reportCapacity({ wanted, free }: ConnectionCapacity, log: Logger): void {
  log.info(
    { wanted, free },
    'connections to the database: what this controller opens at most, and what the database has left',
  );
  if (free >= wanted) return;
  const { advice } = OUTAGES.connectionLimit;
  log.warn({ wanted, free }, `the database has fewer connections left than this controller may open. ${advice}.`);
}

/** Returns the address of the database. Starts an embedded server, and adds a closer that stops it. */
export async function locateServer(options: ServerOptions): Promise<ServerConfig> {
  const { config, log, closers, abort, besideRunning, isRestore = false } = options;
  if (config.databaseUrl !== null) return externalServers('DATABASE_URL', config.databaseUrl);
  if (besideRunning === true && existsSync(config.dataDir)) {
    const running = { ...runningConnection(config.dataDir), ssl: false };
    if (await answers(running)) return running;
  }
  prepareDataDir(config.dataDir);
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log, isRestore, abort });
  closers.push(() => embedded.stop());
  abort.throwIfAborted();
  return { ...embedded.connection, ssl: false };
}

async function answers(connection: ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
