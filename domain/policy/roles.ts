/**
 * Role selectors: what a policy's role list means. This is the one definition; the SQL function `role_selects`
 * is its faster twin, and both run the cases in test/cases.
 */
import { invalidField } from '../errors.js';
import type { Semantic } from '../entity.js';
import { sortedSet } from '../sorted-set.js';

export interface Selectable {
  readonly id: string;
  readonly roleAttributes: readonly string[];
}

/**
 * True when `roles` names the entity: by `@id` whatever the semantic, by `#all` alone, or by attributes: AllOf needs at
 * least one `#attribute` and all of them on the entity, AnyOf one of them. An empty list selects nothing.
 */
export function selects(semantic: Semantic, roles: readonly string[], entity: Selectable): boolean {
  if (roles.length === 1 && roles[0] === '#all') return true;
  if (roles.includes(`@${entity.id}`)) return true;
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const has = (attribute: string) => entity.roleAttributes.includes(attribute);
  return semantic === 'AnyOf' ? wanted.some(has) : wanted.length > 0 && wanted.every(has);
}

/** @throws DomainError `invalidField` naming `field` for an entry without prefix or `#all` in company */
export function parseRoles(field: string, roles: readonly string[]): string[] {
  const unprefixed = roles.find((role) => !role.startsWith('#') && !role.startsWith('@'));
  if (unprefixed !== undefined) {
    throw invalidField(
      field,
      'role entries must prefixed with # (to indicate role attributes) or @ (to indicate a name or id)',
      [unprefixed],
    );
  }
  const set = sortedSet(roles);
  if (set.includes('#all') && set.length > 1) {
    throw invalidField(field, 'if using #all, it should be the only role specified', set);
  }
  return set;
}

/** @throws DomainError `invalidField` naming `field` for an attribute that looks like a selector */
export function parseRoleAttributes(attributes: readonly string[], field = 'roleAttributes'): string[] {
  for (const attribute of attributes) {
    const prefix = attribute.charAt(0);
    if (prefix === '#' || prefix === '@') {
      throw invalidField(field, `role attributes may not be prefixed with ${prefix}`, attribute);
    }
  }
  return sortedSet(attributes);
}

/** Ids named by `@id` entries. */
export function namedIds(roles: readonly string[]): string[] {
  return roles.filter((role) => role.startsWith('@')).map((role) => role.slice(1));
}
