/**
 * An entity is declared once: its table, and its fields with their types, columns and uses. Everything else is read off
 * the declaration: what lists select, the values of inserts and updates, the symbols of filters for administrators and
 * for clients, what versions an entity, and what of it clients see. Columns are selected under the names of the
 * members, so a row is the entity, and only what is computed needs a mapping.
 */
import type { BaseEntity } from '../../domain/model.js';
import { notFound, raise } from '../../domain/errors.js';
import type { SymbolDef, SymbolTable } from '../filter/index.js';
import type { Db, Versioned } from '../postgres/contracts.js';
import type { Terms, Values, WriteCondition } from './change-statements.js';
import { Field } from './fields.js';
import { detailSql, findOne, getOne, insert, insertWhere, jsonText, remove, update, updateWhere } from './table.js';
import type { Changes, ListSource } from './table.js';
import { read } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

/** A field for each member of a row. */
export type Fields<Row> = { readonly [K in keyof Row]-?: Field<Row[K]> };

/** The members that an entity has in addition to those of all entities. */
type OwnFields<Row> = Fields<Omit<Row, keyof BaseEntity>>;

interface Options {
  /** Name of one in errors: `servicePolicy`. */
  readonly name: string;
  /** Name of many in faults of filters; by default that of the table: `servicePolicies`. */
  readonly plural?: string;
  /** Collections of the APIs in which one is read and changed by its id, as paths spell them. */
  readonly collections?: readonly string[];
  /** Member that versions one for entity tags; absent: nothing compares its versions. */
  readonly versionedBy?: 'createdAt' | 'updatedAt';
  /** Every session may list it, so filters do not offer `isSystem`, which no answer shows. */
  readonly isOpen?: boolean;
  /** Tags are notes of administrators, which clients do not see. */
  readonly hidesTags?: boolean;
  /** Symbols that only filters and sort orders know. */
  readonly symbols?: Readonly<Record<string, SymbolDef>>;
  /** Names among `symbols` that clients know as well. */
  readonly clientSymbols?: readonly string[];
  /** Joined to the rows of a page or a detail, for names of references. */
  readonly joins?: string;
}

/** Fields that are written and never read back, such as secrets. */
type Hidden<Written> = object extends Written ? { readonly hidden?: undefined } : { readonly hidden: Fields<Written> };

const SHOWN: Readonly<Record<string, SymbolDef>> = {
  id: { kind: 'string', sql: 't.id', nullable: false, key: 'id' },
  createdAt: { kind: 'date', sql: 't.created_at', nullable: false },
  updatedAt: { kind: 'date', sql: 't.updated_at', nullable: false },
  tags: { kind: 'tags', sql: 't.tags' },
};

const IS_SYSTEM: SymbolDef = { kind: 'boolean', sql: 't.is_system', nullable: false };

/** Columns of every entity, under the names of their members. */
const BASE_SELECTED = ['id', 'created_at AS "createdAt"', 'updated_at AS "updatedAt"', 'tags'] as const;

/** `config_types` is the table of `configTypes`. */
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `configType` is found by the statement `config-type-detail`. */
const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Rejects members that the declaration does not have. */
type Known<D, All> = D & { readonly [K in Exclude<keyof D, keyof All>]: never };

export class Entity<Row extends BaseEntity, Written extends object = object> {
  readonly name: string;
  readonly collections: readonly string[];
  readonly versioned: Versioned | undefined;
  /** Symbols in lists of administrators. */
  readonly symbols: SymbolTable;
  /** Symbols in lists of clients: only what their answers show. */
  readonly clientSymbols: SymbolTable;
  /** Members that clients see, without dates and tags. */
  readonly clientMembers: readonly (keyof Row)[];
  readonly source: ListSource<Row, Row>;
  readonly clientSource: ListSource<Row, Row>;
  readonly detail: Statement<Row>;
  /** The columns of `t` for a SELECT or RETURNING of its own, under the names of the members. */
  readonly columns: string;
  readonly #written: readonly (readonly [member: string, column: string, isJson: boolean])[];

