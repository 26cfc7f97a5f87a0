/**
 * The network of a configuration for a command of its operator: through the database that a running controller keeps,
 * or one that is started for it. Brings no schema up to date: that is for `start` and `migrate` to do.
 */
import { existsSync } from 'node:fs';
import { openDatabase } from '../../db/postgres/db.js';
import { clusterIn } from '../../db/embedded/paths.js';
import { SchemaError } from '../../db/schema/schema-error.js';
import { pendingMigrations } from '../../db/schema/migrate.js';
import type { ServerConfig } from '../../db/postgres/servers.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { closeAll } from '../base/closers.js';
import type { Closers } from '../base/closers.js';
import { ConfigError } from '../settings/config.js';
import type { Settings } from '../settings/config.js';
import { listLimits, locateServer } from './database.js';
import type { Logger } from '../base/log.js';
import { operator } from './operator.js';

/** Parts of the controller that an operator's command needs. */
export interface OperatedNetwork {
  readonly connection: ServerConfig;
  readonly stores: Stores;
}

const POOL_SIZE = 2;

/**
 * @throws ConfigError when there is no network, SchemaError when its database cannot be used or is not of this release,
 * EmbeddedDatabaseError
 */
export async function withNetwork<T>(
  config: Settings,
  log: Logger,
  work: (network: OperatedNetwork) => Promise<T>,
): Promise<T> {
  return withServer(config, log, async (connection, closers) => {
    await requireCurrentSchema(connection);
    const patienceMs = config.databasePatience * 1000;
    const actor = { ...operator(), controller: config.name };
    const database = openDatabase({ connection, poolSize: POOL_SIZE, patienceMs, actor });
    closers.push(() => database.close());
    const stores = openStores(database, listLimits(config));
    if ((await stores.network.find()) === undefined) throw noNetwork('this database');
    return work({ connection, stores });
  });
}

/** The server of the database alone, whatever is in it. An embedded one that is started for this is stopped again. */
export async function withServer<T>(
  config: Settings,
  log: Logger,
  work: (connection: ServerConfig, closers: Closers) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl === null && !existsSync(clusterIn(config.dataDir))) throw noNetwork(config.dataDir);
  const closers: Closers = [];
  try {
    const abort = new AbortController().signal;
    const connection = await locateServer({ config, log, closers, abort, besideRunning: true });
    await connection.servers?.find(FIND_MS).catch(() => undefined); // whoever connects says why it cannot be used
    return await work(connection, closers);
  } finally {
    await closeAll(closers, log);
  }
}

const FIND_MS = 5_000;

async function requireCurrentSchema(connection: ServerConfig): Promise<void> {
  const pending = await pendingMigrations(connection);
  if (pending.length === 0) return;
  throw new SchemaError(
    `The database has not the schema of this release: it lacks ${pending.join(', ')}. Nothing was changed. ` +
      'Run `edge-controller migrate`, or start the controller, then try again; or use the release that made it.',
  );
}

function noNetwork(place: string): ConfigError {
  return new ConfigError(`There is no network in ${place}: use the settings that its controller is started with.`);
}
