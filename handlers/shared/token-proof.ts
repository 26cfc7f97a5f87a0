/** What proves that a token is of a signer: its key, and what the token says of itself. */
import { provenClaims, TokenFault } from '../../domain/auth/external-token.js';
import type { Claims } from '../../domain/auth/external-token.js';
import type { TokenSigner } from '../../domain/auth/external-signer.js';
import type { Context } from '../context.js';

export interface TokenProof {
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
): Promise<TokenProof> {
  const { issuer, audience } = signer;
  const found = await signerKeys.find(signer, kid);
  if (found === undefined) throw new TokenFault('the signer has no key of this id');
  const claims = await provenClaims(token, found.key, { issuer, audience, leewaySeconds });
  return { claims, keyUntilMs: found.untilMs };
}
