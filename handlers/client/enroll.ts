/** Enrollment: a one-time token turns into an authenticator, once. No session is needed. */
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { Enrollment } from '../../domain/model.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Services } from '../services.js';

/** POST /enroll?method=…&token=… */
export const enroll: Handler<'client', 'enroll'> = async ({ query, body }, services) => {
  const enrollment = await findEnrollment(query.token ?? '', services);
  if (query.method !== undefined && query.method !== '' && query.method !== enrollment.method) throw new DomainError('enrollmentMethodMismatch');
  if (enrollment.method !== 'updb') throw new DomainError('notImplemented', { causeMessage: `enrollment by ${enrollment.method} is not available yet` });
  const password = typeof body === 'object' ? (body.password ?? undefined) : undefined;
  return ok({ username: await enrollPassword(enrollment, password, services) });
};

/** POST /enroll/updb?token=…: sets the first password of an identity; the username is the enrollment's own. */
export const enrollUpdb: Handler<'client', 'enrollUpdb'> = async ({ query, body }, services) => {
  const enrollment = await findEnrollment(query.token, services);
  if (enrollment.method !== 'updb') throw new DomainError('enrollmentMethodMismatch');
  return ok({ username: await enrollPassword(enrollment, body.password ?? undefined, services) });
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws DomainError `enrollmentTokenUnknown`, `enrollmentExpired` */
async function findEnrollment(token: string, { stores }: Services): Promise<Enrollment> {
  const enrollment = UUID.test(token) ? await stores.enrollments.findByToken(token) : undefined;
  if (enrollment === undefined) throw new DomainError('enrollmentTokenUnknown');
  if (enrollment.expiresAt.getTime() <= Date.now()) throw new DomainError('enrollmentExpired');
  return enrollment;
}

/** Uses the token up and sets the password in one transaction: a refused password leaves the token usable. */
async function enrollPassword(enrollment: Enrollment, password: string | undefined, { stores, passwords, newId }: Services): Promise<string> {
  const { identity, username } = enrollment;
  if (identity === null || username === null) throw new DomainError('enrollmentTokenUnknown');
  if (password === undefined) throw invalidField('password', 'password in body is required', undefined);
  checkPassword(await stores.authPolicies.ofIdentity(identity.id), password);
  const passwordHash = await passwords.hash(password);
  await stores.transaction(async (tx) => {
    if (!(await tx.enrollments.take(enrollment.id, enrollment.token))) throw new DomainError('enrollmentTokenUnknown');
    await tx.authenticators.createUpdb({ id: newId(), identityId: identity.id, username, passwordHash, tags: {} });
  });
  return username;
}
