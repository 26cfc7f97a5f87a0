/**
 * Lists of things that are no entities of their own and that callers want whole: distinct values, links. Total and
 * page come of one statement, so that they agree.
 */
import type { Page } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { compileList, filterableFields, Params } from '../filter/index.js';
import type { Bind, SymbolTable } from '../filter/index.js';
import { list } from '../postgres/statement.js';
import type { Lists, ListRequest } from './lists.js';

export interface WholeListSource<Row, T> {
  readonly symbols: SymbolTable;
  /** Name of the statement without filter and in the usual order; null leaves it unprepared. */
  readonly name: `list-${string}` | null;
  /** A SELECT of what there is; the list's filter sees its columns as `t`. Its text is always the same. */
  readonly sql: (bind: Bind) => string;
  readonly fromRow: (row: Row) => T;
}

interface Listing<Row> {
  readonly total: number;
  readonly items: Row[];
}

/** Everything, unless the request asks for less. @throws DomainError `invalidFilter`, `invalidSort` */
export async function wholeList<Row, T>(
  db: Db,
  { limits }: Lists,
  source: WholeListSource<Row, T>,
  request: ListRequest,
): Promise<Page<T>> {
  const { symbols } = source;
  const params = new Params();
  const { bind, values } = params;
  const everything = source.sql(bind);
  const { where, order, limit, offset } = compileList(symbols, request, params, {
    ...limits,
    unlimitedByDefault: true,
  });
  const isPlain = request.filter === undefined && request.sort === undefined;
  const sql = `WITH found AS MATERIALIZED (
      SELECT t.* FROM (${everything}) t ${where.sql === '' ? '' : `WHERE ${where.sql}`})
    SELECT (SELECT count(*)::int FROM found) AS total, (SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT t.* FROM found t ORDER BY ${order.sql} LIMIT ${bind(limit)} OFFSET ${bind(offset)}) page) AS items`;
  const answer = await db.one(list<Listing<Row>>(isPlain ? source.name : null, sql), values);
  return {
    items: (answer?.items ?? []).map(source.fromRow),
    totalCount: answer?.total ?? 0,
    limit,
    offset,
    filterableFields: filterableFields(symbols),
  };
}
