/**
 * Brings a database to this release's schema with the SQL files of db/schema/migrations. Several controllers may start
 * at once: an advisory lock lets one migrate while the others wait. A schema that is current costs two reads and no
 * lock. A database from a newer release that did more than expand the schema, from before the first release, or one
 * that cannot hold the schema, is refused in one sentence.
 */
import { readFileSync, readdirSync } from 'node:fs';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { MIGRATION_LOCK } from '../postgres/advisory-locks.js';
import { isCompatible, keepLeastKnown, leastKnown } from './compatibility.js';
import { outageOf } from '../postgres/outages.js';
import { ServerClient, presentConfig } from '../postgres/servers.js';
import type { ServerConfig } from '../postgres/servers.js';
import { SchemaError, unusable } from './schema-error.js';
import { INSUFFICIENT_PRIVILEGE, refuseUnfit, requireExtensions } from './server-checks.js';

const CONNECT_MS = 5_000;

const FILES = new URL('migrations/', import.meta.url);
const SUFFIX = '.sql';

/** Names of all migrations of this release, in order: those of their files. */
export const migrationNames: readonly string[] = readdirSync(FILES)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();

/** The first migration of the revisions before the first release, which made the schema in seven other steps. */
const BEFORE_RELEASES = '0001-base';

/**
 * Names of migrations applied by this call, in order; empty when the schema was current.
 * @param wanted  the first ones of this release, when not all are wanted
 */
export async function migrate(
  connection: ServerConfig,
  wanted = migrationNames,
  onNewer: OnNewer = () => undefined,
): Promise<string[]> {
  const client = await connectForMigration(connection);
  try {
    await refuseUnfit(client);
    if (await isCurrent(client, wanted, onNewer)) return [];
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await requireExtensions(client);
    // Another controller may have done it while this one waited.
    return (await isCurrent(client, wanted, onNewer)) ? [] : await applyPending(connection, wanted);
  } catch (error) {
    throw explain(error, connection);
  } finally {
    // Ends the transaction too; nothing of it is worth keeping but the extension, which is committed before.
    await client.end().catch(() => undefined);
  }
}

const sourceOf = (wanted: readonly string[]): Knex.MigrationSource<string> => ({
  getMigrations: async () => [...wanted],
  getMigrationName: (name) => name,
  getMigration: async (name) => ({
    // Escaped, because knex takes a question mark for the place of a value.
    up: (knex) =>
      knex
        .raw(`${DO_WHAT_WAITS};\n${textOf(name)};\n${keepLeastKnown(leastKnown(upTo(name)))}`.replaceAll('?', '\\?'))
        .catch((error: unknown) => {
          throw new MigrationFault(name, error);
        }),
    down: () => Promise.reject(new Error('migrations only go forward: restore a backup to go back')),
  }),
});

/** Changed rows leave work for the end of the transaction, and until it is done nothing may alter their table. */
const DO_WHAT_WAITS = 'SET CONSTRAINTS ALL IMMEDIATE';

const textOf = (name: string): string => readFileSync(new URL(`${name}${SUFFIX}`, FILES), 'utf8');
const upTo = (name: string): readonly string[] => migrationNames.slice(0, migrationNames.indexOf(name) + 1);

/** A statement of a migration failed; the cause says why. */
class MigrationFault extends Error {
  constructor(
    readonly migration: string,
    cause: unknown,
  ) {
    super(`the migration ${migration} failed`, { cause });
  }
}

/**
 * Names of the migrations that a start would apply, in order. Changes nothing.
 * @throws SchemaError for a database that cannot be reached, or that no start could bring forward
 */
