/**
 * Services that routers with a tunneler reach by themselves, and whether one may host or dial a service. A service is
 * reached when a policy grants it to the router's own identity and router policies allow this router to both. A policy
 * that asks for posture checks grants nothing: nothing is known of a router's device.
 */
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type {
  ModelCatalog,
  ModelConfig,
  ModelConfigType,
  ModelHosting,
  ModelOverride,
  ModelPolicy,
  ModelRouter,
  ModelService,
  RouterReach,
} from '../../domain/fabric/router-model.js';
import type { HostingPrecedence, PolicyType } from '../../domain/model.js';
import type { ModelTouches } from '../../domain/fabric/model-touches.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { gainingRouters } from './gaining-routers.js';
import { ASKS_NOTHING } from './postures.js';
import { ROUTER_SERVES_BOTH, ROUTER_SERVES_IDENTITY } from './router-access-view.js';
import { IS_ENABLED, SELECTS_BOTH, withSelectors } from './session-grants.js';
import { read, slowRead } from '../postgres/statement.js';

/** A config without its data: `version` differs when its data or name may. */
export interface ConfigVersion {
  readonly id: string;
  readonly version: string;
}

/** All of it at one moment. */
export interface ReachedModels {
  /** Greater after every commit that may have changed any of it. */
  readonly index: number;
  /** Names the database: an index of another one means nothing. */
  readonly timelineId: string;
  /** Each router as it is told of itself; those that are gone are missing. */
  readonly routers: ReadonlyMap<string, ModelRouter>;
  /** Services that each router reaches, by router; those without a tunneler are missing. */
  readonly reaches: ReadonlyMap<string, RouterReach>;
  /** Routers whose identity is disabled for a time, and when it ends by the clock of the database. */
  readonly disabledUntil: ReadonlyMap<string, Date>;
  readonly services: ReadonlyMap<string, ModelService>;
  readonly configVersions: readonly ConfigVersion[];
  readonly configTypes: ModelCatalog['configTypes'];
}

/** How a router may use a service for its own identity. */
export interface TunnelAccess {
  /** It has a tunneler, and its identity is enabled. */
  readonly hasIdentity: boolean;
  /** undefined when there is no such service. */
  readonly service: TunnelService | undefined;
}

export interface TunnelService {
  /** The name of the router's own identity. */
  readonly identityName: string;
  readonly serviceId: string;
  readonly isGranted: boolean;
  /** Router policies allow the router to its own identity and the service. */
  readonly isRouterAllowed: boolean;
  readonly encryptionRequired: boolean;
  readonly strategy: Strategy;
  /** 0 for any time. */
  readonly maxIdleMs: number;
}

export interface RouterModelView {
  reached(routerIds: readonly string[]): Promise<ReachedModels>;
  /** Finds of these routers those whose model may hold more by what was touched; others may be among them. */
  gaining(routerIds: readonly string[], touches: ModelTouches): Promise<string[]>;
  /** Configs with their versions; those that are gone are missing. */
  configs(ids: readonly string[]): Promise<(ModelConfig & ConfigVersion)[]>;
  /** undefined when the router is not there, or disabled. */
  access(
    routerId: string,
    type: PolicyType,
    service: { readonly id: string } | { readonly name: string },
  ): Promise<TunnelAccess | undefined>;
  /** Answers those of these services that the router may not use in this way. */
  denied(routerId: string, type: PolicyType, serviceIds: readonly string[]): Promise<string[]>;
}

/** The version of the config `c`. */
const VERSION = `(extract(epoch FROM c.updated_at) * 1000)::bigint::text`;

/**
 * Candidates come by indexes. A role list that overlaps them is all that AnyOf asks for; only AllOf is looked at more
 * closely, which costs more. A policy that several routers have is looked at once; so is a service. What is joined by a
 * router's id stands in its own row, since nothing is known of the size of a part: it would be compared row by row.
 */