  constructor(
    readonly table: string,
    readonly fields: OwnFields<Row>,
    readonly options: Options & Hidden<Written>,
  ) {
    const all = Object.entries<Field<unknown>>(fields);
    this.name = options.name;
    this.collections = options.collections ?? [];
    const { versionedBy } = options;
    this.versioned = versionedBy && { name: this.name, table, by: versionedBy };
    this.symbols = symbolsOf(table, all, options);
    const clients = all.filter(([, field]) => field.isForClientLists);
    this.clientSymbols = clientTable(this.symbols, clients, options);
    this.clientMembers = ['id', ...clients.map(([member]) => member)] as (keyof Row)[];
    this.source = sourceOf(table, all, this.symbols, options.joins);
    const alone = sourceOf(table, all, this.symbols, options.joins, true);
    this.clientSource = { ...this.source, symbols: this.clientSymbols };
    this.detail = read(`${kebabCase(this.name)}-detail`, detailSql(alone));
    this.columns = this.source.columns.map((column) => `t.${column}`).join(', ');
    const hidden = Object.entries<Field<unknown>>(options.hidden ?? {});
    this.#written = [...all, ...hidden, ['tags', new Field({ kind: 'json' })] as const].flatMap(([member, field]) => {
      const column = field.columnOf(member);
      return column === undefined ? [] : [[member, column, field.isJson] as const];
    });
  }

  /** Column values of what is given; what no column stores is left out. */
  valuesOf<D extends Changes<Row & Written>>(changes: Known<D, Row & Written>): Values {
    const given = changes as Readonly<Record<string, unknown>>;
    const values: Record<string, unknown> = {};
    for (const [member, column, isJson] of this.#written) {
      const value = given[member];
      if (value !== undefined) values[column] = isJson && value !== null ? jsonText(value) : value;
    }
    return values;
  }

  async find(db: Db, id: string): Promise<Row | undefined> {
    return findOne<Row, Row>(db, this.detail, [id], asItIs);
  }

  /** @throws DomainError `notFound` */
  async get(db: Db, id: string): Promise<Row> {
    return (await this.find(db, id)) ?? raise(notFound(this.name, id));
  }

  /**
   * A read of one that has only its id and these members, each a column: no joins, and nothing that is computed.
   * @param part  what it is called, as a part of the statement's name
   * @param scope  further condition on `t`
   */
  partOf<K extends keyof OwnFields<Row> & keyof Row>(part: string, members: readonly K[], scope = '') {
    const columns = members.flatMap((member) => this.fields[member].selected(String(member)) ?? []);
    const statement = read<Pick<Row, K | 'id'>>(
      `${kebabCase(this.name)}-${part}`,
      `SELECT ${['id', ...columns].map((column) => `t.${column}`).join(', ')} FROM ${this.table} t
WHERE t.id = $1 ${scope}`,
    );
    return (db: Db, id: string) => getOne(db, this.name, statement, [id], asItIs);
  }

  async insert<D extends Changes<Row & Written>>(db: Db, id: string, draft: Known<D, Row & Written>): Promise<void> {
    await insert(db, this.table, { id, ...this.valuesOf(draft) });
  }

  /** The same where the condition holds. @returns false where it does not: nothing has changed then */
  async insertWhere<D extends Changes<Row & Written>>(
    db: Db,
    id: string,
    draft: Known<D, Row & Written>,
    condition: WriteCondition,
  ): Promise<boolean> {
    return insertWhere(db, this.table, { id, ...this.valuesOf(draft) }, condition);
  }

  /**
   * Changes what is given and moves the version; with nothing given the row stays as it is.
   * @param isTouched  true when something outside the row changes with it: the version moves in any case
   * @throws DomainError `notFound`
   */
  async update<D extends Changes<Row & Written>>(
    db: Db,
    id: string,
    changes: Known<D, Row & Written>,
    isTouched = false,
  ): Promise<void> {
    await update(db, this.table, this.name, id, this.valuesOf(changes), isTouched);
  }

  /**
   * Changes what is given where `terms` hold, and moves the version, in one statement.
   * @returns false where they do not hold, or there is no such row: nothing has changed then
   */
  async updateWhere<D extends Changes<Row & Written>>(
    db: Db,
    id: string,
    changes: Known<D, Row & Written>,
    terms: Terms,
  ): Promise<boolean> {
    return updateWhere(db, this.table, id, this.valuesOf(changes), terms);
  }

  /** @throws DomainError `notFound` */
  async remove(db: Db, id: string): Promise<void> {
    await remove(db, this.table, this.name, id);
  }
}

/** A row that is the entity already. */
export const asItIs = <Row>(row: Row): Row => row;

function symbolsOf(
  table: string,
  fields: readonly (readonly [string, Field<unknown>])[],
  { plural = camelCase(table), isOpen = false, symbols = {} }: Options,
): SymbolTable {
  const own = fields.flatMap(([member, field]) => {
    const symbol = field.symbolOf(member);
    return symbol === undefined ? [] : [symbol];
  });
  const base = isOpen ? SHOWN : { ...SHOWN, isSystem: IS_SYSTEM };
  return { entity: plural, idSql: 't.id', symbols: { ...base, ...Object.fromEntries(own), ...symbols } };
}

/** The same table with these of its names and no others. */
export function only(table: SymbolTable, names: readonly string[]): SymbolTable {
  const offered = Object.entries(table.symbols).filter(([name]) => names.includes(name));
  return { ...table, symbols: Object.fromEntries(offered) };
}

function clientTable(
  table: SymbolTable,
  fields: readonly (readonly [string, Field<unknown>])[],
  { hidesTags = false, clientSymbols = [] }: Options,
): SymbolTable {
  const shown = Object.keys(SHOWN).filter((name) => !(hidesTags && name === 'tags'));
  const names = fields.flatMap(([member, field]) => field.symbolOf(member)?.[0] ?? []);
  const { symbols, ...rest } = only(table, [...shown, ...names, ...clientSymbols]);
  const narrowed = Object.entries(symbols).map(([name, symbol]) => [name, forClient(symbol)] as const);
  return { ...rest, symbols: Object.fromEntries(narrowed) };
}

/** The same symbol; a subquery over what it links to knows only ids. */
function forClient(symbol: SymbolDef): SymbolDef {
  if (symbol.kind !== 'linked') return symbol;
  let table: SymbolTable | undefined;
  return { ...symbol, entity: () => (table ??= only(symbol.entity(), ['id'])) };
}

function sourceOf<Row>(
  table: string,
  fields: readonly (readonly [string, Field<unknown>])[],
  symbols: SymbolTable,
  joins: string | undefined,
  isAlone = false,
): ListSource<Row, Row> {
  const columns = fields.flatMap(([member, field]) => field.selected(member) ?? []);
  const extras = fields.flatMap(([member, field]) => field.expressed(member, isAlone) ?? []).join(', ');
  return {
    table,
    symbols,
    columns: [...BASE_SELECTED, ...columns],
    fromRow: asItIs,
    ...(extras === '' ? {} : { extras }),
    ...(joins === undefined ? {} : { joins }),
  };
}

/** Declares an entity. The compiler asks for a field for each member of `Row`, and of `Written` among the hidden. */
export const entity = <Row extends BaseEntity, Written extends object = object>(
  table: string,
  fields: OwnFields<Row>,
  options: Options & Hidden<Written>,
): Entity<Row, Written> => new Entity(table, fields, options);
