/** The statement with which a login opens its API session: one for each kind of proof. */
import { allowsSigner } from './auth-policies.js';
import { asyncChange } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';
import { isRevokedSql } from './revoked.js';

/** What a login has shown, which names its identity and must still hold when its session is opened. */
export type Proof =
  | { readonly by: 'password'; readonly identityId: string; readonly passwordHash: string }
  /** The fingerprint of the authenticator's certificate. */
  | { readonly by: 'certificate'; readonly identityId: string; readonly fingerprint: string }
  | ClaimProof
  | TokenProof;

/** By what the proof names its identity. */
export function namedBy(proof: Proof): string {
  if (proof.by === 'claim') return proof.externalId;
  return proof.by === 'token' ? proof.claim : proof.identityId;
}

/** The certificate of a CA names the identity; the session ends with the CA. */
export interface ClaimProof {
  readonly by: 'claim';
  readonly caId: string | null;
  readonly externalId: string;
  readonly isExpired: boolean;
}

/** The token of a signer names the identity; the session ends with the signer. */
export interface TokenProof {
  readonly by: 'token';
  readonly signerId: string;
  /** An `externalId`, or an id, as the signer has it. */
  readonly claim: string;
  readonly useExternalId: boolean;
  /** By what the token can be revoked. */
  readonly tokenId: string | null;
  readonly issuedAt: Date | null;
}

/**
 * A login in one statement. It keeps what it rests on until its end, so that whoever deletes or changes that finds the
 * session too; nothing is opened on what went, or changed, while the login was checked. The locks are the weakest, so
 * that a login waits for no change but of its credentials: a fingerprint is a key, and whoever changes a password locks
 * the whole row first (`lockPassword`).
 * @param held  the identity `i`, while the login holds and its policy accepts it; $2 names the identity
 */
type Opening<R> = (name: string, held: string, alsoDoes?: string) => Statement<R>;

/**
 * $13 is the API that it is opened at, $14 the SHA-256 of the certificate whose login it is, or null.
 */
const ORIGIN = { columns: 'api, certificate_hash, is_shared_with_routers', values: '$13, $14::bytea, false' };

/** What the client told of itself now, or earlier. */
const TOLD = { env: 'coalesce($11::jsonb, i.env_info)', sdk: 'coalesce($12::jsonb, i.sdk_info)' };

/**
 * Behind the actor, so that it is set by then. $15: how many API sessions the identity may have, beyond which the least
 * recently used end; null: not looked at this time. They are counted up to that bound in an index, not all. $16: `on`
 * where the login is to be counted in the audit record, not recorded.
 */
const SETTLED = `set_config('edge.summed', $16, true), CASE WHEN $15::bigint IS NULL THEN NULL
  WHEN EXISTS (SELECT FROM api_sessions s WHERE s.identity_id = t.identity_id OFFSET $15::bigint - 1)
  THEN end_surplus_api_sessions(t.identity_id, t.id, $15::bigint) END`;

/**
 * @param answer  columns of the answer, and its joins to the new session `t`
 */
export function sessionOpening<R>(answer: { columns: string; joins: string }) {
  const opening: Opening<R> = (name, held, alsoDoes = '') =>
    asyncChange(
      name,
      ({ actor }) => `WITH held AS MATERIALIZED (SELECT i.id AS identity_id ${held}),
t AS (
  INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, config_types, ca_id,
    improper_client_cert_chain, method, signer_id, sdk_info, ${ORIGIN.columns})
  SELECT $1, identity_id, $3, $4::bytea, $5, $6::text[], $7, $8::boolean, $9, $10, coalesce($12::jsonb, '{}'),
    ${ORIGIN.values}
  FROM held RETURNING *),
client AS (
  UPDATE identities i SET env_info = ${TOLD.env}, sdk_info = ${TOLD.sdk} FROM held
  WHERE i.id = held.identity_id AND (i.env_info, i.sdk_info)
    IS DISTINCT FROM (${TOLD.env}, ${TOLD.sdk}))${alsoDoes}
SELECT ${answer.columns}${actor}, ${SETTLED} FROM t ${answer.joins}`,
    );
  const policy = 'FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id';
  const isEnabled = `NOT ${isDisabledSql('i')}`;
  const authenticator = `${policy} JOIN authenticators a ON a.identity_id = i.id
  WHERE i.id = $2 AND a.id = $3 AND ${isEnabled}`;
  const byPassword = opening(
    'api-session-open-password',
    `${authenticator} AND p.updb_allowed AND a.password_hash = $17 FOR KEY SHARE OF i, a`,
  );
  const byCertificate = opening(
    'api-session-open-certificate',
    `${authenticator} AND p.cert_allowed AND a.fingerprint = $17 FOR KEY SHARE OF i, a`,
    `,
chain AS (
  UPDATE authenticators SET last_auth_resolved_to_root = NOT $8::boolean FROM held
  WHERE id = $3 AND last_auth_resolved_to_root = $8::boolean)`,
  );
  const byClaim = opening(
    'api-session-open-claim',
    `${policy}
  WHERE i.external_id = $2 AND ${isEnabled} AND p.cert_allowed AND (p.cert_allow_expired OR NOT $17::boolean)
  FOR KEY SHARE OF i`,
  );
  const byToken = (name: string, column: string) =>
    opening(
      name,
      `${policy} JOIN external_jwt_signers e ON e.id = $10
  WHERE i.${column} = $2 AND ${isEnabled} AND e.is_enabled AND ${allowsSigner('$10')}
  AND NOT ${isRevokedSql({ tokenId: '$17', identityId: 'i.id', issuedAt: '$18' })} FOR KEY SHARE OF i, e`,
    );
  const byTokenWithId = byToken('api-session-open-token-id', 'id');
  const byTokenWithExternalId = byToken('api-session-open-token-external-id', 'external_id');

  return (proof: Proof): OpeningStatement<R> => {
    switch (proof.by) {
      case 'password':
        return {
          statement: byPassword,
          names: proof.identityId,
          shown: [proof.passwordHash],
        };
      case 'certificate':
        return {
          statement: byCertificate,
          names: proof.identityId,
          shown: [proof.fingerprint],
        };
      case 'claim':
        return {
          statement: byClaim,
          names: proof.externalId,
          caId: proof.caId,
          shown: [proof.isExpired],
        };
      case 'token': {
        const statement = proof.useExternalId ? byTokenWithExternalId : byTokenWithId;
        const { signerId, claim: names, tokenId, issuedAt } = proof;
        return { statement, names, signerId, shown: [tokenId, issuedAt] };
      }
    }
  };
}

interface OpeningStatement<R> {
  readonly statement: Statement<R>;
  /** $2: what names the identity. */
  readonly names: string;
  readonly caId?: string | null;
  readonly signerId?: string;
  /** From $17 on. */
  readonly shown: readonly unknown[];
}
