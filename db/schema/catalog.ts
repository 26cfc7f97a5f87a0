/** Reads how the tables of the network look in a database. */
import type { Db } from '../postgres/contracts.js';
import { networkTables } from './shipped-schema.js';
import { unprepared } from '../postgres/statement.js';

export interface CatalogColumn {
  readonly name: string;
  /** Type as PostgreSQL writes it, such as `timestamp(3) with time zone`. */
  readonly type: string;
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly CatalogColumn[];
}

/** Numbers of transactions, which mean something in one cluster only: none is carried to another. */
export const isOfCluster = ({ type }: CatalogColumn): boolean => type === 'xid8' || type === 'pg_snapshot';

const SHAPES = `SELECT c.relname AS name,
  json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
    ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1)
GROUP BY c.relname ORDER BY c.relname COLLATE "C"`;

export async function tableShapes(db: Pick<Db, 'many'>, names = networkTables()): Promise<TableShape[]> {
  return await db.many(unprepared<TableShape>('SELECT', SHAPES), [names]);
}

/** Sequences that count something of the network: those that belong to no column of a table. */
export async function sequenceNames(db: Pick<Db, 'many'>): Promise<string[]> {
  const rows = await db.many(
    unprepared<{ name: string }>(
      'SELECT',
      `SELECT s.relname AS name FROM pg_class s WHERE s.relkind = 'S'
    AND s.relnamespace = current_schema()::regnamespace
    AND EXISTS (SELECT FROM pg_depend d JOIN pg_attrdef b ON d.classid = 'pg_attrdef'::regclass AND d.objid = b.oid
      JOIN pg_class t ON t.oid = b.adrelid WHERE d.refobjid = s.oid AND t.relname = ANY ($1))
    ORDER BY s.relname COLLATE "C"`,
    ),
    [networkTables()],
  );
  return rows.map(({ name }) => name);
}

/** Quotes a name that was read from the catalog. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
