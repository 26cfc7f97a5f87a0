/**
 * The filter language of lists: `filter`, `sort`, `limit` and `offset` of a request to a SQL condition, an order and a
 * page. Pure: it reads nothing and keeps nothing, and everything the caller wrote becomes a bound parameter.
 */
import { Compiler } from './compile.js';
import { parseFilter, parseSort } from './parse.js';
import type { Query } from './ast.js';
import type { SymbolTable } from './symbols.js';

export { compileRoleFilter } from './roles.js';
export type { RoleFilterTarget } from './roles.js';
export { filterableFields } from './symbols.js';
export type { SymbolDef, SymbolTable } from './symbols.js';

/** As in the query of the URL. */
export interface ListQuery {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
}

export interface ListOptions {
  /** Number of the first placeholder. */
  readonly firstParam: number;
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** No limit asked for means everything. */
  readonly unlimitedByDefault?: boolean;
}

export interface CompiledList {
  /** A boolean expression that may be null for false; '' when everything matches. */
  readonly where: string;
  readonly values: unknown[];
  /** Without the words ORDER BY; a total order. */
  readonly orderBy: string;
  /** By id, ascending. */
  readonly isDefaultOrder: boolean;
  readonly hasFilter: boolean;
  /** Null is everything. */
  readonly limit: number | null;
  readonly offset: number;
  /** Equal for equal SQL: the literals of a filter do not count, nor how many a list has. */
  readonly shape: string;
}

/**
 * What the filter says on order and page wins over the other parameters.
 * @throws DomainError `invalidFilter`, `invalidSort`
 */
export function compileList(table: SymbolTable, query: ListQuery, options: ListOptions): CompiledList {
  const parsed: Query = query.filter === undefined || query.filter === '' ? {} : parseFilter(query.filter);
  const compiler = new Compiler(options.firstParam, 'invalidFilter');
  const where = compiler.where(table, parsed);
  const orderBy = parsed.sort === undefined ? orderOf(table, query.sort ?? '') : compiler.orderBy(table, parsed.sort);
  return {
    where,
    values: compiler.params.values,
    orderBy,
    isDefaultOrder: orderBy === table.idSql,
    hasFilter: where !== '',
    limit: limitOf(parsed.limit ?? query.limit ?? 0, options),
    offset: Math.min(Math.max(parsed.skip ?? query.offset ?? 0, 0), Number.MAX_SAFE_INTEGER),
    shape: `${where} ORDER BY ${orderBy}`,
  };
}

/** The `sort` parameter; a blank one is none. */
function orderOf(table: SymbolTable, sort: string): string {
  if (sort.trim() === '') return table.idSql;
  return new Compiler(1, 'invalidSort').orderBy(table, parseSort(sort));
}

function limitOf(asked: number, options: ListOptions): number | null {
  if (asked < 0) return null;
  if (asked === 0) return options.unlimitedByDefault ? null : Math.min(options.defaultLimit, options.maxLimit);
  return Math.min(asked, options.maxLimit);
}
