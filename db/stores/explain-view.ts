/** Facts that decide one access, in a few statements, none of which looks at pairs. */
import type { PolicyType } from '../../domain/model.js';
import type {
  AccessFacts,
  AuthPolicyFacts,
  ExplainedPolicy,
  LoginFacts,
  NearPolicy,
  RefusalFacts,
  RouterFacts,
  TerminatorFact,
} from '../../domain/explain/facts.js';
import { reachedFrom } from '../../domain/explain/reach.js';
import type { LinkEnds } from '../../domain/explain/reach.js';
import type { NamedRef } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';
import { allowedBy } from './advice-view.js';
import { isDisabledSql } from './disabled.js';
import { ASKED_CHECKS, postureOf, toAskedChecks, UNKNOWN_POSTURE } from './postures.js';
import type { AskedRow } from './postures.js';
import { HOST_IS_ALIVE, isOnlineSql } from './router-channels.js';
import { withSelectors } from './session-grants.js';

export interface ExplainWish {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: PolicyType;
  /** The router that the question is about; null: any. */
  readonly routerId: string | null;
  /** The API session that it is about; null: the one that was used last. */
  readonly apiSessionId: string | null;
}

/** Facts, or which of the three is not there. */
export type Explainable = { readonly facts: AccessFacts } | { readonly missing: 'identity' | 'service' | 'router' };

export interface ExplainView {
  on(wish: ExplainWish): Promise<Explainable>;
}

interface SubjectRow {
  readonly identity: (NamedRef & { isDisabled: boolean; disabledUntil: string | null }) | null;
  readonly authPolicy: AuthPolicyFacts | null;
  readonly service: NamedRef | null;
  readonly authenticators: number;
  readonly enrollments: number;
  readonly isAtManagement: boolean;
  readonly logins: number;
  readonly login: (Omit<LoginFacts, 'at' | 'count'> & { at: string }) | null;
  readonly refusal: { at: string; checks: readonly NamedRef[] | null } | null;
  readonly now: Date;
}

const IS_LIVE = '(s.expires_at IS NULL OR s.expires_at > now())';

/** The login `s` at the client API that the identity with this id used last, of those that the condition allows. */
export const lastLoginOf = (identityId: string, condition = 'true'): string =>
  `FROM api_sessions s WHERE s.identity_id = ${identityId} AND s.api = 'client' AND ${IS_LIVE} AND ${condition}
    ORDER BY s.last_request_at DESC, s.created_at DESC, s.id LIMIT 1`;

/**
 * The same of every identity whose id is among `ids`, with those columns of a session that its device is told by. The
 * logins are found first and then sorted: by the index of identities each row is read by itself.
 */
export const lastLoginsOf = (ids: string): string => `SELECT DISTINCT ON (identity_id) *
  FROM (SELECT s.id, s.identity_id, s.mfa_passed_at, s.expires_at, s.last_request_at, s.created_at
    FROM api_sessions s WHERE s.api = 'client' AND ${IS_LIVE} AND s.identity_id IN (${ids}) OFFSET 0) s
  ORDER BY identity_id, last_request_at DESC, created_at DESC, id`;

/** The client of session `s` shows signed tokens. Such clients report on their devices to routers alone. */
export const IS_JUDGED_ELSEWHERE = 's.expires_at IS NOT NULL';

