/**
 * Estimates about large tables, made without reading all of their rows: the number of rows, the share that a filter
 * matches, and how common parts of names are. They decide how a page is read, never what it holds, so that they may be
 * a minute old.
 */
import { LRUCache } from 'lru-cache';
import type { Db } from '../postgres/contracts.js';
import { slowRead, unprepared } from '../postgres/statement.js';
import { NameSample } from './letters.js';

/** Rows of a sample, roughly. */
const SAMPLE = 2_000;
const FRESH_MS = 60_000;
/** Time for which a total that reached its bound is not counted again. */
const TOTAL_KEPT_MS = 10_000;
const MAX_KEPT = 1_000;
/** Share of all rows from which on the next row of a page is near. */
const MANY = 0.01;

const ROWS = slowRead<{ rows: number }>(
  'table-rows',
  'SELECT coalesce(sum(total), 0)::float8 AS rows FROM entity_counts WHERE kind = $1',
);

/** A condition on the rows `t` of a table, with the values that it binds. */
export interface Matching {
  readonly table: string;
  readonly sql: string;
  readonly values: readonly unknown[];
}

export interface TableFacts {
  readonly rows: number;
  /** Absent: without names. */
  readonly names?: NameSample;
}

const keyOf = ({ table, sql, values }: Matching): string => `${table} ${sql} ${JSON.stringify(values)}`;

export class Estimates {
  readonly #facts = new Map<string, { readonly facts: Promise<TableFacts>; readonly untilMs: number }>();
  readonly #isMany = new LRUCache<string, boolean>({ max: MAX_KEPT, ttl: FRESH_MS });
  readonly #totals = new LRUCache<string, number>({ max: MAX_KEPT, ttl: TOTAL_KEPT_MS });

  /** @param hasNames  the table has a column of this name, with an index of its letters */
  factsOf(db: Db, table: string, largeFrom: number, hasNames: boolean): Promise<TableFacts> {
    const known = this.#facts.get(table);
    if (known !== undefined && known.untilMs > performance.now()) return known.facts;
    const facts = readFacts(db, table, largeFrom, hasNames);
    this.#facts.set(table, { facts, untilMs: performance.now() + FRESH_MS });
    facts.catch(() => this.#facts.delete(table));
    return facts;
  }

  /** Whether more than a few rows match, by a sample. */
  async isMany(db: Db, condition: Matching, { rows }: TableFacts): Promise<boolean> {
    const key = keyOf(condition);
    const known = this.#isMany.get(key);
    if (known !== undefined) return known;
    const { table, sql, values } = condition;
    const found = await db.one(
      unprepared<{ seen: number; matched: number }>(
        'list-sample',
        `SELECT count(*)::int AS seen, (count(*) FILTER (WHERE ${sql}))::int AS matched FROM ${sampleOf(table, rows)}`,
      ),
      values,
    );
    const isMany = found !== undefined && found.matched > MANY * found.seen;
    this.#isMany.set(key, isMany);
    return isMany;
  }

  /** A number that at least so many rows had matched a moment ago. */
  keptTotal(condition: Matching): number {
    return this.#totals.get(keyOf(condition)) ?? 0;
  }

  keepTotal(condition: Matching, atLeast: number): void {
    this.#totals.set(keyOf(condition), Math.max(atLeast, this.keptTotal(condition)));
  }
}

const sampleOf = (table: string, rows: number): string =>
  `${table} t TABLESAMPLE SYSTEM (${Math.min(100, (100 * SAMPLE) / rows)})`;

async function readFacts(db: Db, table: string, largeFrom: number, hasNames: boolean): Promise<TableFacts> {
  const rows = (await db.one(ROWS, [table]))?.rows ?? 0;
  if (rows <= largeFrom || !hasNames) return { rows };
  const names = await db.many(
    unprepared<{ name: string }>('list-sample-names', `SELECT t.name FROM ${sampleOf(table, rows)}`),
  );
  return { rows, names: new NameSample(names.map(({ name }) => name)) };
}
