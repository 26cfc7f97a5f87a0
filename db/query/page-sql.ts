/** The text of the statement that reads one page of a list, with the number of all that match. */
import { nameOf } from '../filter/index.js';
import type { Clause, CompiledList, FoundBy, Params } from '../filter/index.js';
import type { RowForm } from '../postgres/connection.js';
import { apartSql, canBeApart } from './apart.js';
import { deepPageSql } from './deep-pages.js';
import type { RememberedPage } from './deep-pages.js';
import { allSql, countsMembers, membersSql, walkOf } from './member-pages.js';
import type { CountBounds } from './member-pages.js';
import { columnsOf } from './table.js';
import type { Paged } from './table.js';

/** The parts of a page's statement, all of which bind their values to it. */
export interface PageParts {
  /** `bound`: how many values they have, which are bound before all others. */
  readonly readerExtras?: { readonly name: string; readonly sql: string; readonly bound: number };
  /** Clause of the scope and of the filter. */
  readonly where: Clause;
  readonly compiled: CompiledList;
  readonly bounds: CountBounds;
  /** How a filtered page of a large table is read; absent: as PostgreSQL thinks best. */
  readonly manner?: Manner;
  /** The page from which a deep one of everything is best read; absent: an end of the list. */
  readonly remembered?: RememberedPage;
}

/**
 * - `few`: all that match are found, counted and sorted at once.
 * - `many`: the page is near in the order of the list. SQL of a total that does not look at all of them.
 */
export type Manner = { readonly kind: 'few' } | { readonly kind: 'many'; readonly total: string };

/** The number of matches, counted no further than up to `bound`. */
export const boundedCountSql = (table: string, where: string, bound: number): string =>
  `(SELECT count(*) FROM (SELECT FROM ${table} t ${where === '' ? '' : `WHERE ${where}`} LIMIT ${bound}) counted)`;

/** A longer condition and order are not worth a plan of a megabyte on every connection. */
const MAX_NAMED_LENGTH = 1_000;

const isLong = ({ where, compiled }: PageParts): boolean =>
  where.sql.length + compiled.order.sql.length > MAX_NAMED_LENGTH;

const SHORT_PAGE = 50;
const AT_ONCE: readonly FoundBy[] = ['key', 'twoKeys', 'owner'];

/**
 * A page that takes no longer than a read by id: few rows near the start, of everything, of what unique columns name or
 * of what an owner has, in the order of one of them. There are a few dozen such statements for each table, so they stay
 * prepared.
 */
function isShort({ where, compiled }: PageParts): boolean {
  const { limit, order } = compiled;
  return (
    limit !== null &&
    limit <= SHORT_PAGE &&
    !isDeep(compiled) &&
    order.key !== null &&
    (where.sql === '' || AT_ONCE.includes(where.foundBy))
  );
}

/** Offset beyond which it is cheaper to find the ids first and then read the rows of the page. */
const DEEP_OFFSET = 500;
const isDeep = ({ limit, offset }: CompiledList): boolean => limit !== null && offset >= DEEP_OFFSET;

/** A deep page of everything, whose `total_count` `DeepPages` reads. */
export const isDeepOfAll = ({ countsUpTo }: Pick<Paged, 'countsUpTo'>, { where, compiled }: PageParts): boolean =>
  where.sql === '' && countsUpTo === undefined && isDeep(compiled);

/** Whether the range of a filter is one of the column by which the list is sorted. */
export const isInOrder = ({ range }: Clause, { order }: CompiledList): boolean =>
  range !== undefined && range.key === order.key;

/**
 * How the statement of a page is kept prepared.
 * - `lasting`: from the first time on, under a name of its shape.
 * - `sighted`: once its shape has come a few times.
 * - `apart`: as one that reads the rows of any keys; the query of the keys is planned each time, for its values.
 * - `never`: it is planned each time.
 */