const SUBJECT = slowRead<SubjectRow>(
  'explain-subject',
  `SELECT now() AS now,
  (SELECT json_build_object('id', i.id, 'name', i.name, 'isDisabled', ${isDisabledSql('i')},
    'disabledUntil', i.disabled_until) FROM identities i WHERE i.id = $1) AS identity,
  (SELECT json_build_object('id', p.id, 'name', p.name, 'requiresTotp', p.require_totp, 'requiredSigner',
      (SELECT e.name FROM external_jwt_signers e WHERE e.id = p.require_ext_jwt_signer_id))
    FROM identities i JOIN auth_policies p ON p.id = i.auth_policy_id WHERE i.id = $1) AS "authPolicy",
  (SELECT json_build_object('id', id, 'name', name) FROM services WHERE id = $2) AS service,
  (SELECT count(*)::int FROM authenticators WHERE identity_id = $1) AS authenticators,
  (SELECT count(*)::int FROM enrollments WHERE identity_id = $1) AS enrollments,
  EXISTS (SELECT FROM api_sessions s WHERE s.identity_id = $1 AND s.api = 'management' AND ${IS_LIVE})
    AS "isAtManagement",
  (SELECT count(*)::int FROM api_sessions s WHERE s.identity_id = $1 AND s.api = 'client' AND ${IS_LIVE}) AS logins,
  (SELECT json_build_object('id', s.id, 'method', s.method, 'at', s.created_at,
      'isFull', is_fully_authenticated(s.id), 'isJudgedElsewhere', ${IS_JUDGED_ELSEWHERE},
      'owesCode', NOT s.is_mfa_complete AND (p.require_totp
        OR EXISTS (SELECT FROM mfas m WHERE m.identity_id = i.id AND m.is_verified)))
    FROM (SELECT s.* ${lastLoginOf('$1', '($4::text IS NULL OR s.id = $4)')}) s
      JOIN identities i ON i.id = s.identity_id JOIN auth_policies p ON p.id = i.auth_policy_id) AS login,
  (SELECT json_build_object('at', f.at, 'checks', (SELECT json_agg(DISTINCT jsonb_build_object(
        'id', c ->> 'postureCheckId', 'name', c ->> 'postureCheckName'))
      FROM jsonb_array_elements(f.policy_failures) p, jsonb_array_elements(p -> 'checks') c))
    FROM failed_service_requests f WHERE f.identity_id = $1 AND f.service_id = $2 AND f.session_type = $3
    ORDER BY f.place DESC LIMIT 1) AS refusal`,
);

/** Near policies that are shown. */
const NEAR = 10;
/** Missing roles that are shown of each. */
const MISSING = 10;

const missingOf = (roles: string, e: string): string =>
  `ARRAY (SELECT r FROM unnest(p.${roles}) r WHERE r LIKE '#%' AND r <> ALL (${e}.selectors)
    ORDER BY r LIMIT ${MISSING})`;

interface PolicyRow {
  readonly granting: readonly (NamedRef & { asked: readonly AskedRow[] | null })[] | null;
  readonly near: readonly NearPolicy[] | null;
}

const POLICIES = slowRead<PolicyRow>(
  'explain-policies',
  `WITH ti AS MATERIALIZED ${withSelectors('identities', 'e.id = $1')},
  ts AS MATERIALIZED ${withSelectors('services', 'e.id = $2')},
  p AS MATERIALIZED (SELECT p.id, p.name, p.semantic, p.identity_roles, p.service_roles, p.posture_check_roles,
      role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes) AS has_identity,
      role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes) AS has_service
    FROM ti, ts, service_policies p
    WHERE p.type = $3 AND (p.identity_roles && ti.selectors OR p.service_roles && ts.selectors))
SELECT (SELECT json_agg(json_build_object('id', p.id, 'name', p.name, 'asked', ${ASKED_CHECKS})
      ORDER BY p.name) FROM p WHERE has_identity AND has_service) AS granting,
  (SELECT json_agg(n ORDER BY cardinality(n.missing) = 0, cardinality(n.missing), n.name) FROM (
    SELECT p.id, p.name, p.semantic, CASE WHEN has_identity THEN 'service' ELSE 'identity' END AS lacks,
      CASE WHEN has_identity THEN ${missingOf('service_roles', 'ts')}
        ELSE ${missingOf('identity_roles', 'ti')} END AS missing
    FROM p, ti, ts WHERE has_identity <> has_service
    ORDER BY cardinality(p.identity_roles) + cardinality(p.service_roles), p.name LIMIT ${NEAR}) n) AS near`,
);

