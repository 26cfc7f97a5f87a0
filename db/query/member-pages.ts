/**
 * Pages of the entities that have some of certain role attributes. Triggers count how many have each
 * (`role_attribute_counts`), so nothing is counted here that many have, and the count says how the page is best read:
 * few matches are found by the index of attributes and sorted; of many, a page is near in the order of the list.
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

/** A value that the planner does not see, so that it keeps one plan for all values. */
const hidden = (values: string) => `(SELECT ${values})::text[]`;
const idsSql = (ids: string) => `t.id = ANY (${hidden(ids)})`;

/**
 * How many have some of `attributes`, or one of `ids`, as a query. Of several attributes, only the matches that do not
 * have the most used one are counted one by one.
 */
function knownSql(table: string, { attributes, ids, isOne }: Members): string {
  const wanted = hidden(attributes);
  const used = `SELECT attribute, sum(uses) AS uses FROM role_attribute_counts
    WHERE kind = '${table}' AND attribute = ANY (${wanted}) GROUP BY attribute`;
  if (isOne) return `known AS MATERIALIZED (SELECT coalesce(sum(uses), 0) AS total FROM (${used}) used)`;
  const most = '(SELECT attribute FROM most)';
  const others = [
    `t.role_attributes && array_remove(${wanted}, ${most})`,
    ...(ids === undefined ? [] : [idsSql(ids)]),
  ].join(' OR ');
  return `most AS MATERIALIZED (${used} ORDER BY 2 DESC, 1 LIMIT 1), known AS MATERIALIZED (
  SELECT coalesce((SELECT uses FROM most), 0) + (SELECT count(*) FROM ${table} t
    WHERE (${others}) AND NOT t.role_attributes @> ARRAY[${most}]) AS total)`;
}

/**
 * @param ofKeys  makes the statement of one that selects `key` and `total_count`
 */
export function membersSql(
  { table, key, members, compiled, page }: MemberPage,
  ofKeys: (keys: string) => string,
): string {
  const { order } = compiled;
  const { attributes, ids } = members;
  const where = [`t.role_attributes && ${hidden(attributes)}`, ...(ids === undefined ? [] : [idsSql(ids)])].join(
    ' OR ',
  );
  const walk = walkOf(compiled);
  const bounds = `ORDER BY ${order.sql} LIMIT ${page.limit} OFFSET ${page.offset}`;
  const known = knownSql(table, members);
  // OFFSET 0 fences the matches in: they are found first, by any index, and sorted after.
  const sorted = (isWanted: string) =>
    `SELECT t.${key} FROM (SELECT t.* FROM ${table} t WHERE ${isWanted}(${where}) OFFSET 0) t ${bounds}`;
  const keys = (from: string) => `SELECT ${key}, (SELECT total FROM known) AS total_count FROM (${from}) found`;
  if (walk === null) return `WITH ${known}\n${ofKeys(keys(sorted('')))}`;
  // A walk passes over (offset + limit) * all / total rows; a sort takes all that match.
  const walks = `walked AS MATERIALIZED (SELECT (SELECT total FROM known)::float8 ^ 2
    > (${page.limit} + ${page.offset})::float8 * (SELECT sum(total) FROM entity_counts WHERE kind = '${table}')::float8
    AS is_best)`;
  // The condition as a CASE is of no use to an index.
  const walked = `SELECT t.${key} FROM (SELECT t.${key} FROM ${table} t
      WHERE CASE WHEN ${where} THEN true ELSE false END ORDER BY ${order.sql} LIMIT ${walk}) t
    WHERE (SELECT is_best FROM walked) ${bounds}`;
  return `WITH ${known}, ${walks}
${ofKeys(keys(`(${sorted('NOT (SELECT is_best FROM walked) AND ')}) UNION ALL (${walked})`))}`;
}
