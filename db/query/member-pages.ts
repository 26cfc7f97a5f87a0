/**
 * Pages of the entities that have some of certain role attributes. Triggers count how many have each
 * (`role_attribute_counts`), so nothing is counted here that many have, and the count says how the page is best read:
 * few matches are found by the index of attributes and sorted; of many, a page is near in the order of the list.
 *
 * Where several attributes are asked for, those that do not have the most used one are counted, in large tables up to a
 * bound that lies behind the page, and not at all where that says nothing more. A total that is not exact is returned
 * as a negative number: at least so many match.
 */
import type { CompiledList, Members } from '../filter/index.js';

interface MemberPage {
  readonly table: string;
  /** The column by which the page's rows are known. */
  readonly key: string;
  readonly members: Members;
  readonly compiled: CompiledList;
  /** SQL of both. */
  readonly page: { readonly limit: string; readonly offset: string };
  /** SQL: how many are counted one by one in a large table, so that the end of the page is among them. */
  readonly mostCounted: string;
  readonly bounds: CountBounds;
}

export interface CountBounds {
  /** Largest total that is exact where a total has a bound. */
  readonly countUpTo: number;
  /** Rows beyond which a table is large. */
  readonly largeFrom: number;
}

/** Tables whose role attributes are counted. */
const COUNTED: readonly string[] = ['identities', 'services', 'routers', 'posture_checks'];

export const countsMembers = (table: string): boolean => COUNTED.includes(table);

/** How far a page reaches at most that is read in the order of the list. It stands in the text, for the planner. */
const WALKS = [100, 1_000];

/** Null for a page that is always sorted: in an order without an index, or far behind. */
export function walkOf({ limit, offset, order }: CompiledList): number | null {
  if (limit === null || order.key === null) return null;
  return WALKS.find((reach) => offset + limit <= reach) ?? null;
}

/** Number of rows of a table, as triggers count them. */
export const allSql = (table: string): string =>
  `(SELECT coalesce(sum(total), 0) FROM entity_counts WHERE kind = '${table}')`;

/** A value that the planner does not see, so that it keeps one plan for all values. */
const hidden = (values: string) => `(SELECT ${values})::text[]`;
const idsSql = (ids: string) => `t.id = ANY (${hidden(ids)})`;

/**
 * How many have some of `attributes`, or one of `ids`, as a query. Of several attributes, only the matches that do not
 * have the most used one are counted one by one.
 */
function knownSql({ table, members, mostCounted, bounds }: MemberPage): string {
  const { attributes, ids, isOne } = members;
  const wanted = hidden(attributes);
  const used = `SELECT attribute, sum(uses) AS uses FROM role_attribute_counts
    WHERE kind = '${table}' AND attribute = ANY (${wanted}) GROUP BY attribute`;
  if (isOne)
    return `known AS MATERIALIZED (SELECT coalesce(sum(uses), 0) AS total, true AS is_exact FROM (${used}) used)`;
  const most = '(SELECT attribute FROM most)';
  const others = [
    `t.role_attributes && array_remove(${wanted}, ${most})`,
    ...(ids === undefined ? [] : [idsSql(ids)]),
  ].join(' OR ');
  // Many others are not counted at all where the most used one alone reaches behind the page.
  const bound = `(SELECT CASE WHEN uses >= ${mostCounted} AND rest > ${bounds.countUpTo} THEN 0 ELSE ${mostCounted} END
    FROM most WHERE ${allSql(table)} > ${bounds.largeFrom})`;
  const isExact = `count(*) < coalesce(${bound}, 'infinity'::float8)`;
  // They are fenced in: for a part of them, which the planner takes from a bound that it cannot see, it would read the
  // whole table rather than the index.
  return `most AS MATERIALIZED (SELECT attribute, uses, sum(uses) OVER () - uses AS rest FROM (${used}) used
    ORDER BY uses DESC, attribute LIMIT 1), others AS MATERIALIZED (
  SELECT FROM ${table} t WHERE (${others}) AND NOT t.role_attributes @> ARRAY[${most}]), known AS MATERIALIZED (
  SELECT coalesce((SELECT uses FROM most), 0) + count(*) AS total, ${isExact} AS is_exact
  FROM (SELECT FROM others LIMIT ${bound}) counted)`;
}

/**
 * @param ofKeys  makes the statement of one that selects `key` and `total_count`
 */
export function membersSql(asked: MemberPage, ofKeys: (keys: string) => string): string {
  const { table, key, members, compiled, page } = asked;
  const { order } = compiled;
  const { attributes, ids } = members;
  const where = [`t.role_attributes && ${hidden(attributes)}`, ...(ids === undefined ? [] : [idsSql(ids)])].join(
    ' OR ',
  );
  const walk = walkOf(compiled);
  const bounds = `ORDER BY ${order.sql} LIMIT ${page.limit} OFFSET ${page.offset}`;
  const known = knownSql(asked);
  // OFFSET 0 fences the matches in: they are found first, by any index, and sorted after.
  const sorted = (isWanted: string) =>
    `SELECT t.${key} FROM (SELECT t.* FROM ${table} t WHERE ${isWanted}(${where}) OFFSET 0) t ${bounds}`;
  const total = '(SELECT CASE WHEN is_exact THEN total ELSE -total END FROM known)';
  const keys = (from: string) => `SELECT ${key}, ${total} AS total_count FROM (${from}) found`;
  if (walk === null) return `WITH ${known}\n${ofKeys(keys(sorted('')))}`;
  // A walk passes over (offset + limit) * all / total rows; a sort takes all that match.
  const walks = `walked AS MATERIALIZED (SELECT (SELECT total FROM known)::float8 ^ 2
    > (${page.limit} + ${page.offset})::float8 * ${allSql(table)}::float8
    AS is_best)`;
  // The condition as a CASE is of no use to an index.
  const walked = `SELECT t.${key} FROM (SELECT t.${key} FROM ${table} t
      WHERE CASE WHEN ${where} THEN true ELSE false END ORDER BY ${order.sql} LIMIT ${walk}) t
    WHERE (SELECT is_best FROM walked) ${bounds}`;
  return `WITH ${known}, ${walks}
${ofKeys(keys(`(${sorted('NOT (SELECT is_best FROM walked) AND ')}) UNION ALL (${walked})`))}`;
}
