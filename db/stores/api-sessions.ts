/** API sessions: authenticated callers. The token is stored as its hash only. */
import type { RequiredSigner } from '../../domain/auth/external-signer.js';
import type { Trace } from '../../domain/administration.js';
import type { ApiSession, LoginMethod, SessionApi } from '../../domain/credentials.js';
import type { JsonObject, Page } from '../../domain/model.js';
import { hashToken } from '../../domain/auth/tokens.js';
import { notFound } from '../../domain/errors.js';
import { allowsSigner } from './auth-policies.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { sessionOpening } from './session-opening.js';
import type { Proof } from './session-opening.js';
import { entity } from '../query/entity.js';
import { bytes, expression, flag, text, textArray, time } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { ListSource } from '../query/table.js';
import { asyncChange, change, read } from '../postgres/statement.js';

type Row = Omit<ApiSession, 'identity' | 'requiredSigner'> & {
  readonly identityId: string;
  readonly identityName: string;
  readonly authPolicyId: string;
  readonly requiredSigner: SignerFields | null;
};

type SignerFields = Omit<RequiredSigner, 'keySource'> & {
  readonly certPem: string | null;
  readonly jwksEndpoint: string | null;
};

/** The identity has TOTP or its policy asks for it, and this session has not given a code. */
export const OWES_TOTP = '((m.id IS NOT NULL OR p.require_totp) AND NOT t.is_mfa_complete)';
/** The signer that the policy requires; few have one, and others cost no more than a NULL. */
const REQUIRED_SIGNER = `CASE WHEN r.id IS NOT NULL THEN jsonb_build_object('id', r.id, 'issuer', r.issuer,
  'audience', r.audience, 'kid', r.kid, 'certPem', r.cert_pem, 'jwksEndpoint', r.jwks_endpoint,
  'claimsProperty', r.claims_property, 'isEnabled', r.is_enabled, 'clientId', r.client_id,
  'externalAuthUrl', r.external_auth_url, 'scopes', r.scopes, 'version', r.updated_at::text,
  'subject', CASE WHEN r.use_external_id THEN i.external_id ELSE i.id END) END`;
/** Joined for them: identities `i` of sessions `t`, auth policies `p`, second factors `m`, required signers `r`. */
export const JOINS = `JOIN identities i ON i.id = t.identity_id LEFT JOIN authenticators a ON a.id = t.authenticator_id
  JOIN auth_policies p ON p.id = i.auth_policy_id LEFT JOIN mfas m ON m.identity_id = i.id AND m.is_verified
  LEFT JOIN external_jwt_signers r ON r.id = p.require_ext_jwt_signer_id`;

export const apiSession = entity<Row>(
  'api_sessions',
  {
    tokenHash: bytes().filteredAs('token').filteredBy({
      kind: 'string',
      sql: 't.token_hash',
      nullable: false,
      equalityOnly: true,
      encode: hashToken,
    }),
    identityId: text().filteredAs('identity'),
    lastActivityAt: time(),
    authenticatorId: text().filteredAs('authenticator'),
    ipAddress: text().filteredBy({ kind: 'string', sql: 't.ip_address COLLATE "C"', nullable: false }),
    isMfaComplete: flag().filteredAs('mfaComplete'),
    isMfaRequired: expression<boolean>('(m.id IS NOT NULL)').filteredAs('mfaRequired').filteredBy({
      kind: 'boolean',
      sql: 'EXISTS (SELECT FROM mfas m WHERE m.identity_id = t.identity_id AND m.is_verified)',
      nullable: false,
      readsRows: true,
    }),
    improperClientCertChain: flag(),
    configTypes: textArray().unfiltered(),
    identityName: expression('i.name'),
    authPolicyId: expression('i.auth_policy_id'),
    isCertExtendable: expression('coalesce(a.is_issued_by_network, false)'),
    isCertExtendRequested: expression('(a.extend_requested_at IS NOT NULL)'),
    isCertKeyRollRequested: expression('coalesce(a.is_key_roll_requested, false)'),
    owesTotp: expression(OWES_TOTP),
    requiredSigner: expression(REQUIRED_SIGNER),
  },
  // Nothing of it can be set, and its last change moves with the activity of its user.
  { name: 'apiSession', collections: ['api-sessions'], versionedBy: 'createdAt', joins: JOINS },
);

const source: ListSource<Row, ApiSession> = { ...apiSession.source, fromRow };

