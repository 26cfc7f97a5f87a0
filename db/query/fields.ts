/**
 * Fields of an entity, as its declaration names them (entity.ts). A field says how it is stored, what lists select,
 * and what filters and sort orders may do with it.
 */
import type { SymbolDef, SymbolTable } from '../filter/index.js';

interface FieldSpec {
  /** The kind of symbol that the field is to filters; `json` has none. */
  readonly kind: Exclude<SymbolDef['kind'], 'tags'> | 'json';
  /** Column of the table; derived from the member's name when absent. */
  readonly column?: string;
  /** Expression over the row `t` that is selected in place of a column. Such a field is never written. */
  readonly sql?: string;
  /** The same value where one entity is read by its id; `sql` when absent. */
  readonly sqlAlone?: string;
  readonly isNullable?: boolean;
  readonly isUnique?: boolean;
  readonly isForClients?: boolean;
  /** Name of the symbol when it is not the member's; null: filters and sort orders cannot use the field. */
  readonly filter?: string | null;
  /** Symbol that differs from what kind and column say. */
  readonly symbol?: SymbolDef;
}

/** `maxIdleTimeMillis` is stored as `max_idle_time_millis`. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** One field. V is the type of its value in a row. */
export class Field<V> {
  /** Exists for the compiler only: the type of the value. */
  declare readonly value: V;

  constructor(private readonly spec: FieldSpec) {}

  #with<W = V>(spec: Partial<FieldSpec>): Field<W> {
    return new Field<W>({ ...this.spec, ...spec });
  }

  /** The value may be unset. */
  nullable(): Field<V | null> {
    return this.#with({ isNullable: true });
  }

  /** No two rows have the same value: the column's index finds a row by it, and gives its order. */
  unique(): Field<V> {
    return this.#with({ isUnique: true });
  }

  /**
   * Clients see the field: their lists offer it to filters and sort orders, and the digest of `service-updates`
   * compares it. Filters for clients know linked rows only by `id`.
   */
  forClients(): Field<V> {
    return this.#with({ isForClients: true });
  }

  /** Stored in this column. */
  in(column: string): Field<V> {
    return this.#with({ column });
  }

  /** Filters and sort orders know the field by this name. */
  filteredAs(filter: string): Field<V> {
    return this.#with({ filter });
  }

  /** Filters and sort orders use this symbol for the field. */
  filteredBy(symbol: SymbolDef): Field<V> {
    return this.#with({ symbol });
  }

  /** Filters and sort orders cannot use the field. */
  unfiltered(): Field<V> {
    return this.#with({ filter: null });
  }

  /** Selects this in place of the expression where one entity is read by its id. */
  alone(sqlAlone: string): Field<V> {
    return this.#with({ sqlAlone });
  }

  get isForClientLists(): boolean {
    return this.spec.isForClients === true;
  }

  get isJson(): boolean {
    return this.spec.kind === 'json';
  }

  /** Name of the column that stores `member`; undefined for an expression. */
  columnOf(member: string): string | undefined {
    return this.spec.sql === undefined ? (this.spec.column ?? snakeCase(member)) : undefined;
  }

  /** The column with the member's name as its alias, for a list that puts `t.` before each; undefined as `columnOf`. */
  selected(member: string): string | undefined {
    const column = this.columnOf(member);
    return column === undefined || column === member ? column : `${column} AS "${member}"`;
  }

  /** The expression under the member's name, for lists or for one entity alone; undefined for a column. */
  expressed(member: string, isAlone: boolean): string | undefined {
    const { sql, sqlAlone = sql } = this.spec;
    return sql === undefined ? undefined : `${(isAlone ? sqlAlone : sql) ?? ''} AS "${member}"`;
  }

  /** Name and symbol for filters; undefined when they cannot use the field. */
  symbolOf(member: string): readonly [name: string, symbol: SymbolDef] | undefined {
    const { kind, filter = member, symbol } = this.spec;
    if (filter === null) return undefined;
    if (symbol !== undefined) return [filter, symbol];
    if (kind === 'json' || kind === 'linked') return undefined;
    const column = this.columnOf(member);
    const sql = column === undefined ? (this.spec.sql ?? '') : `t.${column}`;
    if (kind === 'stringSet') return [filter, { kind, sql }];
    const { isNullable = false, isUnique = false } = this.spec;
    return [filter, { kind, sql, nullable: isNullable, ...(isUnique && column !== undefined ? { key: column } : {}) }];
  }
}

export const text = <V extends string = string>(): Field<V> => new Field({ kind: 'string' });
export const flag = (): Field<boolean> => new Field({ kind: 'boolean' });
export const integer = (): Field<number> => new Field({ kind: 'number' });
/** A point in time, as `timestamptz`. */
export const time = (): Field<Date> => new Field({ kind: 'date' });
export const textArray = <V extends readonly string[] = readonly string[]>(): Field<V> =>
  new Field({ kind: 'stringSet' });
/** A `jsonb` column. Filters know it only by a symbol of its own (`filteredBy`). */
export const json = <V>(): Field<V> => new Field({ kind: 'json' });
/** A `bytea` column, which filters never know. */
export const bytes = (): Field<Buffer> => new Field({ kind: 'string', filter: null });
/** An expression over the row `t`. Filters know it only by a symbol of its own (`filteredBy`). */
export const expression = <V>(sql: string): Field<V> => new Field({ kind: 'json', sql });

/** The symbol of rows that are linked to the row `t`: see SymbolDef. */
export const linked = (
  entity: () => SymbolTable,
  readBy: string,
  from: string,
  idSql = '{alias}.id',
): Extract<SymbolDef, { kind: 'linked' }> => ({ kind: 'linked', entity, readBy, idSql, from });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The symbol of a secret UUID in `column` of `t`: a filter has all of it or none, and nothing is sorted by it. */
export const secretUuid = (column: string) =>
  ({
    kind: 'string',
    sql: `t.${column}`,
    nullable: false,
    equalityOnly: true,
    stored: { type: 'uuid', encode: (token: string) => (UUID.test(token) ? token : null) },
  }) satisfies SymbolDef;
