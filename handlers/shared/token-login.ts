/** Logging in by a token of an external JWT signer. */
import { claimAt, mintOf, readUnproven, TokenFault } from '../../domain/auth/external-token.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { refused } from './certificate-login.js';
import type { TokenLogin } from './certificate-login.js';
import { proveToken } from './token-proof.js';

/** What clients read as the authenticator of a session that a token opened. */
export const authenticatorOfSigner = (signerId: string): string => `extJwtId:${signerId}`;

/**
 * The first of the tokens that logs somebody in: another may be there for a signer that the auth policy requires
 * besides. Three short reads for each: the signer that it names; once it is proven, its identity, and
 * whether it was revoked.
 * @throws DomainError `invalidAuth`, whatever was wrong
 */
export async function checkTokenLogin(tokens: readonly string[], context: Context, note: Note): Promise<TokenLogin> {
  let first: TokenFault | undefined;
  for (const token of tokens) {
    try {
      return await loginOf(token, context, note);
    } catch (error) {
      if (!(error instanceof TokenFault)) throw error;
      first ??= error;
    }
  }
  throw refused(first?.message ?? 'there is no bearer token');
}

/** @throws TokenFault */
async function loginOf(token: string, context: Context, note: Note): Promise<TokenLogin> {
  const { stores } = context;
  const { issuer, kid } = readUnproven(token);
  const signer = await stores.externalJwtSigners.findEnabled(issuer);
  if (signer === undefined) throw new TokenFault('no enabled external JWT signer has this issuer');
  note({ authenticatorId: authenticatorOfSigner(signer.id) });
  const { claims } = await proveToken(token, kid, signer, context);
  const holder = await stores.logins.identityForToken(signer, claimAt(claims, signer.claimsProperty));
  if (holder === undefined) throw new TokenFault('the claim names no identity');
  note({ identityId: holder.identityId });
  if (holder.isDisabled) throw new TokenFault('the identity is disabled');
  if (await stores.revocations.isRevoked({ ...mintOf(claims), identityId: holder.identityId }))
    throw new TokenFault('the token is revoked');
  if (!holder.isSignerAllowed) throw new TokenFault('the auth policy does not allow this signer');
  return { by: 'token', identityId: holder.identityId, signerId: signer.id, isChainComplete: null };
}
