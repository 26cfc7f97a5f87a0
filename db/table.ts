/**
 * What every store shares: one page of a list in one round trip, and inserts and updates built by knex and run as
 * native statements. A store supplies its columns, its symbols and the mapping of a row.
 */
import { createHash } from 'node:crypto';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import { mapBatches } from '../domain/batches.js';
import type { BaseEntity, Page, Tags } from '../domain/model.js';
import { notFound } from '../domain/errors.js';
import { isDatabase } from './db.js';
import type { Db } from './db.js';
import { compileList, filterableFields } from './filter/index.js';
import type { CompiledList, ListQuery, SymbolTable } from './filter/index.js';
import type { Rows } from './session.js';
import { StatementNames } from './statement-names.js';

/** Builds SQL text; never connects. */
const builder: Knex = knexFactory({ client: 'pg' });

export interface BaseRow {
  id: string;
  created_at: Date;
  updated_at: Date;
  tags: Tags;
}

export const BASE_COLUMNS = ['id', 'created_at', 'updated_at', 'tags'] as const;

/** Spread it last: a literal that goes on after a spread is built key by key, 20 us for a large one instead of 0.2. */
export function baseOf(row: BaseRow): BaseEntity {
  return { id: row.id, createdAt: row.created_at, updatedAt: row.updated_at, tags: row.tags };
}

/** How long a list may be. The reader asks; the cap of the configuration holds. */
export interface ListLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

export interface ListSource<Row extends BaseRow, T> {
  /** Table that is listed; its alias in every expression is `t`. */
  readonly table: string;
  readonly symbols: SymbolTable;
  /** Columns of `t` that the page needs. */
  readonly columns: readonly string[];
  /** Further expressions over one row `t` of the page, such as associations as JSON; evaluated for that page only. */
  readonly extras?: string;
  /** Joined to the page's rows, for names of references. */
  readonly joins?: string;
  readonly fromRow: (row: Row) => T;
}

/** Narrows a list beyond its filter. Placeholders are `$1…` in `values`' order; scope comes before the filter. */
export interface Scope {
  /** Part of the statement's name: one word per distinct text. */
  readonly name: string;
  readonly where: string;
  readonly values: readonly unknown[];
}

/** A list's query as it came, with what the caller may see. */
export interface ListRequest extends ListQuery {
  readonly scope?: Scope | undefined;
  /** What filter and sort may name; the source's own symbols unless given. */
  readonly symbols?: SymbolTable;
  /** Whoever asks takes a list without limit to its end at once, so that no slow reader keeps its connection. */
  readonly isHeld?: boolean;
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

type Total = { total_count: number | string };

const UNIVERSE: Scope = { name: 'all', where: '', values: [] };

/** Lists of one database: built once, holds only the names of statements. */
export class Lists {
  readonly #names = new StatementNames();
  constructor(readonly limits: ListLimits) {}

  compile(symbols: SymbolTable, request: ListRequest): CompiledList {
    const scope = request.scope ?? UNIVERSE;
    return compileList(symbols, request, { firstParam: scope.values.length + 1, ...this.limits });
  }

  /** @throws DomainError `invalidFilter`, `invalidSort`, `rateLimited`, `timeout` */
  async page<Row extends BaseRow, T>(db: Db, source: ListSource<Row, T>, request: ListRequest): Promise<Page<T>> {
    const symbols = request.symbols ?? source.symbols;
    const compiled = this.compile(symbols, request);
    const scope = request.scope ?? UNIVERSE;
    const values = [...scope.values, ...compiled.values];
    const where = [scope.where, compiled.where].filter((part) => part !== '').map((part) => `(${part})`).join(' AND ');
    const sql = pageSql(source, where, compiled, values.length);
    const paged = [...values, compiled.limit, compiled.offset];
    // A list without limit is held when it is short, else its head and the batches that follow, all of one snapshot.
    const whole = compiled.limit === null && isDatabase(db)
      ? await db.whole<Row & Total>(sql, paged, this.limits.maxLimit, request.isHeld === true) : undefined;
    const rows = whole === undefined ? await this.#rows<Row>(db, source.table, { sql, values: paged }, request, compiled) : whole.head;
    const [first] = rows;
    let totalCount = Number(first?.total_count ?? 0);
    if (first === undefined && compiled.offset > 0) totalCount = await totalBefore(db, sql, values);
    return {
      items: rows.map(source.fromRow), totalCount, limit: compiled.limit, offset: compiled.offset,
      filterableFields: filterableFields(symbols),
      ...(whole?.rest === undefined ? undefined : { rest: mapBatches(whole.rest, source.fromRow) }),
    };
  }

