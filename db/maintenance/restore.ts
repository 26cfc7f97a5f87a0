/**
 * Puts the content of a snapshot into an empty database: all of it, in one transaction, or nothing. Rows come back as
 * they were, counts and epochs among them, so no trigger runs; references are checked at the end, all of them.
 */
import { translate } from '../postgres/errors.js';
import { DatabaseUnavailable } from '../postgres/outages.js';
import { migrate } from '../schema/migrate.js';
import type { Db } from '../postgres/contracts.js';
import { START_LOCK } from '../postgres/advisory-locks.js';
import type { ServerConfig } from '../postgres/servers.js';
import { quoted, sequenceNames, tableShapes } from '../schema/catalog.js';
import type { TableShape } from '../schema/catalog.js';
import { withLane } from '../postgres/maintenance-connection.js';
import type { MaintenanceLane } from '../postgres/maintenance-connection.js';
import { migrationsOf, readSnapshot, SnapshotError } from './snapshot-format.js';
import type { SequenceLine, SnapshotHeader, TableLine } from './snapshot-format.js';
import { networkTables } from '../schema/shipped-schema.js';
import { unprepared } from '../postgres/statement.js';

export interface Restored {
  readonly header: SnapshotHeader;
  readonly tables: number;
  readonly rows: number;
}

export interface RestoreOptions {
  readonly connection: ServerConfig;
  readonly file: string;
  /** Called often, with what has been read of a table so far, or how many indexes are made. */
  readonly onProgress: (what: string, count: number, unit?: string) => void;
}

/** Reads a snapshot to its end. @throws SnapshotError unless it is whole and of this release or one before */
export async function verifySnapshot(file: string): Promise<SnapshotHeader> {
  let header: SnapshotHeader | undefined;
  for await (const item of readSnapshot(file)) if (item.kind === 'header') ({ header } = item);
  if (header === undefined) throw new SnapshotError(`The snapshot ${file} is empty.`);
  migrationsOf(header, file); // at the end: of a damaged file nothing is believed, its header neither
  return header;
}

/**
 * The file must have been verified. Leaves the schema of this release.
 * @throws SnapshotError for a database that is not empty, and for a file that has changed meanwhile
 */
export async function restoreInto(header: SnapshotHeader, options: RestoreOptions): Promise<Restored> {
  const { connection, file } = options;
  const wanted = migrationsOf(header, file);
  await connection.servers?.find(CONNECT_MS);
  const signal = new AbortController().signal;
  await withLane(connection, signal, (lane) => requireEmpty(lane, wanted));
  await migrate(connection, wanted);
  const loaded = await withLane(connection, signal, async (lane) => {
    const result = await lane.transaction((tx) => load(tx, wanted, options));
    await lane.run('ANALYZE');
    return result;
  });
  await migrate(connection);
  return { header, ...loaded };
}

const CONNECT_MS = 5_000;

const NOT_EMPTY =
  'The database is not empty, so nothing was restored and nothing was changed: restore into a new database, or ' +
  'another EDGE_DATA_DIR.';

/** Refuses a database with more than empty tables of the snapshot's schema, as a cut-off restore leaves them. */
async function requireEmpty(db: { run: MaintenanceLane['run'] }, wanted: readonly string[]): Promise<void> {
  const {
    rows: [found],
  } = await db.run<{ tables: string[] }>(
    `SELECT coalesce(array_agg(c.relname::text), '{}') AS tables FROM pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
      AND d.deptype = 'e')`,
  );
  const tables = new Set(found?.tables);
  if (tables.size === 0) return;
  if (!['schema_migrations', 'network', 'identities'].every((name) => tables.has(name)))
    throw new SnapshotError(NOT_EMPTY);
  const { rows } = await db.run<{ name: string; hasRows: boolean }>(
    `SELECT name, EXISTS (SELECT FROM network) OR EXISTS (SELECT FROM identities) AS "hasRows"
    FROM schema_migrations ORDER BY id`,
  );
  const isOfSnapshot = rows.length <= wanted.length && rows.every(({ name }, index) => name === wanted[index]);
  if (!isOfSnapshot || rows.some(({ hasRows }) => hasRows)) throw new SnapshotError(NOT_EMPTY);
}

