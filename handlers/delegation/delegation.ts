/**
 * Refusals for callers who are no administrators although they have the permission for the operation: see
 * domain/auth/rights.ts. Administrators pass without a query. Rows that are checked for others stay locked until the
 * transaction of the change ends, so that no target is raised above the caller in between.
 */
import { holds, isAbove } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import { DomainError } from '../../domain/errors.js';
import type { Enrollment } from '../../domain/credentials.js';
import type { Stores, StoreSet } from '../../db/stores/stores.js';

type Identities = Pick<StoreSet, 'identities'>;

/** The caller has the permission, but not for this. */
function refused(causeMessage: string): DomainError {
  return new DomainError('unauthenticated', { causeMessage, logReason: causeMessage });
}

/** @throws DomainError `unauthenticated` */
export function requireAdministrator(caller: Rights, causeMessage: string): void {
  if (!caller.isAdmin) throw refused(causeMessage);
}

/** Refuses callers who may not read events: the owner of a webhook gets them. @throws DomainError `unauthenticated` */
export function requireMayReadEvents(caller: Rights): void {
  if (!holds(caller, 'audit.read'))
    throw refused('a webhook gets events, which need the permission audit.read as well');
}

/**
 * Does `change` in the transaction that `check` has looked at the database in. For administrators, who pass it, both
 * are as cheap as without.
 */
export async function whereAllowed<T>(
  caller: Rights,
  stores: Stores,
  check: (tx: StoreSet) => Promise<void>,
  change: (on: StoreSet) => Promise<T>,
): Promise<T> {
  if (caller.isAdmin) return change(stores);
  return stores.transaction(async (tx) => {
    await check(tx);
    return change(tx);
  });
}

/**
 * First in the transaction of a change of the identity, or of what belongs to it. An unknown one passes: the change
 * itself answers for that.
 * @throws DomainError `unauthenticated` for one above the caller
 */
export async function requireMayModify(caller: Rights, identityId: string, { identities }: Identities): Promise<void> {
  const target = await lockedTarget(caller, identityId, identities);
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admins may not modify admin identities');
  throw refused('non-admins may not modify identities with permissions that they lack');
}

/** First in the transaction of the deletion. @throws DomainError `unauthenticated` for an identity above the caller */
export async function requireMayDelete(caller: Rights, identityId: string, { identities }: Identities): Promise<void> {
  const target = await lockedTarget(caller, identityId, identities);
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admin may not delete admin identities');
  throw refused('non-admins may not delete identities with permissions that they lack');
}

/**
 * First in the transaction of a change of an edge router, which may own an identity: that goes with the router, and
 * whoever enrolls the router again acts as it. The router is locked before its identity, as every change of it does.
 * @throws DomainError `unauthenticated` when the identity is above the caller
 */
export async function requireMayChangeRouter(
  caller: Rights,
  routerId: string,
  { routers, identities }: Pick<StoreSet, 'routers' | 'identities'>,
): Promise<void> {
  if (caller.isAdmin || !(await routers.lock(routerId))) return;
  const target = await lockedTarget(caller, routerId, identities);
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admins may not manage routers whose identity is an admin');
  throw refused('non-admins may not manage routers whose identity has permissions that they lack');
}

/**
 * First in the transaction that ends a session or an API session.
 * @param kind  of the refusal, as the operation declares it
 * @throws DomainError of that kind for the session of an identity above the caller
 */
export async function requireMayEnd(
  caller: Rights,
  identityId: string,
  kind: 'forbidden' | 'unauthenticated',
  { identities }: Identities,
): Promise<void> {
  const target = await lockedTarget(caller, identityId, identities);
  if (target === undefined) return;
  const whose = target.isAdmin ? 'admin identities' : 'identities with permissions that they lack';
  const causeMessage = `non-admins may not end sessions of ${whose}`;
  throw new DomainError(kind, { causeMessage, logReason: causeMessage });
}

/** The identity that an enrollment is for, or the router, whose own identity has the router's id. */
export const subjectOf = ({ identity, edgeRouter }: Pick<Enrollment, 'identity' | 'edgeRouter'>): string | undefined =>
  (identity ?? edgeRouter)?.id;

/**
 * Call it before an enrollment of the identity is shown. Most routers have none.
 * @throws DomainError `unauthenticated` for an identity above the caller
 */
export async function requireMaySeeEnrollment(
  caller: Rights,
  identityId: string | undefined,
  { identities }: Identities,
): Promise<void> {
  if (caller.isAdmin || identityId === undefined) return;
  refuseEnrollment(aboveOf(caller, await identities.findRights(identityId)));
}

/** The same, first in the transaction that makes, changes or deletes one. @throws DomainError `unauthenticated` */
export async function requireMayEnroll(
  caller: Rights,
  identityId: string | undefined,
  { identities }: Identities,
): Promise<void> {
  if (identityId !== undefined) refuseEnrollment(await lockedTarget(caller, identityId, identities));
}

function refuseEnrollment(target: Rights | undefined): void {
  if (target === undefined) return;
  if (target.isAdmin) throw refused('non-admins may not manage enrollments for admin identities');
  throw refused('non-admins may not manage enrollments for identities with permissions that they lack');
}

/**
 * Call it in the transaction of a change of an auth policy, which decides how its identities log in: no caller gets it
 * or more rights with it until that ends.
 * @throws DomainError `unauthenticated` while an identity above the caller has it; `notFound`
 */
export async function requireMayChangePolicy(
  caller: Rights,
  policyId: string,
  { authPolicies }: Pick<StoreSet, 'authPolicies'>,
): Promise<void> {
  if (caller.isAdmin) return;
  await authPolicies.lockHolders(policyId);
  if (await authPolicies.isOfOneAbove(policyId, caller.permissions))
    throw refused('non-admins may not modify auth policies of admins or of identities with permissions that they lack');
}

/**
 * Call it in the transaction of a change or the delete of a CA. Certificates of one with a claim log in as whom they
 * name; without it, its authenticators and enrollments stop working with it. It is locked, so that it gets no more of
 * them.
 * @param hasClaim  it shall have one
 * @throws DomainError `unauthenticated`, `notFound`
 */
export async function requireMayChangeCa(
  caller: Rights,
  caId: string,
  hasClaim: boolean,
  { cas }: Pick<StoreSet, 'cas'>,
): Promise<void> {
  if (caller.isAdmin) return;
  requireMayClaim(caller, hasClaim);
  requireMayClaim(caller, (await cas.lockAgainstUse(caId)).externalIdClaim !== null);
  if (await cas.isOfOneAbove(caId, caller.permissions))
    throw refused(
      'non-admins may not manage CAs whose certificates admins or identities with permissions that they lack use',
    );
}

/** @throws DomainError `unauthenticated` */
export function requireMayClaim(caller: Rights, hasClaim: boolean): void {
  if (hasClaim) requireAdministrator(caller, 'non-admins may not manage CAs with an external id claim');
}

/** The rights of the identity, when it is above the caller; they do not change until the transaction ends. */
async function lockedTarget(
  caller: Rights,
  identityId: string,
  identities: StoreSet['identities'],
): Promise<Rights | undefined> {
  return caller.isAdmin ? undefined : aboveOf(caller, await identities.lockRights(identityId));
}

const aboveOf = (caller: Rights, target: Rights | undefined): Rights | undefined =>
  target !== undefined && isAbove(target, caller) ? target : undefined;
