/** The statement with which a login opens its API session: one for each kind of proof. */
import { allowsSigner } from './auth-policies.js';
import { asyncChange } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';
import { isRevokedSql } from './revoked.js';

/** The proof of a login, which names its identity and must still hold when its session is opened. */
export type LoginProof =
  | { readonly by: 'password'; readonly identityId: string; readonly passwordHash: string }
  /** The fingerprint of the authenticator's certificate. */
  | { readonly by: 'certificate'; readonly identityId: string; readonly fingerprint: string }
  | ClaimProof
  | TokenProof;

/** The id, external id or claim by which the proof names its identity. */
export function namedBy(proof: LoginProof): string {
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
  /** The id by which the token can be revoked. */
  readonly tokenId: string | null;
  readonly issuedAt: Date | null;
}

/**
 * $13 is the API that it is opened at, $14 the SHA-256 of the certificate whose login it is, or null, $17 its end, or
 * null when it ends by not being used.
 */
const ORIGIN = {
  columns: 'api, certificate_hash, expires_at, is_certificate_bound, is_shared_with_routers',
  values: '$13, $14::bytea, $17::timestamptz, $17::timestamptz IS NOT NULL AND $14::bytea IS NOT NULL, false',
};

/** Facts that the client told of itself now, or earlier. */
const TOLD = { env: 'coalesce($11::jsonb, i.env_info)', sdk: 'coalesce($12::jsonb, i.sdk_info)' };

/**
 * Values that follow the actor, so that it is set by then. $15: how many API sessions the identity may have, beyond
 * which the least recently used end; null: not looked at this time. They are counted up to that bound in an index, not
 * all. $16: `on` where the login is to be counted in the audit record, not recorded.
 */
const SETTLED = `set_config('edge.summed', $16, true), CASE WHEN $15::bigint IS NULL THEN NULL
  WHEN EXISTS (SELECT FROM api_sessions s WHERE s.identity_id = t.identity_id OFFSET $15::bigint - 1)
  THEN end_surplus_api_sessions(t.identity_id, t.id, $15::bigint) END`;

/** The columns of the answer, and its joins to the new session `t`. */
interface AnswerSql {
  readonly columns: string;
  readonly joins: string;
}

/**
 * A login in one statement. It keeps what it rests on until its end, so that whoever deletes or changes that finds the
 * session too; nothing is opened on what went, or changed, while the login was checked. The locks are the weakest, so
 * that a login waits for no change but of its credentials: a fingerprint is a key, and whoever changes a password locks
 * the whole row first (`lockPassword`).
 * @param held  the identity `i`, while the login holds and its policy accepts it; $2 names the identity
 */
const opening = <R>(answer: AnswerSql, name: string, held: string, alsoDoes = ''): Statement<R> =>
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

const POLICY = 'FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id';
const IS_ENABLED = `NOT ${isDisabledSql('i')}`;
const AUTHENTICATOR = `${POLICY} JOIN authenticators a ON a.identity_id = i.id
  WHERE i.id = $2 AND a.id = $3 AND ${IS_ENABLED}`;
/** Notes whether the certificate came with its whole chain. */
const NOTING_CHAIN = `,
chain AS (
  UPDATE authenticators SET last_auth_resolved_to_root = NOT $8::boolean FROM held
  WHERE id = $3 AND last_auth_resolved_to_root = $8::boolean)`;
const byToken = (column: string) => `${POLICY} JOIN external_jwt_signers e ON e.id = $10
  WHERE i.${column} = $2 AND ${IS_ENABLED} AND e.is_enabled AND ${allowsSigner('$10')}
  AND NOT ${isRevokedSql({ tokenId: '$18', identityId: 'i.id', issuedAt: '$19' })} FOR KEY SHARE OF i, e`;

const openings = <R>(answer: AnswerSql) => ({
  byPassword: opening<R>(
    answer,
    'api-session-open-password',
    `${AUTHENTICATOR} AND p.updb_allowed AND a.password_hash = $18 FOR KEY SHARE OF i, a`,
  ),
  byCertificate: opening<R>(
    answer,
    'api-session-open-certificate',
    `${AUTHENTICATOR} AND p.cert_allowed AND a.fingerprint = $18 FOR KEY SHARE OF i, a`,
    NOTING_CHAIN,
  ),
  byClaim: opening<R>(
    answer,
    'api-session-open-claim',
    `${POLICY}
  WHERE i.external_id = $2 AND ${IS_ENABLED} AND p.cert_allowed AND (p.cert_allow_expired OR NOT $18::boolean)
  FOR KEY SHARE OF i`,
  ),
  byTokenWithId: opening<R>(answer, 'api-session-open-token-id', byToken('id')),
  byTokenWithExternalId: opening<R>(answer, 'api-session-open-token-external-id', byToken('external_id')),
});

/** Makes the statements once. @returns the one for a proof, with its values */
export function sessionOpening<R>(answer: AnswerSql): (proof: LoginProof) => OpeningStatement<R> {
  const statements = openings<R>(answer);
  return (proof) => {
    switch (proof.by) {
      case 'password':
        return {
          statement: statements.byPassword,
          names: proof.identityId,
          shown: [proof.passwordHash],
        };
      case 'certificate':
        return {
          statement: statements.byCertificate,
          names: proof.identityId,
          shown: [proof.fingerprint],
        };
      case 'claim':
        return {
          statement: statements.byClaim,
          names: proof.externalId,
          caId: proof.caId,
          shown: [proof.isExpired],
        };
      case 'token': {
        const statement = proof.useExternalId ? statements.byTokenWithExternalId : statements.byTokenWithId;
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
  /** Values from $18 on. */
  readonly shown: readonly unknown[];
}
