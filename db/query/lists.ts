/**
 * Lists: one page of a table's rows with the number of all that match, in one round trip; or all of them in batches.
 */
import { mapBatches } from '../../domain/batches.js';
import type { LazyRow, Page } from '../../domain/model.js';
import { andClause, compileList, filterableFields, NOTHING, Params } from '../filter/index.js';
import type { ListQuery, SymbolTable } from '../filter/index.js';
import type { RowForm, Rows } from '../postgres/connection.js';
import { isDatabase } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { list } from '../postgres/statement.js';
import { valuesApart } from './apart.js';
import { DeepPages, deepTotal } from './deep-pages.js';
import { LargeTables } from './large-tables.js';
import type { CountBounds } from './member-pages.js';
import { COUNT_UP_TO, LARGE_FROM, isDeepOfAll, keepingOf, pageSql, shapeOf } from './page-sql.js';
import type { Keeping, PageParts } from './page-sql.js';
import { everything } from './scopes.js';
import type { Scope } from './scopes.js';
import { StatementNames } from './statement-names.js';
import type { ListName } from './statement-names.js';
import { selectSql } from './table.js';
import type { ListSource, Paged, PageSource, ReaderExtras } from './table.js';
import { unreadRows } from './unread-rows.js';

/** How long a list may be. The reader asks; the cap of the configuration holds. */
export interface ListLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /**
   * Bound up to which totals are exact: of broad filters in tables with more rows than `largeFrom`, and of tables whose
   * totals have one anyway.
   */
  readonly countUpTo?: number;
  readonly largeFrom?: number;
  /** Pages so far from both ends of their list are remembered for a moment. */
  readonly rememberFrom?: number;
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

/** The rows of a page and what is shown of them, apart from its request. */
interface Shown {
  readonly scope: Scope;
  readonly extras?: ReaderExtras | undefined;
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
  /** Makes of the total that the first row has, or of a page without rows, what the answer says. */
  readonly total: (first: number | string | undefined) => Promise<Pick<Page<never>, 'totalCount' | 'isTotalMinimum'>>;
}

/** Lists of one database: built once, holds only the names of statements. */
export class Lists {
  readonly #names = new StatementNames();
  readonly #bounds: CountBounds;
  readonly #large: LargeTables;
  readonly #deep: DeepPages;

  constructor(readonly limits: ListLimits) {
    const { countUpTo = COUNT_UP_TO, largeFrom = LARGE_FROM } = limits;
    this.#bounds = { countUpTo, largeFrom };
    this.#large = new LargeTables(this.#bounds);
    this.#deep = new DeepPages(limits.rememberFrom);
  }

  /** Whether all that matches is asked for. @throws DomainError `invalidFilter`, `invalidSort` */
  isUnlimited({ symbols }: { readonly symbols: SymbolTable }, request: ListRequest): boolean {
    return compileList(symbols, request, new Params(), this.limits).limit === null;
  }

  /**
   * @param extras  what the rows show beyond their source: read of these very rows
   * @throws DomainError `invalidFilter`, `invalidSort`, `rateLimited`, `timeout`
   */
  async page<Row, T>(
    db: Db,
    source: PageSource<Row, T>,
    request: ListRequest,
    scope: Scope = everything,
    extras?: ReaderExtras,
  ): Promise<Page<T>> {
    const shown: Shown = { scope, extras, form: 'objects' };
    const { rows, rest, page, total } = await this.#find<Row & Total>(db, source, request, shown);
    return {
      items: rows.map(source.fromRow),
      ...(await total(rows[0]?.total_count)),
      ...page,
      ...(rest === undefined ? undefined : { rest: mapBatches(rest, source.fromRow) }),
    };
  }

  /** The same, for whoever may know what to make of a row by its text. `read` passes over extras. @throws as `page` */
  async unread<Row, T>(
    db: Db,
    source: ListSource<Row, T>,
    request: ListRequest,
    scope: Scope = everything,
    extras?: ReaderExtras,
  ): Promise<Page<LazyRow<T>>> {
    // First: a list that leaves in batches keeps its connection.
    const unread = await toUnread(db, source);
    const shown: Shown = { scope, extras, form: 'texts' };
    const { rows, rest, page, total } = await this.#find<TextRow>(db, source, request, shown);
    const toItem = ([id, text]: TextRow) => unread(id, text);
    return {
      items: rows.map(toItem),
      ...(await total(rows[0]?.[2])),
      ...page,
      ...(rest === undefined ? undefined : { rest: mapBatches(rest, toItem) }),
    };
  }

