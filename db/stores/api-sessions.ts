/** API sessions: authenticated callers. */
import type { ApiSession, LoginMethod, SessionApi } from '../../domain/credentials.js';
import type { JsonObject, LazyRow, Page } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { change, read, shortChange } from '../postgres/statement.js';
import type { Lists, ListRequest } from '../query/lists.js';
import { touchApiSessions } from './api-session-activity.js';
import type { Activity, TouchedSession } from './api-session-activity.js';
import { OWNER, STATE_JOINS, findOwner, findOwnerById, ownerFrom } from './api-session-owners.js';
import type { OwnerRow, SessionOwner } from './api-session-owners.js';
import { apiSession, apiSessionFrom, apiSessionSource } from './api-session-rows.js';
import { endAll } from './api-session-ends.js';
import { sessionOpening } from './session-opening.js';
import type { LoginProof } from './session-opening.js';

/** Facts that the client tells of itself; null: nothing, and what is known of the identity stays. */
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
  /** The end of a session whose client shows signed tokens; absent: it ends when it is not used. */
  readonly expiresAt?: Date;
  /** API sessions that its identity may have: beyond them the least recently used end. null: as many as there are. */
  readonly mostOfIdentity?: number | null;
  /** The login is counted in the audit record, not recorded. */
  readonly isSummed?: boolean;
}

export interface ApiSessionStore {
  get(id: string): Promise<ApiSession>;
  list(request: ListRequest): Promise<Page<LazyRow<ApiSession>>>;
  /**
   * Opens a session and notes what the client tells of itself.
   * @returns undefined when the proof does not hold (any more), or the identity or its policy allows no such login
   */
  open(draft: ApiSessionDraft, proof: LoginProof, client: ClientInfo): Promise<SessionOwner | undefined>;
  /**
   * Some router was sent its token, as the database has it: whoever sends one commits that before. True of a session
   * that is not there.
   */
  isSharedWithRouters(id: string): Promise<boolean>;
  /** Whether its client administers with its token alone, and no router can know that, as the database has it. */
  isAdministrative(id: string): Promise<boolean>;
  /** Its client has shown the certificate of the login to administer, before it called the client API. */
  makeAdministrative(id: string): Promise<void>;
  /** Its client has called the client API with a signed token: from now on routers may know it. */
  noteClientUse(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Ends a session that may have ended already. */
  removeIfThere(id: string): Promise<void>;
  /** Its identity ends it. @param isSummed  it is counted in the audit record, not recorded */
  logOut(id: string, isSummed: boolean): Promise<void>;
  /** It has given a code of its identity's second factor, now. @throws DomainError `notFound` */
  completeMfa(id: string): Promise<void>;
  /** Ends the API sessions of an identity. @param keptId  but this one */
  removeOf(identityId: string, keptId?: string): Promise<void>;
  /** @param timeoutSeconds sessions idle for longer do not count */
  findOwner(tokenHash: Buffer, timeoutSeconds: number): Promise<SessionOwner | undefined>;
  /** The same of a session whose client shows signed tokens. */
  findOwnerById(id: string): Promise<SessionOwner | undefined>;
  /** The certificate with this SHA-1 is one by which the client of a session proves that it is that client. */
  isProvenBy(id: string, fingerprint: string): Promise<boolean>;
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

const IS_SHARED = read<{ isShared: boolean }>(
  'api-session-is-shared',
  'SELECT is_shared_with_routers AS "isShared" FROM api_sessions WHERE id = $1',
);

const IS_ADMINISTRATIVE = read<{ isAdministrative: boolean }>(
  'api-session-is-administrative',
  `SELECT api = 'management' AS "isAdministrative" FROM api_sessions WHERE id = $1`,
);

const MAKE_ADMINISTRATIVE = change(
  'api-session-make-administrative',
  ({ returningActor }) => `UPDATE api_sessions SET api = 'management' WHERE id = $1 AND api = 'client'
  AND expires_at IS NOT NULL AND certificate_hash IS NOT NULL AND NOT is_shared_with_routers${returningActor}`,
);

const NOTE_CLIENT_USE = change(
  'api-session-note-client-use',
  ({ returningActor }) => `UPDATE api_sessions SET api = 'client', is_shared_with_routers = true
  WHERE id = $1 AND expires_at IS NOT NULL AND NOT is_shared_with_routers${returningActor}`,
);

const IS_PROVEN = read<{ id: string }>(
  'api-session-is-proven',
  `SELECT id FROM api_session_certificates
  WHERE api_session_id = $1 AND fingerprint = $2 AND is_proof AND valid_to > now()`,
);

const REMOVE = shortChange(
  'api-session-remove',
  { row: 0 },
  ({ returningActor }) => `DELETE FROM api_sessions WHERE id = $1${returningActor}`,
);

/** `once` in $2: it is counted in the audit record, not recorded, and no other change of the transaction is. */
const LOG_OUT = shortChange(
  'api-session-log-out',
  { row: 0, takenBack: 'edge.summed' },
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

/** Two reads by index: one of both conditions would look at every session. */
const IS_OVER = `last_activity_at <= now() - make_interval(secs => $2) AND expires_at IS NULL
  UNION ALL SELECT id FROM api_sessions WHERE expires_at <= now() LIMIT $1`;
const SWEEP = change('api-sessions-sweep', ({ returningActor }) => `${endAll(IS_OVER)}${returningActor}`);

async function openApiSession(
  db: Db,
  draft: ApiSessionDraft,
  proof: LoginProof,
  { envInfo, sdkInfo }: ClientInfo,
): Promise<SessionOwner | undefined> {
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
    draft.expiresAt ?? null,
    ...shown,
  ]);
  // Those beyond the bound that it ended are heard of by NOTIFY: no answer of this login depends on them.
  db.touched?.('auditRecords');
  return row && ownerFrom(row);
}

export function apiSessionStore(db: Db, lists: Lists): ApiSessionStore {
  return {
    get: (id) => apiSession.get(db, id).then(apiSessionFrom),
    list: (request) => lists.unread(db, apiSessionSource, request),
    open: (draft, proof, client) => openApiSession(db, draft, proof, client),
    async isSharedWithRouters(id) {
      const row = await db.one(IS_SHARED, [id]);
      return row?.isShared ?? true;
    },
    async isAdministrative(id) {
      const row = await db.one(IS_ADMINISTRATIVE, [id]);
      return row?.isAdministrative ?? false;
    },
    async makeAdministrative(id) {
      await db.execute(MAKE_ADMINISTRATIVE, [id]);
      db.touched?.({ postureOf: id });
    },
    async noteClientUse(id) {
      await db.execute(NOTE_CLIENT_USE, [id]);
      db.touched?.({ postureOf: id });
    },
    async remove(id) {
      await apiSession.remove(db, id);
      db.touched?.({ apiSession: id });
    },
    async removeIfThere(id) {
      await db.execute(REMOVE, [id]);
      db.touched?.({ apiSession: id });
    },
    async logOut(id, isSummed) {
      const rowCount = await db.count(LOG_OUT, [id, isSummed ? 'once' : '']);
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
    findOwner: (tokenHash, timeoutSeconds) => findOwner(db, tokenHash, timeoutSeconds),
    findOwnerById: (id) => findOwnerById(db, id),
    async isProvenBy(id, fingerprint) {
      return (await db.one(IS_PROVEN, [id, fingerprint])) !== undefined;
    },
    touch: (activity, restSeconds) => touchApiSessions(db, activity, restSeconds),
    sweep: (timeoutSeconds, max) => db.count(SWEEP, [max, timeoutSeconds]),
  };
}
