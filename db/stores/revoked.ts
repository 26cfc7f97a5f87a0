/** When a token is revoked, for every statement that asks. */

/**
 * Whether the token of an external signer is revoked, by itself or with its identity: expressions for each. Tokens tell
 * the second in which they were issued, so one of the same second counts as issued later.
 */
export const isRevokedSql = (token: { tokenId: string; identityId: string; issuedAt: string }): string => `EXISTS (
  SELECT FROM revocations v WHERE v.id IN (${token.tokenId}, ${token.identityId}) AND v.expires_at > now()
  AND CASE v.type WHEN 'JTI' THEN v.id = ${token.tokenId}
    WHEN 'IDENTITY' THEN v.id = ${token.identityId}
      AND ${token.issuedAt}::timestamptz < date_trunc('second', v.issued_before) ELSE false END)`;
