/**
 * Lists: one page of a table's rows with the number of all that match, in one round trip; or all of them in batches.
 */
import { mapBatches } from '../../domain/batches.js';
import type { LazyRow, Page } from '../../domain/model.js';
import { andClause, compileList, filterableFields, nameOf, Params } from '../filter/index.js';
import type { Clause, CompiledList, ListQuery, SymbolTable } from '../filter/index.js';
import type { RowForm, Rows } from '../postgres/connection.js';
import { isDatabase } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { list } from '../postgres/statement.js';
import { everything } from './scopes.js';
import type { Scope } from './scopes.js';
import { StatementNames } from './statement-names.js';
import { columnsOf, selectSql } from './table.js';
import type { ListSource, Paged, PageSource } from './table.js';
import { unreadRows } from './unread-rows.js';

/** How long a list may be. The reader asks; the cap of the configuration holds. */
export interface ListLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

/** A list's query as it came. The store decides what narrows the list further. */
export interface ListRequest extends ListQuery {
  /** The caller takes a list without limit to its end at once, so that no slow reader keeps its connection. */
  readonly isReadAtOnce?: boolean;
}

/** Request of a client: filters and sorts may name only what its answers show. */
export interface ForClient {
  readonly isForClient?: boolean;
}

interface PageQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly form: RowForm;
}

/** The last column of every page. */
type Total = { total_count: number | string };
/** A row of a page that is not read: its id, all its columns as one text, and the total. */
type TextRow = readonly [id: string, text: string, total: string];
type ToUnread<T> = (id: string, text: string) => LazyRow<T>;

/** Answer to the statement of a page, and what is known of the page without it. */
interface Found<R> extends Pick<Rows<R>, 'rows'> {
  readonly rest?: AsyncGenerator<R[]>;
  readonly page: Pick<Page<never>, 'limit' | 'offset' | 'filterableFields'>;
  /** The total of a page that has no rows. */
  readonly before: () => Promise<number>;
}

/** The parts of a page's statement, all of which bind their values to it. */
interface PageParts {
  readonly readerExtras: string;
  /** Clause of the scope and of the filter. */
  readonly where: Clause;
  readonly compiled: CompiledList;
}

/** Lists of one database: built once, holds only the names of statements. */
export class Lists {
  readonly #names = new StatementNames();
  constructor(readonly limits: ListLimits) {}

  /** Whether all that matches is asked for. @throws DomainError `invalidFilter`, `invalidSort` */
  isUnlimited({ symbols }: { readonly symbols: SymbolTable }, request: ListRequest): boolean {
    return compileList(symbols, request, new Params(), this.limits).limit === null;
  }

  /** @throws DomainError `invalidFilter`, `invalidSort`, `rateLimited`, `timeout` */
  async page<Row, T>(
    db: Db,
    source: PageSource<Row, T>,
    request: ListRequest,
    scope: Scope = everything,
  ): Promise<Page<T>> {
    const { rows, rest, page, before } = await this.#find<Row & Total>(db, source, request, scope, 'objects');
    const [first] = rows;
    return {
      items: rows.map(source.fromRow),
      totalCount: first === undefined ? await before() : Number(first.total_count),
      ...page,
      ...(rest === undefined ? undefined : { rest: mapBatches(rest, source.fromRow) }),
    };
  }

  /** The same, for whoever may know what to make of a row by its text. @throws as `page` */
  async unread<Row, T>(
    db: Db,
    source: ListSource<Row, T>,
    request: ListRequest,
    scope: Scope = everything,
  ): Promise<Page<LazyRow<T>>> {
    // First: a list that leaves in batches keeps its connection.
    const unread = await toUnread(db, source);
    const { rows, rest, page, before } = await this.#find<TextRow>(db, source, request, scope, 'texts');
    const [first] = rows;
    const toItem = ([id, text]: TextRow) => unread(id, text);
    return {
      items: rows.map(toItem),
      totalCount: first === undefined ? await before() : Number(first[2]),
      ...page,
      ...(rest === undefined ? undefined : { rest: mapBatches(rest, toItem) }),
    };
  }

