/**
 * Scopes narrow a list beyond its filter. A scope binds its own values into the statement that it becomes a part of, so
 * no placeholder is ever counted by hand. Its name is short, and one for each text that lists of one table have.
 */
import type { Semantic } from '../../domain/model.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { andClause, compileRoleFilter, EVERYTHING, foundByAny, membersOf, NOTHING } from '../filter/index.js';
import type { Bind, Clause, RoleFilter } from '../filter/index.js';

/** A condition on the row `t` of the list. */
export type Scope = (bind: Bind) => Clause;

export const everything: Scope = () => EVERYTHING;

const nothing: Scope = () => NOTHING;

/** A role list of some policy, with the semantic that governs it. */
export interface RoleList {
  readonly semantic: Semantic;
  readonly roles: readonly string[];
}

/** Narrows a list of entities with role attributes to what some of the role lists select. */
export interface Selection {
  readonly selectedBy?: readonly RoleList[];
}

const byKeys = (sql: string): Clause => ({ sql, foundBy: 'keys' });
const byMembers = (sql: string): Clause => ({ sql, foundBy: 'inverted' });

const conditions =
  (foundBy: Clause['foundBy']) =>
  (name: string, sql: (bind: Bind) => string): Scope =>
  (bind) => ({ sql: sql(bind), foundBy, name });

/** A condition of which PostgreSQL is not known to find the matches at once. */
export const rowsWhere = conditions('rows');

/** One for which an index on an owner finds its few rows. */
export const ownedWhere = conditions('owner');

const references =
  (foundBy: Clause['foundBy']) =>
  (column: string, id: string | undefined): Scope =>
    id === undefined ? everything : conditions(foundBy)(column, (bind) => `t.${column} = ${bind(id)}`);

/** Rows that refer to `id` by `column`; every row when there is none. */
export const referringTo = references('rows');

/** The same, where an index on the column finds the few rows of each: nothing has to be known of the table first. */
export const ownedBy = references('owner');

/** Rows that meet all of them. */
export const inAll =
  (...scopes: readonly Scope[]): Scope =>
  (bind) =>
    scopes.reduce((found, scope) => andClause(found, scope(bind)), EVERYTHING);

/**
 * Entities with `id` and `role_attributes`: exactly what some of the lists select. Every part can use an index: the
 * key, or the GIN index on the attributes.
 */
export const selectedBy = (lists: readonly RoleList[]): Scope => {
  if (lists.some((list) => list.roles.length === 1 && list.roles[0] === '#all')) return everything;
  const ids = new Set<string>();
  const anyOf = new Set<string>();
  const allOf: string[][] = [];
  for (const { semantic, roles } of lists) {
    const attributes: string[] = [];
    for (const role of roles) {
      if (role.startsWith('@')) ids.add(role.slice(1));
      else attributes.push(role.slice(1));
    }
    if (semantic === 'AnyOf') attributes.forEach((attribute) => anyOf.add(attribute));
    else if (attributes.length > 0) allOf.push(attributes);
  }
  if (ids.size + anyOf.size + allOf.length === 0) return nothing;
  return (bind) => {
    // Without ids there is no condition on them: how many have a single attribute is known.
    const named = ids.size === 0 ? undefined : bind([...ids], 'text[]');
    const attributes = bind([...anyOf], 'text[]');
    const parts = [
      ...(named === undefined ? [] : [byKeys(`t.id = ANY (${named})`)]),
      byMembers(`t.role_attributes && ${attributes}`),
      ...allOf.map((attributes) => byMembers(`t.role_attributes @> ${bind(attributes, 'text[]')}`)),
    ];
    return {
      sql: parts.map(({ sql }) => sql).join(' OR '),
      foundBy: foundByAny(parts),
      name: `selected-${allOf.length}${named === undefined ? '' : '-ids'}`,
      ...(allOf.length === 0 && { members: membersOf(attributes, [...anyOf], named) }),
    };
  };
};

/** Rows that a request asks for by role lists and by role filter. */
export const requested = ({ selectedBy: lists, ...request }: Selection & RoleFilter): Scope => {
  const roles: Scope = (bind) =>
    compileRoleFilter(request, { idSql: 't.id', attributesSql: 't.role_attributes' }, bind);
  return lists === undefined ? roles : inAll(selectedBy(lists), roles);
};

/**
 * Whether the role list `column` of a policy `alias` names the entity that has these placeholders for its id and its
 * attributes. The first half can use an index, the second is exact.
 */
export const namesEntity = (alias: string, column: string, id: string, attributes: string): string =>
  `${alias}.${column} && selectors_of(${id}, ${attributes})
    AND role_selects(${alias}.semantic, ${alias}.${column}, ${id}, ${attributes})`;

/** Policies whose role list `column` names `entity`. */
export const policiesNaming =
  (column: string, entity: Selectable): Scope =>
  (bind) => ({
    ...byMembers(namesEntity('t', column, bind(entity.id, 'text'), bind(entity.roleAttributes, 'text[]'))),
    name: column,
  });