  async #rows<Row>(
    db: Db, table: string, { sql, values }: Statement, request: ListRequest, compiled: CompiledList,
  ): Promise<(Row & Total)[]> {
    const shape = `${table}/${request.scope?.name ?? ''}/${compiled.shape}`;
    if (isShort(request.scope, compiled)) return (await db.read<Row & Total>(this.#names.lastingNameFor(shape), sql, values)).rows;
    const plain = !/LIKE|unnest|~/i.test(compiled.where);
    // How deep a page is belongs to its plan: one for any depth would read the whole table for ten rows.
    const name = plain && !isDeep(compiled) ? this.#names.nameFor(shape) : null;
    return (await readList<Row & Total>(db, name, { sql, values })).rows;
  }
}

const SHORT_PAGE = 50;
const BY_UNIQUE_COLUMN = /^(?:t\.(?:id|name) = \$1::text|\(t\.(?:id|name) = \$1::text OR t\.(?:id|name) = \$2::text\))?$/;
const BY_UNIQUE_ORDER = /^(?:t\.name COLLATE "C"(?: DESC)?, )?t\.id(?: DESC)?$/;

/**
 * A page that takes no longer than a read by id: few rows near the start, of everything or of what a unique column
 * names, in the order of an index. There are a few dozen such statements for each table, so they stay prepared.
 */
function isShort(scope: Scope | undefined, compiled: CompiledList): boolean {
  const { limit, where, orderBy } = compiled;
  return scope === undefined && limit !== null && limit <= SHORT_PAGE && !isDeep(compiled)
    && BY_UNIQUE_COLUMN.test(where) && BY_UNIQUE_ORDER.test(orderBy);
}

/** On a connection of the lists, under the share of who reads it; in a transaction on that of the transaction. */
export function readList<R>(db: Db, name: string | null, { sql, values }: Statement): Promise<Rows<R>> {
  return isDatabase(db) ? db.list<R>(name, sql, values) : db.run<R>(name, sql, values);
}

/** The total when the page lies beyond the last match: the first row of the same list has it. */
async function totalBefore(db: Db, sql: string, values: readonly unknown[]): Promise<number> {
  const { rows: [first] } = await readList<Total>(db, null, { sql, values: [...values, 1, 0] });
  return Number(first?.total_count ?? 0);
}

/** The same page of what `map` makes of each item; what follows a held head is mapped as it comes. */
export function mapPage<A, B>({ items, rest, ...page }: Page<A>, map: (item: A) => B): Page<B> {
  return { ...page, items: items.map(map), ...(rest === undefined ? {} : { rest: mapBatches(rest, map) }) };
}

function countSql(table: string, where: string): string {
  return where === ''
    ? `(SELECT coalesce(sum(total), 0) FROM entity_counts WHERE kind = '${table}')`
    : `(SELECT count(*) FROM ${table} t WHERE ${where})`;
}

/** From here on, passing over rows costs more than to look up again those of the page. */
const DEEP_OFFSET = 500;
const isDeep = ({ limit, offset }: CompiledList): boolean => limit !== null && offset >= DEEP_OFFSET;

/** Names are unique wherever there are any: an index on them alone has this order. */
const BY_NAME = /^(t\.name COLLATE "C"(?: DESC)?), t\.id$/;

/** By an index on an array or on tags, and not turned around: PostgreSQL finds all matches before it has the first of the page. */
const isFoundAtOnce = (where: string): boolean => /&&|@>/.test(where) && !where.includes('NOT ');

function pageSql<Row extends BaseRow, T>(source: ListSource<Row, T>, where: string, compiled: CompiledList, bound: number): string {
  const { table, extras, joins = '' } = source;
  const columns = `${source.columns.map((column) => `t.${column}`).join(', ')}${extras === undefined ? '' : `, ${extras}`}`;
  const { orderBy } = compiled;
  const matches = (order: string) => `FROM ${table} t
      ${where === '' ? '' : `WHERE ${where}`} ORDER BY ${order} LIMIT $${bound + 1} OFFSET $${bound + 2}`;
  const countsMatches = isFoundAtOnce(where);
  if (compiled.limit === null || !(countsMatches || isDeep(compiled))) {
    return `SELECT ${columns}, t.total_count
FROM (SELECT t.*, ${countSql(table, where)} AS total_count ${matches(orderBy)}) t
${joins} ORDER BY ${orderBy}`;
  }
  // Keys first, and rows for those of the page only.
  const byName = BY_NAME.exec(orderBy)?.[1];
  const key = byName === undefined ? 'id' : 'name';
  return `SELECT ${columns}, page.total_count
FROM (SELECT t.${key}, ${countsMatches ? 'count(*) OVER ()' : countSql(table, where)} AS total_count ${matches(byName ?? orderBy)}) page
JOIN ${table} t ON t.${key} = page.${key}
${joins} ORDER BY ${orderBy}`;
}

/** The statement that reads one entity by id. `$1` is the id; `scope` may use `$2` and on. */
export function detailSql<Row extends BaseRow, T>(source: ListSource<Row, T>, scope = ''): string {
  const columns = source.columns.map((column) => `t.${column}`).join(', ');
  return `SELECT ${columns}${source.extras === undefined ? '' : `, ${source.extras}`} FROM ${source.table} t
${source.joins ?? ''} WHERE t.id = $1 ${scope}`;
}

/** What a PATCH or PUT changes: an absent or undefined field stays as it is. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Column values of an insert or update; an undefined one is left out. jsonb goes in as text. */
export type Values = Readonly<Record<string, unknown>>;

const present = (values: Values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

export async function insert(db: Db, table: string, values: Values): Promise<void> {
  const { sql, bindings } = builder(table).insert(present(values)).toSQL().toNative();
  await db.write(`insert-${table}-${shapeOf(values)}`, sql, bindings);
}

/**
 * Changes the given columns of one row and moves its `updated_at`. With nothing to change the row stays as it is.
 * @param isTouched  true when something beside the row changes with it: `updated_at` moves in any case
 * @throws DomainError `notFound` naming `entity`
 */
export async function update(db: Db, table: string, entity: string, id: string, values: Values, isTouched = false): Promise<void> {
  const set = present(values);
  if (Object.keys(set).length === 0 && !isTouched) {
    const { rowCount } = await db.run(`exists-${table}`, `SELECT FROM ${table} WHERE id = $1`, [id]);
    if (rowCount === 0) throw notFound(entity, id);
    return;
  }
  const { sql, bindings } = builder(table).where({ id })
    .update({ ...set, updated_at: builder.raw("greatest(now(), updated_at + interval '1 ms')") }).toSQL().toNative();
  const { rowCount } = await db.write(`update-${table}-${shapeOf(set)}`, sql, bindings);
  if (rowCount === 0) throw notFound(entity, id);
}

/** @throws DomainError `notFound` naming `entity` */
export async function remove(db: Db, table: string, entity: string, id: string): Promise<void> {
  const { rowCount } = await db.write(`delete-${table}`, `DELETE FROM ${table} WHERE id = $1`, [id]);
  if (rowCount === 0) throw notFound(entity, id);
}

/** Names a set of columns, and no other: PostgreSQL cuts longer names than this one makes. */
function shapeOf(values: Values): string {
  return createHash('sha256').update(Object.keys(values).filter((key) => values[key] !== undefined).join()).digest('base64url').slice(0, 22);
}

/** A jsonb parameter. */
export const json = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));
