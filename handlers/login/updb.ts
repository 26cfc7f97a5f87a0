/** Changing a username and password authenticator, as administrator and as its owner. */
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { usernameFault } from '../../domain/auth/username.js';
import { DomainError, invalidField } from '../../domain/errors.js';
import type { Authenticator } from '../../domain/credentials.js';
import type { Tags } from '../../domain/model.js';
import type { UpdbChanges } from '../../db/stores/authenticators.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import { guessOwnPassword } from './lockout.js';

export interface UpdbChange {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tags: Tags | undefined;
}

type Owner = Pick<Caller, 'identityId' | 'apiSessionId'>;

/**
 * Sets username, password or tags, for administrators. A new password ends every API session of the identity. A name of
 * before may stay, whatever it is.
 * @throws DomainError `notFound`, `duplicate`, `invalidField` for what is no username, or when the identity's auth
 * policy refuses the password
 */
export async function changeUpdb(context: Context, id: string, change: UpdbChange): Promise<void> {
  const { stores } = context;
  const current = await stores.authenticators.get(id);
  if (current.method !== 'updb') {
    await stores.authenticators.update(id, { tags: change.tags });
    return;
  }
  await write(context, current, await changesOf(context, current, change), undefined);
}

/**
 * Changes an owner's password, given the present one. A new one ends all their other API sessions. Only an owner's own
 * authenticator is known.
 * @throws DomainError as `changeUpdb`; `unauthenticated` naming the field for a wrong password,
 * `authenticatorNotUpdatable` (cert)
 */
export async function changeOwnUpdb(
  context: Context,
  id: string,
  owner: Owner,
  currentPassword: string,
  change: UpdbChange,
): Promise<void> {
  const current = await context.stores.authenticators.get(id, owner.identityId);
  const currentHash = await requireCurrentPassword(context, current, currentPassword);
  const changes = await changesOf(context, current, change);
  try {
    await write(context, current, changes, { currentHash, apiSessionId: owner.apiSessionId });
  } catch (error) {
    throw error instanceof DomainError && error.kind === 'duplicate' ? notAvailable(error) : error;
  }
}

async function changesOf(
  { stores, passwords }: Context,
  current: Authenticator,
  { username, password, tags }: UpdbChange,
): Promise<UpdbChanges> {
  if (username !== undefined && username !== current.username) requireUsername(username);
  if (password === undefined) return { username, tags };
  checkPassword(await stores.authPolicies.ofIdentity(current.identity.id), password);
  return { username, passwordHash: await passwords.hash(password), tags };
}

/** @param own  what an owner has shown, which must still hold, and the session that stays */
async function write(
  { stores }: Context,
  { id, identity }: Authenticator,
  changes: UpdbChanges,
  own: { readonly currentHash: string; readonly apiSessionId: string } | undefined,
): Promise<void> {
  const isPasswordChange = changes.passwordHash !== undefined;
  if (own === undefined && !isPasswordChange) return stores.authenticators.update(id, changes);
  await stores.transaction(async (tx) => {
    if (own !== undefined || isPasswordChange) {
      const isAsShown = await tx.authenticators.lockPassword(id, own?.currentHash);
      if (!isAsShown && own !== undefined) throw wrongPassword();
    }
    await tx.authenticators.update(id, changes);
    // The lock waited for logins with the old password: their sessions are there by now.
    if (isPasswordChange) await tx.apiSessions.removeOf(identity.id, own?.apiSessionId);
  });
}

/** Owners learn nothing of others: neither which name it was, nor where it is in use. */
function notAvailable(cause: DomainError): DomainError {
  return new DomainError('duplicate', { field: { field: 'updbUsername', reason: 'not available', value: '' }, cause });
}

/** @returns the hash that it matches. @throws DomainError `unauthenticated`; `authenticatorNotUpdatable` (cert) */
async function requireCurrentPassword(
  context: Context,
  { id, method, identity }: Authenticator,
  currentPassword: string,
): Promise<string> {
  if (method !== 'updb') {
    throw new DomainError('authenticatorNotUpdatable', {
      causeMessage: 'a certificate is renewed with extend, or replaced by an administrator',
    });
  }
  const guess = { authenticatorId: id, identityId: identity.id, password: currentPassword };
  const hash = await guessOwnPassword(guess, context);
  if (hash === undefined) throw wrongPassword();
  return hash;
}

function wrongPassword(): DomainError {
  return new DomainError('unauthenticated', {
    reasonCode: 'wrongPassword',
    field: { field: 'currentPassword', reason: 'invalid current password', value: '' },
  });
}

/** @throws DomainError `invalidField` */
export function requireUsername(username: string, field = 'username'): void {
  const fault = usernameFault(username);
  if (fault !== undefined) throw invalidField(field, `${field} in body ${fault}`, username);
}
