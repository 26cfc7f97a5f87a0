/**
 * Writes db/schema/schema.sql: the schema after all migrations, read from PostgreSQL's own catalog, as SQL that makes
 * it again. With --check it says whether the file is fresh. The server is an embedded one in a directory of its own. A
 * kind of object that it does not know stops it: nothing is silently left out.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../db/embedded/supervisor.js';
import { dumpSchema } from '../db/schema/schema-dump.js';
import { migrate } from '../db/schema/migrate.js';

export { dumpSchema };

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The schema of a database that only ever saw the migrations. */
async function freshSchema(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-schema-'));
  try {
    const server = await startEmbeddedPostgres({ dataDir, log: silent, settings: { fsync: 'off' } });
    try {
      const connection = { ...server.connection, ssl: false };
      await migrate(connection);
      const client = new pg.Client(connection);
      await client.connect();
      try {
        return await dumpSchema((sql) => client.query<Record<string, unknown>>(sql));
      } finally {
        await client.end();
      }
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function main(args: readonly string[]): Promise<void> {
  const file = resolve(import.meta.dirname, '../../db/schema/schema.sql');
  const schema = await freshSchema();
  if (!args.includes('--check')) {
    writeFileSync(file, schema);
    return;
  }
  if (readFileSync(file, 'utf8') === schema) return;
  console.error(
    'db/schema/schema.sql does not match the migrations. Run `node dist/scripts/dump-schema.js` and commit the result.',
  );
  process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(process.argv.slice(2));