async function load(
  tx: Db,
  wanted: readonly string[],
  options: RestoreOptions,
): Promise<{ tables: number; rows: number }> {
  const { file, onProgress } = options;
  const run: MaintenanceLane['run'] = (sql, values) => tx.execute(unprepared('restore', sql), values);
  // A controller that starts meanwhile waits, and then finds the network.
  await run('SELECT pg_advisory_xact_lock($1)', [START_LOCK]);
  await requireEmpty({ run }, wanted);
  const shapes = new Map((await tableShapes(tx)).map((shape) => [shape.name, shape]));
  const names = [...shapes.keys()].map(quoted);
  await run(`TRUNCATE ${names.join(', ')}`);
  const references = await dropReferences(run);
  const indexes = await dropIndexes(run);
  for (const name of names) await run(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  const result = { tables: 0, rows: 0 };
  const sequences = new Set(await sequenceNames(tx));
  let shape: TableShape | undefined;
  let count = 0;
  for await (const item of readSnapshot(file)) {
    if (item.kind === 'table') {
      shape = shapeOf(item.line, shapes, file);
      result.tables += 1;
      count = 0;
    } else if (item.kind === 'rows') {
      if (shape === undefined) throw changed(file, 'rows belong to no table');
      await insertRows(run, shape, item.rows, file);
      count += item.rows.length;
      result.rows += item.rows.length;
      onProgress(shape.name, count);
    } else if (item.kind === 'sequence') await setSequence(run, item.line, sequences, file);
  }
  // Routers may have been told of a later state: what this database counts from now on must not be taken for that.
  if (shapes.get('network')?.columns.some(({ name }) => name === 'timeline_id') === true)
    await run('UPDATE network SET timeline_id = gen_random_uuid()::text');
  // And they may have been sent tokens since then that were not stored as shared when the snapshot was taken.
  if (shapes.get('api_sessions')?.columns.some(({ name }) => name === 'is_shared_with_routers') === true)
    await run(
      "UPDATE api_sessions SET is_shared_with_routers = true WHERE api = 'client' AND NOT is_shared_with_routers",
    );
  await addIndexes(run, indexes, options);
  for (const name of names) await run(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  try {
    for (const statement of references) await run(statement);
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : changed(file, 'what its rows refer to is not in it', error);
  }
  return result;
}

/** @returns what puts them back, which looks at all rows */
async function dropReferences(run: MaintenanceLane['run']): Promise<string[]> {
  const { rows } = await run<{ add: string; remove: string }>(
    `SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid)) AS add,
      format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, c.conname) AS remove
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
    WHERE c.contype = 'f' AND t.relnamespace = current_schema()::regnamespace AND t.relname = ANY ($1)
    ORDER BY t.relname, c.conname`,
    [networkTables()],
  );
  for (const { remove } of rows) await run(remove);
  return rows.map(({ add }) => add);
}

interface Index {
  readonly table: string;
  readonly add: string;
  readonly remove: string;
}

/** Made of all rows at once, an index takes a fraction of what it takes row by row. Those of constraints stay. */
async function dropIndexes(run: MaintenanceLane['run']): Promise<Index[]> {
  const { rows } = await run<Index>(
    `SELECT t.relname AS table, pg_get_indexdef(i.indexrelid) AS add, format('DROP INDEX %I', c.relname) AS remove
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = ANY ($1) AND t.relkind = 'r'
      AND NOT t.relispartition AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
    ORDER BY t.relname, c.relname`,
    [networkTables()],
  );
  for (const { remove } of rows) await run(remove);
  return rows;
}

async function addIndexes(
  run: MaintenanceLane['run'],
  indexes: readonly Index[],
  { file, onProgress }: RestoreOptions,
): Promise<void> {
  await run("SET LOCAL maintenance_work_mem = '128MB'");
  try {
    for (const [index, { table, add }] of indexes.entries()) {
      onProgress(`indexes, now of ${table}`, index, `of ${indexes.length}`);
      await run(add);
    }
  } catch (error) {
    throw translate(error) === error ? changed(file, 'two of its rows are the same', error) : error;
  }
}

function shapeOf({ table, columns }: TableLine, shapes: ReadonlyMap<string, TableShape>, file: string): TableShape {
  const shape = shapes.get(table);
  if (shape === undefined || JSON.stringify(shape.columns) !== JSON.stringify(columns))
    throw changed(file, `it has the table ${table} with other columns than its schema`);
  return shape;
}

async function insertRows(
  run: MaintenanceLane['run'],
  { name, columns }: TableShape,
  rows: readonly string[],
  file: string,
): Promise<void> {
  const values = columns.map(({ type }, index) => `(r ->> ${index})::${type}`);
  try {
    await run(
      `INSERT INTO ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')})
      SELECT ${values.join(', ')} FROM json_array_elements($1::json) r`,
      [`[${rows.join(',')}]`],
    );
  } catch (error) {
    throw translate(error) === error ? changed(file, `rows of ${name} cannot be stored`, error) : error;
  }
}

async function setSequence(
  run: MaintenanceLane['run'],
  { sequence, last, isCalled }: SequenceLine,
  known: ReadonlySet<string>,
  file: string,
): Promise<void> {
  if (!known.has(sequence)) throw changed(file, `it has the sequence ${sequence}, which its schema has not`);
  await run('SELECT setval($1::regclass, $2::bigint, $3::boolean)', [quoted(sequence), last, isCalled]);
}

function changed(file: string, what: string, cause?: unknown): SnapshotError {
  return new SnapshotError(`The snapshot ${file} cannot be restored: ${what}. Nothing was restored.`, { cause });
}
