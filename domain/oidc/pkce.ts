/** Proof key for code exchange (RFC 7636), method S256 alone. */
import { hash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in base64url: the last of the 43 characters carries four bits. */
const CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Compares in constant time. @param challenge  of which `isChallenge` is true */
export function fitsChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));
}
