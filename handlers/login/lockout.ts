/**
 * Wrong passwords in a row disable the identity once there are as many as its auth policy allows. Those of logins and
 * those given to change the own password count alike.
 */
import type { PasswordRules } from '../../domain/auth/auth-policy.js';
import { DomainError } from '../../domain/errors.js';
import type { GuessState, PasswordCredentials } from '../../db/stores/authenticator-passwords.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { Context } from '../context.js';

type LockoutRules = Pick<PasswordRules, 'maxAttempts' | 'lockoutDurationMinutes'>;

/** No authenticator has it. */
const NONE = '';

/**
 * Ends every refusal of a login by password: counts a wrong one where the auth policy bounds attempts. The statements
 * are the same for all refusals, for unknown names too, so that their time tells nothing: those with nothing to count
 * find no row, and so wait for no lock. The one attempt that disables the identity takes more.
 * It is decided while the authenticator is held: a right password that comes after the last wrong one waits for this,
 * and finds the identity disabled.
 * @param wrong  whose password was wrong; undefined: nothing is to be counted
 * @returns true when this one disabled the identity
 */
export async function endRefusedLogin(
  wrong: (Pick<PasswordCredentials, 'authenticatorId' | 'identityId'> & LockoutRules) | undefined,
  stores: Context['stores'],
): Promise<boolean> {
  const counted = wrong !== undefined && wrong.maxAttempts > 0 ? wrong : undefined;
  const isLocked = await unlessLast(() =>
    stores.transaction(
      async (tx) => {
        const now = await tx.authenticators.lockGuessState(counted?.authenticatorId ?? NONE);
        const id = now?.isDisabled === false ? counted?.authenticatorId : undefined;
        const isLast = await tx.authenticators.countGuess(id ?? NONE, counted?.maxAttempts ?? 1);
        if (!isLast || counted === undefined) return false;
        await tx.authenticators.syncCommit();
        await disable(counted, counted.lockoutDurationMinutes, tx);
        return true;
      },
      { isUnsynced: true },
    ),
  );
  return isLocked === true;
}

/** A password that an owner gives for its own authenticator. */
export interface OwnGuess {
  readonly authenticatorId: string;
  readonly identityId: string;
  readonly password: string;
}

/** Guesses that reach another controller at the same time may make one be looked at again, no more often than this. */
const ATTEMPTS = 20;

/**
 * Checks a password of its owner. If the policy bounds attempts, all controllers decide guesses at one password one
 * after the other, and stop once the identity is disabled: however many come at once, no more than `maxAttempts` learn
 * anything.
 * @returns the hash that it matches; undefined for a wrong one, and for every one of a disabled identity
 * @throws DomainError `tooManyRequests`
 */
export async function guessOwnPassword(guess: OwnGuess, context: Context): Promise<string | undefined> {
  const { stores, passwords } = context;
  const { updb: rules } = (await stores.authPolicies.ofIdentity(guess.identityId)).primary;
  if (rules.maxAttempts > 0)
    return passwords.admitInTurn(guess.authenticatorId, (verify) => guessInTurn(guess, rules, verify, context));
  return passwords.admit(async (verify) => {
    const hash = await stores.authenticators.passwordHashOf(guess.authenticatorId);
    return (await verify(hash, guess.password)) ? hash : undefined;
  });
}

/**
 * Hashes outside a transaction. What comes of it is used only if nothing was decided since the state was read that it
 * was compared with: else another guess may have been the last one.
 */
async function guessInTurn(
  guess: OwnGuess,
  rules: LockoutRules,
  verify: Context['passwords']['verify'],
  { stores }: Context,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const seen = await stores.authenticators.guessStateOf(guess.authenticatorId);
    const isRight = await verify(seen?.passwordHash ?? undefined, guess.password);
    if (seen === undefined) return undefined;
    const verdict = await unlessLast(() =>
      stores.transaction((tx) => decide({ ...guess, seen, isRight }, rules, tx), { isAsync: isRight }),
    );
    if (verdict === 'overtaken') continue;
    return verdict === 'right' ? (seen.passwordHash ?? undefined) : undefined;
  }
  throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
}

type Verdict = 'right' | 'wrong' | 'locked' | 'overtaken';

async function decide(
  { authenticatorId, identityId, seen, isRight }: OwnGuess & { readonly seen: GuessState; readonly isRight: boolean },
  rules: LockoutRules,
  tx: StoreSet,
): Promise<Verdict> {
  const now = await tx.authenticators.lockGuessState(authenticatorId);
  if (now?.isDisabled !== false) return 'wrong';
  if (now.failedAttempts !== seen.failedAttempts || now.passwordHash !== seen.passwordHash) return 'overtaken';
  if (isRight) {
    await tx.authenticators.clearFailures(authenticatorId);
    return 'right';
  }
  return (await countHeld({ authenticatorId, identityId }, rules, tx)) ? 'locked' : 'wrong';
}

/**
 * Counts one wrong password of an authenticator that is held: true when it disabled the identity.
 * @throws DomainError `notUpdatable` for the default administrator and the last one
 */
async function countHeld(
  { authenticatorId, identityId }: Pick<OwnGuess, 'authenticatorId' | 'identityId'>,
  rules: LockoutRules,
  tx: StoreSet,
): Promise<boolean> {
  if (!(await tx.authenticators.countGuess(authenticatorId, rules.maxAttempts))) return false;
  await disable({ identityId }, rules.lockoutDurationMinutes, tx);
  return true;
}

/** @throws DomainError `notUpdatable` for the default administrator and the last one */
async function disable({ identityId }: Pick<OwnGuess, 'identityId'>, minutes: number, tx: StoreSet): Promise<void> {
  await tx.administrators.keep(identityId, 'notUpdatable', () => tx.identities.disable(identityId, minutes));
}

/** Undefined where guessing would lock everybody out: nothing is changed then. */
async function unlessLast<T>(change: () => Promise<T>): Promise<T | undefined> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'notUpdatable') return undefined;
    throw error;
  }
}
