/** Bearer tokens of a request (RFC 6750). There may be several: each has an `Authorization` header of its own. */
import type { IncomingMessage } from 'node:http';

/** Others are not looked at. */
const MAX_TOKENS = 3;

export function bearerTokens({ headersDistinct: { authorization = [] } }: IncomingMessage): string[] {
  return authorization
    .map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1])
    .filter((token) => token !== undefined)
    .slice(0, MAX_TOKENS);
}
