/** What suites expect of answers that refuse. */
import { expect } from 'chai';
import { SESSION_OVER } from '../../server/sessions/callers.js';
import { NO_SESSION } from './challenges.js';
import { expectStatus } from './client.js';
import type { Answer } from './client.js';

type ErrorBody = NonNullable<Answer['error']>;

/** The envelope of every failure: code, message, a request id of its own, and meta. */
export function expectFault(
  answer: Pick<Answer, 'status' | 'headers' | 'json' | 'text'>,
  status: number,
  code: string,
): ErrorBody {
  expect(answer.status, answer.text.slice(0, 500)).to.equal(status);
  expect(answer.headers['content-type']).to.equal('application/json');
  expect(answer.text.endsWith('\n'), 'the body ends with a line end').to.equal(true);
  const { error, meta } = answer.json as { error: ErrorBody; meta: unknown };
  expect(meta).to.deep.equal({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
  expect(error.code).to.equal(code);
  expect(error.message).to.be.a('string').and.not.equal('');
  expect(error.requestId).to.match(/^[A-Za-z0-9._-]{8,10}$/);
  for (const key of Object.keys(error))
    expect(['cause', 'code', 'furtherCauses', 'message', 'requestId']).to.include(key);
  return error;
}

/** A refused field, as the caller reads it. */
export function expectField(answer: Answer, field: string, reason: string | RegExp, value?: string): void {
  const cause = expectFieldFault(answer, 400, field, reason);
  if (value !== undefined) expect(cause['value']).to.equal(value);
}

/** The same with another status: a header that is refused. Returns the cause. */
export function expectFieldFault(
  answer: Answer,
  status: number,
  field: string,
  reason: string | RegExp,
): Record<string, unknown> {
  const { cause = {} } = expectFault(answer, status, 'COULD_NOT_VALIDATE');
  expect(cause['field']).to.equal(field);
  // One sentence about what to do may follow.
  if (typeof reason === 'string') expect(String(cause['reason']).slice(0, reason.length)).to.equal(reason);
  else expect(cause['reason']).to.match(reason);
  expect(cause['value']).to.be.a('string');
  return cause;
}

export function expectNotFound(answer: Answer, message: string): void {
  const { cause } = expectFault(answer, 404, 'NOT_FOUND');
  // Where it was given may follow.
  const shown = String(cause?.['message']).replace(/\. It was given as \S+ in the (?:path|query|body)\.$/, '');
  expect({ ...cause, message: shown }).to.deep.equal({ code: 'UNHANDLED', message });
}

/** Without a session that may. @param challenge  the whole `WWW-Authenticate`; undefined: none */
export function expectUnauthorized(answer: Answer, challenge: string | undefined): void {
  const error = expectFault(answer, 401, 'UNAUTHORIZED');
  expect(answer.headers['www-authenticate']).to.equal(challenge);
  if (challenge !== NO_SESSION && error.cause !== undefined) expect(error.cause['message']).to.equal(SESSION_OVER);
}

/** A login that failed, without the reason: the same to every caller. */
export function expectLoginRefused(answer: Answer): void {
  const { requestId, ...error } = expectFault(answer, 403, 'INVALID_AUTH');
  expect(requestId).to.be.a('string');
  expect(error).to.deep.equal({ code: 'INVALID_AUTH', message: 'The authentication request failed' });
  expect(answer.headers).not.to.have.property('www-authenticate');
  expect(answer.headers).not.to.have.property('zt-session');
}

/** Status and code; for answers whose envelope other suites check, such as those in PEM. */
export function expectError(answer: Answer, status: number, code: string): void {
  expectStatus(answer, status);
  expect(answer.error?.code).to.equal(code);
}