/** Clients are told of the router `r`, unless it is disabled. */
export const IS_USABLE = `EXISTS (SELECT FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
    WHERE c.router_id = r.id AND ${HOST_IS_ALIVE} AND c.sync_status = 'SYNC_DONE' AND c.protocols <> '{}')`;

/** Routers in common that are shown. */
const ROUTERS_SHOWN = 20;

const ROUTERS = slowRead<RouterFacts>(
  'explain-routers',
  `WITH identity AS MATERIALIZED ${withSelectors('identities', 'e.id = $1')},
  service AS MATERIALIZED ${withSelectors('services', 'e.id = $2')},
  edge_routers AS MATERIALIZED ${withSelectors('routers', 'e.is_edge')},
  ${allowedBy('edge_router_policies', 'identity_roles', 'identity')},
  ${allowedBy('service_edge_router_policies', 'service_roles', 'service')},
  known AS MATERIALIZED (SELECT r.id, r.name, r.disabled AS "isDisabled",
      NOT r.disabled AND ${IS_USABLE} AS "isOnline",
      r.id IN (SELECT id FROM routers_for_identity) AS "isForIdentity",
      r.id IN (SELECT id FROM routers_for_service) AS "isForService"
    FROM routers r WHERE r.is_edge AND (r.id = $3
      OR r.id IN (SELECT id FROM routers_for_identity INTERSECT SELECT id FROM routers_for_service))),
  common AS (SELECT id, name, "isOnline", "isDisabled" FROM known WHERE "isForIdentity" AND "isForService")
SELECT (SELECT count(*)::int FROM routers_for_identity) AS "ofIdentity",
  (SELECT count(*)::int FROM routers_for_service) AS "ofService",
  (SELECT count(*)::int FROM common) AS common,
  ARRAY (SELECT id FROM common WHERE "isOnline") AS "onlineIds",
  (SELECT coalesce(json_agg(s ORDER BY s."isOnline" DESC, s.name), '[]')
    FROM (SELECT * FROM common ORDER BY "isOnline" DESC, name LIMIT ${ROUTERS_SHOWN}) s) AS shown,
  (SELECT row_to_json(known) FROM known WHERE id = $3) AS asked`,
);

/** Terminators that are looked at, and shown. */
const MOST_TERMINATORS = 20_000;
const TERMINATORS_SHOWN = 10;

interface TerminatorRow {
  readonly count: number;
  readonly plainCount: number;
  readonly routerIds: readonly string[];
  readonly shown: readonly TerminatorFact[] | null;
}

const TERMINATORS = slowRead<TerminatorRow>(
  'explain-terminators',
  `WITH t AS MATERIALIZED (SELECT id, router_id, host_id, instance_id FROM terminators WHERE service_id = $1
    LIMIT ${MOST_TERMINATORS}),
  online AS MATERIALIZED (SELECT r.router_id AS id FROM (SELECT DISTINCT router_id FROM t) r
    WHERE ${isOnlineSql('r.router_id')})
SELECT (SELECT count(*)::int FROM t) AS count,
  (SELECT count(*)::int FROM t WHERE instance_id = '') AS "plainCount",
  ARRAY (SELECT DISTINCT router_id FROM t WHERE instance_id = '' AND router_id IN (SELECT id FROM online))
    AS "routerIds",
  (SELECT json_agg(json_build_object('id', t.id, 'instanceId', t.instance_id,
      'host', (SELECT json_build_object('id', i.id, 'name', i.name) FROM identities i WHERE i.id = t.host_id),
      'router', json_build_object('id', t.router_id, 'name',
        coalesce((SELECT r.name FROM routers r WHERE r.id = t.router_id), '')),
      'isRouterOnline', t.router_id IN (SELECT id FROM online)))
    FROM (SELECT * FROM t ORDER BY id LIMIT ${TERMINATORS_SHOWN}) t) AS shown`,
);

