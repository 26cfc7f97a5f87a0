/**
 * Tokens of a signer that an auth policy requires with every request. What was found good is remembered, so that the
 * same token costs one verification and not one for each request: until the token ends, the key it was verified with is
 * believed no longer, or the signer changes. Nothing that was refused is remembered.
 */
import { LRUCache } from 'lru-cache';
import { claimAt, readUnproven, TokenFault } from '../../domain/auth/external-token.js';
import type { OwedToken, RequiredSigner } from '../../domain/auth/external-signer.js';
import { hashToken } from '../../domain/auth/tokens.js';
import type { Context, OutgoingTrace, SecondTokens } from '../../handlers/context.js';
import { proveToken } from '../../handlers/login/token-proof.js';
import { tracedKeys } from '../keys/signer-keys.js';

export interface SecondTokensOptions extends Pick<Context, 'signerKeys' | 'tokenLeewaySeconds'> {
  readonly clocks?: Clocks;
}

export interface Clocks {
  /** Milliseconds that never go back, such as those of `performance.now()`. */
  readonly steadyMs: () => number;
  /** Time of the day, in milliseconds. */
  readonly wallMs: () => number;
}

const SYSTEM: Clocks = { steadyMs: () => performance.now(), wallMs: () => Date.now() };

/** Each has some hundred bytes. */
const MAX_TOKENS = 10_000;

interface Good {
  readonly claim: string;
  readonly expSeconds: number;
  readonly keyUntilMs: number;
}

export function createSecondTokens({
  signerKeys,
  tokenLeewaySeconds,
  clocks = SYSTEM,
}: SecondTokensOptions): SecondTokens {
  const remembered = new LRUCache<string, Good>({ max: MAX_TOKENS });

  const isStillGood = ({ expSeconds, keyUntilMs }: Good): boolean =>
    clocks.steadyMs() < keyUntilMs && clocks.wallMs() / 1000 < expSeconds + tokenLeewaySeconds;

  /** The claim that names the identity. @returns undefined for a token of another issuer. @throws TokenFault */
  const claimOf = async (token: string, signer: RequiredSigner, trace?: OutgoingTrace): Promise<string | undefined> => {
    const key = `${hashToken(token).toString('latin1')}${signer.id} ${signer.version}`;
    const known = remembered.get(key);
    if (known !== undefined && isStillGood(known)) return known.claim;
    const { issuer, kid } = readUnproven(token);
    if (issuer !== signer.issuer) return undefined;
    const traced = { signerKeys: tracedKeys(signerKeys, trace), tokenLeewaySeconds };
    const { claims, keyUntilMs } = await proveToken(token, kid, signer, traced);
    const claim = claimAt(claims, signer.claimsProperty);
    remembered.set(key, { claim, expSeconds: claims.exp ?? 0, keyUntilMs });
    return claim;
  };

  const faultOf = async (
    token: string,
    signer: RequiredSigner,
    trace?: OutgoingTrace,
  ): Promise<OwedToken['fault'] | undefined> => {
    try {
      const claim = await claimOf(token, signer, trace);
      if (claim === undefined) return 'missing';
      return signer.isEnabled && claim === signer.subject ? undefined : 'invalid';
    } catch (error) {
      if (error instanceof TokenFault) return error.code === 'tokenExpired' ? 'expired' : 'invalid';
      throw error;
    }
  };

  return {
    async owed(tokens, signer, trace) {
      const faults: OwedToken['fault'][] = [];
      for (const token of tokens) {
        const fault = await faultOf(token, signer, trace);
        if (fault === undefined) return null;
        faults.push(fault);
      }
      const fault = (['expired', 'invalid'] as const).find((each) => faults.includes(each)) ?? 'missing';
      return { signerId: signer.id, issuer: signer.issuer, fault };
    },
  };
}
