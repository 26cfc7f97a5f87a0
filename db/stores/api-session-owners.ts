/** Owners of API sessions: the callers behind tokens, with all that decides their rights, read in one statement. */
import type { Trace } from '../../domain/administration.js';
import type { ApiSession, LoginMethod, SessionApi } from '../../domain/credentials.js';
import type { Db } from '../postgres/contracts.js';
import { read } from '../postgres/statement.js';
import { apiSession, apiSessionFrom, apiSessionSource, JOINS } from './api-session-rows.js';
import type { ApiSessionRow } from './api-session-rows.js';
import { allowsSigner } from './auth-policies.js';
import { isDisabledSql } from './disabled.js';

/** A session, and all that decides its caller's rights. */
export interface SessionOwner {
  readonly session: ApiSession;
  readonly isAdmin: boolean;
  /** Names which entities it may administer, sorted. */
  readonly permissions: readonly string[];
  readonly roleAttributes: readonly string[];
  /** Moves with what is known of its device. */
  readonly postureRevision: number;
  /** Records what the identity does, until it ends. */
  readonly trace: Trace | null;
  /** The API whose login opened the session; of signed tokens, `management` since their client began to administer. */
  readonly api: SessionApi;
  /** SHA-256 of the certificate that the session was opened with; null without one. */
  readonly certificateHash: Buffer | null;
  /** The end of a session whose client shows signed tokens; null for one that ends when it is not used. */
  readonly expiresAt: Date | null;
  /** Only with a certificate of the session may its token open administration. */
  readonly isCertificateBound: boolean;
  /** Routers may know its token: they were sent it, or its client has called the client API with a signed one. */
  readonly isSharedWithRouters: boolean;
  /** Names what decides the rights and what is shown of them: it differs once any of it has changed. */
  readonly state: string;
  /** The kind of login that opened it. */
  readonly method: LoginMethod;
  readonly externalId: string | null;
}

/** Everything that a copy of a session in memory holds of rows that others may change. */
export const STATE = `md5(row(i.name, i.is_admin, i.is_default_admin, i.permissions, i.role_attributes,
  a.is_issued_by_network, a.extend_requested_at, a.is_key_roll_requested, t.config_types,
  m.id, p.require_totp, t.is_mfa_complete, t.is_certificate_bound, r.id,
  t.expires_at IS NOT NULL AND t.is_shared_with_routers, t.api,
  r.updated_at, i.external_id, t.posture_revision,
  x.trace_id, x.ends_at)::text)`;
export const STATE_JOINS = `${JOINS} LEFT JOIN identity_traces x ON x.identity_id = i.id`;
/** The identity's policy `p` accepts the way in which the session `t` was made. */
const IS_ACCEPTED = `CASE t.method WHEN 'password' THEN p.updb_allowed WHEN 'cert' THEN p.cert_allowed
  ELSE EXISTS (SELECT FROM external_jwt_signers e WHERE e.id = t.signer_id AND e.is_enabled)
  AND ${allowsSigner('t.signer_id')} END`;
export const MAY_CALL = `NOT ${isDisabledSql('i')} AND ${IS_ACCEPTED}`;

export const OWNER = `${apiSession.columns}, ${apiSessionSource.extras ?? ''},
  (i.is_admin OR i.is_default_admin) AS "isAdmin", i.permissions, i.role_attributes AS "roleAttributes",
  t.posture_revision AS "postureRevision", x.trace_id AS "traceId", x.ends_at AS "endsAt", t.api,
  t.certificate_hash AS "certificateHash",
  t.method, i.external_id AS "externalId", t.is_shared_with_routers AS "isSharedWithRouters",
  t.expires_at AS "expiresAt", t.is_certificate_bound AS "isCertificateBound", ${STATE} AS state`;

export type OwnerRow = ApiSessionRow &
  Omit<SessionOwner, 'session' | 'trace'> & { readonly traceId: string | null; readonly endsAt: Date | null };

const BY_TOKEN = read<OwnerRow>(
  'api-session-owner',
  `SELECT ${OWNER}
FROM api_sessions t ${STATE_JOINS}
WHERE t.token_hash = $1 AND t.last_activity_at > now() - make_interval(secs => $2) AND ${MAY_CALL}`,
);

const BY_ID = read<OwnerRow>(
  'api-session-owner-by-id',
  `SELECT ${OWNER}
FROM api_sessions t ${STATE_JOINS} WHERE t.id = $1 AND t.expires_at > now() AND ${MAY_CALL}`,
);

export const ownerFrom = (row: OwnerRow): SessionOwner => ({
  session: apiSessionFrom(row),
  isAdmin: row.isAdmin,
  permissions: row.permissions,
  roleAttributes: row.roleAttributes,
  postureRevision: row.postureRevision,
  api: row.api,
  certificateHash: row.certificateHash,
  method: row.method,
  externalId: row.externalId,
  expiresAt: row.expiresAt,
  isCertificateBound: row.isCertificateBound,
  isSharedWithRouters: row.isSharedWithRouters,
  trace: row.traceId === null || row.endsAt === null ? null : { traceId: row.traceId, endsAt: row.endsAt },
  state: row.state,
});

export async function findOwner(db: Db, tokenHash: Buffer, timeoutSeconds: number): Promise<SessionOwner | undefined> {
  const row = await db.one(BY_TOKEN, [tokenHash, timeoutSeconds]);
  return row && ownerFrom(row);
}

export async function findOwnerById(db: Db, id: string): Promise<SessionOwner | undefined> {
  const row = await db.one(BY_ID, [id]);
  return row && ownerFrom(row);
}
