/** Tokens of external JWT signers (RFC 7519): what is read before a key is known, and what a good one says. */
import { hash } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import type { RefusalCode } from './login-refusals.js';

/** Claims of a token whose signature was verified. */
export type Claims = JWTPayload;

/** Fault of a token. The message is our own text and contains nothing of the token. */
export class TokenFault extends Error {
  constructor(
    message: string,
    /** `tokenExpired`: nothing else is wrong with it. */
    readonly code: RefusalCode = 'tokenRefused',
  ) {
    super(message);
  }
}

export interface UnprovenToken {
  readonly issuer: string;
  readonly kid: string | undefined;
}

const MAX_TOKEN_CHARS = 16_384;
const MAX_CLAIM_CHARS = 512;
/** The end of the year 9999: a token may name any number. */
const MAX_DATE_SECONDS = 253_402_300_799;

/** Reads the issuer and the key id of a token. Nothing of it is verified yet. @throws TokenFault */
export function readUnproven(token: string): UnprovenToken {
  if (token.length > MAX_TOKEN_CHARS) throw new TokenFault('the token is too long');
  const { iss, kid } = decoded(token);
  if (!isPlainText(iss)) throw new TokenFault('the token has no usable issuer');
  if (kid !== undefined && typeof kid !== 'string') throw new TokenFault('the key id of the token is no text');
  return { issuer: iss, kid };
}

function decoded(token: string): { iss: unknown; kid: unknown } {
  try {
    return { iss: decodeJwt(token).iss, kid: decodeProtectedHeader(token).kid };
  } catch {
    throw new TokenFault('the token is no JWT');
  }
}

export interface Expected {
  readonly issuer: string;
  readonly audience: string;
  /** How far the clocks may be apart. */
  readonly leewaySeconds: number;
}

/** Only the key says which algorithms may be used, never the token. @throws TokenFault */
export async function provenClaims(
  token: string,
  key: KeyObject,
  { issuer, audience, leewaySeconds }: Expected,
): Promise<Claims> {
  try {
    const options = { issuer, audience, clockTolerance: leewaySeconds, requiredClaims: ['exp'] };
    return (await jwtVerify(token, key, { ...options, algorithms: [...algorithmsOf(key)] })).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError)
      throw new TokenFault(
        `the token is refused: ${reasonOf(error)}`,
        error instanceof errors.JWTExpired ? 'tokenExpired' : 'tokenRefused',
      );
    throw error;
  }
}

/** Messages of the library may repeat names that the token has: its codes do not. */
function reasonOf(error: errors.JOSEError): string {
  const isOfClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
  return isOfClaim ? `${error.code} ${error.claim}` : error.code;
}

const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const BY_CURVE: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): readonly string[] {
  if (asymmetricKeyType === 'rsa') return RSA;
  if (asymmetricKeyType === 'ed25519') return ['EdDSA', 'Ed25519'];
  const ofCurve = BY_CURVE[asymmetricKeyDetails?.namedCurve ?? ''];
  if (asymmetricKeyType !== 'ec' || ofCurve === undefined) throw new TokenFault('no algorithm fits the key');
  return [ofCurve];
}

/**
 * Returns the members by which a token can be revoked. A token without a time of issue cannot be placed before or after
 * a revocation of its identity.
 */
export function mintOf({ jti, iat }: JWTPayload): { tokenId: string | null; issuedAt: Date | null } {
  return {
    tokenId: isPlainText(jti) ? jti : null,
    issuedAt: typeof iat === 'number' && Math.abs(iat) < MAX_DATE_SECONDS ? new Date(iat * 1000) : null,
  };
}

export const endOf = ({ exp = MAX_DATE_SECONDS }: Claims): Date => new Date(Math.min(exp, MAX_DATE_SECONDS) * 1000);

/** The text that a selector finds. @throws TokenFault */
export function claimAt(claims: Claims, selector: string): string {
  const value = valueAt(claims, selector);
  if (!isPlainText(value)) throw new TokenFault('the claim that names the identity is missing or no usable text');
  return value;
}

const MAX_CLAIMED_ATTRIBUTES = 100;

/**
 * Role attributes from a text or a list of texts; a token without the claim brings none.
 * @param selector  '' for none
 * @throws TokenFault when there are more than 100, or one that is no usable text
 */
export function attributesAt(claims: Claims, selector: string): string[] {
  const value = selector === '' ? undefined : valueAt(claims, selector);
  if (value === undefined || value === null) return [];
  const listed: unknown[] = Array.isArray(value) ? value : [value];
  if (listed.length > MAX_CLAIMED_ATTRIBUTES)
    throw new TokenFault(`the claim of role attributes has more than ${MAX_CLAIMED_ATTRIBUTES}`);
  return listed.map((each) => {
    if (!isPlainText(each) || /^[#@]/.test(each))
      throw new TokenFault('the claim of role attributes has one that is no usable text, or begins with # or @');
    return each;
  });
}

/** @param selector  a JSON pointer (RFC 6901), or the bare name of a top-level claim */
function valueAt(claims: Claims, selector: string): unknown {
  let value: unknown = claims;
  for (const part of selector
    .replace(/^(?!\/)/, '/')
    .split('/')
    .slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isHolder ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value;
}

/**
 * Returns the key under which the use of a token is recorded: a hash of the signed part. The signature is left out,
 * because the holder of an elliptic-curve key can write it in another way.
 */
export const useOfToken = (token: string): Buffer => hash('sha256', token.slice(0, token.lastIndexOf('.')), 'buffer');

const isPlainText = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= MAX_CLAIM_CHARS &&
  !value.includes('\0') &&
  value.isWellFormed();
