/** How many connections a controller opens, and whether the database has room for them. */
import { LANES } from '../postgres/lanes.js';
import { DatabaseUnavailable } from '../postgres/outages.js';
import { SchemaError, unusable } from './schema-error.js';
import { ServerClient } from '../postgres/servers.js';
import type { ServerConfig } from '../postgres/servers.js';

/**
 * Those of a process besides its pool: the lanes, the watchdog, the feed of changes, and one that cancels statements.
 */
const BESIDES_POOL = LANES + 3;

export interface ConnectionCapacity {
  /** Connections that all processes open at most. */
  readonly wanted: number;
  /** Connections that the limits of server, database and role leave at this moment. */
  readonly free: number;
}

export interface ConnectionDemand {
  readonly poolSize: number;
  readonly processes: number;
}

/** @throws SchemaError when there is less room than one connection of each kind takes */
export async function requireConnections(
  connection: ServerConfig,
  { poolSize, processes }: ConnectionDemand,
): Promise<ConnectionCapacity> {
  const [wanted, least] = [processes * (poolSize + BESIDES_POOL), processes * (1 + BESIDES_POOL)];
  const free = await freeConnections(connection);
  if (free >= least) return { wanted, free };
  const share = processes === 1 ? '' : `${processes} processes, each `;
  const each = `${share}a pool of ${poolSize} and ${BESIDES_POOL} more`;
  throw new SchemaError(
    `The database has room for ${free} more connections, but ${least} are needed to work ` +
      `and up to ${wanted} are opened (${each}): raise max_connections or the CONNECTION LIMIT of the role or ` +
      'database, ' +
      'or lower EDGE_DATABASE_POOL_SIZE or EDGE_WORKERS.',
    { cause: new DatabaseUnavailable('connectionLimit', undefined) },
  );
}

/** Background processes have no user. A superuser is not bound by the limits of role and database. */
const FREE = `
  WITH used AS MATERIALIZED (
    SELECT usename, datname FROM pg_stat_activity
    WHERE usesysid IS NOT NULL AND datid IS NOT NULL AND pid <> pg_backend_pid()
  )
  SELECT greatest(0, least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) - (SELECT count(*) FROM used),
    CASE WHEN rolconnlimit >= 0 AND NOT rolsuper
      THEN rolconnlimit - (SELECT count(*) FROM used WHERE usename = session_user) END,
    CASE WHEN datconnlimit >= 0 AND NOT rolsuper
      THEN datconnlimit - (SELECT count(*) FROM used WHERE datname = current_database()) END
  ))::int AS free
  FROM pg_roles, pg_database WHERE rolname = session_user AND pg_database.datname = current_database()`;

const PATIENCE_MS = 5_000;

async function freeConnections(connection: ServerConfig): Promise<number> {
  const client = new ServerClient({
    application_name: 'edge-controller',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    ...connection,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const {
      rows: [row],
    } = await client.query<{ free: number }>(FREE);
    return row?.free ?? 0;
  } catch (error) {
    throw unusable(error, connection);
  } finally {
    await client.end().catch(() => undefined);
  }
}
