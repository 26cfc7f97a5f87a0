/** Claims of the tokens of a login: made here, and read back here. Times are seconds since 1970 (RFC 7519). */
import { createHash } from 'node:crypto';
import type { JwtAlgorithm, JwtClaims } from '../auth/signed-jwt.js';
import { isClient } from './clients.js';
import type { ClientId } from './clients.js';

/** Kind of a token that its claim `z_t` names: access or refresh. */
export type TokenType = 'a' | 'r';

/** All that the tokens of one login have in common. */
export interface TokenSubject {
  readonly issuer: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly identityName: string;
  readonly externalId: string | null;
  readonly authenticatorId: string;
  readonly isAdmin: boolean;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Ways in which the user proved who it is: `password`, `cert`, `ext-jwt`, `totp`. */
  readonly methods: readonly string[];
  /** The time of the login itself. */
  readonly authenticatedAt: Date;
  readonly configTypes: readonly string[];
  /** SHA-1 of certificates that the session is bound to, lower-case hex. */
  readonly fingerprints: readonly string[];
  readonly address: string;
}

export interface TokenTimes {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Claims of an access or a refresh token. */
export function sessionTokenClaims(type: TokenType, subject: TokenSubject, times: TokenTimes): JwtClaims {
  const { clientId, configTypes, fingerprints, externalId, isAdmin } = subject;
  return {
    ...commonClaims(subject, times),
    nbf: seconds(times.issuedAt),
    jti: times.tokenId,
    scopes: subject.scopes,
    z_t: type,
    z_asid: subject.apiSessionId,
    z_aid: clientId,
    z_authid: subject.authenticatorId,
    z_cfs: fingerprints.length === 0 ? null : fingerprints,
    z_ra: subject.address,
    ...(isAdmin ? { z_ia: true } : {}),
    ...(externalId === null ? {} : { z_eid: externalId }),
    ...(configTypes.length === 0 ? {} : { z_ct: configTypes }),
  };
}

/** @param issued  what the answer also holds: their hashes tie them to the id token (OpenID Connect Core 3.1.3.6) */
export function idTokenClaims(
  subject: TokenSubject,
  times: Pick<TokenTimes, 'issuedAt' | 'expiresAt'>,
  issued: { readonly algorithm: JwtAlgorithm; readonly nonce?: string | undefined; readonly accessToken?: string },
): JwtClaims {
  const { nonce, accessToken, algorithm } = issued;
  return {
    ...commonClaims(subject, times),
    azp: subject.clientId,
    name: subject.identityName,
    z_ia: subject.isAdmin,
    ...(subject.externalId === null ? {} : { z_eid: subject.externalId }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(accessToken === undefined ? {} : { at_hash: leftHalf(accessToken, algorithm) }),
  };
}

function commonClaims(
  { issuer, identityId, clientId, authenticatedAt, methods }: TokenSubject,
  { issuedAt, expiresAt }: Pick<TokenTimes, 'issuedAt' | 'expiresAt'>,
): JwtClaims {
  return {
    iss: issuer,
    sub: identityId,
    aud: [clientId],
    exp: seconds(expiresAt),
    iat: seconds(issuedAt),
    auth_time: seconds(authenticatedAt),
    amr: methods,
    client_id: clientId,
  };
}

function leftHalf(token: string, algorithm: JwtAlgorithm): string {
  const digest = createHash(`sha${algorithm.slice(2)}`)
    .update(token)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** Claims of a token that proves a code of the second factor to routers. */
export const totpTokenClaims = (
  {
    issuer,
    apiSessionId,
    identityId,
    clientId,
  }: Pick<TokenSubject, 'issuer' | 'apiSessionId' | 'identityId' | 'clientId'>,
  tokenId: string,
  issuedAt: Date,
): JwtClaims => ({
  iss: issuer,
  sub: identityId,
  aud: [clientId],
  iat: seconds(issuedAt),
  jti: tokenId,
  z_t: 't',
  z_asid: apiSessionId,
});

/** An access or refresh token whose signature holds. */
export interface SessionToken {
  readonly issuer: string;
  readonly type: TokenType;
  readonly tokenId: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly clientId: ClientId;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const MAX_ID_CHARS = 64;

/**
 * Reads the claims of a token that this network signed. A token of another kind has others, so none is taken for one.
 * @param isIssuer  of the addresses of this network's controllers
 * @returns undefined when any is missing or not as this network makes it; when it ends is for the caller to look at
 */
export function readSessionToken(claims: JwtClaims, isIssuer: (iss: string) => boolean): SessionToken | undefined {
  const { iss, sub, aud, exp, iat, jti, client_id: clientId, z_t: type, z_asid: apiSessionId } = claims;
  if (typeof iss !== 'string' || !isIssuer(iss)) return undefined;
  if (type !== 'a' && type !== 'r') return undefined;
  if (typeof clientId !== 'string' || !isClient(clientId)) return undefined;
  if (!Array.isArray(aud) || aud.length !== 1 || aud[0] !== clientId) return undefined;
  if (!isUuid(jti) || !isUuid(apiSessionId)) return undefined;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_ID_CHARS) return undefined;
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat)) return undefined;
  const at = (time: unknown) => new Date(Number(time) * 1000);
  const [expiresAt, issuedAt] = [at(exp), at(iat)];
  return { issuer: iss, type, tokenId: jti, apiSessionId, identityId: sub, clientId, issuedAt, expiresAt };
}

const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
