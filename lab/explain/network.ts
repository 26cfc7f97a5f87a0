/** A network of a given size in an embedded database, filled by SQL: minutes where the API takes an hour. */
import { mkdirSync } from 'node:fs';
import { ServerClient } from '../../db/postgres/servers.js';
import type { ClientConfig } from 'pg';
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import { prepareConnection, sessionConfig } from '../../db/postgres/connection.js';
import { migrate } from '../../db/schema/migrate.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { fill } from './fill.js';
import { openRecorder } from './recorder.js';
import type { Recorder } from './recorder.js';
import type { Scale } from './scale.js';

const LIMITS = { defaultLimit: 10, maxLimit: 500 };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface OpenNetwork {
  readonly stores: Stores;
  /** Of the statements of these stores. */
  readonly recorder: Recorder;
  readonly client: ServerClient;
  readonly isEmpty: boolean;
}

/** Runs `use` with an embedded database in this directory, which is made unless it is there. */
export async function withServer<T>(dataDir: string, use: (connection: ClientConfig) => Promise<T>): Promise<T> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // It stays as it was filled: nothing is cleaned up or analyzed in between.
  const server = await startEmbeddedPostgres({
    dataDir,
    log: silent,
    settings: { fsync: 'off', autovacuum: 'off', max_wal_size: '4GB' },
  });
  try {
    return await use({ ...server.connection, ssl: false });
  } finally {
    await server.stop();
  }
}

/** Runs `use` with the network that this database has, after its schema was made or brought up to date. */
export async function withNetwork<T>(connection: ClientConfig, use: (network: OpenNetwork) => Promise<T>): Promise<T> {
  await migrate(connection);
  const client = new ServerClient(sessionConfig(connection));
  await client.connect();
  await prepareConnection(client);
  const recorder = openRecorder(client);
  try {
    const { rows } = await client.query('SELECT FROM identities LIMIT 1');
    return await use({ stores: openStores(recorder, LIMITS), recorder, client, isEmpty: rows.length === 0 });
  } finally {
    await recorder.close();
  }
}

/** Fills the directory for a controller that has it as its `EDGE_DATA_DIR`. */
export const fillDirectory = (dataDir: string, scale: Scale): Promise<void> =>
  withServer(dataDir, (connection) => withNetwork(connection, ({ stores, client }) => fill(stores, client, scale)));
