/**
 * The `roleFilter` and `roleSemantic` parameters of a list: role attributes (`#name`) and ids (`@id`) as a condition.
 */
import { invalidField } from '../../domain/errors.js';
import { Budget } from './bounds.js';
import { EVERYTHING, foundByAny, membersOf, ROLE_ATTRIBUTES } from './clause.js';
import type { Clause } from './clause.js';
import { atom, storable } from './text-tests.js';
import type { Bind } from './params.js';

export interface RoleFilter {
  readonly roleFilter?: readonly string[];
  readonly roleSemantic?: string;
}

export interface RoleFilterTarget {
  readonly idSql: string;
  /** A `text[]` expression, never null. */
  readonly attributesSql: string;
}

/**
 * Entities that have all the given attributes (`AllOf`, the default) or any of them (`AnyOf`), and those named by id.
 * `#all` is an attribute like any other here, and an empty value asks for nothing.
 * @throws DomainError `invalidField` for another semantic, or a value without prefix; `invalidFilter` beyond the bounds
 * of filters
 */
export function compileRoleFilter(
  { roleFilter = [], roleSemantic }: RoleFilter,
  target: RoleFilterTarget,
  bind: Bind,
): Clause {
  if (roleSemantic !== undefined && roleSemantic !== '' && roleSemantic !== 'AllOf' && roleSemantic !== 'AnyOf') {
    throw invalidField('semantic', 'invalid semantic', roleSemantic);
  }
  const given = roleFilter.filter((value) => value !== '');
  if (given.length === 0) return EVERYTHING;
  for (const value of given) {
    if (!value.startsWith('#') && !value.startsWith('@')) {
      throw invalidField(
        'roleFilter',
        `'${value}' is neither role attribute (prefixed with #) or an entity id or name (prefixed with @)`,
        value,
      );
    }
  }
  const values = [...new Set(given)];
  const named = (prefix: string) => values.filter((value) => value.startsWith(prefix)).map((value) => value.slice(1));
  new Budget('invalidFilter').setTest(values.length);
  const isAny = roleSemantic === 'AnyOf';
  const attributes = named('#');
  const known = attributes.filter(storable);
  const parts: Clause[] = [];
  if (known.length > 0 && (isAny || known.length === attributes.length)) {
    const bound = bind(known, 'text[]');
    const sql = `${atom(target.attributesSql)} ${isAny ? '&&' : '@>'} ${bound}`;
    const isSome = target.attributesSql === ROLE_ATTRIBUTES && (isAny || known.length === 1);
    parts.push({ sql, foundBy: 'inverted', ...(isSome && { members: membersOf(bound, known) }) });
  }
  const ids = named('@').filter(storable);
  if (ids.length > 0) parts.push({ sql: `${atom(target.idSql)} = ANY (${bind(ids, 'text[]')})`, foundBy: 'keys' });
  if (parts.length <= 1) return parts[0] ?? { sql: 'FALSE', foundBy: 'rows' };
  return { sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`, foundBy: foundByAny(parts) };
}
