/** The second factor of an identity: what is sealed, and what a code is accepted for. */
import {
  GUESS_WINDOW_SECONDS,
  isRecoveryForm,
  isSameCode,
  MOST_WRONG_CODES,
  newRecoveryCodes,
  newTotpSecret,
  provisioningUrl,
  stepOfCode,
} from '../../domain/auth/second-factor.js';
import { DomainError } from '../../domain/errors.js';
import type { GuessBounds, Mfa, SealedMfa, SessionGuesses } from '../../db/stores/mfas.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { Context, Secrets } from '../context.js';

type MfaRow = Pick<Mfa, 'id' | 'identityId'>;

/** Each enrollment has contexts of its own: what was moved to another row, or kept of an earlier one, does not open. */
const secretContext = ({ id, identityId }: MfaRow) => `totp:${identityId}:${id}`;
const codeContext = ({ id, identityId }: MfaRow) => `recovery-code:${identityId}:${id}`;

/** A new secret and new recovery codes, sealed. */
export function newSealedMfa(row: MfaRow, secrets: Secrets): SealedMfa {
  const sealedSecret = secrets.seal(newTotpSecret(), secretContext(row));
  return { ...row, sealedSecret, sealedCodes: sealCodes(row, newRecoveryCodes(), secrets) };
}

export function sealCodes(row: MfaRow, codes: readonly string[], secrets: Secrets): Buffer[] {
  return codes.map((code) => secrets.seal(code, codeContext(row)));
}

export function openSecret(mfa: SealedMfa, secrets: Secrets): string {
  return secrets.open(mfa.sealedSecret, secretContext(mfa)).toString();
}

/** Those that are not used yet, sorted. */
export function openCodes(mfa: SealedMfa, secrets: Secrets): string[] {
  return mfa.sealedCodes.map((sealed) => openCode(mfa, sealed, secrets)).sort();
}

function openCode(mfa: MfaRow, sealed: Buffer, secrets: Secrets): string {
  return secrets.open(sealed, codeContext(mfa)).toString();
}

/** The URL by which an authenticator app takes over the secret. */
export async function provisioningUrlOf(
  mfa: Mfa,
  { stores, secrets, totpIssuer }: Pick<Context, 'stores' | 'secrets' | 'totpIssuer'>,
): Promise<string> {
  const { name } = await stores.identities.get(mfa.identityId);
  return provisioningUrl(totpIssuer, name, openSecret(mfa, secrets));
}

/** The same under the present master key. */
export function sealedAgain(mfa: SealedMfa, secrets: Secrets): SealedMfa {
  const sealedSecret = secrets.seal(openSecret(mfa, secrets), secretContext(mfa));
  return { ...mfa, sealedSecret, sealedCodes: sealCodes(mfa, openCodes(mfa, secrets), secrets) };
}

/** Purpose for which a code is accepted. */
export interface GivenCode {
  readonly identityId: string;
  /** The session that gives it. */
  readonly apiSessionId: string;
  /** Absent is refused like a wrong one, and not counted. */
  readonly code: string | null | undefined;
  /** A recovery code does as well as one of TOTP. */
  readonly isRecoveryAccepted: boolean;
  /** The enrollment, if it is as the operation needs it. @throws DomainError otherwise */
  readonly require: (mfa: Mfa | undefined) => Mfa;
}

const BOUNDS: GuessBounds = { most: MOST_WRONG_CODES, windowSeconds: GUESS_WINDOW_SECONDS };

/**
 * Does `act` in the transaction that spends the code. Codes of one identity are looked at one after the other,
 * whatever session or controller they come to, so that guesses in parallel are counted like others.
 * @throws DomainError `mfaCodeInvalid`; `rateLimited` after too many wrong codes, whether this one is right or not
 */
export async function withCode<T>(
  proof: GivenCode,
  { stores, secrets }: Pick<Context, 'stores' | 'secrets'>,
  act: (mfa: Mfa, tx: StoreSet) => Promise<T>,
): Promise<T> {
  const { identityId, apiSessionId, code, require } = proof;
  // A flood of guesses is refused without a transaction.
  refuseBlocked(proof, require(await stores.mfas.find(identityId)), await stores.mfas.guessesOf(apiSessionId, BOUNDS));
  if (code == null || code === '') throw new DomainError('mfaCodeInvalid', { logReason: 'no code' });
  const done = await stores.transaction(async (tx) => {
    const mfa = require(await tx.mfas.lock(identityId));
    const guesses = await tx.mfas.guessesOf(apiSessionId, BOUNDS);
    refuseBlocked(proof, mfa, guesses);
    const verdict = await spend(mfa, code, proof, secrets, tx);
    if (verdict === 'right') return { result: await act(mfa, tx) };
    if (verdict === 'wrong') await count(proof, mfa, guesses, tx);
    return undefined;
  });
  if (done === undefined) throw new DomainError('mfaCodeInvalid', { logReason: 'a wrong code, or one that was used' });
  return done.result;
}

/**
 * A block of the identity is for what a password alone may have brought here: sessions that have given a code go on,
 * and so do recovery codes. Otherwise whoever has the password could keep the owner out.
 */
function refuseBlocked({ code, isRecoveryAccepted }: GivenCode, mfa: Mfa, guesses: SessionGuesses): void {
  const isGuess = !guesses.isComplete && !(isRecoveryAccepted && isRecoveryForm(code ?? ''));
  const seconds = Math.max(guesses.blockedSeconds, isGuess ? mfa.blockedSeconds : 0);
  if (seconds === 0) return;
  throw new DomainError('rateLimited', {
    headers: { 'retry-after': String(seconds) },
    logReason: 'too many wrong codes',
  });
}

/** Always for the session; for the identity what could be guessed, from sessions that owe a code. */
async function count(
  { apiSessionId, code }: GivenCode,
  mfa: Mfa,
  guesses: SessionGuesses,
  tx: StoreSet,
): Promise<void> {
  await tx.mfas.countWrongOf(apiSessionId, BOUNDS);
  if (guesses.isComplete || isRecoveryForm(code ?? '')) return;
  await tx.mfas.countWrong(mfa.id, MOST_WRONG_CODES, GUESS_WINDOW_SECONDS);
}

/** A right code that was given before is no guess: whoever knows it did not need one. */
async function spend(
  mfa: Mfa,
  code: string,
  { isRecoveryAccepted }: GivenCode,
  secrets: Secrets,
  { mfas }: Pick<StoreSet, 'mfas'>,
): Promise<'right' | 'used' | 'wrong'> {
  const step = stepOfCode(openSecret(mfa, secrets), code, new Date());
  if (step !== undefined) return (await mfas.spendStep(mfa.id, step)) ? 'right' : 'used';
  if (!isRecoveryAccepted) return 'wrong';
  const sealed = mfa.sealedCodes.find((each) => isSameCode(openCode(mfa, each, secrets), code));
  return sealed !== undefined && (await mfas.spendCode(mfa.id, sealed)) ? 'right' : 'wrong';
}
