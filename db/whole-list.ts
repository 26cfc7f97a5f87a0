/**
 * Lists of things that are no entities of their own and that callers want whole: distinct values, links. Total and
 * page come of one statement, so that they agree.
 */
import type { Page } from '../domain/model.js';
import type { Db } from './db.js';
import { compileList, filterableFields } from './filter/index.js';
import type { SymbolTable } from './filter/index.js';
import { readList } from './table.js';
import type { Lists, ListRequest } from './table.js';

export interface WholeListSource<Row, T> {
  readonly symbols: SymbolTable;
  /** Of the statement that reads the list without filter and in its usual order; null leaves it unprepared. */
  readonly name: string | null;
  /** A SELECT of what there is; the list's filter sees its columns as `t`. Placeholders are `$1…` in `values`' order. */
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly fromRow: (row: Row) => T;
}

interface Answer<Row> {
  readonly total: number;
  readonly items: Row[];
}

/** Everything, unless the request asks for less. @throws DomainError `invalidFilter`, `invalidSort` */
export async function wholeList<Row, T>(db: Db, { limits }: Lists, source: WholeListSource<Row, T>, request: ListRequest): Promise<Page<T>> {
  const { symbols, values } = source;
  const compiled = compileList(symbols, request, { firstParam: values.length + 1, ...limits, unlimitedByDefault: true });
  const bound = [...values, ...compiled.values];
  const isPlain = request.filter === undefined && request.sort === undefined;
  const sql = `WITH found AS MATERIALIZED (
      SELECT t.* FROM (${source.sql}) t ${compiled.where === '' ? '' : `WHERE ${compiled.where}`})
    SELECT (SELECT count(*)::int FROM found) AS total, (SELECT coalesce(json_agg(page), '[]') FROM (
      SELECT t.* FROM found t ORDER BY ${compiled.orderBy} LIMIT $${bound.length + 1} OFFSET $${bound.length + 2}) page) AS items`;
  const name = isPlain ? source.name : null;
  const { rows: [answer] } = await readList<Answer<Row>>(db, name, { sql, values: [...bound, compiled.limit, compiled.offset] });
  return { items: (answer?.items ?? []).map(source.fromRow), totalCount: answer?.total ?? 0, limit: compiled.limit, offset: compiled.offset,
    filterableFields: filterableFields(symbols) };
}
