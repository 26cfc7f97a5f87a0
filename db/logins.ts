/** What a login reads and locks apart from its credentials, and who owns a certificate. */
import type { Db } from './db.js';
import { isDisabledSql } from './disabled.js';

/** The identity that a certificate of a CA names by its `externalId`. */
export interface NamedIdentity {
  readonly identityId: string;
  readonly authPolicyId: string;
  readonly isDisabled: boolean;
}

/** The identity that a token names. */
export interface TokenHolder {
  readonly identityId: string;
  readonly isDisabled: boolean;
  /** By the identity's auth policy. */
  readonly isSignerAllowed: boolean;
}

/** The state of an authenticator while it is locked. */
export interface HeldAuthenticator {
  readonly lastAuthResolvedToRoot: boolean;
  /** An administrator asked for a new certificate. */
  readonly isExtendRequested: boolean;
}

/** What a login has shown: the certificate with this fingerprint, or the password of this hash. */
export type Proof = { readonly fingerprint: string } | { readonly passwordHash: string };

export interface LoginStore {
  identityByExternalId(externalId: string): Promise<NamedIdentity | undefined>;
  /** @param claim  its `externalId` or its id, as the signer has it */
  identityForToken(signer: { id: string; useExternalId: boolean }, claim: string): Promise<TokenHolder | undefined>;
  /**
   * Keeps an identity and a signer until the transaction ends, for the session that refers to both.
   * @returns false when one is gone or disabled, or the auth policy does not allow the signer any more
   */
  holdForToken(identityId: string, signerId: string): Promise<boolean>;
  /**
   * Locks an authenticator and its identity until the transaction ends, so that a delete of either also finds the
   * session.
   * @returns undefined when it is gone, has another certificate or password by now, or its identity is disabled
   */
  hold(authenticatorId: string, proof: Proof): Promise<HeldAuthenticator | undefined>;
  noteChain(authenticatorId: string, isComplete: boolean): Promise<void>;
  /** The identity that has exactly this certificate, by an authenticator or for an API session. */
  identityWithCertificate(fingerprint: string): Promise<string | undefined>;
}

/**
 * The weakest lock, so that a login waits for no change but of its credentials: a fingerprint is a key, and whoever
 * changes a password locks the whole row first (`lockPassword`).
 */
const HELD = `SELECT a.last_auth_resolved_to_root AS "lastAuthResolvedToRoot",
  (a.extend_requested_at IS NOT NULL) AS "isExtendRequested"
FROM identities i JOIN authenticators a ON a.identity_id = i.id
WHERE a.id = $1 AND NOT ${isDisabledSql('i')}`;

/** The policy `p` allows the signer `$2`. */
const SIGNER_ALLOWED = `(p.ext_jwt_allowed AND (
  NOT EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id)
  OR EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id AND s.signer_id = $2)))`;
const forToken = (column: string) => `SELECT i.id AS "identityId", ${isDisabledSql('i')} AS "isDisabled",
  ${SIGNER_ALLOWED} AS "isSignerAllowed"
FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.${column} = $1`;
const BY_ID = forToken('id');
const BY_EXTERNAL_ID = forToken('external_id');
const HELD_FOR_TOKEN = `SELECT FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id
JOIN external_jwt_signers e ON e.id = $2
WHERE i.id = $1 AND NOT ${isDisabledSql('i')} AND e.is_enabled AND ${SIGNER_ALLOWED} FOR KEY SHARE OF i, e`;

export function loginStore(db: Db): LoginStore {
  return {
    async identityByExternalId(externalId) {
      const {
        rows: [row],
      } = await db.read<NamedIdentity>(
        'login-external-id',
        `SELECT i.id AS "identityId",
        i.auth_policy_id AS "authPolicyId", ${isDisabledSql('i')} AS "isDisabled"
        FROM identities i WHERE i.external_id = $1`,
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
    async holdForToken(identityId, signerId) {
      return (await db.run('login-token-hold', HELD_FOR_TOKEN, [identityId, signerId])).rowCount > 0;
    },
    async hold(authenticatorId, proof) {
      const {
        rows: [row],
      } = await ('fingerprint' in proof
        ? db.run<HeldAuthenticator>('login-hold', `${HELD} AND a.fingerprint = $2 FOR KEY SHARE OF i, a`, [
            authenticatorId,
            proof.fingerprint,
          ])
        : db.run<HeldAuthenticator>('login-hold-password', `${HELD} AND a.password_hash = $2 FOR KEY SHARE OF i, a`, [
            authenticatorId,
            proof.passwordHash,
          ]));
      return row;
    },
    async noteChain(authenticatorId, isComplete) {
      await db.write('login-chain', 'UPDATE authenticators SET last_auth_resolved_to_root = $2 WHERE id = $1', [
        authenticatorId,
        isComplete,
      ]);
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