function fromRow(row: Row): ApiSession {
  return {
    identity: { id: row.identityId, name: row.identityName, authPolicyId: row.authPolicyId },
    authenticatorId: row.authenticatorId,
    tokenHash: row.tokenHash,
    ipAddress: row.ipAddress,
    configTypes: row.configTypes,
    isMfaRequired: row.isMfaRequired,
    isMfaComplete: row.isMfaComplete,
    owesTotp: row.owesTotp,
    requiredSigner: row.requiredSigner && signerFrom(row.requiredSigner),
    isCertExtendable: row.isCertExtendable,
    isCertExtendRequested: row.isCertExtendRequested,
    isCertKeyRollRequested: row.isCertKeyRollRequested,
    improperClientCertChain: row.improperClientCertChain,
    lastActivityAt: row.lastActivityAt,
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

function signerFrom({ certPem, jwksEndpoint, ...signer }: SignerFields): RequiredSigner {
  return { ...signer, keySource: { certificate: certPem === null ? null : { certPem }, jwksEndpoint } };
}

/** Who a token belongs to, with what decides the caller's rights. */
export interface SessionOwner {
  readonly session: ApiSession;
  readonly isAdmin: boolean;
  /** What it may administer, sorted. */
  readonly permissions: readonly string[];
  readonly roleAttributes: readonly string[];
  /** Moves with what is known of its device. */
  readonly postureRevision: number;
  /** Of the identity, until it ends. */
  readonly trace: Trace | null;
  /** The API whose login opened the session, and never changes. */
  readonly api: SessionApi;
  /** SHA-256 of the certificate that the session was opened with; null without one. */
  readonly certificateHash: Buffer | null;
  /** Names what decides the rights and what is shown of them: it differs once any of it has changed. */
  readonly state: string;
}

/** Everything that a copy of a session in memory holds of rows that others may change. */
const STATE = `md5(row(i.name, i.is_admin, i.is_default_admin, i.permissions, i.role_attributes,
  a.is_issued_by_network, a.extend_requested_at, a.is_key_roll_requested, t.config_types,
  m.id, p.require_totp, t.is_mfa_complete, r.id, r.updated_at, i.external_id, t.posture_revision,
  x.trace_id, x.ends_at)::text)`;
const STATE_JOINS = `${JOINS} LEFT JOIN identity_traces x ON x.identity_id = i.id`;
/** The identity's policy `p` accepts the way in which the session `t` was made. */
const IS_ACCEPTED = `CASE t.method WHEN 'password' THEN p.updb_allowed WHEN 'cert' THEN p.cert_allowed
  ELSE EXISTS (SELECT FROM external_jwt_signers e WHERE e.id = t.signer_id AND e.is_enabled)
  AND ${allowsSigner('t.signer_id')} END`;
export const MAY_CALL = `NOT ${isDisabledSql('i')} AND ${IS_ACCEPTED}`;

const OWNER = `${apiSession.columns}, ${source.extras ?? ''},
  (i.is_admin OR i.is_default_admin) AS "isAdmin", i.permissions, i.role_attributes AS "roleAttributes",
  t.posture_revision AS "postureRevision", x.trace_id AS "traceId", x.ends_at AS "endsAt", t.api,
  t.certificate_hash AS "certificateHash",
  ${STATE} AS state`;

const BY_TOKEN = read<OwnerRow>(
  'api-session-owner',
  `SELECT ${OWNER}
FROM api_sessions t ${STATE_JOINS}
WHERE t.token_hash = $1 AND t.last_activity_at > now() - make_interval(secs => $2) AND ${MAY_CALL}`,
);

/** What routers report keeps a session for so long after the last request of its client, and no longer. */
const REPORTED_SECONDS = 86_400;

/**
 * Ages, not times: only the database's clock decides when a session has been idle for too long. What was written less
 * than `$4` seconds ago is left as it is, so that a client that calls all the time costs no write each time. Rows are
 * locked in one order, so that two controllers never wait for each other.
 */
const TOUCH = asyncChange<TouchedSession & { id: string }>(
  'api-sessions-touch',
  ({ returningActor }) => `WITH u AS MATERIALIZED (SELECT id, now() - make_interval(secs => age) AS at,
    now() - make_interval(secs => requested_age) AS requested_at
  FROM unnest($1::text[], $2::float8[], $3::float8[]) AS used (id, age, requested_age)),
due AS MATERIALIZED (SELECT s.id, c.at, u.requested_at FROM u JOIN api_sessions s ON s.id = u.id
  CROSS JOIN LATERAL (SELECT least(u.at,
    greatest(s.last_request_at, u.requested_at) + make_interval(secs => ${REPORTED_SECONDS})) AS at OFFSET 0) c
  WHERE s.last_activity_at < c.at AND s.last_activity_at <= now() - make_interval(secs => $4)
  ORDER BY s.id FOR NO KEY UPDATE OF s),
written AS (
  UPDATE api_sessions s SET last_activity_at = greatest(s.last_activity_at, due.at),
    updated_at = greatest(s.updated_at, due.at), last_request_at = greatest(s.last_request_at, due.requested_at)
  FROM due WHERE s.id = due.id${returningActor})
SELECT t.id, ${STATE} AS state, CASE WHEN t.last_activity_at < u.at
  THEN greatest(0, $4 - extract(epoch FROM now() - t.last_activity_at))::float8 ELSE 0 END AS "waitsSeconds"
FROM u JOIN api_sessions t ON t.id = u.id ${STATE_JOINS} WHERE ${MAY_CALL}`,
);

/** Ends all for which the condition holds, as `t`, in the order in which everything locks them (Order of locks). */
export const endAll = (condition: string): string =>
  `WITH chosen AS MATERIALIZED (SELECT ARRAY (SELECT id FROM api_sessions WHERE ${condition}) AS ids),
  held AS MATERIALIZED (SELECT ids, hold_api_sessions(ids) AS n FROM chosen)
DELETE FROM api_sessions t USING held h WHERE h.n > 0 AND t.id = ANY (h.ids)`;

type OwnerRow = Row &
  Omit<SessionOwner, 'session' | 'trace'> & { readonly traceId: string | null; readonly endsAt: Date | null };

/** What the client tells of itself; null: nothing, and what is known of the identity stays. */
export interface ClientInfo {
  readonly envInfo: JsonObject | null;
  readonly sdkInfo: JsonObject | null;
}

export interface ApiSessionDraft {
  readonly id: string;
  readonly authenticatorId: string;
  readonly method: LoginMethod;
  readonly tokenHash: Buffer;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  readonly improperClientCertChain?: boolean;
  /** The API whose login it is. */
  readonly api: SessionApi;
  /** SHA-256 of the certificate that the login was by; null for another kind of login. */
  readonly certificateHash: Buffer | null;
  /** API sessions that its identity may have: beyond them the least recently used end. null: as many as there are. */
  readonly mostOfIdentity?: number | null;
  /** The login is counted in the audit record, not recorded. */
  readonly isSummed?: boolean;
}

/** The latest use of a session. */
export interface Activity {
  readonly at: Date;
  /** Its latest request; null when routers alone reported a use. */
  readonly requestedAt: Date | null;
}

/** Of a session whose activity was to be recorded. */
export interface TouchedSession {
  /** As in `SessionOwner`. */
  readonly state: string;
  /** Its activity is not written yet, and shall be after so long; 0: it is written. */
  readonly waitsSeconds: number;
}

export interface ApiSessionStore {
  get(id: string): Promise<ApiSession>;
  list(request: ListRequest): Promise<Page<ApiSession>>;
  /**
   * Opens a session and notes what the client tells of itself.
   * @returns undefined when the proof does not hold (any more), or the identity or its policy allows no such login
   */
  open(draft: ApiSessionDraft, proof: Proof, client: ClientInfo): Promise<SessionOwner | undefined>;
  /**
   * Some router was sent its token, as the database has it: whoever sends one commits that before. True of a session
   * that is not there.
   */
  isSharedWithRouters(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Its identity ends it. @param isSummed  it is counted in the audit record, not recorded */
  logOut(id: string, isSummed: boolean): Promise<void>;
  /** It has given a code of its identity's second factor, now. @throws DomainError `notFound` */
  completeMfa(id: string): Promise<void>;
  /** Ends the API sessions of an identity. @param keptId  but this one */
  removeOf(identityId: string, keptId?: string): Promise<void>;
  /** @param timeoutSeconds sessions idle for longer do not count */
  findOwner(tokenHash: Buffer, timeoutSeconds: number): Promise<SessionOwner | undefined>;
  /**
   * Records the latest activity of many sessions; never moves one back. Answers those that are still good, by id: one
   * that is missing there was ended, or its identity disabled.
   * @param restSeconds  activity is not written sooner after the last that was; 0: at once
   */
  touch(activity: ReadonlyMap<string, Activity>, restSeconds: number): Promise<ReadonlyMap<string, TouchedSession>>;
  /** Deletes what has been idle for longer than the timeout; answers how many there were. */
  sweep(timeoutSeconds: number, max: number): Promise<number>;
}

const openingFor = sessionOpening<OwnerRow>({ columns: OWNER, joins: STATE_JOINS });

const ownerFrom = (row: OwnerRow): SessionOwner => ({
  session: fromRow(row),
  isAdmin: row.isAdmin,
  permissions: row.permissions,
  roleAttributes: row.roleAttributes,
  postureRevision: row.postureRevision,
  api: row.api,
  certificateHash: row.certificateHash,
  trace: row.traceId === null || row.endsAt === null ? null : { traceId: row.traceId, endsAt: row.endsAt },
  state: row.state,
});

const IS_SHARED = read<{ isShared: boolean }>(
  'api-session-is-shared',
  'SELECT is_shared_with_routers AS "isShared" FROM api_sessions WHERE id = $1',
);

const LOG_OUT = change(
  'api-session-log-out',
  ({ actor }) => `DELETE FROM api_sessions WHERE id = $1 RETURNING set_config('edge.summed', $2, true)${actor}`,
);

const COMPLETE_MFA = change(
  'api-session-complete-mfa',
  ({ returningActor }) => `UPDATE api_sessions SET is_mfa_complete = true, mfa_passed_at = now(),
  posture_revision = posture_revision + 1 WHERE id = $1${returningActor}`,
);

const API_SESSIONS_OF_IDENTITY = change(
  'api-sessions-of-identity',
  ({ actor }) => `${endAll('identity_id = $1 AND id <> $2')} RETURNING t.id${actor}`,
);

const SWEEP = change(
  'api-sessions-sweep',
  ({ returningActor }) =>
    `${endAll('last_activity_at <= now() - make_interval(secs => $2) LIMIT $1')}${returningActor}`,
);

export function apiSessionStore(db: Db, lists: Lists): ApiSessionStore {
  return {
    get: (id) => apiSession.get(db, id).then(fromRow),
    list: (request) => lists.page(db, source, request),
    async open(draft, proof, { envInfo, sdkInfo }) {
      const { statement, names, caId = null, signerId = null, shown } = openingFor(proof);
      const row = await db.one(statement, [
        draft.id,
        names,
        draft.authenticatorId,
        draft.tokenHash,
        draft.ipAddress,
        draft.configTypes,
        caId,
        draft.improperClientCertChain ?? false,
        draft.method,
        signerId,
        envInfo && JSON.stringify(envInfo),
        sdkInfo && JSON.stringify(sdkInfo),
        draft.api,
        draft.certificateHash,
        draft.mostOfIdentity ?? null,
        draft.isSummed === true ? 'on' : '',
        ...shown,
      ]);
      // Those beyond the bound that it ended are heard of by NOTIFY: no answer of this login depends on them.
      db.touched?.('auditRecords');
      return row && ownerFrom(row);
    },
    async isSharedWithRouters(id) {
      const row = await db.one(IS_SHARED, [id]);
      return row?.isShared ?? true;
    },
    async remove(id) {
      await apiSession.remove(db, id);
      db.touched?.({ apiSession: id });
    },
    async logOut(id, isSummed) {
      const rowCount = await db.count(LOG_OUT, [id, isSummed ? 'on' : '']);
      db.touched?.({ apiSession: id });
      if (rowCount === 0) throw notFound(apiSession.name, id);
    },
    async completeMfa(id) {
      const rowCount = await db.count(COMPLETE_MFA, [id]);
      db.touched?.({ postureOf: id });
      if (rowCount === 0) throw notFound(apiSession.name, id);
    },
    async removeOf(identityId, keptId) {
      await db.execute(API_SESSIONS_OF_IDENTITY, [identityId, keptId ?? '']);
      db.touched?.({ identity: identityId });
    },
    async findOwner(tokenHash, timeoutSeconds) {
      const row = await db.one(BY_TOKEN, [tokenHash, timeoutSeconds]);
      return row && ownerFrom(row);
    },
    async touch(activity, restSeconds) {
      const now = Date.now();
      const ageOf = (at: Date) => Math.max(0, now - at.getTime()) / 1000;
      const uses = [...activity.values()];
      const rows = await db.many(TOUCH, [
        [...activity.keys()],
        uses.map(({ at }) => ageOf(at)),
        uses.map(({ requestedAt }) => requestedAt && ageOf(requestedAt)),
        restSeconds,
      ]);
      return new Map(rows.map(({ id, ...touched }) => [id, touched]));
    },
    async sweep(timeoutSeconds, max) {
      return db.count(SWEEP, [max, timeoutSeconds]);
    },
  };
}
