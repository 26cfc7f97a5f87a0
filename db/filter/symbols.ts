/** Names that an entity offers to filters and sort orders: an allow-list. The language itself knows no entity. */
import { nearestWord } from '../../domain/nearest-word.js';
import { filterFault } from './errors.js';
import type { FaultKind } from './errors.js';

/**
 * Every expression is written over the alias `t` for the entity's row. Texts are compared and sorted by bytes, whatever
 * the collation of the expression.
 */
export type SymbolDef =
  | {
      readonly kind: 'string' | 'boolean' | 'number' | 'date';
      readonly sql: string;
      /** Whether the value can be unset; true by default. A column that cannot be gets simpler SQL. */
      readonly nullable?: boolean;
      /** The expression looks at other rows than `t`, for each row that is tested. */
      readonly readsRows?: true;
      /**
       * The name of the column, when it is a text that is never null and no two rows have the same: its index finds a
       * row by it, and has its order.
       */
      readonly key?: string;
      /** Expression to sort by instead of `sql`. */
      readonly sortSql?: string;
      /**
       * Only `=`, `!=`, `in` and `null`, and no sorting unless by `sortSql`: for values that must not be found by
       * searching, and for such as have no order as texts.
       */
      readonly equalityOnly?: true;
      /**
       * Strings only, for `=`, `!=` and `in`: how the value is stored, as a hash for example. `encode` maps a literal
       * to that; null or undefined: nothing stored can equal it.
       */
      readonly stored?: {
        readonly type: 'bigint' | 'bytea' | 'uuid';
        readonly encode: (value: string) => unknown;
      };
    }
  /** A `text[]` expression that is never null. */
  | { readonly kind: 'stringSet'; readonly sql: string }
  | {
      readonly kind: 'linked';
      /** SQL after FROM: the linked rows under the alias `{alias}`, joined to the outer row `t`. Without WHERE. */
      readonly from: string;
      /** The linked row's id, over `{alias}`; never null. */
      readonly idSql: string;
      readonly entity: () => SymbolTable;
      /** The permission to read the linked entity: without it a subquery may name only its `id` and `name`. */
      readonly readBy: string;
    }
  /** A `jsonb` object; its members are symbols `<name>.<key>`. */
  | { readonly kind: 'tags'; readonly sql: string };

export interface SymbolTable {
  /** Name for people. */
  readonly entity: string;
  readonly symbols: Readonly<Record<string, SymbolDef>>;
  /** Default order and last tie-breaker: unique, not null, `COLLATE "C"`. */
  readonly idSql: string;
  /** Symbols that the permission `unless` would offer; set where the caller lacks it. */
  readonly withheld?: { readonly table: SymbolTable; readonly unless: string };
  /** Default order of a list that is read in another one than that of its ids: by one unique column. */
  readonly order?: { readonly sql: string; readonly reversed: string; readonly key: string };
}

export type ScalarDef = Extract<SymbolDef, { nullable?: boolean }>;
export type SetDef = Extract<SymbolDef, { kind: 'stringSet' | 'linked' }>;

export type Resolved =
  | { readonly kind: 'scalar'; readonly def: ScalarDef }
  | { readonly kind: 'set'; readonly def: SetDef }
  | { readonly kind: 'tag'; readonly sql: string; readonly key: string };

/** Names a filter may use, as lists report them in `filterableFields`. */
export function filterableFields(table: SymbolTable): string[] {
  return Object.keys(table.symbols);
}

/** Symbols of linked rows for every caller: lists that show a link show these two of it. */
const SHOWN_OF_LINKS: readonly string[] = ['id', 'name'];

/** The table of what `def` links to, as a caller with or without its permission may use it. */
export function linkedTable(def: Extract<SymbolDef, { kind: 'linked' }>, isReadable: boolean): SymbolTable {
  const table = def.entity();
  if (isReadable) return table;
  const shown = Object.entries(table.symbols).filter(([name]) => SHOWN_OF_LINKS.includes(name));
  return { ...table, symbols: Object.fromEntries(shown), withheld: { table, unless: def.readBy } };
}

/** Fields that an error lists. */
const LISTED = 12;

/** The field that may have been meant, or those that there are; all of them stand in `filterableFields`. */
function hintOf(table: SymbolTable, name: string): string {
  const fields = filterableFields(table);
  const near = nearestWord(name, fields);
  if (near !== undefined) return ` (did you mean ${near}?)`;
  const more = fields.length > LISTED ? ` and ${fields.length - LISTED} more` : '';
  return ` (the fields are ${fields.slice(0, LISTED).join(', ')}${more})`;
}

/** @throws DomainError that names the symbol, and the permission that would offer it */
export function resolveOrFail(table: SymbolTable, name: string, kind: FaultKind): Resolved {
  const found = resolve(table, name);
  if (found !== undefined) return found;
  const { entity, withheld } = table;
  if (withheld === undefined || resolve(withheld.table, name) === undefined)
    throw filterFault(kind, `unknown symbol '${name}'${hintOf(table, name)}`);
  throw filterFault(kind, `unknown symbol '${name}': ${entity} offer it to the permission ${withheld.unless} alone`);
}

/** Resolves a name that has one value for each row. @throws DomainError */
export function scalarOrTag(table: SymbolTable, name: string, kind: FaultKind): Exclude<Resolved, { kind: 'set' }> {
  const found = resolveOrFail(table, name, kind);
  if (found.kind === 'set')
    throw filterFault(
      kind,
      `symbol '${name}' is a set symbol but is used in non-set function context`,
      kind === 'invalidSort' ? 'A list cannot be sorted by a set.' : `Write anyOf(${name}) or allOf(${name}).`,
    );
  return found;
}

/** @returns undefined for a name the entity does not offer */
function resolve(table: SymbolTable, name: string): Resolved | undefined {
  const def = Object.hasOwn(table.symbols, name) ? table.symbols[name] : undefined;
  if (def === undefined) return resolveTag(table, name);
  if (def.kind === 'tags') return undefined;
  return def.kind === 'stringSet' || def.kind === 'linked' ? { kind: 'set', def } : { kind: 'scalar', def };
}

function resolveTag(table: SymbolTable, name: string): Resolved | undefined {
  const dot = name.indexOf('.');
  if (dot < 0) return undefined;
  const prefix = name.slice(0, dot);
  const def = Object.hasOwn(table.symbols, prefix) ? table.symbols[prefix] : undefined;
  return def?.kind === 'tags' ? { kind: 'tag', sql: def.sql, key: name.slice(dot + 1) } : undefined;
}
