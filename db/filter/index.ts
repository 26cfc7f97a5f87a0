/**
 * The filter language of lists: `filter`, `sort`, `limit` and `offset` of a request to a SQL condition, an order and a
 * page. Pure: it reads nothing and keeps nothing, and everything the caller wrote becomes a bound parameter.
 */
import { Compiler } from './compile.js';
import { defaultOrder, orderBy } from './order.js';
import type { Order } from './order.js';
import type { Clause } from './clause.js';
import type { Params } from './params.js';
import { parseFilter, parseSort } from './parse.js';
import type { Query } from './ast.js';
import type { Rights } from '../../domain/auth/rights.js';
import type { SymbolTable } from './symbols.js';

export { andClause, EVERYTHING, foundByAny, membersOf, nameOf, NOTHING } from './clause.js';
export type { Clause, FoundBy, Members } from './clause.js';
export { Params } from './params.js';
export type { Bind } from './params.js';
export type { Order } from './order.js';
export { compileRoleFilter } from './roles.js';
export type { RoleFilter } from './roles.js';
export { filterableFields } from './symbols.js';
export type { SymbolDef, SymbolTable } from './symbols.js';

/** Query parameters of a list, and the rights of the caller. */
export interface ListQuery {
  /** Decides what of linked entities may be asked; absent: no more than their ids and names. */
  readonly reader?: Rights;
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
  readonly offset?: number;
}

export interface ListOptions {
  readonly defaultLimit: number;
  readonly maxLimit: number;
  /** No limit asked for means everything. */
  readonly unlimitedByDefault?: boolean;
}

/** Two lists of one entity that have the same condition and order differ only in what is bound. */
export interface CompiledList {
  /** May be null for false. */
  readonly where: Clause;
  readonly order: Order;
  /** A plan that is made for any literal does not serve this list: it looks for a part of a text. */
  readonly hasPattern: boolean;
  /** See `Compiler.hidesArray`. */
  readonly hidesArray: boolean;
  /** Null is everything. */
  readonly limit: number | null;
  readonly offset: number;
}

/**
 * Order and page given in the filter win over the other parameters.
 * @param params  of the statement that the condition becomes a part of: takes the literals of the filter
 * @throws DomainError `invalidFilter`, `invalidSort`
 */
export function compileList(table: SymbolTable, query: ListQuery, params: Params, options: ListOptions): CompiledList {
  const parsed: Query = query.filter === undefined || query.filter === '' ? {} : parseFilter(query.filter);
  const compiler = new Compiler(params, 'invalidFilter', query.reader);
  const where = compiler.where(table, parsed);
  return {
    where,
    order: parsed.sort === undefined ? orderOf(table, query.sort ?? '') : orderBy(table, parsed.sort, 'invalidFilter'),
    hasPattern: compiler.hasPattern,
    hidesArray: compiler.hidesArray,
    limit: limitOf(parsed.limit ?? query.limit ?? 0, options),
    offset: Math.max(parsed.skip ?? query.offset ?? 0, 0),
  };
}

/** The `sort` parameter; a blank one is none. */
function orderOf(table: SymbolTable, sort: string): Order {
  if (sort.trim() === '') return defaultOrder(table);
  return orderBy(table, parseSort(sort), 'invalidSort');
}

const EVERYTHING = -1;

/** @param asked  -1: everything; any other number below 1 asks for nothing of its own */
function limitOf(asked: number, options: ListOptions): number | null {
  if (asked === EVERYTHING) return null;
  if (asked <= 0) return options.unlimitedByDefault ? null : Math.min(options.defaultLimit, options.maxLimit);
  return Math.min(asked, options.maxLimit);
}
