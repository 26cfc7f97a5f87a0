/** Logging in by a token of an external JWT signer. */
import { claimAt, mintOf, TokenFault } from '../../domain/auth/external-token.js';
import type { TokenProof } from '../../db/session-opening.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { CHANGED_MEANWHILE, refused } from './login.js';
import type { OpenedSession, OpenSession } from './login.js';
import { authenticatorOfSigner, proveToken, signerNamedBy } from './token-proof.js';

/**
 * Opens a session by the first of the tokens that logs somebody in: another may be there for a signer that the auth
 * policy requires besides. One short read for each: the signer that it names. The statement that opens the session
 * finds the identity.
 * @throws DomainError `invalidAuth`, whatever was wrong
 */
export async function logInByToken(
  tokens: readonly string[],
  context: Context,
  note: Note,
  open: OpenSession,
): Promise<OpenedSession> {
  let first: TokenFault | undefined;
  for (const token of tokens) {
    try {
      return await openBy(token, context, note, open);
    } catch (error) {
      if (!(error instanceof TokenFault)) throw error;
      first ??= error;
    }
  }
  throw refused(first?.message ?? 'there is no bearer token');
}

/** @throws TokenFault */
async function openBy(token: string, context: Context, note: Note, open: OpenSession): Promise<OpenedSession> {
  const { signer, kid } = await signerNamedBy(token, context, note);
  const { id: signerId, useExternalId } = signer;
  const { claims } = await proveToken(token, kid, signer, context);
  const claim = claimAt(claims, signer.claimsProperty);
  const proof: TokenProof = { by: 'token', signerId, useExternalId, claim, ...mintOf(claims) };
  const opened = await open({ authenticatorId: authenticatorOfSigner(signerId), proof, isChainComplete: null });
  if (opened === undefined) throw new TokenFault(await whyNotOpened(proof, context, note));
  return opened;
}

/** For the log: by a read of its own, which successful logins do without. */
async function whyNotOpened(proof: TokenProof, { stores }: Pick<Context, 'stores'>, note: Note): Promise<string> {
  const holder = await stores.logins.identityForToken(proof);
  if (holder === undefined) return 'the claim names no identity';
  note({ identityId: holder.identityId });
  if (holder.isDisabled) return 'the identity is disabled';
  if (holder.isRevoked) return 'the token is revoked';
  return holder.isSignerAllowed ? CHANGED_MEANWHILE : 'the auth policy does not allow this signer';
}