const REACHED = slowRead<ReachedRow>(
  'router-models',
  `WITH own AS MATERIALIZED (
  SELECT i.id, i.name, i.app_data, i.default_hosting_cost, i.default_hosting_precedence, i.role_attributes,
    i.disabled_until, ${isDisabledSql('i')} AS is_disabled, selectors_of(i.id, i.role_attributes) AS selectors,
    r.role_attributes AS router_attributes, v.selectors AS router_selectors, ARRAY(SELECT DISTINCT role
      FROM service_edge_router_policies q CROSS JOIN LATERAL unnest(q.service_roles) role
      WHERE q.edge_router_roles && v.selectors AND (q.semantic = 'AnyOf' OR q.service_roles = '{#all}')
        AND role_selects(q.semantic, q.edge_router_roles, r.id, r.role_attributes)) AS served
  FROM routers r CROSS JOIN LATERAL (SELECT selectors_of(r.id, r.role_attributes) AS selectors OFFSET 0) v
  JOIN identities i ON i.id = r.id WHERE r.id = ANY ($1) AND r.is_tunneler_enabled),
granting AS MATERIALIZED (SELECT o.id AS router_id, o.served, p.id, p.name, p.type, p.semantic, p.service_roles
  FROM own o JOIN service_policies p ON p.identity_roles && o.selectors
    AND role_selects(p.semantic, p.identity_roles, o.id, o.role_attributes) AND ${ASKS_NOTHING}
  WHERE NOT o.is_disabled AND EXISTS (SELECT FROM
    (SELECT o.id, o.router_attributes AS role_attributes) r, (SELECT o.id, o.role_attributes, o.selectors) ti
    WHERE ${ROUTER_SERVES_IDENTITY})),
policies AS MATERIALIZED (SELECT DISTINCT ON (g.id) g.id, g.semantic, g.service_roles,
    ARRAY(SELECT substr(role, 2) FROM unnest(g.service_roles) role WHERE role LIKE '@%') AS ids,
    ARRAY(SELECT substr(role, 2) FROM unnest(g.service_roles) role WHERE role LIKE '#%') AS attributes
  FROM granting g ORDER BY g.id),
selected AS MATERIALIZED (SELECT p.id AS policy_id, s.id, s.role_attributes
  FROM policies p CROSS JOIN LATERAL (
    SELECT a.id, a.role_attributes FROM services a WHERE a.id = ANY (p.ids)
    UNION SELECT b.id, b.role_attributes FROM services b WHERE b.role_attributes && p.attributes
    UNION SELECT c.id, c.role_attributes FROM services c WHERE p.service_roles = '{#all}') s
  WHERE p.semantic = 'AnyOf' OR role_selects(p.semantic, p.service_roles, s.id, s.role_attributes)),
serving AS MATERIALIZED (SELECT o.id AS router_id, q.id, q.semantic, q.service_roles
  FROM own o JOIN service_edge_router_policies q ON q.edge_router_roles && o.router_selectors
    AND role_selects(q.semantic, q.edge_router_roles, o.id, o.router_attributes)),
granted AS MATERIALIZED (SELECT g.router_id, g.id AS policy_id, s.id AS service_id
  FROM granting g JOIN selected s ON s.policy_id = g.id
  WHERE '#all' = ANY (g.served) OR g.served && selectors_of(s.id, s.role_attributes) OR EXISTS (SELECT FROM serving q
    WHERE q.router_id = g.router_id AND q.semantic = 'AllOf' AND q.service_roles <> '{#all}'
      AND role_selects(q.semantic, q.service_roles, s.id, s.role_attributes))),
used AS MATERIALIZED (SELECT DISTINCT router_id, service_id FROM granted),
overrides AS MATERIALIZED (SELECT c.identity_id, c.service_id, c.config_type_id, c.config_id
  FROM used u JOIN identity_service_configs c ON c.identity_id = u.router_id AND c.service_id = u.service_id),
config_ids AS MATERIALIZED (SELECT c.config_id AS id
    FROM service_configs c WHERE c.service_id IN (SELECT service_id FROM used)
  UNION SELECT config_id FROM overrides
  UNION SELECT config_id FROM router_configs WHERE router_id = ANY ($1)),
chosen AS MATERIALIZED (SELECT c.id, c.config_type_id, c.updated_at FROM configs c JOIN config_ids USING (id)),
grants AS (SELECT g.router_id, json_agg(json_build_object('id', g.id, 'name', g.name, 'type', g.type,
      'serviceIds', t.ids) ORDER BY g.id) AS policies
  FROM granting g JOIN (SELECT router_id, policy_id, json_agg(service_id) AS ids FROM granted GROUP BY 1, 2) t
    ON t.router_id = g.router_id AND t.policy_id = g.id GROUP BY g.router_id),
hosting AS (SELECT u.router_id, json_agg(json_build_object('serviceId', h.service_id, 'cost', h.cost,
      'precedence', h.precedence) ORDER BY h.service_id) AS hostings
  FROM used u JOIN identity_hostings h ON h.identity_id = u.router_id AND h.service_id = u.service_id
  GROUP BY u.router_id),
overriding AS (SELECT c.identity_id, json_agg(json_build_object('serviceId', c.service_id,
      'typeId', c.config_type_id, 'configId', c.config_id) ORDER BY c.service_id, c.config_type_id) AS overrides
  FROM overrides c GROUP BY c.identity_id)
SELECT e.epoch + e.routing AS index, n.timeline_id AS "timelineId",
  (SELECT json_agg(json_build_object('id', o.id, 'name', o.name, 'appData', o.app_data::text,
      'hostingCost', o.default_hosting_cost, 'hostingPrecedence', o.default_hosting_precedence,
      'disabledUntil', CASE WHEN o.is_disabled THEN o.disabled_until END,
      'hostings', h.hostings, 'overrides', c.overrides, 'policies', g.policies, 'routerPolicyIds', ARRAY(
        SELECT q.id FROM serving q WHERE q.router_id = o.id UNION ALL SELECT p.id FROM edge_router_policies p
        WHERE p.identity_roles && o.selectors AND role_selects(p.semantic, p.identity_roles, o.id, o.role_attributes)
          AND role_selects(p.semantic, p.edge_router_roles, o.id, o.router_attributes))))
    FROM own o LEFT JOIN grants g ON g.router_id = o.id LEFT JOIN hosting h ON h.router_id = o.id
    LEFT JOIN overriding c ON c.identity_id = o.id) AS identities,
  (SELECT json_agg(json_build_object('id', r.id, 'name', r.name, 'fingerprint', coalesce(r.fingerprint, ''),
      'disabled', r.disabled, 'configIds', ARRAY(SELECT config_id FROM router_configs WHERE router_id = r.id
        ORDER BY 1)))
    FROM routers r WHERE r.id = ANY ($1)) AS routers,
  (SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'encryptionRequired', s.encryption_required,
      'configIds', (SELECT coalesce(json_agg(c.config_id ORDER BY c.config_id), '[]') FROM service_configs c
        WHERE c.service_id = s.id)))
    FROM services s WHERE s.id IN (SELECT service_id FROM used)) AS services,
  (SELECT json_agg(json_build_object('id', c.id, 'version', ${VERSION})) FROM chosen c) AS "configVersions",
  (SELECT json_agg(json_build_object('id', y.id, 'name', y.name, 'target', y.target)) FROM config_types y
    WHERE y.id IN (SELECT config_type_id FROM chosen)) AS "configTypes"
FROM model_epochs e CROSS JOIN network n WHERE e.name = 'access'`,
);

