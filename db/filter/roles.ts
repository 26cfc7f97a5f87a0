/** The `roleFilter` and `roleSemantic` parameters of a list: role attributes (`#name`) and ids (`@id`) as a condition. */
import { invalidField } from '../../domain/errors.js';
import { Budget } from './bounds.js';
import { atom, Params, storable } from './conditions.js';

export interface RoleFilterTarget {
  readonly idSql: string;
  /** A `text[]` expression, never null. */
  readonly attributesSql: string;
  readonly firstParam: number;
}

/**
 * Entities that have all the given attributes (`AllOf`, the default) or any of them (`AnyOf`), and those named by id.
 * `#all` is an attribute like any other here.
 * @throws DomainError `invalidField` for another semantic, or a value without prefix; `invalidFilter` beyond the bounds
 * of filters
 */
export function compileRoleFilter(
  roleFilter: readonly string[], roleSemantic: string | undefined, target: RoleFilterTarget,
): { where: string; values: unknown[] } {
  if (roleSemantic !== undefined && roleSemantic !== '' && roleSemantic !== 'AllOf' && roleSemantic !== 'AnyOf') {
    throw invalidField('semantic', 'invalid semantic', roleSemantic);
  }
  for (const value of roleFilter) {
    if (!value.startsWith('#') && !value.startsWith('@')) {
      throw invalidField('roleFilter', `'${value}' is neither role attribute (prefixed with #) or an entity id or name (prefixed with @)`, value);
    }
  }
  const params = new Params(target.firstParam);
  const values = [...new Set(roleFilter)];
  const named = (prefix: string) => values.filter((value) => value.startsWith(prefix)).map((value) => value.slice(1));
  new Budget('invalidFilter').setTest(values.length);
  const isAny = roleSemantic === 'AnyOf';
  const attributes = named('#');
  const known = attributes.filter(storable);
  const parts: string[] = [];
  if (known.length > 0 && (isAny || known.length === attributes.length)) {
    parts.push(`${atom(target.attributesSql)} ${isAny ? '&&' : '@>'} ${params.bind(known, 'text[]')}`);
  }
  const ids = named('@').filter(storable);
  if (ids.length > 0) parts.push(`${atom(target.idSql)} = ANY (${params.bind(ids, 'text[]')})`);
  if (parts.length > 0) return { where: parts.length === 1 ? parts.join() : `(${parts.join(' OR ')})`, values: params.values };
  return { where: roleFilter.length === 0 ? '' : 'FALSE', values: [] };
}
