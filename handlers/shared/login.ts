/** What every method of login ends in: a proof, and the API session that is opened on it. */
import { DomainError } from '../../domain/errors.js';
import type { Proof } from '../../db/session-opening.js';
import type { LiveApiSession } from '../context.js';

export interface Login {
  /** As clients read it. */
  readonly authenticatorId: string;
  readonly proof: Proof;
  /** The client sent every intermediate that its chain needs; null: it showed no chain. */
  readonly isChainComplete: boolean | null;
}

export type OpenedSession = LiveApiSession & { readonly token: string };

/** Opens the session of a login; undefined: the proof does not hold, or its identity may not log in by it. */
export type OpenSession = (login: Login) => Promise<OpenedSession | undefined>;

/** When nothing else is found why no session was opened, for the log. */
export const CHANGED_MEANWHILE = 'what was shown, the identity or its auth policy changed during the login';

/** A login that failed. @param logReason  what the caller does not learn */
export function refused(logReason: string): DomainError {
  return new DomainError('invalidAuth', { logReason });
}
