/** Checks whether a server can hold the schema: its version, its encoding, its role in a cluster and its extensions. */
import type pg from 'pg';
import { MIGRATION_LOCK } from '../postgres/advisory-locks.js';
import { ReadOnlyServer } from '../postgres/connection.js';
import { SchemaError } from './schema-error.js';

const OLDEST_SERVER = 15;
export const INSUFFICIENT_PRIVILEGE = '42501';
/** How PostgreSQL says that an extension is not installed: 15 and later, and earlier or derived servers. */
const NO_EXTENSION = ['0A000', '58P01'];

/** @throws SchemaError, ReadOnlyServer */
export async function refuseUnfit(client: pg.Client): Promise<void> {
  interface Server {
    number: number;
    version: string;
    encoding: string;
    isReadOnly: boolean;
  }
  const {
    rows: [server],
  } = await client.query<Server>(`
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, current_setting('transaction_read_only')::bool AS "isReadOnly"`);
  if (server === undefined) return;
  if (server.number < OLDEST_SERVER * 10_000) {
    throw new SchemaError(
      `The database runs PostgreSQL ${server.version}, but ${OLDEST_SERVER} or newer is needed: upgrade it, ` +
        'or set DATABASE_URL to another one.',
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new SchemaError(
      `The database has the encoding ${server.encoding}, but UTF8 is needed: make one with CREATE DATABASE … ` +
        "ENCODING 'UTF8' TEMPLATE template0, and set DATABASE_URL to it.",
    );
  }
  if (server.isReadOnly) throw new ReadOnlyServer();
}

/** @throws SchemaError when it is there, but where our statements do not find it */
export async function hasExtension(client: pg.Client): Promise<boolean> {
  const {
    rows: [present],
  } = await client.query<{ schema: string; isFound: boolean }>(`
    SELECT nspname AS schema, nspname = ANY(current_schemas(true)) AS "isFound"
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`);
  if (present?.isFound === false) {
    throw new SchemaError(
      `The extension pg_trgm is in the schema ${present.schema}, where it is not found. ` +
        'Ask its owner to run: ALTER EXTENSION pg_trgm SET SCHEMA public; then start again. ' +
        '(Or add that schema to the search_path of the role.)',
    );
  }
  return present !== undefined;
}

/** Creates the extension where it is missing. Call it in a transaction with the advisory lock. @throws SchemaError */
export async function requireExtensions(client: pg.Client): Promise<void> {
  if (await hasExtension(client)) return;
  try {
    await client.query('CREATE EXTENSION pg_trgm');
    // Visible to the connections that migrate; the lock is taken again at once.
    await client.query('COMMIT');
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  } catch (error) {
    const { code } = error as pg.DatabaseError;
    if (code === INSUFFICIENT_PRIVILEGE) {
      throw new SchemaError(
        'The database lacks the extension pg_trgm and this role may not create it. ' +
          'Ask its administrator to run: CREATE EXTENSION pg_trgm; then start again.',
        { cause: error },
      );
    }
    if (NO_EXTENSION.includes(code ?? '')) {
      throw new SchemaError(
        'The database server does not have the extension pg_trgm. Ask its administrator to install it ' +
          '(on Debian it comes with postgresql, elsewhere often with postgresql-contrib); then start again.',
        { cause: error },
      );
    }
    throw error;
  }
}
