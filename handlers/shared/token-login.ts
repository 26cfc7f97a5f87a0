/** Logging in by a token of an external JWT signer. */
import { claimAt, provenClaims, readUnproven, TokenFault } from '../../domain/auth/external-token.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { refused } from './certificate-login.js';
import type { TokenLogin } from './certificate-login.js';

/** What clients read as the authenticator of a session that a token opened. */
export const authenticatorOfSigner = (signerId: string): string => `extJwtId:${signerId}`;

/**
 * Two short reads: the signer that the token names, and the identity once the token is proven. @param authorization the
 * header
 * @throws DomainError `invalidAuth`, whatever was wrong
 */
export async function checkTokenLogin(
  authorization: string | null | undefined,
  context: Context,
  note: Note,
): Promise<TokenLogin> {
  try {
    return await loginOf(bearerIn(authorization), context, note);
  } catch (error) {
    throw error instanceof TokenFault ? refused(error.message) : error;
  }
}

function bearerIn(authorization: string | null | undefined): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new TokenFault('there is no bearer token');
  return token;
}

/** @throws TokenFault */
async function loginOf(
  token: string,
  { stores, signerKeys, tokenLeewaySeconds: leewaySeconds }: Context,
  note: Note,
): Promise<TokenLogin> {
  const { issuer, kid } = readUnproven(token);
  const signer = await stores.externalJwtSigners.findEnabled(issuer);
  if (signer === undefined) throw new TokenFault('no enabled external JWT signer has this issuer');
  note({ authenticatorId: authenticatorOfSigner(signer.id) });
  const key = await signerKeys.find(signer, kid);
  if (key === undefined) throw new TokenFault('the signer has no key of this id');
  const claims = await provenClaims(token, key, { issuer, audience: signer.audience, leewaySeconds });
  const holder = await stores.logins.identityForToken(signer, claimAt(claims, signer.claimsProperty));
  if (holder === undefined) throw new TokenFault('the claim names no identity');
  note({ identityId: holder.identityId });
  if (holder.isDisabled) throw new TokenFault('the identity is disabled');
  if (!holder.isSignerAllowed) throw new TokenFault('the auth policy does not allow this signer');
  return { by: 'token', identityId: holder.identityId, signerId: signer.id, isChainComplete: null };
}
