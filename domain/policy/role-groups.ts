/**
 * Groups of a role list: the smallest parts of it that select by themselves. A role list selects an entity exactly when
 * one of its groups does.
 */
import type { RoleSelector } from './role-index.js';

export interface RoleGroup {
  /** The same for the same group of any policy. */
  readonly key: string;
  readonly kind: 'all' | 'role' | 'entity';
  /** All of them together select; of one entity `@id`. */
  readonly roles: readonly string[];
}

const ALL: RoleGroup = { key: '#all', kind: 'all', roles: ['#all'] };

export const entityGroup = (id: string): RoleGroup => ({ key: `@${id}`, kind: 'entity', roles: [`@${id}`] });

export const attributeGroup = (attributes: readonly string[]): RoleGroup => {
  const roles = attributes.map((attribute) => `#${attribute}`);
  const [only = ''] = roles;
  // An attribute may hold any text, so that only JSON keeps several of them apart.
  return { key: roles.length === 1 ? only : JSON.stringify(roles), kind: 'role', roles };
};

export function groupsOf({ semantic, roles }: RoleSelector): RoleGroup[] {
  if (roles.length === 1 && roles[0] === '#all') return [ALL];
  const entities = roles.filter((role) => role.startsWith('@')).map((role) => entityGroup(role.slice(1)));
  const attributes = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const byAttribute =
    attributes.length === 0
      ? []
      : semantic === 'AllOf'
        ? [attributeGroup(attributes)]
        : attributes.map((attribute) => attributeGroup([attribute]));
  return [...byAttribute, ...entities];
}