const CONFIGS = slowRead<ModelConfig & ConfigVersion>(
  'router-model-configs',
  `SELECT id, name, config_type_id AS "typeId", data::text AS data,
  ${VERSION} AS version FROM configs c WHERE id = ANY ($1)`,
);

/** Whether the own identity of router `router` reaches the service `service` in the way of `type` over this router. */
export const reachesSql = (router: string, service: string, type: string): string => `EXISTS (SELECT FROM routers r
  CROSS JOIN ${withSelectors('identities', `e.id = ${router} AND ${IS_ENABLED}`)} ti
  CROSS JOIN LATERAL ${withSelectors('services', `e.id = ${service}`)} ts
  WHERE r.id = ${router} AND r.is_tunneler_enabled AND ${ROUTER_SERVES_BOTH}
    AND EXISTS (SELECT FROM service_policies p WHERE p.type = ${type} AND ${SELECTS_BOTH} AND ${ASKS_NOTHING}))`;

const DENIED = slowRead<{ id: string }>(
  'tunnel-denied',
  `SELECT u.id FROM unnest($2::text[]) u (id) WHERE NOT ${reachesSql('$1', 'u.id', '$3')}`,
);

const accessBy = (name: string, service: string) =>
  read<AccessRow>(
    name,
    `SELECT ti.id IS NOT NULL AS "hasIdentity", ti.name AS "identityName",
  s.id AS "serviceId",
  EXISTS (SELECT FROM service_policies p WHERE p.type = $3 AND ${SELECTS_BOTH} AND ${ASKS_NOTHING}) AS "isGranted",
  ${ROUTER_SERVES_BOTH} AS "isRouterAllowed", s.encryption_required AS "encryptionRequired",
  s.terminator_strategy AS strategy, s.max_idle_time_millis AS "maxIdleMs"
FROM routers r
LEFT JOIN ${withSelectors('identities', `e.id = $1 AND ${IS_ENABLED}`)} ti ON r.is_tunneler_enabled
LEFT JOIN ${withSelectors('services', `e.${service} = $2`)} ts ON true
LEFT JOIN services s ON s.id = ts.id
WHERE r.id = $1 AND r.is_edge AND NOT r.disabled`,
  );
