/** Makes sessions: reads what decides whether one may be made, and makes it only while that still holds. */
import type { PolicyType, Session, Tags } from '../../domain/model.js';
import type { AskedCheck } from '../../domain/posture/evaluate.js';
import type { Db } from '../postgres/contracts.js';
import { changeAside, slowRead } from '../postgres/statement.js';
import { jsonText } from '../query/table.js';
import { ASKED_CHECKS, toAskedChecks } from './postures.js';
import type { AskedRow } from './postures.js';
import { ROUTER_SERVES_BOTH } from './router-access-view.js';
import { GRANTS_EPOCH, IS_ENABLED, SELECTS_BOTH, untilText, withSelectors } from './session-grants.js';
import { session, sessionFrom } from './session-rows.js';
import type { SessionRow } from './session-rows.js';
import { HAS_CHANNELS, routersFor } from './session-routers.js';

/** A use of a service, which a session is made for. */
export interface SessionUse {
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
}

/** Asks for what a session of this use stands on. */
export interface BasisQuestion extends Omit<SessionUse, 'type'> {
  readonly type: string;
  /** One that was to be made for it was refused. */
  readonly wasRefused?: boolean;
}

/** Everything that must be known before a session is made, all read at one moment. */
export interface SessionBasis {
  readonly serviceName: string;
  readonly roleAttributes: readonly string[];
  /** Policies of both types that select the identity and the service, and the posture checks that each asks for. */
  readonly grants: readonly BasisGrant[];
  readonly grantsEpoch: number;
  /** Whether router policies allow some edge router to both the identity and the service. */
  readonly hasEdgeRouter: boolean;
  /** The session that the same use already has, granted or not. */
  readonly session: Session | null;
  readonly edgeRouters: Session['edgeRouters'];
}

export interface BasisGrant {
  readonly policyId: string;
  readonly policyName: string;
  readonly type: PolicyType;
  readonly checks: readonly AskedCheck[];
}

type BasisRow = SessionRow &
  Omit<SessionBasis, 'session' | 'grants'> & {
    grants: readonly (Omit<BasisGrant, 'checks'> & { readonly asked: readonly AskedRow[] | null })[];
  };

/**
 * `$1` service, `$2` identity, `$3` API session, `$4` type. Whether the API session has all factors is asked here of a
 * session that is there; of a new one a trigger asks when it is made, so here only where that refused one (`$5`).
 */
const BASIS = slowRead<BasisRow>(
  'session-basis',
  `SELECT ts.name AS "serviceName", ti.role_attributes AS "roleAttributes",
  ${GRANTS_EPOCH} AS "grantsEpoch",
  (SELECT coalesce(json_agg(
      json_build_object('policyId', p.id, 'policyName', p.name, 'type', p.type, 'asked', ${ASKED_CHECKS})
      ORDER BY p.id), '[]')
    FROM service_policies p WHERE ${SELECTS_BOTH}) AS grants,
  EXISTS (SELECT FROM routers r WHERE r.is_edge AND ${ROUTER_SERVES_BOTH}) AS "hasEdgeRouter",
  ${HAS_CHANNELS} AS "hasChannels",
  ${session.columns}
FROM ${withSelectors('services', 'e.id = $1')} ts
CROSS JOIN ${withSelectors('identities', `e.id = $2 AND ${IS_ENABLED}`)} ti
LEFT JOIN sessions t ON t.api_session_id = $3 AND t.service_id = ts.id AND t.type = $4
WHERE (t.id IS NULL AND NOT $5::boolean) OR is_fully_authenticated($3)`,
);

export async function findBasis(
  db: Db,
  { apiSessionId, identityId, serviceId, type, wasRefused = false }: BasisQuestion,
): Promise<SessionBasis | undefined> {
  const row = await db.one(BASIS, [serviceId, identityId, apiSessionId, type, wasRefused]);
  if (row === undefined) return undefined;
  const { serviceName, roleAttributes, grantsEpoch, hasEdgeRouter } = row;
  const grants = row.grants.map(({ asked, ...grant }) => ({ ...grant, checks: toAskedChecks(asked) }));
  const session = (row.id as string | null) === null ? null : sessionFrom({ ...row, serviceName, policies: null });
  const use = { identityId, serviceId };
  const edgeRouters = row.hasChannels && hasEdgeRouter ? (await routersFor(db, [use]))(use) : [];
  return {
    serviceName,
    roleAttributes,
    grants,
    grantsEpoch,
    hasEdgeRouter,
    session: session && { ...session, edgeRouters },
    edgeRouters,
  };
}

export interface SessionDraft extends SessionUse {
  readonly id: string;
  readonly token: string;
  readonly tags: Tags;
}

/** The posture that a session depends on which only policies with posture checks grant. */
export interface RequiredPosture {
  /** The revision of the posture at which they passed, and until when they do; null: no end. */
  readonly revision: number;
  readonly until: Date | null;
}

/**
 * The identity is locked as it was when its grants were read, so that a change of it sees the session or is seen here.
 * An existing row is taken over: locked against the sweep, and returned in full.
 */
const creating = (name: string, device: string, from: string, until: string) =>
  changeAside<SessionRow>(
    name,
    ({ actor }) => `WITH owner AS (SELECT e.id FROM identities e
  WHERE e.id = $3 AND e.role_attributes = $8::text[] AND ${IS_ENABLED} FOR SHARE)${device}
INSERT INTO sessions AS t
  (id, api_session_id, identity_id, service_id, type, token, tags, granted_epoch, granted_until)
SELECT $1, $2, owner.id, $4, $5, $6, coalesce($7::jsonb, '{}'), $9::bigint, ${until} FROM ${from}
ON CONFLICT (api_session_id, service_id, type)
  DO UPDATE SET granted_epoch = greatest(t.granted_epoch, excluded.granted_epoch),
    granted_until = excluded.granted_until
RETURNING ${session.columns}${actor}`,
    { row: 2 },
  );
const CREATE = creating('session-create', '', 'owner', "'infinity'");
/** One that depends on posture also locks the API session, whose posture must be the one that was looked at. */
const CREATE_UNDER_POSTURE = creating(
  'session-create-posture',
  `,
device AS (SELECT s.id FROM api_sessions s WHERE s.id = $2 AND s.posture_revision = $10 FOR SHARE)`,
  'owner CROSS JOIN device',
  '$11::timestamptz',
);

export async function insertSession(
  db: Db,
  draft: SessionDraft,
  { serviceName, roleAttributes, grantsEpoch, edgeRouters }: SessionBasis,
  posture?: RequiredPosture,
): Promise<Session | undefined> {
  const values = [
    draft.id,
    draft.apiSessionId,
    draft.identityId,
    draft.serviceId,
    draft.type,
    draft.token,
    jsonText(draft.tags),
    roleAttributes,
    grantsEpoch,
  ];
  const row =
    posture === undefined
      ? await db.one(CREATE, values)
      : await db.one(CREATE_UNDER_POSTURE, [...values, posture.revision, untilText(posture.until)]);
  return row && { ...sessionFrom({ ...row, serviceName, policies: null }), edgeRouters };
}
