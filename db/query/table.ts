/**
 * How the rows of a table are read as entities, and how one of them is found and changed. A store supplies its columns,
 * its symbols and the mapping of a row.
 */
import { notFound, raise } from '../../domain/errors.js';
import type { Bind, SymbolTable } from '../filter/index.js';
import type { Db } from '../postgres/contracts.js';
import type { Statement } from '../postgres/statement.js';
import {
  deleteStatement,
  insertAllStatement,
  insertStatement,
  updateStatement,
  versionStatement,
} from './change-statements.js';
import type { Terms, Values, WriteCondition } from './change-statements.js';

export interface PageSource<Row, T> {
  /** Table that is listed; its alias in every expression is `t`. */
  readonly table: string;
  readonly symbols: SymbolTable;
  /** Columns of `t` that the page needs. */
  readonly columns: readonly string[];
  /** Further expressions over one row `t` of the page, such as associations as JSON; evaluated for that page only. */
  readonly extras?: string;
  /** Joined to the page's rows, for names of references. */
  readonly joins?: string;
  /** The column that no two rows have the same; `id` when absent. */
  readonly rowKey?: string;
  /**
   * Totals are exact up to this, and never greater; absent: always exact. For tables that `entity_counts` does not
   * count. `setting`: the bound of `ListLimits`.
   */
  readonly countsUpTo?: number | 'setting';
  readonly fromRow: (row: Row) => T;
}

/** Expressions like the extras of a source, but by who reads: they bind what they need. Named as scopes are. */
export interface ReaderExtras {
  readonly name: string;
  readonly sql: (bind: Bind) => string;
}

/** A list of entities. */
export type ListSource<Row, T> = PageSource<Row, T>;

/** Source of rows, apart from the entities that they become. */
export type Paged = Omit<PageSource<never, unknown>, 'fromRow'>;

const ownColumns = new WeakMap<Paged, string>();

export function columnsOf(source: Paged, readerExtras = ''): string {
  let own = ownColumns.get(source);
  if (own === undefined) {
    const { columns, extras = '' } = source;
    own = [...columns.map((column) => `t.${column}`), ...(extras === '' ? [] : [extras])].join(', ');
    ownColumns.set(source, own);
  }
  return readerExtras === '' ? own : `${own}, ${readerExtras}`;
}

/** The statement that reads what comes from `rest`: joins, and the condition. */
export const selectSql = <Row, T>(source: ListSource<Row, T>, rest: string): string =>
  `SELECT ${columnsOf(source)} FROM ${source.table} t
${source.joins ?? ''} ${rest}`;

/** The one that reads one entity by id. `$1` is the id; `scope` may use `$2` and on. */
export const detailSql = <Row, T>(source: ListSource<Row, T>, scope = ''): string =>
  selectSql(source, `WHERE t.id = $1 ${scope}`);

/** The one row that a statement finds, as an entity; undefined without one. */
export async function findOne<Row, T>(
  db: Db,
  statement: Statement<Row>,
  values: readonly unknown[],
  fromRow: (row: Row) => T,
): Promise<T | undefined> {
  const row = await db.one(statement, values);
  return row === undefined ? undefined : fromRow(row);
}

/**
 * The same of an id, which is the first value.
 * @throws DomainError `notFound` naming `entity`
 */
export async function getOne<Row, T>(
  db: Db,
  entity: string,
  statement: Statement<Row>,
  values: readonly [id: string, ...others: unknown[]],
  fromRow: (row: Row) => T,
): Promise<T> {
  return (await findOne(db, statement, values, fromRow)) ?? raise(notFound(entity, values[0]));
}

/** Changes of a PATCH or PUT: an absent or undefined field stays as it is. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

export async function insert(db: Db, table: string, values: Values): Promise<void> {
  const [statement, bound] = insertStatement(table, values);
  await db.execute(statement, bound);
}

/** Inserts a row where the condition holds. @returns false where it does not: nothing has changed then */
export async function insertWhere(db: Db, table: string, values: Values, condition: WriteCondition): Promise<boolean> {
  return (await db.count(...insertStatement(table, values, condition))) === 1;
}

/** Inserts a row, and those of other tables that belong to it, in one statement. */
export async function insertAll(db: Db, ...rows: Parameters<typeof insertAllStatement>): Promise<void> {
  const [statement, bound] = insertAllStatement(...rows);
  await db.execute(statement, bound);
}

/**
 * Changes the given columns of one row and moves its `updated_at`, the row's version. With nothing to change the row
 * stays as it is. `onVersion` gets the version of then in both cases.
 * @param isTouched  true when something outside the row changes with it: `updated_at` moves in any case
 * @throws DomainError `notFound` naming `entity`
 */
export async function update(
  db: Db,
  table: string,
  entity: string,
  id: string,
  values: Values,
  isTouched = false,
): Promise<void> {
  const isChange = isTouched || Object.values(values).some((value) => value !== undefined);
  const [statement, bound] = isChange ? updateStatement(table, id, values) : versionStatement(table, id);
  const row = await db.one(statement, bound);
  if (row === undefined) throw notFound(entity, id);
  db.onVersion?.(table, id, row.updated_at);
}

/**
 * Changes the row, and moves its version, where `terms` hold.
 * @returns false where they do not, or there is no such row: nothing has changed then
 */
export async function updateWhere(db: Db, table: string, id: string, values: Values, terms: Terms): Promise<boolean> {
  const [statement, bound] = updateStatement(table, id, values, terms);
  const row = await db.one(statement, bound);
  if (row === undefined) return false;
  db.onVersion?.(table, id, row.updated_at);
  return true;
}

/** @throws DomainError `notFound` naming `entity` */
export async function remove(db: Db, table: string, entity: string, id: string): Promise<void> {
  if ((await db.count(deleteStatement(table), [id])) === 0) throw notFound(entity, id);
}

/** Value of a jsonb parameter. */
export const jsonText = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