  async #find<R>(db: Db, source: Paged, request: ListRequest, scope: Scope, form: RowForm): Promise<Found<R>> {
    const { symbols } = source;
    const params = new Params();
    const readerExtras = source.readerExtras?.sql(params.bind) ?? '';
    const narrowed = scope(params.bind);
    const compiled = compileList(symbols, request, params, this.limits);
    const parts: PageParts = { readerExtras, where: andClause(narrowed, compiled.where), compiled };
    const matching = [...params.values];
    const sql = pageSql(source, parts, params, form);
    const { values } = params;
    const { limit, offset } = compiled;
    const found = {
      page: { limit, offset, filterableFields: filterableFields(symbols) },
      before: async () => (offset > 0 ? totalBefore(db, sql, matching) : 0),
    };
    // A list without limit is read at once when it is short; else its head, and batches that follow in one snapshot.
    if (limit === null && isDatabase(db)) {
      const options = { batchSize: this.limits.maxLimit, isReadAtOnce: request.isReadAtOnce === true, form };
      const { head, ...more } = await db.listAll(list<R>(null, sql), values, options);
      return { rows: head, ...more, ...found };
    }
    return { ...(await this.#rows<R>(db, source, { sql, values, form }, parts)), ...found };
  }

  async #rows<R>(
    db: Db,
    { table, readerExtras, countsUpTo }: Paged,
    { sql, values, form }: PageQuery,
    parts: PageParts,
  ): Promise<Rows<R>> {
    const { where, compiled } = parts;
    // All that differs between the statements of lists, so that a name is of one text.
    const from = `${reachOf(where.sql, compiled) ?? ''} ${table}`;
    const shape = `${form} ${from} ${readerExtras?.name ?? ''} ${nameOf(where)} ORDER BY ${compiled.order.sql}`;
    if (countsUpTo === undefined && isShort(parts))
      return db.execute(list<R>(this.#names.lastingNameFor(shape), sql, 'read'), values, form);
    // How deep a page is belongs to its plan: one for any depth would read the whole table for ten rows.
    const name = compiled.hasPattern || isDeep(compiled) || isLong(parts) ? null : this.#names.nameFor(shape);
    return db.execute(list<R>(name, sql), values, form);
  }
}

/** Readers of rows, by source. */
const readers = new WeakMap<Paged, ToUnread<unknown>>();

/** A record does not say what its columns are: PostgreSQL is asked once for each source. */
async function toUnread<Row, T>(db: Db, source: ListSource<Row, T>): Promise<ToUnread<T>> {
  const known = readers.get(source);
  if (known !== undefined) return known as ToUnread<T>;
  const statement = list(`list-columns-${source.table}`, selectSql(source, 'LIMIT 0'), 'read');
  const { columns } = await db.execute(statement, [], 'texts');
  const made = unreadRows(columns, source.fromRow);
  readers.set(source, made);
  return made;
}

/** A longer condition and order are not worth a plan of a megabyte on every connection. */
const MAX_NAMED_LENGTH = 1_000;

const isLong = ({ where, compiled }: PageParts): boolean =>
  where.sql.length + compiled.order.sql.length > MAX_NAMED_LENGTH;

const SHORT_PAGE = 50;

/**
 * A page that takes no longer than a read by id: few rows near the start, of everything or of what unique columns
 * name, in the order of one of them. There are a few dozen such statements for each table, so they stay prepared.
 */
function isShort({ where, compiled }: PageParts): boolean {
  const { limit, order } = compiled;
  return (
    limit !== null &&
    limit <= SHORT_PAGE &&
    !isDeep(compiled) &&
    order.key !== null &&
    (where.sql === '' || where.foundBy === 'key' || where.foundBy === 'twoKeys')
  );
}

/** The total of a page beyond the last match: the first row of the same list has it. */
async function totalBefore(db: Db, sql: string, values: readonly unknown[]): Promise<number> {
  const first = await db.one(list<Total>(null, sql), [...values, 1, 0]);
  return Number(first?.total_count ?? 0);
}

/** The same page of what `map` makes of each item; what follows a held head is mapped as it comes. */
export function mapPage<A, B>({ items, rest, ...page }: Page<A>, map: (item: A) => B): Page<B> {
  return { ...page, items: items.map(map), ...(rest === undefined ? {} : { rest: mapBatches(rest, map) }) };
}

function countSql({ table, countsUpTo }: Paged, where: string): string {
  if (countsUpTo !== undefined) {
    const some = `SELECT FROM ${table} t ${where === '' ? '' : `WHERE ${where}`} LIMIT ${countsUpTo}`;
    return `(SELECT count(*) FROM (${some}) counted)`;
  }
  return where === ''
    ? `(SELECT coalesce(sum(total), 0) FROM entity_counts WHERE kind = '${table}')`
    : `(SELECT count(*) FROM ${table} t WHERE ${where})`;
}

/** Offset beyond which it is cheaper to find the ids first and then read the rows of the page. */
const DEEP_OFFSET = 500;
const isDeep = ({ limit, offset }: CompiledList): boolean => limit !== null && offset >= DEEP_OFFSET;

/**
 * How far a page of everything reaches at most, in the order of a unique column; null for all other lists. It stands
 * in the text, so that a plan for any page never reads more: without it PostgreSQL takes an unknown page for a tenth of
 * the table, finds a plan for each page better than that, and plans each time.
 */
function reachOf(where: string, { limit, offset, order }: CompiledList): number | null {
  if (where !== '' || limit === null || order.key === null) return null;
  if (limit <= SHORT_PAGE && offset <= SHORT_PAGE) return SHORT_REACH;
  return limit > SHORT_PAGE && limit <= BOUND && offset < DEEP_OFFSET ? DEEP_OFFSET + BOUND : null;
}

const BOUND = 500;
/** A tenth of it, which is what an unknown page is taken for, is the page that most ask for. */
const SHORT_REACH = 2 * SHORT_PAGE;

function pageSql(
  source: Paged,
  { readerExtras, where: { sql: where, foundBy }, compiled }: PageParts,
  { bind }: Params,
  form: RowForm,
): string {
  const { table, rowKey = 'id' } = source;
  const { limit, offset, order } = compiled;
  const own = columnsOf(source, readerExtras);
  const [columns, joins] =
    form === 'texts'
      ? ['entity.id, entity::text', `${source.joins ?? ''} CROSS JOIN LATERAL (SELECT ${own}) entity`]
      : [own, source.joins ?? ''];
  const reach = reachOf(where, compiled);
  // A limit that is seen makes a plan for its value look better than the one that is kept, by more than planning costs.
  // For ten identities that takes twice as long as reading them.
  const isHidden = compiled.hidesArray || reach === SHORT_REACH;
  const hidden = (count: number | null) => (isHidden ? `(SELECT ${bind(count, 'bigint')})` : bind(count));
  const from = reach === null ? table : `(SELECT * FROM ${table} t ORDER BY ${order.sql} LIMIT ${reach})`;
  const matches = `FROM ${from} t
      ${where === '' ? '' : `WHERE ${where}`} ORDER BY ${order.sql}
      LIMIT ${hidden(limit)} OFFSET ${hidden(offset)}`;
  const isFoundAtOnce = foundBy === 'inverted';
  if (limit === null || !(isFoundAtOnce || isDeep(compiled))) {
    return `SELECT ${columns}, t.total_count
FROM (SELECT t.*, ${countSql(source, where)} AS total_count ${matches}) t
${joins} ORDER BY ${order.sql}`;
  }
  // Keys first, and rows for those of the page only.
  const key = order.key ?? rowKey;
  return `SELECT ${columns}, page.total_count
FROM (SELECT t.${key}, ${isFoundAtOnce ? 'count(*) OVER ()' : countSql(source, where)} AS total_count ${matches}) page
JOIN ${table} t ON t.${key} = page.${key}
${joins} ORDER BY ${order.sql}`;
}
