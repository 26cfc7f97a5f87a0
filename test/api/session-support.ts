/** An API session as its owner reads it. */
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';

export interface CurrentSession {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  readonly cachedLastActivityAt: string;
  readonly lastActivityAt: string;
  readonly expiresAt: string;
  readonly expirationSeconds: number;
}

/** Of an answer to a login, or of `current-api-session`. */
export const session = (answer: Answer) => expectStatus(answer, 200).data as CurrentSession;
