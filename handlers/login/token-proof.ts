/** Verification of a signer's token: its key, and its claims. */
import { provenClaims, readUnproven, TokenFault } from '../../domain/auth/external-token.js';
import type { Claims } from '../../domain/auth/external-token.js';
import type { ExternalJwtSigner, TokenSigner } from '../../domain/auth/external-signer.js';
import { LOGIN_REFUSALS } from '../../domain/auth/login-refusals.js';
import type { Context } from '../context.js';
import type { Note } from '../handler.js';

/** Authenticator id that clients see in a session that a token opened. */
export const authenticatorOfSigner = (signerId: string): string => `extJwtId:${signerId}`;

/** The enabled signer that the token names, and the key that it names; nothing is proven yet. @throws TokenFault */
export async function signerNamedBy(
  token: string,
  { stores }: Pick<Context, 'stores'>,
  note: Note,
): Promise<{ signer: ExternalJwtSigner; kid: string | undefined }> {
  const { issuer, kid } = readUnproven(token);
  const signer = await stores.externalJwtSigners.findEnabled(issuer);
  if (signer === undefined) throw new TokenFault(LOGIN_REFUSALS.signerUnknown, 'signerUnknown');
  note({ authenticatorId: authenticatorOfSigner(signer.id) });
  return { signer, kid };
}

export interface VerifiedToken {
  readonly claims: Claims;
  /** The key is believed until then, by `performance.now()`. */
  readonly keyUntilMs: number;
}

/** @param kid  of the token. @throws TokenFault */
export async function proveToken(
  token: string,
  kid: string | undefined,
  signer: TokenSigner,
  { signerKeys, tokenLeewaySeconds: leewaySeconds }: Pick<Context, 'signerKeys' | 'tokenLeewaySeconds'>,
): Promise<VerifiedToken> {
  const { issuer, audience } = signer;
  const found = await signerKeys.find(signer, kid);
  if (found === undefined) throw new TokenFault('the signer has no key of this id');
  const claims = await provenClaims(token, found.key, { issuer, audience, leewaySeconds });
  return { claims, keyUntilMs: found.untilMs };
}