/** Links that carry traffic, as the controllers tell of them that are there. */
export const CARRYING_LINKS = slowRead<{ links: readonly LinkEnds[]; ends: readonly string[] }>(
  'explain-links',
  `SELECT (SELECT coalesce(json_agg(DISTINCT
      jsonb_build_object('from', l.source_router_id, 'to', l.dest_router_id)), '[]')
    FROM router_links l JOIN router_hosts h ON h.id = l.host_id LEFT JOIN router_link_settings s ON s.id = l.id
    WHERE ${HOST_IS_ALIVE} AND NOT coalesce(s.is_down, false)) AS links,
  ARRAY (SELECT id FROM routers WHERE no_traversal) AS ends`,
);

const NO_POLICIES: PolicyRow = { granting: null, near: null };
const NO_ROUTERS: RouterFacts = { ofIdentity: 0, ofService: 0, common: 0, shown: [], onlineIds: [], asked: null };
const NO_TERMINATORS: TerminatorRow = { count: 0, plainCount: 0, routerIds: [], shown: null };

export function explainView(db: Db): ExplainView {
  return {
    async on({ identityId, serviceId, type, routerId, apiSessionId }) {
      const subject = await db.one(SUBJECT, [identityId, serviceId, type, apiSessionId]);
      if (subject?.identity == null || subject.authPolicy === null) return { missing: 'identity' };
      if (subject.service === null) return { missing: 'service' };
      // One after the other: a snapshot is read over one connection.
      const policies = (await db.one(POLICIES, [identityId, serviceId, type])) ?? NO_POLICIES;
      const routers = (await db.one(ROUTERS, [identityId, serviceId, routerId])) ?? NO_ROUTERS;
      const found = (type === 'Dial' ? await db.one(TERMINATORS, [serviceId]) : undefined) ?? NO_TERMINATORS;
      if (routerId !== null && routers.asked === null) return { missing: 'router' };
      const { login } = subject;
      const granting = (policies.granting ?? []).map(({ asked, ...policy }) => ({
        ...policy,
        checks: toAskedChecks(asked),
      }));
      const known =
        login?.isJudgedElsewhere === false && asksForPosture(granting) ? await postureOf(db, login.id) : undefined;
      const reached = await reachedCount(db, routers, found.routerIds);
      const facts: AccessFacts = {
        type,
        now: known?.now ?? subject.now,
        identity: { ...subject.identity, disabledUntil: timeOrNull(subject.identity.disabledUntil) },
        service: subject.service,
        authPolicy: subject.authPolicy,
        authenticators: subject.authenticators,
        enrollments: subject.enrollments,
        login: login && { ...login, at: new Date(login.at), count: subject.logins },
        isAtManagement: subject.isAtManagement,
        granting,
        near: policies.near ?? [],
        posture: (known ?? UNKNOWN_POSTURE).state,
        routers,
        terminators: { ...found, shown: found.shown ?? [], reached },
        refusal: refusalOf(subject.refusal),
      };
      return { facts };
    },
  };
}

const timeOrNull = (time: string | null): Date | null => (time === null ? null : new Date(time));

const refusalOf = (row: SubjectRow['refusal']): RefusalFacts | null =>
  row && { at: new Date(row.at), checks: row.checks ?? [] };

const asksForPosture = (granting: readonly ExplainedPolicy[]): boolean =>
  granting.length > 0 && granting.every(({ checks }) => checks.length > 0);

/** Most often both ends are at one router: links are read where they are not. */
async function reachedCount(db: Db, { onlineIds, asked }: RouterFacts, ends: readonly string[]): Promise<number> {
  const starts = asked === null ? onlineIds : asked.isOnline ? [asked.id] : [];
  if (starts.length === 0 || ends.length === 0) return 0;
  const isStart = new Set(starts);
  const beside = ends.filter((id) => isStart.has(id)).length;
  if (beside === ends.length) return beside;
  const row = await db.one(CARRYING_LINKS);
  if (row === undefined) return beside;
  const reached = reachedFrom(starts, row.links, new Set(row.ends));
  return ends.filter((id) => reached.has(id)).length;
}
