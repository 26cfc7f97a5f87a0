/** What a login reads apart from its credentials, and who owns a certificate. */
import { allowsSigner } from './auth-policies.js';
import type { Db } from './db.js';
import { isDisabledSql } from './disabled.js';

/** The identity that a certificate of a CA names by its `externalId`. */
export interface NamedIdentity {
  readonly identityId: string;
  readonly isDisabled: boolean;
  readonly isCertAllowed: boolean;
  readonly mayBeExpired: boolean;
}

/** The identity that a token names. */
export interface TokenHolder {
  readonly identityId: string;
  readonly isDisabled: boolean;
  /** By the identity's auth policy. */
  readonly isSignerAllowed: boolean;
}

export interface LoginStore {
  identityByExternalId(externalId: string): Promise<NamedIdentity | undefined>;
  /** @param claim  its `externalId` or its id, as the signer has it */
  identityForToken(signer: { id: string; useExternalId: boolean }, claim: string): Promise<TokenHolder | undefined>;
  /** The identity that has exactly this certificate, by an authenticator or for an API session. */
  identityWithCertificate(fingerprint: string): Promise<string | undefined>;
}

const forToken = (column: string) => `SELECT i.id AS "identityId", ${isDisabledSql('i')} AS "isDisabled",
  ${allowsSigner('$2')} AS "isSignerAllowed"
FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.${column} = $1`;
const BY_ID = forToken('id');
const BY_EXTERNAL_ID = forToken('external_id');
export function loginStore(db: Db): LoginStore {
  return {
    async identityByExternalId(externalId) {
      const {
        rows: [row],
      } = await db.read<NamedIdentity>(
        'login-external-id',
        `SELECT i.id AS "identityId",
        ${isDisabledSql('i')} AS "isDisabled", p.cert_allowed AS "isCertAllowed", p.cert_allow_expired AS "mayBeExpired"
        FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.external_id = $1`,
        [externalId],
      );
      return row;
    },
    async identityForToken({ id, useExternalId }, claim) {
      const [name, sql] = useExternalId
        ? (['login-token-external-id', BY_EXTERNAL_ID] as const)
        : (['login-token-id', BY_ID] as const);
      const {
        rows: [row],
      } = await db.read<TokenHolder>(name, sql, [claim, id]);
      return row;
    },
    async identityWithCertificate(fingerprint) {
      const {
        rows: [row],
      } = await db.read<{ identity_id: string }>(
        'login-certificate',
        `
        SELECT identity_id FROM authenticators WHERE fingerprint = $1 AND method = 'cert'
        UNION ALL SELECT s.identity_id FROM api_session_certificates c JOIN api_sessions s ON s.id = c.api_session_id
        WHERE c.fingerprint = $1 LIMIT 1`,
        [fingerprint],
      );
      return row?.identity_id;
    },
  };
}
