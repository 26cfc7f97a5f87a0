/**
 * Pages of everything that lie deep in their list. PostgreSQL comes to one by passing over what is before it, so it is
 * read from the nearest place whose number is known: an end of the list, since triggers keep the number of all rows, or
 * a page that was read a moment ago. What was inserted, deleted and renamed since then is in the audit record; where
 * that and the number of all rows do not agree, the page is read from an end.
 */
import type { CompiledList, Order, Params } from '../filter/index.js';

/** The first row of a page that was read, and what was known then. */
export interface RememberedPage {
  readonly key: string;
  /** Rows before it. */
  readonly rank: number;
  /** All rows. */
  readonly total: number;
  readonly snapshot: string;
}

interface DeepPage {
  readonly table: string;
  /** The column by which the page's rows are known. */
  readonly key: string;
  readonly order: Order;
  /** SQL of both. */
  readonly page: { readonly limit: string; readonly offset: string };
  /** Rows of the page at most. It stands in the text, so that the rest is planned for so many. */
  readonly most: number;
  readonly remembered: RememberedPage | undefined;
  readonly bind: Params['bind'];
}

/** Kinds of records of each table whose rows may be so many. */
const AUDITED: Readonly<Record<string, string>> = { identities: 'identity', services: 'service', configs: 'config' };

/** The columns whose values records show, in both orders. */
const REMEMBERED_ORDERS: Readonly<Record<string, { readonly key: 'id' | 'name'; readonly before: '<' | '>' }>> = {
  't.id': { key: 'id', before: '<' },
  't.id DESC': { key: 'id', before: '>' },
  't.name COLLATE "C"': { key: 'name', before: '<' },
  't.name COLLATE "C" DESC': { key: 'name', before: '>' },
};

/** Transactions since a page was read, beyond which their records are not looked at. */
const MOST_TRANSACTIONS = 20_000;

/** Rows that came and went since a snapshot, by the column `key`. */
function movedSql(kind: string, key: 'id' | 'name', snapshot: string): string {
  const isOf = (...kinds: string[]) => `r.kind IN (${kinds.map((each) => `'${kind}.${each}'`).join(', ')})`;
  const moves =
    key === 'id'
      ? `(r.entity_id, CASE WHEN ${isOf('created')} THEN 1 ELSE -1 END)`
      : `(CASE WHEN ${isOf('created')} THEN r.entity_name ELSE r.after ->> 'name' END, 1),
        (CASE WHEN ${isOf('deleted')} THEN r.entity_name ELSE r.before ->> 'name' END, -1)`;
  const kinds = key === 'id' ? isOf('created', 'deleted') : isOf('created', 'deleted', 'updated');
  return `SELECT m.key COLLATE "C" AS key, m.n FROM audit_records r CROSS JOIN LATERAL (VALUES ${moves}) m (key, n)
    WHERE r.xid >= pg_snapshot_xmin(${snapshot}) AND NOT pg_visible_in_snapshot(r.xid, ${snapshot}) AND ${kinds}
      AND m.key IS NOT NULL AND (SELECT is_recent FROM lately)`;
}

/**
 * A query of `key` and `total_count` for each row of the page. The latter is a text, `deepTotal` reads it: with the
 * number of all rows it has what is to be remembered.
 */
