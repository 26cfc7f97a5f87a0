/** Pages of other origins that may call. The list is the configuration's; `*` never goes with credentials. */
import type { IncomingMessage } from 'node:http';
import type { ResponseHeaders } from './reply.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = [
  'content-type',
  'accept',
  'authorization',
  'zt-session',
  'svc-session',
  'mfa-validation-code',
  'if-match',
  'if-none-match',
  'prefer',
];
/** Headers that a page may read besides those that every page may (content-type, cache-control and a few more). */
const EXPOSED =
  'zt-session, expiration-seconds, expires-at, location, www-authenticate, x-request-id, retry-after, allow, ' +
  'accept-encoding, etag, auth-request-id, totp-required, link, ignored-input, preference-applied';
const MAX_AGE_SECONDS = '600';

export function corsHeaders(origin: string, allowed: readonly string[]): ResponseHeaders {
  if (allowed.includes(origin)) {
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    };
  }
  if (allowed.includes('*')) return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  return { vary: 'Origin' };
}

export function preflightHeaders(
  request: IncomingMessage,
  origin: string,
  allowed: readonly string[],
): ResponseHeaders {
  if (!allowed.includes(origin) && !allowed.includes('*')) return {};
  const asked = (request.headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': MAX_AGE_SECONDS,
    'access-control-allow-headers': asked.filter((name) => REQUEST_HEADERS.includes(name)).join(', '),
  };
}
