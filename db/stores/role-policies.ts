/**
 * What every kind of policy stores alike: a name, a semantic and role lists. A kind says which lists its table has;
 * their columns, the names behind `@id` roles, the locks on what a list names, and the store itself follow from that.
 */
import type { Page, PolicyType, Semantic, Tags } from '../../domain/model.js';
import { namedIds } from '../../domain/policy/roles.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { SymbolTable } from '../filter/index.js';
import { inTransaction } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { NAMEABLE, namesOf, requireNamed } from './role-lists.js';
import type { Nameable } from './role-lists.js';
import { inAll, policiesNaming } from '../query/scopes.js';
import { BASE_COLUMNS, detailSql, getOne, insert, json, remove, update } from '../query/table.js';
import type { BaseRow, Changes, Lists, ListRequest, ListSource } from '../query/table.js';
import { read } from '../postgres/statement.js';

/** @property names  what rows call the names behind the list's `@id` roles */
interface RoleList {
  readonly column: string;
  readonly names: string;
  readonly nameable: Nameable;
}

const ROLE_LISTS = {
  edgeRouterRoles: { column: 'edge_router_roles', names: 'router_names', nameable: NAMEABLE.edgeRouters },
  identityRoles: { column: 'identity_roles', names: 'identity_names', nameable: NAMEABLE.identities },
  postureCheckRoles: { column: 'posture_check_roles', names: 'posture_check_names', nameable: NAMEABLE.postureChecks },
  serviceRoles: { column: 'service_roles', names: 'service_names', nameable: NAMEABLE.services },
} as const satisfies Record<string, RoleList>;

type RoleField = keyof typeof ROLE_LISTS;

export interface PolicyRow extends BaseRow {
  name: string;
  semantic: Semantic;
}

/** A policy of any kind as it is written. */
type PolicyDraft = {
  readonly name: string;
  readonly semantic: Semantic;
  readonly tags: Tags;
  readonly type?: PolicyType;
} & { readonly [F in RoleField]?: readonly string[] };

/** Narrows a list to the policies that name these entities, each in the role list under whose name it is given. */
export interface Naming<F extends RoleField> {
  readonly naming?: { readonly [K in F]?: Selectable };
}

export interface PolicyKind<Row extends PolicyRow, T, F extends RoleField> {
  readonly table: string;
  /** As errors name one. */
  readonly entity: string;
  readonly symbols: SymbolTable;
  /** Its role lists, in the order in which what they name is locked. */
  readonly roles: readonly F[];
  /** Columns in addition to those of every policy and the role lists. */
  readonly columns?: readonly string[];
  readonly fromRow: (row: Row) => T;
}

export interface PolicyStore<T, Draft, F extends RoleField> {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<T>;
  list(request: ListRequest & Naming<F>): Promise<Page<T>>;
  /** @throws DomainError `invalidField` for an `@id` of no entity */
  create(id: string, draft: Draft): Promise<void>;
  /** @throws DomainError `notFound`, `invalidField` for an `@id` of no entity */
  update(id: string, changes: Changes<Draft>): Promise<void>;
  /** @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
}

/** What makes the stores of one kind; its statements are written once. */
export function policyStores<Row extends PolicyRow, T, F extends RoleField>(
  kind: PolicyKind<Row, T, F>,
): (db: Db, lists: Lists) => PolicyStore<T, PolicyDraft, F> {
  const { table, entity, symbols, fromRow } = kind;
  const roles = kind.roles.map((field) => ({ field, ...ROLE_LISTS[field] }));
  const source: ListSource<Row, T> = {
    table,
    symbols,
    fromRow,
    columns: [...BASE_COLUMNS, 'name', 'semantic', ...(kind.columns ?? []), ...roles.map(({ column }) => column)],
    extras: roles.map(({ nameable, column, names }) => namesOf(nameable.table, column, names)).join(', '),
  };
  const detail = read<Row>(`${table}-detail`, detailSql(source));
  const valuesOf = (changes: Changes<PolicyDraft>) => ({
    name: changes.name,
    semantic: changes.semantic,
    type: changes.type,
    tags: json(changes.tags),
    ...Object.fromEntries(roles.map(({ field, column }) => [column, changes[field]])),
  });
  const scopeOf = ({ naming = {} }: Naming<F>) =>
    inAll(
      ...roles.flatMap(({ field, column }) => {
        const entity = naming[field];
        return entity === undefined ? [] : [policiesNaming(column, entity)];
      }),
    );
  return (db, lists) => {
    /** With the entities that the roles name locked; without any, `change` is a transaction by itself. */
    const withNamed = (changes: Changes<PolicyDraft>, change: (db: Db) => Promise<void>): Promise<void> =>
      roles.some(({ field }) => namedIds(changes[field] ?? []).length > 0)
        ? inTransaction(db, async (tx) => {
            for (const { field, nameable } of roles) await requireNamed(tx, field, nameable, changes[field]);
            await change(tx);
          })
        : change(db);
    return {
      get: (id) => getOne(db, entity, detail, [id], fromRow),
      list: (request) => lists.page(db, source, request, scopeOf(request)),
      create: (id, draft) => withNamed(draft, (on) => insert(on, table, { id, ...valuesOf(draft) })),
      update: (id, changes) => withNamed(changes, (on) => update(on, table, entity, id, valuesOf(changes))),
      remove: (id) => remove(db, table, entity, id),
    };
  };
}
