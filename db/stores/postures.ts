/**
 * Facts that devices report, by API session, and the checks that policies ask for. Whether a check passes is decided in
 * domain/posture alone, at the time of the database; nothing of it is stored but the verdict on a session.
 */
import type { BaseEntity, Tags } from '../../domain/model.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import type { NamedChecks } from '../../domain/posture/report.js';
import { NOTHING_KNOWN, readPostureReport } from '../../domain/posture/state.js';
import type { PostureState, PostureReport } from '../../domain/posture/state.js';
import type { Criteria } from '../../domain/posture/criteria.js';
import type { JsonObject } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { jsonText } from '../query/table.js';
import { change, locking, read, slowRead } from '../postgres/statement.js';

/** A policy `p` asks for no posture check: it passes whatever the device is. */
export const ASKS_NOTHING = `(p.posture_check_roles = '{}' OR NOT EXISTS (SELECT FROM posture_checks c
    WHERE role_selects(p.semantic, p.posture_check_roles, c.id, c.role_attributes)))`;

/** The checks that policy `p` asks for, as JSON; null for none. Most policies name none, and look at no check. */
export const ASKED_CHECKS = `CASE WHEN p.posture_check_roles <> '{}' THEN (SELECT json_agg(json_build_object(
    'id', c.id, 'createdAt', c.created_at, 'updatedAt', c.updated_at, 'tags', c.tags, 'name', c.name,
    'typeId', c.type_id, 'criteria', c.criteria) ORDER BY c.id)
  FROM posture_checks c WHERE role_selects(p.semantic, p.posture_check_roles, c.id, c.role_attributes)) END`;

/** An element of ASKED_CHECKS. */
export type AskedRow = Criteria & {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Tags;
  readonly name: string;
};

const NO_CHECKS: readonly AskedCheck[] = [];

export const toAskedChecks = (asked: readonly AskedRow[] | null): readonly AskedCheck[] =>
  asked === null
    ? NO_CHECKS
    : asked.map((row) => ({ ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) }));

/** All that is known of the device of an API session, at a moment. */
export interface KnownPosture {
  readonly state: PostureState;
  /** Moves with the state. */
  readonly revision: number;
  /** The moment, by the clock of the database. */
  readonly now: Date;
}

/** The posture of no API session: nothing in it depends on time. */
export const UNKNOWN_POSTURE: KnownPosture = { state: NOTHING_KNOWN, revision: 0, now: new Date(0) };

interface PostureRow {
  id: string;
  posture_revision: number;
  mfa_passed_at: Date | null;
  reported: unknown;
  woken_at: Date | null;
  unlocked_at: Date | null;
  now: Date;
}

const COLUMNS = `s.id, s.posture_revision, s.mfa_passed_at, p.reported, p.woken_at, p.unlocked_at,
  date_trunc('milliseconds', statement_timestamp()) AS now`;
const SOURCE = 'FROM api_sessions s LEFT JOIN api_session_postures p ON p.api_session_id = s.id';
const ONE = read<PostureRow>('posture', `SELECT ${COLUMNS} ${SOURCE} WHERE s.id = $1`);
const SEVERAL = read<PostureRow>('postures', `SELECT ${COLUMNS} ${SOURCE} WHERE s.id = ANY ($1)`);
const WITH_CHECKS = `SELECT ${COLUMNS},
  (SELECT json_agg(json_build_object('id', c.id, 'typeId', c.type_id, 'criteria', c.criteria))
    FROM posture_checks c WHERE c.id = ANY ($2)) AS checks
${SOURCE} WHERE s.id = $1`;

const fromRow = (row: PostureRow): KnownPosture => ({
  state: {
    ...readPostureReport(row.reported),
    passedMfaAt: row.mfa_passed_at,
    wokenAt: row.woken_at,
    unlockedAt: row.unlocked_at,
  },
  revision: row.posture_revision,
  now: row.now,
});

