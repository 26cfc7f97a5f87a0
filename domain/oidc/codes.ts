/**
 * Codes of the authorization code grant. A code is derived from its login request and the session that was opened on
 * it, so that it need not be stored, and every controller makes the same one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const CODE_SECONDS = 60;
/** Some clients read a code without decoding it: none of its characters is ever encoded. */
const CODE = /^([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\.([\w-]{43})$/;

export interface CodeOf {
  readonly requestId: string;
  readonly apiSessionId: string;
}

export const codeFor = (key: Buffer, { requestId, apiSessionId }: CodeOf): string =>
  `${requestId}.${createHmac('sha256', key).update(`code\0${requestId}\0${apiSessionId}`).digest('base64url')}`;

/** Finds the request that a code names; undefined for what is no code. */
export const requestOfCode = (code: string): string | undefined => CODE.exec(code)?.[1];

/** Compares in constant time. */
export function isCodeOf(code: string, key: Buffer, of: CodeOf): boolean {
  const [shown, right] = [Buffer.from(code), Buffer.from(codeFor(key, of))];
  return shown.length === right.length && timingSafeEqual(shown, right);
}
