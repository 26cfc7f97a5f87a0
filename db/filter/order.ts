/** The sort order of a list: its fields as a total order in SQL. */
import type { SortField } from './ast.js';
import { atom } from './text-tests.js';
import { filterFault } from './errors.js';
import type { FaultKind } from './errors.js';
import { scalarOrTag } from './symbols.js';
import type { ScalarDef, SymbolTable } from './symbols.js';

/** Sort fields beyond these are checked and have no effect. */
const MAX_SORT_FIELDS = 5;

/** A total order. */
export interface Order {
  /** SQL after the words ORDER BY. */
  readonly sql: string;
  /** The same of the list read from its end. */
  readonly reversed: string;
  /** The unique column that alone decides it; null for an order of other things. */
  readonly key: string | null;
}

/** Order by id, ascending, unless the entity has an order of its own. */
export const defaultOrder = ({ idSql, order }: SymbolTable): Order =>
  order ?? { sql: idSql, reversed: `${idSql} DESC`, key: 'id' };

/** Fields after a unique column have no effect. @throws DomainError */
export function orderBy(table: SymbolTable, fields: readonly SortField[], kind: FaultKind): Order {
  const parts = new Map<string, readonly [sql: string, reversed: string]>();
  let unique: ScalarDef | undefined;
  for (const { name, descending } of fields) {
    const def = sortable(table, name, kind);
    if (parts.size >= MAX_SORT_FIELDS || unique !== undefined) continue;
    if (def.key !== undefined || def.sql === table.idSql) unique = def;
    if (parts.has(name)) continue;
    const sql = sortExpression(table, def);
    parts.set(name, [`${sql}${direction(def, descending)}`, `${sql}${direction(def, !descending)}`]);
  }
  if (parts.size === 0) return defaultOrder(table);
  if (unique === undefined) parts.set('', [table.idSql, `${table.idSql} DESC`]);
  const all = [...parts.values()];
  return {
    sql: all.map(([sql]) => sql).join(', '),
    reversed: all.map(([, reversed]) => reversed).join(', '),
    key: all.length === 1 ? (unique?.key ?? null) : null,
  };
}

function sortable(table: SymbolTable, name: string, kind: FaultKind): ScalarDef {
  const found = scalarOrTag(table, name, kind);
  if (found.kind === 'tag' || (found.def.equalityOnly && found.def.sortSql === undefined))
    throw filterFault(kind, `no such sort field: ${name}`, 'The field can be asked for in a filter, but has no order.');
  return found.def;
}

function sortExpression(table: SymbolTable, def: ScalarDef): string {
  const sql = def.sortSql ?? def.sql;
  return def.kind === 'string' && sql !== table.idSql ? `${atom(sql)} COLLATE "C"` : sql;
}

/** Unset values come before all others, and last when descending. */
function direction(def: ScalarDef, descending: boolean): string {
  if (def.nullable === false) return descending ? ' DESC' : '';
  return descending ? ' DESC NULLS LAST' : ' NULLS FIRST';
}
