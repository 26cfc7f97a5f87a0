/**
 * What callers who are no administrators must not do, although they have the permission for the operation: see
 * domain/auth/rights.ts. Administrators pass without a look at the database.
 */
import { isAbove } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { DomainError } from '../../domain/errors.js';
import type { StoreSet } from '../../db/stores.js';

type Identities = Pick<StoreSet, 'identities'>;

/** The caller has the permission, but not for this. */
function refused(causeMessage: string): DomainError {
  return new DomainError('unauthenticated', { causeMessage, logReason: causeMessage });
}

/** @throws DomainError `unauthenticated` */
export function requireAdministrator(caller: Rights, causeMessage: string): void {
  if (!caller.isAdmin) throw refused(causeMessage);
}

/**
 * Before a change of the identity, or of what belongs to it. An unknown one passes: the change itself answers for that.
 * @throws DomainError `unauthenticated` for one above the caller
 */
export async function requireMayModify(caller: Rights, identityId: string, { identities }: Identities): Promise<void> {
  const target = await targetOf(caller, identityId, identities);
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admins may not modify admin identities');
  throw refused('non-admins may not modify identities with permissions that they lack');
}

/** @throws DomainError `unauthenticated` for an administrator's */
export async function requireMayDelete(caller: Rights, identityId: string, { identities }: Identities): Promise<void> {
  const target = await targetOf(caller, identityId, identities);
  if (target?.isAdmin === true) throw refused('non-admin may not delete admin identities');
}

/**
 * Before an enrollment of the identity is made, changed or shown. One of a router has none.
 * @throws DomainError `unauthenticated` for an identity above the caller
 */
export async function requireMayEnroll(
  caller: Rights,
  identityId: string | undefined,
  { identities }: Identities,
): Promise<void> {
  const target = identityId === undefined ? undefined : await targetOf(caller, identityId, identities);
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admins may not manage enrollments for admin identities');
  throw refused('non-admins may not manage enrollments for identities with permissions that they lack');
}

/**
 * Before a change of an auth policy, which decides how its identities log in.
 * @throws DomainError `unauthenticated` while an identity above the caller has it
 */
export async function requireMayChangePolicy(
  caller: Rights,
  policyId: string,
  { authPolicies }: Pick<StoreSet, 'authPolicies'>,
): Promise<void> {
  if (!caller.isAdmin && (await authPolicies.isOfOneAbove(policyId, caller.permissions)))
    throw refused('non-admins may not modify auth policies of admins or of identities with permissions that they lack');
}

/** The rights of the identity, when it is above the caller. */
async function targetOf(
  caller: Rights,
  identityId: string,
  identities: StoreSet['identities'],
): Promise<Rights | undefined> {
  if (caller.isAdmin) return undefined;
  const target = await identities.findRights(identityId);
  return target !== undefined && isAbove(target, caller) ? target : undefined;
}
