/** Finds the database of a configuration, brings its schema up to date and opens it. */
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
import { prepareDataDir } from './data-dir.js';
import { waitForDatabase } from './database-start.js';
import type { Logger } from './log.js';
import { createOutageLog } from './outages.js';
import type { OutageLog } from './outages.js';

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

export interface OpenDatabase {
  readonly database: Database;
  readonly connection: ServerConfig;
  readonly outages: OutageLog;
}

/** Closing the last closer that this adds closes the pool and leaves an embedded server running. */
export async function connectDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { config, log, closers, abort, onLost } = options;
  const connection = await locate(options);
  abort.throwIfAborted();
  const prepare = async () => {
    if (config.databaseUrl !== null) await refuseTransactionPooler(connection);
    return migrate(connection);
  };
  const applied = await waitForDatabase(prepare, { patienceSeconds: config.databaseStartPatience, log, abort });
  if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
  const outages = createOutageLog(log);
  closers.push(() => { outages.close(); });
  const database = openDatabase({
    connection, poolSize: config.databasePoolSize, patienceMs: config.databasePatience * 1000,
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
  throw new ConfigError('DATABASE_URL leads through a pooler in transaction mode, which shares server connections between statements: '
    + 'prepared statements and LISTEN do not work there. Connect directly, or set the pooler to session mode (PgBouncer: pool_mode = session).');
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
    throw error instanceof ConnectionUrlError ? new ConfigError(`DATABASE_URL ${error.message}.`, { cause: error }) : error;
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
