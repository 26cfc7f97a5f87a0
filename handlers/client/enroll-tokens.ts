/** Use of a token, shared by the methods of enrollment. A request that is refused leaves the token usable. */
import { DomainError } from '../../domain/errors.js';
import type { Enrollment, EnrollmentMethod } from '../../domain/credentials.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws DomainError `enrollmentTokenUnknown`, `enrollmentExpired` */
export async function findEnrollment(
  token: string,
  { stores }: Pick<Context, 'stores'>,
  note: Note,
): Promise<Enrollment> {
  const enrollment = UUID.test(token) ? await stores.enrollments.findByToken(token) : undefined;
  if (enrollment === undefined) throw tokenUnknown('no enrollment has this token');
  note({ enrollmentId: enrollment.id, enrollmentMethod: enrollment.method, identityId: enrollment.identity?.id });
  if (enrollment.expiresAt.getTime() <= Date.now()) throw new DomainError('enrollmentExpired');
  return enrollment;
}

/**
 * Finds the enrollment, for the forms of one method that have the token in the query or else in the body.
 * @throws DomainError `enrollmentTokenUnknown`, `enrollmentExpired`, `enrollmentMethodMismatch`
 */
export async function enrollmentOf(
  method: EnrollmentMethod,
  query: { token?: string },
  body: { token?: string | null } | undefined,
  context: Context,
  note: Note,
): Promise<Enrollment> {
  const enrollment = await findEnrollment(query.token ?? body?.token ?? '', context, note);
  requireMethod(enrollment, method);
  return enrollment;
}

/** @throws DomainError `enrollmentMethodMismatch` */
export function requireMethod(enrollment: Enrollment, method: string): void {
  if (enrollment.method !== method) throw new DomainError('enrollmentMethodMismatch');
}

/**
 * Call it in the transaction that stores what the enrollment yields: of several requests with one token only one
 * commits.
 * @throws DomainError `enrollmentTokenUnknown` when another was first, or the token was replaced
 */
export async function useUp(tx: StoreSet, { id, token }: Enrollment): Promise<void> {
  if (!(await tx.enrollments.take(id, token))) throw tokenUnknown('another request used the token, or it was replaced');
}

/** @param logReason  what the caller does not learn */
export function tokenUnknown(logReason: string): DomainError {
  return new DomainError('enrollmentTokenUnknown', { logReason });
}
