/**
 * Inserts and updates as native statements: knex builds the text once for each set of columns, and values are put where
 * it wants them.
 */
import { createHash } from 'node:crypto';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';

/** Column values of an insert or update; an undefined one is left out. jsonb goes in as text. */
export type Values = Readonly<Record<string, unknown>>;

/** Now; later than what the column says in any case, so that every change shows. */
export const laterThan = (column: string): string => `greatest(now(), ${column} + interval '1 ms')`;

/** For the SET of an UPDATE that changes what an entity shows. */
export const TOUCHED = `updated_at = ${laterThan('updated_at')}`;

interface ChangeStatement {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly unknown[];
}

type Text = Pick<ChangeStatement, 'name' | 'sql'> & { readonly order: readonly string[] };

/** Builds SQL text; never connects. */
const builder: Knex = knexFactory({ client: 'pg' });
/** A caller may change any columns of a table: texts of the usual sets are kept, others are made each time. */
const MOST_TEXTS = 500;
const texts = new LRUCache<string, Text>({ max: MOST_TEXTS });
/** The mark of the condition's value, as each column's value is marked by the name of the column. */
const ID = '.id';

export function insertStatement(table: string, values: Values): ChangeStatement {
  return statement(`insert-${table}`, values, (marks) => builder(table).insert(marks));
}

/** Of the row with this id; its `updated_at` moves, and is what the statement returns. */
export function updateStatement(table: string, id: string, values: Values): ChangeStatement {
  return statement(
    `update-${table}`,
    values,
    (marks) =>
      builder(table)
        .where({ id: ID })
        .update({ ...marks, updated_at: builder.raw(laterThan('updated_at')) })
        .returning('updated_at'),
    id,
  );
}

/** What `updateStatement` returns, of a row that stays as it is. */
export const versionStatement = (table: string, id: string): ChangeStatement => ({
  name: `updated-at-${table}`,
  sql: `SELECT updated_at FROM ${table} WHERE id = $1`,
  values: [id],
});

type Marks = Readonly<Record<string, string>>;

function statement(what: string, values: Values, build: (marks: Marks) => Knex.QueryBuilder, id?: string) {
  const columns = Object.keys(values)
    .filter((column) => values[column] !== undefined)
    .join();
  const key = `${what} ${columns}`;
  let text = texts.get(key);
  if (text === undefined) texts.set(key, (text = textOf(what, columns, build)));
  const { name, sql, order } = text;
  return { name, sql, values: order.map((column) => (column === ID ? id : values[column])) };
}

function textOf(what: string, columns: string, build: (marks: Marks) => Knex.QueryBuilder): Text {
  const named = columns === '' ? [] : columns.split(',');
  const { sql, bindings } = build(Object.fromEntries(named.map((column) => [column, column])))
    .toSQL()
    .toNative();
  return { name: `${what}-${shapeOf(columns)}`, sql, order: bindings.map(String) };
}

/** Names a set of columns, and no other: PostgreSQL cuts longer names than this one makes. */
const shapeOf = (columns: string): string => createHash('sha256').update(columns).digest('base64url').slice(0, 22);
