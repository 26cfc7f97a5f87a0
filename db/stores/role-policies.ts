/**
 * Everything that all kinds of policies store alike: a name, a semantic and role lists. A kind says which lists its
 * table has; their columns, the names behind `@id` roles, the locks on what a list names, and the store itself follow
 * from that.
 */
import type { BaseEntity, LazyRow, Page, PolicyType, Semantic, Tags } from '../../domain/model.js';
import { namedIds } from '../../domain/policy/roles.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { inTransaction } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { NAMEABLE, namesOf, requireNamed } from './role-lists.js';
import type { Nameable, Names } from './role-lists.js';
import { inAll, policiesNaming } from '../query/scopes.js';
import type { Entity } from '../query/entity.js';
import { expression } from '../query/fields.js';
import type { Field } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';

interface RoleList {
  readonly column: string;
  /** The member of rows that has the names behind the list's `@id` roles. */
  readonly names: string;
  readonly nameable: Nameable;
}

const ROLE_LISTS = {
  edgeRouterRoles: { column: 'edge_router_roles', names: 'routerNames', nameable: NAMEABLE.edgeRouters },
  identityRoles: { column: 'identity_roles', names: 'identityNames', nameable: NAMEABLE.identities },
  postureCheckRoles: { column: 'posture_check_roles', names: 'postureCheckNames', nameable: NAMEABLE.postureChecks },
  serviceRoles: { column: 'service_roles', names: 'serviceNames', nameable: NAMEABLE.services },
} as const satisfies Record<string, RoleList>;

type RoleField = keyof typeof ROLE_LISTS;

/** A policy with these role lists as its table has it, and the names behind the `@id` roles of each. */
export type PolicyRow<F extends RoleField> = BaseEntity & {
  readonly name: string;
  readonly semantic: Semantic;
} & { readonly [K in F]: readonly string[] } & { readonly [K in F as (typeof ROLE_LISTS)[K]['names']]: Names };

/** The names behind the `@id` roles of a list, for the declaration of a policy. */
export const namesBehind = (field: RoleField): Field<Names> => {
  const { nameable, column } = ROLE_LISTS[field];
  return expression(namesOf(nameable.table, column));
};

/** A policy of any kind as it is written. */
type PolicyDraft = {
  readonly name: string;
  readonly semantic: Semantic;
  readonly tags: Tags;
  readonly type?: PolicyType;
} & { readonly [F in RoleField]?: readonly string[] };

/** Role lists of a policy, and how they select. */
type PolicyRoles<F extends RoleField> = { readonly semantic: Semantic } & { readonly [K in F]: readonly string[] };

/** Narrows a list to the policies that name these entities, each in the role list under whose name it is given. */
export interface Naming<F extends RoleField> {
  readonly naming?: { readonly [K in F]?: Selectable };
}

/** A declared policy. Each kind is written with the role lists that it has. */
interface PolicyEntity<Row extends BaseEntity, F extends RoleField> extends Pick<
  Entity<Row & BaseEntity>,
  'name' | 'table' | 'remove'
> {
  readonly source: ListSource<Row, Row>;
  get(db: Db, id: string): Promise<Row>;
  partOf(part: string, members: readonly (F | 'semantic')[]): (db: Db, id: string) => Promise<PolicyRoles<F>>;
  insert(db: Db, id: string, draft: PolicyDraft): Promise<void>;
  update(db: Db, id: string, changes: Changes<PolicyDraft>): Promise<void>;
}

export interface PolicyKind<Row extends PolicyRow<F>, T, F extends RoleField> {
  readonly entity: PolicyEntity<Row, F>;
  /** Its role lists, in the order in which what they name is locked. */
  readonly roles: readonly F[];
  readonly fromRow: (row: Row) => T;
}

export interface PolicyStore<T, Draft, F extends RoleField> {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<T>;
  /** Its role lists, without the names behind them. @throws DomainError `notFound` */
  roles(id: string): Promise<PolicyRoles<F>>;
  list(request: ListRequest & Naming<F>): Promise<Page<LazyRow<T>>>;
  /** @throws DomainError `invalidField` for an `@id` of no entity */
  create(id: string, draft: Draft): Promise<void>;
  /** @throws DomainError `notFound`, `invalidField` for an `@id` of no entity */
  update(id: string, changes: Changes<Draft>): Promise<void>;
  /** @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
}

/** Makes the stores of one kind; its statements are written once. */
export function policyStores<Row extends PolicyRow<F>, T, F extends RoleField>({
  entity,
  fromRow,
  ...kind
}: PolicyKind<Row, T, F>): (db: Db, lists: Lists) => PolicyStore<T, PolicyDraft, F> {
  const roles = kind.roles.map((field) => ({ field, ...ROLE_LISTS[field] }));
  const source: ListSource<Row, T> = { ...entity.source, fromRow };
  const rolesOf = entity.partOf('roles', ['semantic', ...kind.roles]);
  const scopeOf = ({ naming = {} }: Naming<F>) =>
    inAll(
      ...roles.flatMap(({ field, column }) => {
        const named = naming[field];
        return named === undefined ? [] : [policiesNaming(column, named)];
      }),
    );
  return (db, lists) => {
    /** Runs `change` with the entities locked that the roles name. Without any, `change` is a transaction by itself. */
    const withNamed = (changes: Changes<PolicyDraft>, change: (db: Db) => Promise<void>): Promise<void> =>
      roles.some(({ field }) => namedIds(changes[field] ?? []).length > 0)
        ? inTransaction(db, async (tx) => {
            for (const { field, nameable } of roles) await requireNamed(tx, field, nameable, changes[field]);
            await change(tx);
          })
        : change(db);
    return {
      get: (id) => entity.get(db, id).then(fromRow),
      roles: (id) => rolesOf(db, id),
      list: (request) => lists.unread(db, source, request, scopeOf(request)),
      create: (id, draft) => withNamed(draft, (on) => entity.insert(on, id, draft)),
      update: (id, changes) => withNamed(changes, (on) => entity.update(on, id, changes)),
      remove: (id) => entity.remove(db, id),
    };
  };
}
