/**
 * Brings a database to this release's schema. Several controllers may start at once: knex's lock table is guarded
 * by an advisory lock, so one migrates and the others wait. A database from a newer release is refused.
 */
import knexFactory from 'knex';
import type { Knex } from 'knex';
import type { ClientConfig } from 'pg';
import { migrations } from './migrations/index.js';

const ADVISORY_LOCK = 7_210_417;

export class SchemaError extends Error {}

/** Names of migrations applied by this call, in order; empty when the schema was current. */
export async function migrate(connection: ClientConfig): Promise<string[]> {
  const knex = knexFactory({ client: 'pg', connection: connection as Knex.PgConnectionConfig, pool: { min: 1, max: 2 } });
  try {
    const holder = await knex.transaction();
    try {
      await holder.raw('SELECT pg_advisory_xact_lock(?)', [ADVISORY_LOCK]);
      await requireExtensions(knex);
      await refuseNewer(knex);
      const [, applied] = (await knex.migrate.latest({ migrationSource: source, tableName: 'schema_migrations' })) as [number, string[]];
      return applied;
    } finally {
      await holder.rollback();
    }
  } finally {
    await knex.destroy();
  }
}

/** Names of all migrations of this release, in order. */
export const migrationNames: readonly string[] = migrations.map((migration) => migration.name);

const source: Knex.MigrationSource<(typeof migrations)[number]> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => ({ up: migration.up, down: migration.down }),
};

async function requireExtensions(knex: Knex): Promise<void> {
  try {
    await knex.raw('CREATE EXTENSION IF NOT EXISTS pg_trgm');
  } catch (error) {
    throw new SchemaError('The database lacks the extension pg_trgm and this role may not create it. '
      + 'Ask its administrator to run: CREATE EXTENSION pg_trgm; then start again.', { cause: error });
  }
}

async function refuseNewer(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('schema_migrations'))) return;
  const rows = await knex<{ name: string }>('schema_migrations').select('name');
  const unknown = rows.map((row) => row.name).filter((name) => !migrationNames.includes(name));
  if (unknown.length > 0) {
    throw new SchemaError(`The database was used by a newer release (it has ${unknown.join(', ')}). `
      + 'Start that release or a later one, or restore a backup made before the upgrade.');
  }
}
