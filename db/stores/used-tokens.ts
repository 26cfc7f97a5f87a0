/** Tokens of external signers that made an identity: each makes one, once. */
import type { Db } from '../postgres/contracts.js';
import { change } from '../postgres/statement.js';

export interface UsedTokenStore {
  /**
   * Call it in the transaction that makes the identity: of several with one token one commits.
   * @param expiresAt  when the token ends, and with it the need to know it
   * @returns false when it was used before
   */
  spend(tokenHash: Buffer, expiresAt: Date): Promise<boolean>;
}

/** Clears away some that have ended: an hour is more than clocks are apart, and than any leeway. */
const SPEND = change(
  'used-token-spend',
  ({ returningActor }) => `WITH ended AS (
  DELETE FROM used_tokens WHERE token_hash IN (
    SELECT token_hash FROM used_tokens WHERE expires_at < now() - interval '1 hour'
    ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED))
INSERT INTO used_tokens (token_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING${returningActor}`,
);

export function usedTokenStore(db: Db): UsedTokenStore {
  return {
    async spend(tokenHash, expiresAt) {
      return (await db.count(SPEND, [tokenHash, expiresAt])) === 1;
    },
  };
}
