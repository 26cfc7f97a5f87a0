/** Changing a username and password authenticator, as administrator and as its owner. */
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { Tags } from '../../domain/model.js';
import type { Services } from '../services.js';

export interface UpdbChange {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tags: Tags | undefined;
}

/**
 * Sets username, password or tags. With `owner` only that identity's own authenticator is known.
 * @throws DomainError `notFound`, `invalidField` when the identity's auth policy refuses the password
 */
export async function changeUpdb({ stores, passwords }: Services, id: string, owner: string | undefined, change: UpdbChange): Promise<void> {
  const current = await stores.authenticators.get(id, owner);
  if (current.method !== 'updb') {
    await stores.authenticators.update(id, { tags: change.tags });
    return;
  }
  let passwordHash: string | undefined;
  if (change.password !== undefined) {
    checkPassword(await stores.authPolicies.ofIdentity(current.identity.id), change.password);
    passwordHash = await passwords.hash(change.password);
  }
  await stores.authenticators.update(id, { username: change.username, passwordHash, tags: change.tags });
}

/** For owners: `currentPassword` must be the present one. @throws DomainError `unauthenticated` naming the field, `authenticatorNotUpdatable` (cert) */
export async function requireCurrentPassword({ stores, passwords }: Services, id: string, owner: string, currentPassword: string): Promise<void> {
  const current = await stores.authenticators.get(id, owner);
  if (current.method !== 'updb') {
    throw new DomainError('authenticatorNotUpdatable', { causeMessage: 'a certificate is renewed with extend, or replaced by an administrator' });
  }
  const isRight = await passwords.verify(await stores.authenticators.passwordHashOf(id), currentPassword);
  if (!isRight) {
    throw new DomainError('unauthenticated', { field: { field: 'currentPassword', reason: 'invalid current password', value: '' } });
  }
}

/** Names that logins can send. @throws DomainError `invalidField` outside 4 to 100 characters */
export function requireUsername(username: string, field = 'username'): void {
  if (username.length < 4) throw invalidField(field, `${field} in body should be at least 4 chars long`, username);
  if (username.length > 100) throw invalidField(field, `${field} in body should be at most 100 chars long`, username);
}
