/** The second factor of an identity: what is sealed, and what a code is accepted for. */
import { GUESS_WINDOW_SECONDS, isSameCode, MOST_WRONG_CODES, stepOfCode } from '../../domain/auth/second-factor.js';
import { newRecoveryCodes, newTotpSecret } from '../../domain/auth/second-factor.js';
import { DomainError } from '../../domain/errors.js';
import type { Mfa, SealedMfa } from '../../db/mfas.js';
import type { StoreSet } from '../../db/stores.js';
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

/** The same under the present master key. */
export function sealedAgain(mfa: SealedMfa, secrets: Secrets): SealedMfa {
  const sealedSecret = secrets.seal(openSecret(mfa, secrets), secretContext(mfa));
  return { ...mfa, sealedSecret, sealedCodes: sealCodes(mfa, openCodes(mfa, secrets), secrets) };
}

/** What a code is asked for. */
export interface Proof {
  readonly identityId: string;
  /** Absent is refused like a wrong one, and not counted. */
  readonly code: string | null | undefined;
  /** A recovery code does as well as one of TOTP. */
  readonly isRecoveryAccepted: boolean;
  /** The enrollment, if it is as the operation needs it. @throws DomainError otherwise */
  readonly require: (mfa: Mfa | undefined) => Mfa;
}

/**
 * Does `act` in the transaction that spends the code. Codes of one identity are looked at one after the other,
 * whatever session or controller they come to, so that guesses in parallel are counted like others.
 * @throws DomainError `mfaCodeInvalid`; `rateLimited` after too many wrong codes, whether this one is right or not
 */
export async function withCode<T>(
  proof: Proof,
  { stores, secrets }: Pick<Context, 'stores' | 'secrets'>,
  act: (mfa: Mfa, tx: StoreSet) => Promise<T>,
): Promise<T> {
  const { identityId, code, require } = proof;
  // A flood of guesses is refused without a transaction.
  refuseBlocked(require(await stores.mfas.find(identityId)));
  if (code == null || code === '') throw new DomainError('mfaCodeInvalid', { logReason: 'no code' });
  const done = await stores.transaction(async (tx) => {
    const mfa = require(await tx.mfas.lock(identityId));
    refuseBlocked(mfa);
    if (await spend(mfa, code, proof, secrets, tx)) return { result: await act(mfa, tx) };
    await tx.mfas.countWrong(mfa.id, MOST_WRONG_CODES, GUESS_WINDOW_SECONDS);
    return undefined;
  });
  if (done === undefined) throw new DomainError('mfaCodeInvalid', { logReason: 'a wrong code, or one that was used' });
  return done.result;
}

function refuseBlocked({ blockedSeconds }: Mfa): void {
  if (blockedSeconds === 0) return;
  const headers = { 'retry-after': String(blockedSeconds) };
  throw new DomainError('rateLimited', { headers, logReason: 'too many wrong codes' });
}

async function spend(
  mfa: Mfa,
  code: string,
  { isRecoveryAccepted }: Proof,
  secrets: Secrets,
  { mfas }: Pick<StoreSet, 'mfas'>,
): Promise<boolean> {
  const step = stepOfCode(openSecret(mfa, secrets), code, new Date());
  if (step !== undefined) return mfas.spendStep(mfa.id, step);
  if (!isRecoveryAccepted) return false;
  const sealed = mfa.sealedCodes.find((each) => isSameCode(openCode(mfa, each, secrets), code));
  return sealed !== undefined && mfas.spendCode(mfa.id, sealed);
}
