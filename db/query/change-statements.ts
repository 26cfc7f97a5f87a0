/**
 * Inserts and updates as native statements: knex builds the text once for each set of columns, and values are put where
 * it wants them. Each is one statement, so that it may share its commit (shared-commits.ts).
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

/** Condition of an insert, or of an update besides the id of its row. */
export interface WriteCondition {
  /** Tells the statement from others that set the same columns. */
  readonly name: string;
  /**
   * Nothing changes where it does not hold. It has `?` for each of `values`, and in updates columns of the row: by IS
   * NOT DISTINCT FROM where an index has them, since PostgreSQL shall find the row by its id alone.
   */
  readonly only: string;
  readonly values?: readonly unknown[];
}

/** Condition of an update, if it has one, and what goes with it. */
export interface Terms extends Omit<WriteCondition, 'only'> {
  readonly only?: string;
  /**
   * Table whose rows that hang on the row go with the change, by the function `clear_…`: it sees what was committed
   * while the change waited for its lock, which the statement itself does not.
   */
  readonly clears?: 'service_configs' | 'router_configs' | 'identity_hostings';
}

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
/** Marks of the values of conditions, as each column's value is marked by the name of the column. */
const ID = '.id';
const termMark = (index: number): string => `.${index}`;

export function insertStatement(table: string, values: Values, condition?: WriteCondition): Bound<Changed> {
  const make: Make = (name, marks) => {
    const { sql, order } = built(
      condition === undefined ? builder(table).insert(marks) : insertWhere(table, marks, condition),
    );
    const text: ChangeText = ({ returningActor }) => `${sql}${returningActor}`;
    return { order, statement: varyingChange(name, text, { row: null }) };
  };
  return bound(`insert-${table}`, values, make, termValues(condition), condition?.name);
}

function insertWhere(table: string, marks: Marks, condition: WriteCondition): Knex.QueryBuilder {
  const columns = Object.keys(marks);
  const into = builder.raw(`?? (${columns.map(() => '??').join(', ')})`, [table, ...columns]);
  const row = builder.raw(`SELECT ${columns.map(() => '?').join(', ')} WHERE ${condition.only}`, [
    ...Object.values(marks),
    ...termMarks(condition),
  ]);
  return builder(into).insert(row);
}

const termMarks = (terms: Pick<Terms, 'values'> | undefined): readonly string[] =>
  (terms?.values ?? []).map((_, i) => termMark(i));

const termValues = (terms: Pick<Terms, 'values'> | undefined): Values =>
  Object.fromEntries((terms?.values ?? []).map((value, i) => [termMark(i), value]));

/** A row of a table. */
export type TableRow = readonly [table: string, values: Values];

/** Inserts a row, and those of other tables that belong to it, in this order. */
export function insertAllStatement([table, values]: TableRow, ...others: readonly TableRow[]): Bound<Changed> {
  const all = Object.assign({}, ...[[table, values] as const, ...others].map((row) => prefixed(...row))) as Values;
  return bound(`insert-${table}-and-${others.length}`, all, (name, marks) => {
    // PostgreSQL carries out a WITH that nothing reads after the rest, and the last of them first.
    const insert = [...others]
      .reverse()
      .reduce(
        (query, [other]) => query.with(`of_${other}`, builder(other).insert(unprefixed(other, marks))),
        builder(table).insert(unprefixed(table, marks)),
      );
    const { sql, order } = built(insert);
    const text: ChangeText = ({ returningActor }) => `${sql}${returningActor}`;
    return { order, statement: varyingChange(name, text, { row: null }) };
  });
}

const prefixed = (table: string, values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([column, value]) => [`${table}.${column}`, value]));

const unprefixed = (table: string, marks: Marks): Marks =>
  Object.fromEntries(
    Object.entries(marks)
      .filter(([column]) => column.startsWith(`${table}.`))
      .map(([column, mark]) => [column.slice(table.length + 1), mark]),
  );

/** Updates the row with this id, moves its `updated_at` and returns it. */
export function updateStatement(table: string, id: string, values: Values, terms?: Terms): Bound<Changed> {
  const { only, clears } = terms ?? {};
  const make: Make = (name, marks) => {
    const update = builder(table)
      .where({ id: ID })
      .update({ ...marks, updated_at: builder.raw(laterThan('updated_at')) })
      .returning(clears === undefined ? ['updated_at'] : ['id', 'updated_at']);
    if (only !== undefined) void update.whereRaw(`(${only})`, termMarks(terms));
    const { sql, order } = built(update);
    const text: ChangeText = ({ actor }) =>
      clears === undefined
        ? `${sql}${actor}`
        : `WITH changed AS (${sql}${actor}) SELECT updated_at, clear_${clears}(id) FROM changed`;
    return { order, statement: varyingChange(name, text, { row: order.indexOf(ID) }) };
  };
  return bound(`update-${table}`, values, make, { ...termValues(terms), [ID]: id }, terms?.name);
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

/**
 * @param conditions  values by their marks
 * @param terms       name of the terms of an update
 */
function bound(what: Name, values: Values, make: Make, conditions: Values = {}, terms = ''): Bound<Changed> {
  const columns = Object.keys(values)
    .filter((column) => values[column] !== undefined)
    .join();
  const key = `${what} ${columns} ${terms}`;
  let known = statements.get(key);
  if (known === undefined) {
    const named = columns === '' ? [] : columns.split(',');
    known = make(
      `${what}-${shapeOf(`${columns}${terms}`)}`,
      Object.fromEntries(named.map((column) => [column, column])),
    );
    statements.set(key, known);
  }
  const { statement, order } = known;
  return [statement, order.map((mark) => (mark.startsWith('.') ? conditions[mark] : values[mark]))];
}

function built(query: Knex.QueryBuilder) {
  const { sql, bindings } = query.toSQL().toNative();
  return { sql, order: bindings.map(String) };
}

/** Names a set of columns, and no other: PostgreSQL cuts longer names than this one makes. */
const shapeOf = (columns: string): string => createHash('sha256').update(columns).digest('base64url').slice(0, 22);