const ACCESS_BY_ID = accessBy('tunnel-access', 'id');
const ACCESS_BY_NAME = accessBy('tunnel-access-by-name', 'name');

interface IdentityJson {
  readonly id: string;
  readonly name: string;
  readonly appData: string;
  readonly hostingCost: number;
  readonly hostingPrecedence: HostingPrecedence;
  readonly disabledUntil: string | null;
  readonly hostings: readonly ModelHosting[] | null;
  readonly overrides: readonly ModelOverride[] | null;
  readonly policies: readonly ModelPolicy[] | null;
  readonly routerPolicyIds: readonly string[];
}

interface ReachedRow {
  readonly index: number;
  readonly timelineId: string;
  readonly identities: readonly IdentityJson[] | null;
  readonly routers: readonly ModelRouter[] | null;
  readonly services: readonly ModelService[] | null;
  readonly configVersions: readonly ConfigVersion[] | null;
  readonly configTypes: readonly ModelConfigType[] | null;
}

type AccessRow = Omit<TunnelService, 'serviceId'> & {
  readonly hasIdentity: boolean;
  readonly serviceId: string | null;
};

export function routerModelView(db: Db): RouterModelView {
  return {
    async reached(routerIds) {
      const row = await db.one(REACHED, [routerIds]);
      if (row === undefined) throw new Error('the database has no network');
      const identities = row.identities ?? [];
      return {
        index: row.index,
        timelineId: row.timelineId,
        routers: byId(row.routers ?? []),
        reaches: new Map(identities.map((identity) => [identity.id, toReach(identity)])),
        disabledUntil: new Map(
          identities.flatMap(({ id, disabledUntil }) =>
            disabledUntil === null ? [] : [[id, new Date(disabledUntil)] as const],
          ),
        ),
        services: byId(row.services ?? []),
        configVersions: row.configVersions ?? [],
        configTypes: byId(row.configTypes ?? []),
      };
    },
    gaining: (routerIds, touches) => gainingRouters(db, routerIds, touches),
    async configs(ids) {
      return [...(await db.many(CONFIGS, [ids]))];
    },
    async access(routerId, type, service) {
      const row = await ('id' in service
        ? db.one(ACCESS_BY_ID, [routerId, service.id, type])
        : db.one(ACCESS_BY_NAME, [routerId, service.name, type]));
      if (row === undefined) return undefined;
      const { hasIdentity, serviceId, ...rest } = row;
      return { hasIdentity, service: serviceId === null ? undefined : { serviceId, ...rest } };
    },
    async denied(routerId, type, serviceIds) {
      const rows = await db.many(DENIED, [routerId, serviceIds, type]);
      return rows.map(({ id }) => id);
    },
  };
}

function toReach(row: IdentityJson): RouterReach {
  const { id, name, appData, hostingCost, hostingPrecedence, hostings, overrides, policies, routerPolicyIds } = row;
  return {
    identity: {
      id,
      name,
      appData,
      hostingCost,
      hostingPrecedence,
      hostings: hostings ?? [],
      overrides: overrides ?? [],
    },
    policies: policies ?? [],
    routerPolicyIds,
  };
}

const byId = <T extends { readonly id: string }>(list: readonly T[]): Map<string, T> =>
  new Map(list.map((entity) => [entity.id, entity]));
