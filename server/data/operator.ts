/**
 * Changes that an operator makes at the command line to an identity that cannot log in. They are made in the database
 * alone: running controllers hear of them from there, as they hear of each other.
 */
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import type { PasswordHasher } from '../../domain/auth/passwords.js';
import { checkPassword } from '../../domain/auth/auth-policy.js';
import { DomainError } from '../../domain/errors.js';
import type { Identity } from '../../domain/model.js';
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import { ConfigError } from '../settings/config.js';
import type { Logger } from '../base/log.js';

/** Actor in the audit records of these commands; defined here alone. */
export function operator(): { readonly kind: 'operator'; readonly name: string } {
  try {
    return { kind: 'operator', name: userInfo().username };
  } catch {
    return { kind: 'operator', name: `user ${process.getuid?.() ?? 0}` };
  }
}

/** The one way in which an operator changes something: in one transaction, and with a line about it. */
async function asOperator(stores: Stores, log: Logger, done: string, work: (tx: StoreSet) => Promise<object>) {
  const facts = await stores.transaction(work);
  log.info({ operator: operator().name, ...facts }, done);
}

/** Selects an identity: by username, by id, or, if both are absent, the default administrator. */
export interface IdentitySelector {
  readonly username?: string | undefined;
  readonly id?: string | undefined;
}

/** @throws ConfigError when there is none, which names whom there is */
export async function findIdentity(stores: Stores, { username, id }: IdentitySelector): Promise<Identity> {
  if (id !== undefined)
    return stores.identities.get(id).catch((error: unknown) => {
      throw error instanceof DomainError && error.kind === 'notFound'
        ? new ConfigError(`There is no identity with the id ${id}. Look for it with \`ziti edge list identities\`.`)
        : error;
    });
  if (username !== undefined) {
    const found = await stores.authenticators.credentialsByUsername(username);
    if (found !== undefined) return stores.identities.get(found.identityId);
    throw new ConfigError(`No identity has the username ${username}. ${await whoIsThere(stores)}`);
  }
  const [administrator] = (await stores.identities.list({ filter: 'isDefaultAdmin = true' })).items;
  if (administrator !== undefined) return administrator.read();
  throw new ConfigError(`The network has no default administrator any more. ${await whoIsThere(stores)}`);
}

const SHOWN = 10;

async function whoIsThere(stores: Stores): Promise<string> {
  const filter = `isAdmin = true or isDefaultAdmin = true limit ${SHOWN}`;
  const { items } = await stores.identities.list({ filter });
  const names = items.flatMap((row) => row.read().authenticators.flatMap(({ username }) => username ?? []));
  return names.length === 0
    ? 'No administrator logs in with a password.'
    : `Administrators who log in with a password: ${names.join(', ')}.`;
}

/** Makes a password of 24 letters, digits, hyphens and underscores. */
export const newPassword = (): string => randomBytes(18).toString('base64url');

export interface Reset {
  readonly identity: Identity;
  readonly password: string;
  readonly passwords: PasswordHasher;
  readonly log: Logger;
}

/**
 * Sets the password of an identity that has one. Its API sessions end on every controller.
 * @returns the username
 * @throws ConfigError when it logs in without a password; DomainError when its auth policy refuses this one
 */
export async function resetPassword(stores: Stores, { identity, password, passwords, log }: Reset): Promise<string> {
  const authenticator = identity.authenticators.find(({ method }) => method === 'updb');
  if (authenticator === undefined)
    throw new ConfigError(
      `The identity ${identity.name} does not log in with a password, so there is none to set. ` +
        'Another administrator can add one: `ziti edge create authenticator updb`.',
    );
  checkPassword(await stores.authPolicies.ofIdentity(identity.id), password);
  const passwordHash = await passwords.hash(password);
  await asOperator(stores, log, 'the password of an identity was set, and its API sessions ended', async (tx) => {
    // Waits for logins with the old password: their sessions are there by then.
    await tx.authenticators.lockPassword(authenticator.id, undefined);
    await tx.authenticators.update(authenticator.id, { passwordHash });
    await tx.apiSessions.removeOf(identity.id);
    return { identityId: identity.id, authenticatorId: authenticator.id };
  });
  return authenticator.username ?? '';
}

export interface Unlocked {
  /** It had been disabled: by wrong passwords, or by an administrator. */
  readonly wasDisabled: boolean;
  /** Wrong codes of its second factor had kept it out. */
  readonly wasBlocked: boolean;
}

/** Enables it, and forgets wrong passwords and codes. Its API sessions end on every controller. */
export async function unlockIdentity(stores: Stores, identity: Identity, log: Logger): Promise<Unlocked> {
  // Outside of the transaction: one that must survive a failover may have no statements that need not.
  for (const { id } of identity.authenticators) await stores.authenticators.clearFailures(id);
  let unlocked: Unlocked = { wasDisabled: false, wasBlocked: false };
  await asOperator(stores, log, 'an identity was unlocked, and its API sessions ended', async (tx) => {
    const { isDisabled } = await tx.identities.get(identity.id);
    if (isDisabled) await tx.identities.enable(identity.id);
    unlocked = { wasDisabled: isDisabled, wasBlocked: await tx.mfas.unblock(identity.id) };
    await tx.apiSessions.removeOf(identity.id);
    return { identityId: identity.id, ...unlocked };
  });
  return unlocked;
}
