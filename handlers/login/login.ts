/** Common end of every method of login: a proof, and the API session that is opened on it. */
import { LOGIN_REFUSALS } from '../../domain/auth/login-refusals.js';
import type { LoginRefusal, RefusalCode } from '../../domain/auth/login-refusals.js';
import { DomainError } from '../../domain/errors.js';
import type { LoginProof } from '../../db/stores/session-opening.js';
import type { LiveApiSession } from '../context.js';

export interface Login {
  /** Id as clients read it. */
  readonly authenticatorId: string;
  readonly proof: LoginProof;
  /** The client sent every intermediate that its chain needs; null: it showed no chain. */
  readonly isChainComplete: boolean | null;
  /** SHA-256 of the certificate that the login is by; null for another kind of login. */
  readonly certificateHash: Buffer | null;
}

export type OpenedSession = LiveApiSession & { readonly token: string };

/** Opens the session of a login; undefined: the proof does not hold, or its identity may not log in by it. */
export type OpenSession = (login: Login) => Promise<OpenedSession | undefined>;

/** A login that failed; the caller does not learn why. */
export const refused = (reason: LoginRefusal): DomainError => refusedBecause(LOGIN_REFUSALS[reason], reason);

/** The same with a sentence of its own, for a code word that has many. */
export const refusedBecause = (logReason: string, code: RefusalCode): DomainError =>
  new DomainError('invalidAuth', { logReason, reasonCode: code });
