/** Enrollment by password: an identity sets its first one. */
import { knownControllers } from '../enrollment/known-controllers.js';
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { invalidField } from '../../domain/errors.js';
import type { Enrollment } from '../../domain/credentials.js';
import { ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';
import { enrollmentOf, tokenUnknown, useUp } from './enroll-tokens.js';

/** POST /enroll/updb?token=…: sets the first password of an identity; the username is the enrollment's own. */
export const enrollUpdb: Handler<'client', 'enrollUpdb'> = async ({ query, body, note }, context) => {
  const enrollment = await enrollmentOf('updb', query, undefined, context, note);
  const username = await setFirstPassword(enrollment, body.password, context);
  return ok({ username, controllers: await knownControllers(context) });
};

/** Uses the token up and sets the password in one transaction: a refused password leaves the token usable. */
export async function setFirstPassword(
  enrollment: Enrollment,
  password: string | null | undefined,
  { stores, passwords, newId }: Context,
): Promise<string> {
  const { identity, username } = enrollment;
  if (identity === null || username === null)
    throw tokenUnknown('the enrollment is for nothing that this method can enroll');
  if (password === undefined || password === null)
    throw invalidField('password', 'password in body is required', undefined);
  checkPassword(await stores.authPolicies.ofIdentity(identity.id), password);
  const passwordHash = await passwords.hash(password);
  await stores.transaction(async (tx) => {
    await useUp(tx, enrollment);
    await tx.authenticators.createUpdb({ id: newId(), identityId: identity.id, username, passwordHash, tags: {} });
  });
  return username;
}