  async #find<R>(db: Db, source: Paged, request: ListRequest, shown: Shown): Promise<Found<R>> {
    const { symbols } = source;
    const { scope, extras, form } = shown;
    const isNarrowed = scope !== everything || (request.filter ?? '') !== '';
    // Conditions are tried out by themselves, which they cannot be behind the values of extras.
    const facts = isNarrowed && extras === undefined ? await this.#large.factsOf(db, source) : undefined;
    const params = new Params(facts?.names);
    const readerExtras = extras && { name: extras.name, sql: extras.sql(params.bind), bound: params.values.length };
    const narrowed = scope(params.bind);
    const compiled = compileList(symbols, request, params, this.limits);
    const where = andClause(narrowed, compiled.where);
    const { limit, offset } = compiled;
    const page = { limit, offset, filterableFields: filterableFields(symbols) };
    if (where === NOTHING) return { rows: [], page, total: () => Promise.resolve(totalOf(0)) };
    const matched: PageParts = { ...(readerExtras && { readerExtras }), where, compiled, bounds: this.#bounds };
    const matching = [...params.values];
    const reading = facts && (await this.#large.readingOf(db, source, matched, matching, facts));
    const isDeepPage = isDeepOfAll(source, matched);
    const remembered = isDeepPage ? this.#deep.nearest(source.table, compiled) : undefined;
    const parts: PageParts = {
      ...matched,
      ...(reading && { manner: reading.manner }),
      ...(remembered && { remembered }),
    };
    const keeping = keepingOf(source, parts, matching);
    const { sql, keys } = pageSql(source, parts, params, form, keeping === 'apart');
    const { values } = params;
    const sent = (bound: readonly unknown[]) =>
      keys === undefined ? bound : valuesApart(keys, bound, readerExtras?.bound ?? 0);
    // The first row of the same list has the total that a page beyond the last match has not.
    const before = () => sent(values.with(matching.length, 1).with(matching.length + 1, 0));
    const found = {
      page,
      total: async (first: number | string | undefined) => {
        const known = first ?? (offset > 0 ? await totalOfFirst(db, sql, before()) : 0);
        if (isDeepPage && first !== undefined) this.#deep.remember(source.table, compiled, String(first));
        const total = isDeepPage ? deepTotal(String(known)) : Number(known);
        return reading?.total(total) ?? totalOf(total);
      },
    };
    // A list without limit is read at once when it is short; else its head, and batches that follow in one snapshot.
    if (limit === null && isDatabase(db)) {
      const options = { batchSize: this.limits.maxLimit, isReadAtOnce: request.isReadAtOnce === true, form };
      const { head, ...more } = await db.listAll(list<R>(null, sql), values, options);
      return { rows: head, ...more, ...found };
    }
    const name = this.#nameFor(keeping, `${form} ${shapeOf(source, parts, keeping)}`);
    const statement = list<R>(name, sql, keeping === 'lasting' ? 'read' : 'list');
    return { ...(await db.execute(statement, sent(values), form)), ...found };
  }

  #nameFor(keeping: Keeping, shape: string): ListName | null {
    if (keeping === 'never') return null;
    return keeping === 'sighted' ? this.#names.nameFor(shape) : this.#names.lastingNameFor(shape);
  }
}

/** A total that is not exact comes as a negative number (member-pages.ts). */
const totalOf = (total: number) =>
  total < 0 ? { totalCount: -total, isTotalMinimum: true as const } : { totalCount: total };

/** Readers of rows, by source. */
const readers = new WeakMap<Paged, ToUnread<unknown>>();

/** A record does not say what its columns are: PostgreSQL is asked once for each source. */
async function toUnread<Row, T>(db: Db, source: ListSource<Row, T>): Promise<ToUnread<T>> {
  const known = readers.get(source);
  if (known !== undefined) return known as ToUnread<T>;
  const statement = list(null, selectSql(source, 'LIMIT 0'), 'read');
  const { columns } = await db.execute(statement, [], 'texts');
  const made = unreadRows(columns, source.fromRow);
  readers.set(source, made);
  return made;
}

async function totalOfFirst(db: Db, sql: string, values: readonly unknown[]): Promise<Total['total_count']> {
  return (await db.one(list<Total>(null, sql), values))?.total_count ?? 0;
}

/** The same page of what `map` makes of each item; what follows a held head is mapped as it comes. */
export function mapPage<A, B>({ items, rest, ...page }: Page<A>, map: (item: A) => B): Page<B> {
  return { ...page, items: items.map(map), ...(rest === undefined ? {} : { rest: mapBatches(rest, map) }) };
}
