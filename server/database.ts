/** Finds the database of a configuration, brings its schema up to date and opens it. */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { ConnectionUrlError, parseConnectionUrl } from '../db/connection-url.js';
import { openDatabase } from '../db/db.js';
import type { Database } from '../db/db.js';
import { runningConnection, startEmbeddedPostgres } from '../db/embedded/supervisor.js';
import { migrate } from '../db/migrate.js';
import { isTransactionPooled } from '../db/pooler.js';
import { serversOf } from '../db/servers.js';
import type { ServerConfig } from '../db/servers.js';
import type { Closers } from './closers.js';
import { ConfigError } from './config.js';
import type { Config } from './config.js';
import { requireRoom } from '../db/room.js';
import type { Room } from '../db/room.js';
import { OUTAGES } from '../db/outages.js';
import { prepareDataDir } from './data-dir.js';
import { waitForDatabase } from './database-start.js';
import type { Logger } from './log.js';
import { createOutageLog } from './outages.js';
import type { OutageLog } from './outages.js';

const { isWorker } = cluster;

export interface DatabaseOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly closers: Closers;
  readonly abort: AbortSignal;
  /** The database was found not to answer. */
  readonly onLost: () => void;
  /** Work through the embedded server that a running controller keeps, if one does. */
  readonly besideRunning?: boolean;
}

/** No statement takes longer, however long a handler may. */
const LONGEST_LIST_MS = 30_000;

export interface OpenDatabase {
  readonly database: Database;
  readonly connection: ServerConfig;
  readonly outages: OutageLog;
}

/** Closing the last closer that this adds closes the pool and leaves an embedded server running. */
export async function connectDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { config, log, closers, abort, onLost, besideRunning } = options;
  const wanting = { poolSize: besideRunning === true ? 1 : config.databasePoolSize, processes: config.workers };
  const connection = await locate(options);
  abort.throwIfAborted();
  const prepare = async () => {
    if (config.databaseUrl !== null) await refuseTransactionPooler(connection);
    return { applied: await migrate(connection), room: await requireRoom(connection, wanting) };
  };
  const waiting = { patienceSeconds: config.databaseStartPatience, log, abort };
  const { applied, room } = await waitForDatabase(prepare, waiting);
  if (!isWorker && besideRunning !== true) reportRoom(room, log);
  if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
  const outages = createOutageLog(log, { diskFull: () => database.hasSpace() });
  closers.push(() => { outages.close(); });
  const database = openDatabase({
    connection, poolSize: config.databasePoolSize, patienceMs: config.databasePatience * 1000,
    onLimit: atMostEvery(LIMIT_LINE_MS, (open: number) => {
      const configured = config.databasePoolSize;
      const { advice } = OUTAGES.connectionLimit;
      log.warn({ open, configured }, `the pool works with fewer connections than configured. ${advice}.`);
    }),
    lists: {
      perIdentity: config.listsPerIdentity, waiting: config.listQueue,
      timeoutMs: Math.min(config.handlerTimeout * 1000, LONGEST_LIST_MS),
    },
    onConfirmationChange: (isConfirmed) => { outages.confirmed(isConfirmed); },
    onStateChange: (isUp, cause) => {
      if (isUp) { outages.recovered(); return; }
      outages.lost(cause);
      onLost();
    },
  });
  closers.push(() => database.close());
  return { database, connection, outages };
}

/** One that cannot be asked is left to the steps that follow: they say why. */
async function refuseTransactionPooler(connection: ClientConfig): Promise<void> {
  if (!(await isTransactionPooled(connection).catch(() => false))) return;
  throw new ConfigError('DATABASE_URL leads through a pooler in transaction mode, which shares server connections between '
    + 'statements: prepared statements and LISTEN do not work there. Connect directly, or set the pooler to session mode '
    + '(PgBouncer: pool_mode = session).');
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

function reportRoom({ wanted, free }: Room, log: Logger): void {
  log.info({ wanted, free },
    'connections to the database: what this controller opens at most, and what the database has left');
  if (free >= wanted) return;
  const { advice } = OUTAGES.connectionLimit;
  log.warn({ wanted, free }, `the database has fewer connections left than this controller may open. ${advice}.`);
}

async function locate({ config, log, closers, abort, besideRunning }: DatabaseOptions): Promise<ServerConfig> {
  if (config.databaseUrl !== null) return externalServers(config.databaseUrl);
  if (besideRunning === true && existsSync(config.dataDir)) {
    const running = { ...runningConnection(config.dataDir), ssl: false };
    if (await answers(running)) return running;
  }
  prepareDataDir(config.dataDir);
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log, abort });
  closers.push(() => embedded.stop());
  return { ...embedded.connection, ssl: false };
}

function externalServers(url: string): ServerConfig {
  try {
    return serversOf(parseConnectionUrl(url));
  } catch (error) {
    if (!(error instanceof ConnectionUrlError)) throw error;
    throw new ConfigError(`DATABASE_URL ${error.message}.`, { cause: error });
  }
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