export type Keeping = 'lasting' | 'sighted' | 'apart' | 'never';

/** @param values  of the condition */
export function keepingOf(source: Paged, parts: PageParts, values: readonly unknown[]): Keeping {
  const { compiled, manner } = parts;
  if (source.countsUpTo === undefined && isShort(parts)) return 'lasting';
  // How deep a page is belongs to its plan: one for any depth would read the whole table for ten rows.
  const isOfItsOwn = manner !== undefined || compiled.hasPattern || isDeep(compiled) || isLong(parts);
  if (!isOfItsOwn) return 'sighted';
  const isByText = compiled.limit !== null && source.rowKey === undefined && membersOf(source, parts) === undefined;
  return isByText && !isDeepOfAll(source, parts) && canBeApart(values) ? 'apart' : 'never';
}

/** The attributes that a page of a table which counts them is of. */
const membersOf = ({ table }: Paged, { where, compiled }: PageParts): Clause['members'] =>
  compiled.limit !== null && countsMembers(table) ? where.members : undefined;

/** All that differs between the statements of lists of one table, so that a name is of one text. */
export function shapeOf({ table }: Paged, { readerExtras, where, compiled }: PageParts, keeping: Keeping): string {
  const shown = `${table} ${readerExtras?.name ?? ''}`;
  if (keeping === 'apart') return `apart ${compiled.order.key ?? ''} ${shown}`;
  const reach = firstOf(where, compiled) ?? reachOf(where, compiled);
  const { members } = where;
  const read = members === undefined ? '' : `${members.isOne ? 'one' : 'some'} ${walkOf(compiled) ?? ''}`;
  return `${reach ?? ''} ${read} ${shown} ${nameOf(where)} ORDER BY ${compiled.order.sql}`;
}

/** Sizes of pages that are asked for most: the default, and those of consoles and programs that read a whole list. */
const FIRST_PAGES = [10, 25, 50, 100, 500];

/**
 * The size of a common first page of everything, which stands in the text: its plan is the one for this page, and
 * PostgreSQL computes neither bound. null for all other pages.
 */
const firstOf = ({ sql: where }: Clause, { limit, offset }: CompiledList): number | null =>
  where === '' && offset === 0 && limit !== null && FIRST_PAGES.includes(limit) ? limit : null;

/**
 * How far a page of everything reaches at most: a short one in any order, a longer one in that of a unique column; null
 * for all other lists. It stands in the text, so that a plan for any page never reads more: without it PostgreSQL takes
 * an unknown page for a tenth of the table, finds a plan for each page better than that, and plans each time.
 */
function reachOf({ sql: where }: Clause, { limit, offset, order }: CompiledList): number | null {
  if (where !== '' || limit === null) return null;
  if (limit <= SHORT_PAGE && offset <= SHORT_PAGE) return SHORT_REACH;
  return order.key !== null && limit > SHORT_PAGE && limit <= BOUND && offset < DEEP_OFFSET
    ? DEEP_OFFSET + BOUND
    : null;
}

const BOUND = 500;
/** A tenth of it, which is what an unknown page is taken for, is the page that most ask for. */
const SHORT_REACH = 2 * SHORT_PAGE;

/** Largest total that is exact where a total has a bound, unless the configuration says otherwise. */
export const COUNT_UP_TO = 10_000;
/** Tables with more rows are large. */
export const LARGE_FROM = 100_000;

function countSql({ table, countsUpTo }: Paged, where: string, bound: number): string {
  if (countsUpTo !== undefined) return boundedCountSql(table, where, countsUpTo === 'setting' ? bound : countsUpTo);
  return where === '' ? allSql(table) : `(SELECT count(*) FROM ${table} t WHERE ${where})`;
}

/** The statement of a page. With `keys`, it reads the rows of those, which a query of their own finds (apart.ts). */
export interface PageSql {
  readonly sql: string;
  readonly keys?: string;
}

