/**
 * Verifies JWTs of this network. The key that `kid` names says which algorithm counts, never the token; keys of other
 * signers are not looked for here (domain/auth/external-token.ts).
 */
import { verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { JwtAlgorithm, JwtClaims } from '../auth/signed-jwt.js';

export interface OwnKey {
  readonly key: KeyObject;
  readonly algorithm: JwtAlgorithm;
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** Ours have about 1,500. */
const MAX_TOKEN_CHARS = 8_192;
const DIGESTS: Readonly<Record<JwtAlgorithm, string>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  RS256: 'sha256',
};

interface Parts {
  readonly signed: string;
  readonly payload: string;
  readonly signature: string;
  readonly own: OwnKey;
}

/** Whether a token names a key of this network: whose it is, not that it is good. */
export const isOwn = (token: string, keyOf: (kid: string) => OwnKey | undefined): boolean =>
  partsOf(token, keyOf) !== undefined;

/**
 * @param isSignedHere  whether this process is known to have signed it
 * @returns its claims; undefined unless this network signed it, with the algorithm of its key
 */
export function ownClaims(
  token: string,
  keyOf: (kid: string) => OwnKey | undefined,
  isSignedHere: (token: string) => boolean = () => false,
): JwtClaims | undefined {
  const parts = partsOf(token, keyOf);
  if (parts === undefined) return undefined;
  if (isSignedHere(token)) return objectIn(parts.payload);
  const { signed, payload, signature, own } = parts;
  // Decoding passes over bits that a strict reader refuses: one signature has one text.
  const bytes = Buffer.from(signature, 'base64url');
  if (bytes.toString('base64url') !== signature) return undefined;
  const key = own.algorithm === 'RS256' ? own.key : { key: own.key, dsaEncoding: 'ieee-p1363' as const };
  return verify(DIGESTS[own.algorithm], Buffer.from(signed), key, bytes) ? objectIn(payload) : undefined;
}

function partsOf(token: string, keyOf: (kid: string) => OwnKey | undefined): Parts | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  const [, head, payload, signature] = COMPACT.exec(token) ?? [];
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  const { alg, kid, typ, ...others } = objectIn(head) ?? {};
  const own = typeof kid === 'string' ? keyOf(kid) : undefined;
  // Ours have these three members; `crit`, `jwk` or `b64` would change what the rest means.
  if (own === undefined || alg !== own.algorithm || typ !== 'JWT' || Object.keys(others).length > 0) return undefined;
  return { signed: `${head}.${payload}`, payload, signature, own };
}

function objectIn(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
