/** The role lists that a policy's request carries. */
import { parseRoles } from '../../domain/policy/roles.js';

type Body<F extends string> = { readonly [K in F]?: readonly string[] | null | undefined };

/**
 * All of these lists; one that is absent is empty.
 * @throws DomainError `invalidField` for an entry that is no role
 */
export function rolesFrom<F extends string>(body: Body<F>, fields: readonly F[]): Record<F, string[]> {
  return Object.fromEntries(fields.map((field) => [field, parseRoles(field, body[field] ?? [])])) as Record<
    F,
    string[]
  >;
}

/** Those that are given. @throws DomainError `invalidField` for an entry that is no role */
export function givenRoles<F extends string>(body: Body<F>, fields: readonly F[]): Partial<Record<F, string[]>> {
  return rolesFrom(
    body,
    fields.filter((field) => body[field] != null),
  );
}