export function pageSql(source: Paged, parts: PageParts, params: Params, form: RowForm, isApart: boolean): PageSql {
  const { bind } = params;
  const { readerExtras, where, compiled, manner, bounds } = parts;
  const { countUpTo } = bounds;
  const { table, rowKey = 'id' } = source;
  const { limit, offset, order } = compiled;
  const own = columnsOf(source, readerExtras?.sql);
  const [columns, joins] =
    form === 'texts'
      ? ['entity.id, entity::text', `${source.joins ?? ''} CROSS JOIN LATERAL (SELECT ${own}) entity`]
      : [own, source.joins ?? ''];
  const first = firstOf(where, compiled);
  const reach = first === null ? reachOf(where, compiled) : null;
  const members = membersOf(source, parts);
  // A limit that is seen makes a plan for its value look better than the one that is kept, by more than planning costs.
  // For ten identities that takes twice as long as reading them.
  const isHidden = compiled.hidesArray || reach === SHORT_REACH || members !== undefined;
  const hidden = (count: number | null) => (isHidden ? `(SELECT ${bind(count, 'bigint')})` : bind(count, 'bigint'));
  const page =
    first === null ? { limit: hidden(limit), offset: hidden(offset) } : { limit: String(first), offset: '0' };
  // Keys first, and rows for those of the page only.
  const key = order.key ?? rowKey;
  const rowsOf = (pages: string, known: string, by: string) => `SELECT ${columns}, page.total_count
FROM ${pages}
JOIN ${table} t ON t.${key} = page.${known}
${joins} ORDER BY ${by}`;
  const ofKeys = (keys: string): PageSql =>
    isApart
      ? { sql: rowsOf(apartSql(readerExtras?.bound ?? 0), 'key', 'page.place'), keys }
      : { sql: rowsOf(`(${keys}) page`, key, order.sql) };
  if (members !== undefined) {
    const mostCounted = members.isOne ? '' : bind(Math.max(countUpTo, offset + (limit ?? 0)) + 1, 'bigint');
    const asked = { table, key, members, compiled, page, mostCounted, bounds };
    return { sql: membersSql(asked, (keys) => ofKeys(keys).sql) };
  }
  if (manner?.kind === 'many') {
    // The condition as a CASE is of no use to an index. A range of what the list is sorted by says where to begin.
    const begin = isInOrder(where, compiled) ? `${where.range?.sql} AND ` : '';
    return ofKeys(
      `SELECT t.${key}, ${manner.total} AS total_count FROM ${table} t
        WHERE ${begin}CASE WHEN ${where.sql} THEN true ELSE false END
      ORDER BY ${order.sql} LIMIT ${page.limit} OFFSET ${page.offset}`,
    );
  }
  const from = reach === null ? table : `(SELECT * FROM ${table} t ORDER BY ${order.sql} LIMIT ${reach})`;
  const matches = `FROM ${from} t
      ${where.sql === '' ? '' : `WHERE ${where.sql}`} ORDER BY ${order.sql}
      LIMIT ${page.limit} OFFSET ${page.offset}`;
  const isFoundAtOnce = where.foundBy === 'inverted' || manner?.kind === 'few';
  if (limit === null || !(isApart || isFoundAtOnce || isDeep(compiled))) {
    const sql = `SELECT ${columns}, t.total_count
FROM (SELECT t.*, ${countSql(source, where.sql, countUpTo)} AS total_count ${matches}) t
${joins} ORDER BY ${order.sql}`;
    return { sql };
  }
  if (isDeepOfAll(source, parts)) {
    return ofKeys(deepPageSql({ table, key, order, page, most: limit, remembered: parts.remembered, bind }));
  }
  return ofKeys(
    `SELECT t.${key}, ${isFoundAtOnce ? 'count(*) OVER ()' : countSql(source, where.sql, countUpTo)} AS total_count
      ${matches}`,
  );
}