export function deepPageSql({ table, key, order, page, most, remembered, bind }: DeepPage): string {
  const { limit, offset } = page;
  const from = (by: string, rest: string, way: string, where = '') =>
    // A condition without a row of its own is asked first: what it leaves out is not begun.
    `SELECT t.* FROM (SELECT t.${key} FROM ${table} t ${where} ORDER BY ${by} ${rest}) t
      WHERE (SELECT way FROM ways) = '${way}'`;
  const start = from(order.sql, `LIMIT ${limit} OFFSET ${offset}`, 'start');
  const end = from(
    order.reversed,
    `LIMIT (SELECT greatest(0, least(${limit}, remaining)) FROM ends) OFFSET (SELECT greatest(0, beyond) FROM ends)`,
    'end',
  );
  const ends = `counted AS MATERIALIZED (
      SELECT coalesce(sum(total), 0)::bigint AS total FROM entity_counts WHERE kind = '${table}'),
    ends AS MATERIALIZED (SELECT total - ${offset} AS remaining, total - ${offset} - ${limit} AS beyond FROM counted)`;
  const way = `CASE WHEN ${offset} <= beyond THEN 'start' ELSE 'end' END`;
  const ordered = REMEMBERED_ORDERS[order.sql];
  const kind = AUDITED[table];
  const canRemember = ordered !== undefined && kind !== undefined && key === ordered.key;
  const seen = canRemember
    ? `CASE WHEN NOT pg_is_in_recovery() THEN pg_current_snapshot()::text END,
        ${ordered.before === '<' ? 'min' : 'max'}(${key}) OVER ()`
    : 'NULL, NULL';
  const answer = `SELECT ${key}, json_build_array((SELECT total FROM counted), ${seen})::text AS total_count FROM`;
  if (!canRemember || remembered === undefined)
    return `WITH ${ends}, ways AS MATERIALIZED (SELECT ${way} AS way FROM ends)
    ${answer} (${start} UNION ALL ${end}) found LIMIT ${most}`;
  const mark = bind(remembered.key, 'text');
  const snapshot = bind(remembered.snapshot, 'pg_snapshot');
  return `WITH ${ends}, lately AS MATERIALIZED (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      - pg_snapshot_xmin(${snapshot})::text::bigint < ${MOST_TRANSACTIONS} AS is_recent),
    moved AS MATERIALIZED (${movedSql(kind, ordered.key, snapshot)}),
    place AS MATERIALIZED (SELECT
        ${bind(remembered.rank, 'bigint')} + coalesce(sum(n) FILTER (WHERE key ${ordered.before} ${mark}), 0) AS rank,
        ${bind(remembered.total, 'bigint')} + coalesce(sum(n), 0) AS total FROM moved),
    ways AS MATERIALIZED (SELECT CASE WHEN (SELECT is_recent FROM lately) AND place.total = counted.total
      AND place.rank <= ${offset} THEN 'remembered' ELSE ${way} END AS way FROM place, counted, ends)
    ${answer} (${start} UNION ALL ${end} UNION ALL ${from(
      order.sql,
      `LIMIT ${limit} OFFSET (SELECT greatest(0, ${offset} - rank) FROM place)`,
      'remembered',
      `WHERE t.${key} ${ordered.before === '<' ? '>=' : '<='} ${mark}`,
    )}) found LIMIT ${most}`;
}

interface Answer {
  readonly total: number;
  /** Null on a standby, which does not say what is under way. */
  readonly snapshot: string | null;
  readonly key: string | null;
}

/** @param text  0 where there is no row at all */
function answerFrom(text: string): Answer {
  if (text === '0') return { total: 0, snapshot: null, key: null };
  const [total, snapshot, key] = JSON.parse(text) as [number, string | null, string | null];
  return { total, snapshot, key };
}

/** The number of all rows, as the `total_count` of a deep page has it. */
export const deepTotal = (answer: string): number => answerFrom(answer).total;

/** Pages of one list that are remembered. */
const MOST_PAGES = 256;
const REMEMBERED_MS = 60_000;
const REMEMBERED_FROM = 2_000;

type Kept = RememberedPage & { readonly untilMs: number };

/** Pages that were read a moment ago, of each list of everything. */
export class DeepPages {
  readonly #lists = new Map<string, Map<number, Kept>>();

  /** @param from  nearer to an end nothing is remembered */
  constructor(readonly from = REMEMBERED_FROM) {}

  /** The page from which this one is best read; undefined: from an end. */
  nearest(table: string, { order, limit, offset }: CompiledList): RememberedPage | undefined {
    let best: Kept | undefined;
    for (const page of this.#lists.get(`${table} ${order.sql}`)?.values() ?? [])
      if (page.rank <= offset && page.rank > (best?.rank ?? -1) && page.untilMs > performance.now()) best = page;
    if (best === undefined) return undefined;
    const toEnd = Math.min(offset, best.total - offset - (limit ?? 0));
    return offset - best.rank < toEnd ? best : undefined;
  }

  /** @param answer  the `total_count` of the page's rows */
  remember(table: string, { order, offset }: CompiledList, answer: string): void {
    const { total, snapshot, key } = answerFrom(answer);
    if (snapshot === null || key === null || Math.min(offset, total - offset) < this.from) return;
    const name = `${table} ${order.sql}`;
    const pages = this.#lists.get(name) ?? new Map<number, Kept>();
    this.#lists.set(name, pages);
    pages.delete(offset);
    pages.set(offset, { key, rank: offset, total, snapshot, untilMs: performance.now() + REMEMBERED_MS });
    const [oldest] = pages.keys();
    if (pages.size > MOST_PAGES && oldest !== undefined) pages.delete(oldest);
  }
}
