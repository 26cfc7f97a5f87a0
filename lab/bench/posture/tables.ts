/** What tables hold and how big they are, before and after something. */
import type pg from 'pg';

/** Those that clients under posture could make grow. */
export const TABLES = [
  'api_sessions',
  'api_session_postures',
  'api_session_views',
  'sessions',
  'failed_service_requests',
] as const;

export interface TableFacts {
  /** With its indexes. */
  readonly totalKib: number;
  readonly heapKib: number;
  readonly deadRows: number;
  readonly inserted: number;
  readonly updated: number;
  /** Of the updated: those that left the indexes alone. */
  readonly updatedInPlace: number;
  readonly deleted: number;
}

export interface DatabaseFacts {
  readonly tables: Readonly<Record<string, TableFacts>>;
  readonly databaseKib: number;
  readonly walBytes: number;
}

/** A backend that rests tells its counts after ten seconds at the latest. */
export const STATISTICS_MS = 11_000;

const SIZES = `SELECT s.relname AS name, pg_total_relation_size(s.relid) / 1024 AS "totalKib",
  pg_relation_size(s.relid) / 1024 AS "heapKib", s.n_dead_tup AS "deadRows", s.n_tup_ins AS inserted,
  s.n_tup_upd AS updated, s.n_tup_hot_upd AS "updatedInPlace", s.n_tup_del AS deleted
FROM pg_stat_user_tables s WHERE s.schemaname = 'public' AND s.relname = ANY ($1)`;
const WHOLE = `SELECT pg_database_size(current_database()) / 1024 AS "databaseKib",
  pg_current_wal_lsn() - '0/0'::pg_lsn AS "walBytes"`;

type Texts<T> = { readonly [K in keyof T]: string };
const numbers = <T extends object>(row: Texts<T>): T =>
  Object.fromEntries(Object.entries<string>(row).map(([key, value]) => [key, Number(value)])) as T;

/** Counts are those that backends have told: rest for STATISTICS_MS before. */
export async function factsOf(client: pg.Client): Promise<DatabaseFacts> {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query<Texts<TableFacts> & { name: string }>(SIZES, [TABLES]);
  const {
    rows: [whole],
  } = await client.query<Texts<Omit<DatabaseFacts, 'tables'>>>(WHOLE);
  if (whole === undefined) throw new Error('the database does not tell its size');
  return {
    tables: Object.fromEntries(rows.map(({ name, ...row }) => [name, numbers<TableFacts>(row)])),
    ...numbers<Omit<DatabaseFacts, 'tables'>>(whole),
  };
}
