/** Role lists of policies as the database has them: names behind `@id` roles, and locks on what they name. */
import type { RoleDisplay } from '../../domain/model.js';
import { invalidField } from '../../domain/errors.js';
import { namedIds } from '../../domain/policy/roles.js';
import type { Db } from '../postgres/contracts.js';
import { locking } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

/** Present names by id. */
export type Names = Record<string, string> | null;

/** An expression: the names of what the roles in `column` of `t` point to by `@id`. */
export const namesOf = (table: string, column: string): string =>
  `(SELECT json_object_agg(n.id, n.name) FROM ${table} n WHERE n.id IN (
     SELECT substr(r, 2) FROM unnest(t.${column}) r WHERE r LIKE '@%'))`;

export function display(roles: readonly string[], names: Names): RoleDisplay[] {
  return roles.map((role) => ({
    role,
    name: role.startsWith('@') ? `@${names?.[role.slice(1)] ?? role.slice(1)}` : role,
  }));
}

/** Entities that can be named by `@id`. */
export interface Nameable {
  readonly table: 'identities' | 'services' | 'routers' | 'posture_checks';
  /** The name that error texts have for them. */
  readonly entities: string;
  /** Locks those of them that have one of the ids `$1` against deletion. */
  readonly lock: Statement<{ id: string }>;
}

const nameable = (table: Nameable['table'], entities: string, where = ''): Nameable => ({
  table,
  entities,
  lock: locking(`named-in-${table}`, `SELECT id FROM ${table} WHERE id = ANY ($1) ${where} ORDER BY id FOR KEY SHARE`),
});

export const NAMEABLE = {
  identities: nameable('identities', 'identities'),
  services: nameable('services', 'services'),
  edgeRouters: nameable('routers', 'routers', 'AND is_edge'),
  postureChecks: nameable('posture_checks', 'postureChecks'),
} as const satisfies Record<string, Nameable>;

/**
 * Locks what the list names against deletion until this transaction ends, so that no role is left dangling. Routers
 * come before identities: a router is deleted in that order with the identity that it owns.
 * @throws DomainError `invalidField` for an `@id` of no entity
 */
export async function requireNamed(
  db: Db,
  field: string,
  { entities, lock }: Nameable,
  roles: readonly string[] | undefined,
): Promise<void> {
  const ids = namedIds(roles ?? []);
  if (ids.length === 0) return;
  const rows = await db.many(lock, [ids]);
  const known = new Set(rows.map((row) => row.id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalidField(field, `no ${entities} found with the given ids`, unknown);
}
