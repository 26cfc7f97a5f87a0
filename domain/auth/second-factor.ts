/**
 * TOTP (RFC 6238) and recovery codes: what they are made of and when a code fits. Decisions only: where secrets are
 * kept, and that a code is spent once, is the caller's affair.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';

const SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const CODES = 20;
const CODE_BYTES = 10;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Longest label in characters: a QR code has a bounded size. */
const LONGEST_LABEL = 64;

/**
 * So many wrong codes within the window are taken: of the sessions of an identity that still owe a code, together, and
 * of each session by itself.
 */
export const MOST_WRONG_CODES = 10;
export const GUESS_WINDOW_SECONDS = 300;
/** How long a session that was fully authenticated when a second factor was verified may undo that. */
export const UNDO_SECONDS = 86_400;

/** 160 bits in base32. */
export function newTotpSecret(): string {
  return generateSecret({ length: SECRET_BYTES });
}

/** The step of time whose code this is: the present one, the one before it or the one after it. */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const epoch = Math.floor(now.getTime() / 1000);
  const result = verifySync({ secret, token: code, epoch, period: STEP_SECONDS, epochTolerance: STEP_SECONDS });
  return result.valid ? Math.floor(epoch / STEP_SECONDS) + result.delta : undefined;
}

/** Returns the `otpauth:` URL that an authenticator app reads. A long name is cut. */
export function provisioningUrl(issuer: string, name: string, secret: string): string {
  return generateURI({ issuer, label: [...name].slice(0, LONGEST_LABEL).join(''), secret });
}

/** 80 bits each, sorted. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < CODES) codes.add(newRecoveryCode());
  return [...codes].sort();
}

function newRecoveryCode(): string {
  let bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  let code = '';
  for (let left = (CODE_BYTES * 8) / 5; left > 0; left -= 1) {
    code += BASE32[Number(bits & 31n)] ?? '';
    bits >>= 5n;
  }
  return code;
}

/** Has the form of a recovery code, which has too many bits to be guessed. */
export const isRecoveryForm = (code: string): boolean => /^[A-Z2-7]{16}$/.test(code);

/** Compares in constant time. */
export function isSameCode(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