/** undefined: there is no such API session. */
export async function postureOf(db: Db, apiSessionId: string): Promise<KnownPosture | undefined> {
  const rows = await db.many(ONE, [apiSessionId]);
  return rows[0] && fromRow(rows[0]);
}

export async function posturesOf(db: Db, apiSessionIds: readonly string[]): Promise<Map<string, KnownPosture>> {
  const rows = await db.many(SEVERAL, [apiSessionIds]);
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** All that is known, and the checks that a report names. */
export interface ReportBasis extends KnownPosture {
  readonly checks: NamedChecks;
}

type BasisRow = PostureRow & { checks: readonly (Criteria & Pick<BaseEntity, 'id'>)[] | null };

/** An API session of an identity as administrators see its posture. */
export interface SessionPosture extends KnownPosture {
  readonly apiSessionId: string;
  readonly sdkInfo: JsonObject;
}

/** API sessions of one identity whose posture is shown: the latest. */
const MAX_SHOWN = 500;

const KEEP = change(
  'posture-keep',
  ({ returningActor }) => `WITH kept AS (
  INSERT INTO api_session_postures (api_session_id, reported, woken_at, unlocked_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (api_session_id) DO UPDATE
    SET reported = excluded.reported, woken_at = excluded.woken_at, unlocked_at = excluded.unlocked_at)
UPDATE api_sessions SET posture_revision = posture_revision + 1 WHERE id = $1${returningActor}`,
);

export interface PostureStore {
  /** @returns undefined when the API session is gone */
  basis(apiSessionId: string, checkIds: readonly string[]): Promise<ReportBasis | undefined>;
  /** The same, and no other transaction changes it until this one ends. */
  lockBasis(apiSessionId: string, checkIds: readonly string[]): Promise<ReportBasis | undefined>;
  /** Sessions of the API session are unchecked from then on. */
  keep(apiSessionId: string, state: PostureState): Promise<void>;
  /** Lists those of the API sessions of an identity, the latest first. */
  ofIdentity(identityId: string): Promise<SessionPosture[]>;
  of(apiSessionId: string): Promise<KnownPosture | undefined>;
}

const BASIS = read<BasisRow>('posture-basis', WITH_CHECKS);

const LOCK = locking('posture-lock', 'SELECT FROM api_sessions WHERE id = $1 FOR NO KEY UPDATE');

const POSTURES_OF_IDENTITY = slowRead<PostureRow & { sdk_info: JsonObject }>(
  'postures-of-identity',
  `SELECT ${COLUMNS}, s.sdk_info ${SOURCE} WHERE s.identity_id = $1 ORDER BY s.created_at DESC, s.id
  LIMIT ${MAX_SHOWN}`,
);

export function postureStore(db: Db): PostureStore {
  const basisFrom = (row: BasisRow | undefined): ReportBasis | undefined =>
    row && { ...fromRow(row), checks: new Map((row.checks ?? []).map(({ id, ...check }) => [id, check])) };
  return {
    async basis(apiSessionId, checkIds) {
      const rows = await db.many(BASIS, [apiSessionId, checkIds]);
      return basisFrom(rows[0]);
    },
    async lockBasis(apiSessionId, checkIds) {
      await db.execute(LOCK, [apiSessionId]);
      const rows = await db.many(BASIS, [apiSessionId, checkIds]);
      return basisFrom(rows[0]);
    },
    async keep(apiSessionId, { os, mac, domain, processes, wokenAt, unlockedAt }) {
      const report: PostureReport = { os, mac, domain, processes };
      await db.execute(KEEP, [apiSessionId, jsonText(report), wokenAt, unlockedAt]);
      db.touched?.({ postureOf: apiSessionId });
    },
    async ofIdentity(identityId) {
      const rows = await db.many(POSTURES_OF_IDENTITY, [identityId]);
      return rows.map((row) => ({ ...fromRow(row), apiSessionId: row.id, sdkInfo: row.sdk_info }));
    },
    of: (apiSessionId) => postureOf(db, apiSessionId),
  };
}
