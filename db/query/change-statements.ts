/**
 * Inserts and updates as native statements: knex builds the text once for each set of columns, and values are put where
 * it wants them.
 */
import { createHash } from 'node:crypto';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { slowRead, varyingChange } from '../postgres/statement.js';
import type { ChangeText, Statement } from '../postgres/statement.js';

/** Column values of an insert or update; an undefined one is left out. jsonb goes in as text. */
export type Values = Readonly<Record<string, unknown>>;

/** Now; later than what the column says in any case, so that every change shows. */
export const laterThan = (column: string): string => `greatest(now(), ${column} + interval '1 ms')`;

/** Assignment for the SET of an UPDATE that changes what an entity shows. */
export const TOUCHED = `updated_at = ${laterThan('updated_at')}`;

/** A statement and its values. */
type Bound<R> = readonly [statement: Statement<R>, values: readonly unknown[]];

interface Changed {
  readonly updated_at: Date;
}

interface Built {
  readonly statement: Statement<Changed>;
  /** Source of each of its values: a column, or the id. */
  readonly order: readonly string[];
}

/** Builds SQL text; never connects. */
const builder: Knex = knexFactory({ client: 'pg' });
/** A caller may change any columns of a table: statements of the usual sets are kept, others are made each time. */
const MOST_STATEMENTS = 500;
const statements = new LRUCache<string, Built>({ max: MOST_STATEMENTS });
/** The mark of the condition's value, as each column's value is marked by the name of the column. */
const ID = '.id';

export function insertStatement(table: string, values: Values): Bound<Changed> {
  return bound(`insert-${table}`, values, (name, marks) => {
    const { sql, order } = built(builder(table).insert(marks));
    const text: ChangeText = ({ returningActor }) => `${sql}${returningActor}`;
    return { order, statement: varyingChange(name, text, { row: null }) };
  });
}

/** Updates the row with this id, moves its `updated_at` and returns it. */
export function updateStatement(table: string, id: string, values: Values): Bound<Changed> {
  const make: Make = (name, marks) => {
    const { sql, order } = built(
      builder(table)
        .where({ id: ID })
        .update({ ...marks, updated_at: builder.raw(laterThan('updated_at')) })
        .returning('updated_at'),
    );
    const text: ChangeText = ({ actor }) => `${sql}${actor}`;
    return { order, statement: varyingChange(name, text, { row: order.indexOf(ID) }) };
  };
  return bound(`update-${table}`, values, make, id);
}

/** Delete statements by table: these do not vary. */
const deletes = new Map<string, Statement>();
const versions = new Map<string, Statement<Changed>>();

export function deleteStatement(table: string): Statement {
  let known = deletes.get(table);
  if (known === undefined) {
    const text: ChangeText = ({ returningActor }) => `DELETE FROM ${table} WHERE id = $1${returningActor}`;
    known = varyingChange(`delete-${table}`, text, { row: 0 });
    deletes.set(table, known);
  }
  return known;
}

/** Reads `updated_at`, as `updateStatement` returns it, of a row that stays as it is. */
export function versionStatement(table: string, id: string): Bound<Changed> {
  let known = versions.get(table);
  if (known === undefined) {
    known = slowRead(`updated-at-${table}`, `SELECT updated_at FROM ${table} WHERE id = $1`);
    versions.set(table, known);
  }
  return [known, [id]];
}

type Marks = Readonly<Record<string, string>>;
type Name = `insert-${string}` | `update-${string}`;
type Make = (name: Name, marks: Marks) => Built;

function bound(what: Name, values: Values, make: Make, id?: string): Bound<Changed> {
  const columns = Object.keys(values)
    .filter((column) => values[column] !== undefined)
    .join();
  const key = `${what} ${columns}`;
  let known = statements.get(key);
  if (known === undefined) {
    const named = columns === '' ? [] : columns.split(',');
    known = make(`${what}-${shapeOf(columns)}`, Object.fromEntries(named.map((column) => [column, column])));
    statements.set(key, known);
  }
  const { statement, order } = known;
  return [statement, order.map((column) => (column === ID ? id : values[column]))];
}

function built(query: Knex.QueryBuilder) {
  const { sql, bindings } = query.toSQL().toNative();
  return { sql, order: bindings.map(String) };
}

/** Names a set of columns, and no other: PostgreSQL cuts longer names than this one makes. */
const shapeOf = (columns: string): string => createHash('sha256').update(columns).digest('base64url').slice(0, 22);