export async function pendingMigrations(connection: ServerConfig): Promise<string[]> {
  const client = await connectForMigration(connection);
  try {
    await refuseUnfit(client);
    const applied = await appliedIn(client);
    return migrationNames.filter((name) => !applied.has(name));
  } catch (error) {
    throw explain(error, connection);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether the database has a network; false without a schema, too. @throws SchemaError when it cannot be read */
export async function hasNetwork(connection: ServerConfig): Promise<boolean> {
  const client = await connectForMigration(connection);
  try {
    const {
      rows: [table],
    } = await client.query<{ exists: boolean }>("SELECT to_regclass('network') IS NOT NULL AS exists");
    return table?.exists === true && (await client.query('SELECT 1 FROM network')).rows.length > 0;
  } catch (error) {
    throw explain(error, connection);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Purpose of a migration: the comment that its file begins with, on one line; empty without one. */
export function purposeOf(name: string): string {
  return [...(/^(?:--.*\n)*/.exec(textOf(name))?.[0].matchAll(/^-- ?(.*)$/gm) ?? [])].map(([, line]) => line).join(' ');
}

/** Opens a connection for migrating, before any other connection. @throws SchemaError */
export async function connectForMigration(connection: ServerConfig): Promise<pg.Client> {
  try {
    await connection.servers?.find(CONNECT_MS);
    const client = new ServerClient({
      application_name: 'edge-controller',
      connectionTimeoutMillis: CONNECT_MS,
      ...connection,
    });
    client.on('error', () => undefined); // the statement under way reports the failure
    await client.connect();
    return client;
  } catch (error) {
    throw unusable(error, connection);
  }
}

async function isCurrent(client: pg.Client, wanted: readonly string[], onNewer: OnNewer): Promise<boolean> {
  const applied = await appliedIn(client, onNewer);
  return wanted.every((name) => applied.has(name));
}

/** Called with the migrations of a newer release that a database has, and with which this release can work. */
export type OnNewer = (names: readonly string[]) => void;

/**
 * @throws SchemaError when the database has migrations of before the first release, or of a newer one with which this
 * release cannot work
 */
export async function appliedIn(client: pg.Client, onNewer: OnNewer = () => undefined): Promise<ReadonlySet<string>> {
  const {
    rows: [table],
  } = await client.query<{ exists: boolean }>("SELECT to_regclass('schema_migrations') IS NOT NULL AS exists");
  if (table?.exists !== true) return new Set();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id');
  const applied = new Set(rows.map((row) => row.name));
  if (applied.has(BEFORE_RELEASES)) {
    throw new SchemaError(
      'The database was made by a revision before the first release and cannot be brought forward; nothing of it was ' +
        'changed. Start with a new one (an empty database for DATABASE_URL, or another EDGE_DATA_DIR). ' +
        'To keep what it has, start that revision on it and read it out through its API.',
    );
  }
  const unknown = [...applied].filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0 && isCompatible(migrationNames, await commentOf(client))) onNewer(unknown);
  else if (unknown.length > 0) {
    throw new SchemaError(
      `The database was used by a newer release (it has ${unknown.join(', ')}). ` +
        'Start that release or a later one, or restore a backup made before the upgrade.',
    );
  }
  return applied;
}

/** Comment of the database on the releases that can work with it. */
async function commentOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ comment: string | null }>(
    "SELECT obj_description('schema_migrations'::regclass, 'pg_class') AS comment",
  );
  return rows[0]?.comment ?? null;
}

/** Call it under the advisory lock only: a lock that knex finds in its table was left by a controller that died. */
async function applyPending(connection: ServerConfig, wanted: readonly string[]): Promise<string[]> {
  const silent = () => undefined;
  const knex = knexFactory({
    client: 'pg',
    connection: () => presentConfig(connection) as Knex.PgConnectionConfig,
    compileSqlOnError: false,
    pool: { min: 0, max: 1 },
    log: { warn: silent, error: silent, deprecate: silent, debug: silent },
  });
  // knex puts the statement before the message, some of them hundreds of lines.
  knex.on('query-error', (error: Error, { sql }: { sql: string }) => {
    if (error.message.startsWith(`${sql} - `)) error.message = error.message.slice(sql.length + ' - '.length);
  });
  const options = { migrationSource: sourceOf(wanted), tableName: 'schema_migrations' };
  try {
    await knex.migrate.forceFreeMigrationsLock(options);
    const [, applied] = (await knex.migrate.latest(options)) as [number, string[]];
    return applied;
  } finally {
    await knex.destroy();
  }
}

function explain(error: unknown, connection: ServerConfig): unknown {
  const fault = error instanceof MigrationFault ? error.cause : error;
  if (error instanceof SchemaError) return error;
  if (outageOf(fault) !== undefined) return unusable(fault, connection);
  if (!(fault instanceof pg.DatabaseError)) return fault;
  const where = error instanceof MigrationFault ? `, migration ${error.migration}` : '';
  const what = `${fault.message}, SQLSTATE ${fault.code ?? 'unknown'}${where}`;
  if (fault.code !== INSUFFICIENT_PRIVILEGE) {
    const message = `The database cannot be brought to the schema of this release (${what}). Nothing was changed.`;
    return new SchemaError(message, { cause: fault });
  }
  return new SchemaError(
    `The role of DATABASE_URL may not make the tables of this release (${what}): ` +
      'make it the owner of the database, or GRANT CREATE ON SCHEMA public TO it.',
    { cause: fault },
  );
}
