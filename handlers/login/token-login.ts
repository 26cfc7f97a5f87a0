/** Logging in by a token of an external JWT signer. */
import { claimAt, mintOf, TokenFault } from '../../domain/auth/external-token.js';
import { LOGIN_REFUSALS } from '../../domain/auth/login-refusals.js';
import type { LoginRefusal } from '../../domain/auth/login-refusals.js';
import type { TokenProof } from '../../db/stores/session-opening.js';
import type { Note } from '../handler.js';
import type { Context } from '../context.js';
import { refused, refusedBecause } from './login.js';
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
  if (first === undefined) throw refused('tokenMissing');
  throw refusedBecause(first.message, first.code);
}

/** @throws TokenFault */
async function openBy(token: string, context: Context, note: Note, open: OpenSession): Promise<OpenedSession> {
  const { signer, kid } = await signerNamedBy(token, context, note);
  const { id: signerId, useExternalId } = signer;
  const { claims } = await proveToken(token, kid, signer, context);
  const claim = claimAt(claims, signer.claimsProperty);
  const proof: TokenProof = { by: 'token', signerId, useExternalId, claim, ...mintOf(claims) };
  const authenticatorId = authenticatorOfSigner(signerId);
  const opened = await open({ authenticatorId, proof, isChainComplete: null, certificateHash: null });
  if (opened !== undefined) return opened;
  const reason = await whyNotOpened(proof, context, note);
  throw new TokenFault(LOGIN_REFUSALS[reason], reason);
}

/** Finds the reason for the log, by a read that successful logins do without. */
async function whyNotOpened(proof: TokenProof, { stores }: Pick<Context, 'stores'>, note: Note): Promise<LoginRefusal> {
  const holder = await stores.logins.identityForToken(proof);
  if (holder === undefined) return 'tokenUnknown';
  note({ identityId: holder.identityId });
  if (holder.isDisabled) return 'identityDisabled';
  if (holder.isRevoked) return 'tokenRevoked';
  return holder.isSignerAllowed ? 'changedMeanwhile' : 'signerNotAllowed';
}
