/** Changing a username and password authenticator, as administrator and as its owner. */
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { usernameFault } from '../../domain/auth/username.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { Tags } from '../../domain/model.js';
import type { Services } from '../services.js';

export interface UpdbChange {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tags: Tags | undefined;
}

/**
 * Sets username, password or tags. With `owner` only that identity's own authenticator is known. A name of before may stay, whatever it is.
 * @throws DomainError `notFound`, `duplicate`, `invalidField` for what is no username, or when the identity's auth policy refuses the password
 */
export async function changeUpdb({ stores, passwords }: Services, id: string, owner: string | undefined, change: UpdbChange): Promise<void> {
  const current = await stores.authenticators.get(id, owner);
  if (current.method !== 'updb') {
    await stores.authenticators.update(id, { tags: change.tags });
    return;
  }
  if (change.username !== undefined && change.username !== current.username) requireUsername(change.username);
  let passwordHash: string | undefined;
  if (change.password !== undefined) {
    checkPassword(await stores.authPolicies.ofIdentity(current.identity.id), change.password);
    passwordHash = await passwords.hash(change.password);
  }
  try {
    await stores.authenticators.update(id, { username: change.username, passwordHash, tags: change.tags });
  } catch (error) {
    throw owner !== undefined && error instanceof DomainError && error.kind === 'duplicate' ? notAvailable(error) : error;
  }
}

/** Owners are not told of others: neither which name it was, nor where it is in use. */
function notAvailable(cause: DomainError): DomainError {
  return new DomainError('duplicate', { field: { field: 'updbUsername', reason: 'not available', value: '' }, cause });
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

/** @throws DomainError `invalidField` */
export function requireUsername(username: string, field = 'username'): void {
  const fault = usernameFault(username);
  if (fault !== undefined) throw invalidField(field, `${field} in body ${fault}`, username);
}
