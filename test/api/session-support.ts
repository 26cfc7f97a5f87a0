/** What the suites of API sessions share: the challenges of a refusal, and a session as its owner reads it. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { expectFault } from './server-support.js';

export const NO_SESSION = 'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",'
  + 'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
export const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';

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

/** @param challenge  the whole `WWW-Authenticate`; undefined: none */
export function expectRefused(answer: Answer, challenge: string | undefined): void {
  const error = expectFault(answer, 401, 'UNAUTHORIZED');
  expect(answer.headers['www-authenticate']).to.equal(challenge);
  if (challenge !== NO_SESSION) expect(error.cause).to.equal(undefined);
}
