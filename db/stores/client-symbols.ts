/**
 * Symbols that the lists for clients offer to filters and sorts. A test in a filter reveals a value as surely as an
 * answer does, so these lists offer only what their answers show: every name here is a member of their items
 * (test/api/client-fields.test.ts).
 */
import type { SymbolTable } from '../filter/index.js';
import * as full from './symbols.js';

/** Members that every entity shows of itself. */
const BASE = ['id', 'createdAt', 'updatedAt', 'tags'] as const;

/** The same table with these of its names and no others. */
function only({ entity, idSql, symbols }: SymbolTable, names: readonly string[]): SymbolTable {
  const offered = Object.entries(symbols).filter(([name]) => names.includes(name));
  return { entity, idSql, symbols: Object.fromEntries(offered) };
}

const COMMON_ROUTER = ['name', 'cost', 'noTraversal', 'disabled', 'online', 'connected'] as const;

/** Edge routers of the current identity. */
export const ownEdgeRouterSymbols = only(full.edgeRouterSymbols, [...BASE, ...COMMON_ROUTER]);

/** Edge routers of a service, which are listed without id, dates and tags. */
export const serviceEdgeRouterSymbols = only(full.edgeRouterSymbols, COMMON_ROUTER);

/** Enabled signers, which everybody may list; their tags are not shown. */
export const publicSignerSymbols = only(full.externalJwtSignerSymbols, [
  'id',
  'createdAt',
  'updatedAt',
  'name',
  'audience',
  'clientId',
  'scopes',
  'targetToken',
  'enrollToCertEnabled',
  'enrollToTokenEnabled',
]);
