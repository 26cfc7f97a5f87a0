/**
 * Failures in the forms of OpenID Connect: `error` and `error_description` of RFC 6749, or `code` and `message` without
 * an envelope. Which of them is what the document declares for the operation and status.
 */
import type { ServerResponse } from 'node:http';
import { DomainError } from '../../domain/errors.js';
import { OauthFault } from '../../domain/oidc/fault.js';
import type { OauthError } from '../../domain/oidc/fault.js';
import { PROVIDER_PATH } from '../../domain/oidc/issuers.js';
import type { OperationSpec } from '../../generated/operation.js';
import { AnsweredRefusal } from '../../handlers/oidc/exchange.js';
import { jsonOf } from './json.js';
import { errorReply } from './envelope.js';
import { write } from './encode.js';
import type { ResponseHeaders } from './encode.js';
import { check, specOf } from './spec-check.js';

/** Doubled slashes count once, as in every path. */
const AT_PROVIDER = new RegExp(`^/*${PROVIDER_PATH}/`);

export const isProviderPath = (path: string): boolean => path.startsWith('/') && AT_PROVIDER.test(path);

export interface ProviderFailure {
  readonly error: unknown;
  readonly requestId: string;
  /** Whether a bearer token came with the request. */
  readonly hasToken: boolean;
  /** Undefined when the path or the method is unknown. */
  readonly operation: OperationSpec | undefined;
}

/** @throws ResponseFault when the document does not allow the answer */
export function writeProviderError(response: ServerResponse, failure: ProviderFailure, headers: ResponseHeaders): void {
  const { error, operation, requestId } = failure;
  if (operation === undefined) writeUnrouted(response, errorReply(error, requestId), headers);
  else if (error instanceof AnsweredRefusal) writeOwn(response, operation, error.reply, headers);
  else {
    const { status, own, oauth, bare } = formsOf(failure);
    const { validator } = specOf(operation, status);
    const body = validator === OAUTH_FORM ? oauth : bare;
    check(operation, status, validator, body);
    const challenge = status === 401 && validator === OAUTH_FORM ? challengeOf(oauth) : {};
    const all = { 'content-type': 'application/json', ...headers, ...own, ...challenge };
    write(response, status, all, `${JSON.stringify(body)}\n`);
  }
}

const OAUTH_FORM = 'response_oauthError';

interface OauthBody {
  readonly error: OauthError;
  readonly error_description: string;
}

/** RFC 6750 section 3. */
const challengeOf = ({ error, error_description: description }: OauthBody): ResponseHeaders => ({
  'www-authenticate': `Bearer error="${error}", error_description="${description}"`,
});

interface Forms {
  readonly status: number;
  readonly own: ResponseHeaders;
  readonly oauth: OauthBody;
  readonly bare: object;
}

function formsOf({ error, requestId, hasToken }: ProviderFailure): Forms {
  if (error instanceof OauthFault) {
    const { status, description } = error;
    return {
      status,
      own: status === 429 ? { 'retry-after': '60' } : {},
      oauth: { error: error.error, error_description: description },
      bare: { code: 'COULD_NOT_VALIDATE', message: description },
    };
  }
  const { status: usual, body, headers: own } = errorReply(error, requestId);
  const { code, message, cause } = body.error;
  const kind = error instanceof DomainError ? error.kind : undefined;
  const status = kind === 'invalidAuth' ? 401 : kind === 'mfaCodeInvalid' ? 400 : usual;
  return {
    status,
    own,
    oauth: oauthOf(error, status, hasToken),
    bare: { code, message, ...(cause === undefined ? {} : { cause }) },
  };
}

/** Texts of ours alone: nothing that was sent is repeated. */
function oauthOf(error: unknown, status: number, hasToken: boolean): OauthBody {
  if (status === 401)
    return hasToken
      ? { error: 'invalid_token', error_description: 'the access token is good no longer' }
      : { error: 'invalid_request', error_description: 'access token missing' };
  if (status >= 500) return { error: 'server_error', error_description: 'the request failed' };
  const field = error instanceof DomainError ? error.field : undefined;
  return { error: 'invalid_request', error_description: field?.reason ?? 'the request cannot be understood' };
}

/** An unknown path or method is answered without JSON, as the field's existing controller does. */
function writeUnrouted(
  response: ServerResponse,
  { status, headers: own, body }: ReturnType<typeof errorReply>,
  headers: ResponseHeaders,
): void {
  if (status === 404)
    write(response, status, { 'content-type': 'text/plain; charset=utf-8', ...headers }, '404 page not found');
  else if (status === 405) write(response, status, { ...headers, ...own }, '');
  else {
    // A bound on every request, such as that of bodies, is kept before the operation is known.
    const { code, message } = body.error;
    const all = { 'content-type': 'application/json', ...headers, ...own };
    write(response, status, all, `${JSON.stringify({ code, message })}\n`);
  }
}

function writeOwn(
  response: ServerResponse,
  operation: OperationSpec,
  reply: AnsweredRefusal['reply'],
  headers: ResponseHeaders,
): void {
  if ('raw' in reply) {
    const { contentType, body } = reply.raw;
    write(response, reply.status, { 'content-type': contentType, ...headers, ...reply.headers }, body);
    return;
  }
  const { status, bare } = reply;
  check(operation, status, specOf(operation, status).validator, bare);
  const all = { 'content-type': 'application/json', ...headers, ...reply.headers };
  write(response, status, all, `${jsonOf(bare)}\n`);
}
