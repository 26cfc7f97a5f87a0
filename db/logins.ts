/** What a login reads and holds on to beside its credentials, and who owns a certificate. */
import type { Db } from './db.js';

/** The identity that a certificate of a CA names by its `externalId`. */
export interface NamedIdentity {
  readonly identityId: string;
  readonly authPolicyId: string;
  readonly isDisabled: boolean;
}

/** How an authenticator stands while it is held. */
export interface HeldAuthenticator {
  readonly lastAuthResolvedToRoot: boolean;
  /** An administrator asked for a new certificate. */
  readonly isExtendRequested: boolean;
}

export interface LoginStore {
  identityByExternalId(externalId: string): Promise<NamedIdentity | undefined>;
  /**
   * Keeps an authenticator and its identity until the transaction ends, so that neither goes before the session is there to go with them.
   * @param fingerprint  of the certificate that was shown; null for a password
   * @returns undefined when it is gone, has another certificate by now, or its identity is disabled
   */
  hold(authenticatorId: string, fingerprint: string | null): Promise<HeldAuthenticator | undefined>;
  noteChain(authenticatorId: string, isComplete: boolean): Promise<void>;
  /** The identity that has exactly this certificate, by an authenticator or for an API session. */
  identityWithCertificate(fingerprint: string): Promise<string | undefined>;
}

const IS_DISABLED = '(i.disabled_at IS NOT NULL AND (i.disabled_until IS NULL OR i.disabled_until > now()))';

export function loginStore(db: Db): LoginStore {
  return {
    async identityByExternalId(externalId) {
      const { rows: [row] } = await db.read<NamedIdentity>('login-external-id', `SELECT i.id AS "identityId",
        i.auth_policy_id AS "authPolicyId", ${IS_DISABLED} AS "isDisabled" FROM identities i WHERE i.external_id = $1`, [externalId]);
      return row;
    },
    async hold(authenticatorId, fingerprint) {
      const { rows: [row] } = await db.run<HeldAuthenticator>('login-hold', `SELECT a.last_auth_resolved_to_root AS "lastAuthResolvedToRoot",
        (a.extend_requested_at IS NOT NULL) AS "isExtendRequested"
        FROM identities i JOIN authenticators a ON a.identity_id = i.id
        WHERE a.id = $1 AND a.fingerprint IS NOT DISTINCT FROM $2 AND NOT ${IS_DISABLED} FOR KEY SHARE OF i, a`, [authenticatorId, fingerprint]);
      return row;
    },
    async noteChain(authenticatorId, isComplete) {
      await db.write('login-chain', 'UPDATE authenticators SET last_auth_resolved_to_root = $2 WHERE id = $1', [authenticatorId, isComplete]);
    },
    async identityWithCertificate(fingerprint) {
      const { rows: [row] } = await db.read<{ identity_id: string }>('login-certificate', `
        SELECT identity_id FROM authenticators WHERE fingerprint = $1 AND method = 'cert'
        UNION ALL SELECT s.identity_id FROM api_session_certificates c JOIN api_sessions s ON s.id = c.api_session_id WHERE c.fingerprint = $1 LIMIT 1`,
      [fingerprint]);
      return row?.identity_id;
    },
  };
}
