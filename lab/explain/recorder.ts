/**
 * A `Database` that explains every statement which stores send, with the values they send, and then runs it. Nothing
 * stays: what a transaction did is rolled back. A statement with a name is explained as PostgreSQL plans it when it has
 * been run often; one without, as it is planned for its values.
 */

import { translate } from '../../db/postgres/errors.js';
import type { Database, Db, FullListOptions } from '../../db/postgres/contracts.js';
import { send } from '../../db/postgres/connection.js';
import type { RowForm, Rows } from '../../db/postgres/connection.js';
import type { ServerClient } from '../../db/postgres/servers.js';
import { SIGHTINGS } from '../../db/query/statement-names.js';
import { ExecutorOn } from '../../db/postgres/executor.js';
import type { Statement } from '../../db/postgres/statement.js';
import { literal } from './literal.js';

export interface Explained {
  /** Under which the store keeps it prepared; null for a text that varies. */
  readonly name: string | null;
  readonly sql: string;
  /** Lines of the plan, as PostgreSQL shows them. */
  readonly plan: readonly string[];
  /** Rows that sequential scans read, by table: those of triggers and keys included. */
  readonly scanned: ReadonlyMap<string, number>;
}

export interface Recorder extends Database {
  /** Explains what `act` sends to the stores. */
  record(act: () => Promise<unknown>): Promise<readonly Explained[]>;
}

/** After so many runs with plans of their own PostgreSQL thinks of one for all values. */
const RUNS = 6;
const EXPLAIN = 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF)';
const IDLE = { running: 0, waiting: 0 };
const SCANS = "SELECT relname, seq_tup_read::int AS rows FROM pg_stat_xact_user_tables WHERE schemaname = 'public'";

export function openRecorder(client: ServerClient): Recorder {
  let found: Explained[] | undefined;
  let isOpen = false;

  const query = async <R>(
    sql: string,
    values: readonly unknown[] = [],
    form: RowForm = 'objects',
  ): Promise<Rows<R>> => {
    try {
      return await send<R>(client, null, sql, values, form);
    } catch (error) {
      throw translate(error);
    }
  };

  const scans = async () =>
    new Map((await query<{ relname: string; rows: number }>(SCANS)).rows.map(({ relname, rows }) => [relname, rows]));

  const planOf = async (name: string | null, sql: string, values: readonly unknown[]): Promise<string[]> => {
    const call = `${EXPLAIN} EXECUTE explained${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`;
    await query(`PREPARE explained AS ${sql}`);
    try {
      await query(`SET LOCAL plan_cache_mode = ${name === null ? 'force_custom_plan' : 'auto'}`);
      let lines: string[] = [];
      for (let run = 1; run <= (name === null ? 2 : RUNS); run += 1) {
        await query('SAVEPOINT explained');
        lines = (await query<{ 'QUERY PLAN': string }>(call)).rows.map((row) => row['QUERY PLAN']);
        await query('ROLLBACK TO explained');
      }
      return lines;
    } finally {
      await query('DEALLOCATE explained');
    }
  };

  /** Stores send some statements side by side; there is one connection. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };

  const inTransaction = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isOpen) return work();
    await query('BEGIN');
    isOpen = true;
    try {
      return await work();
    } finally {
      isOpen = false;
      await query('ROLLBACK');
    }
  };

  const execute: Db['execute'] = async <R>(
    { name, text: sql }: Statement<R>,
    values: readonly unknown[] = [],
    form: RowForm = 'objects',
  ): Promise<Rows<R>> => {
    const list = found;
    if (list === undefined) return query<R>(sql, values, form);
    return inTurn(() =>
      inTransaction(async () => {
        const plan = await planOf(name, sql, values);
        const keys = keysOf(sql, values);
        const keysPlan = keys && (await planOf(null, keys.sql, keys.values));
        const before = await scans();
        const result = await query<R>(sql, values, form);
        // What waits for the end of a transaction belongs to the statement, too.
        await query('SET CONSTRAINTS ALL IMMEDIATE');
        await query('SET CONSTRAINTS ALL DEFERRED');
        const scanned = new Map(
          [...(await scans())]
            .map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const)
            .filter(([, rows]) => rows > 0),
        );
        if (keys !== undefined && keysPlan !== undefined)
          list.push({ name: null, sql: keys.sql, plan: keysPlan, scanned: new Map() });
        list.push({ name, sql, plan, scanned });
        return result;
      }),
    );
  };

  const tx = new ExecutorOn(execute);
  return Object.assign(new ExecutorOn(execute), {
    touched: () => undefined,
    transaction: <T>(work: (tx: Db) => Promise<T>) => inTransaction(() => work(tx)),
    async listAll<R>(statement: Statement<R>, values: readonly unknown[], { form }: FullListOptions) {
      const { rows, columns } = await execute(statement, values, form);
      return { head: rows, columns };
    },
    async record(act: () => Promise<unknown>) {
      // As often before as lists must see a shape to give it its name; the caches are warm, too.
      for (let time = 1; time < SIGHTINGS; time += 1) await act();
      const list: Explained[] = [];
      found = list;
      try {
        await act();
      } finally {
        found = undefined;
      }
      return list;
    },
    isUp: () => true,
    outage: () => undefined,
    hasSpace: () => Promise.resolve(undefined),
    stats: () => ({ total: 1, idle: 0, waiting: 0 }),
    load: () => ({ lanes: { open: 0, underWay: 0 }, lists: IDLE, changes: IDLE }),
    replicas: () => undefined,
    statements: undefined,
    async close() {
      await client.end();
    },
  });
}

/** The query of keys that a statement hands to `page_keys`, and its values; undefined where there is none. */
function keysOf(sql: string, values: readonly unknown[]): { sql: string; values: unknown[] } | undefined {
  const at = /page_keys\(\$(\d+)/.exec(sql)?.[1];
  return at === undefined
    ? undefined
    : { sql: String(values[Number(at) - 1]), values: values[Number(at)] as unknown[] };
}
