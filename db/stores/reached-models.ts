/** Models of routers with a tunneler as the database has them at one moment: what each reaches, and what that names. */
import type {
  ModelCatalog,
  ModelConfigType,
  ModelHosting,
  ModelOverride,
  ModelPolicy,
  ModelRouter,
  ModelService,
  RouterReach,
} from '../../domain/fabric/router-model.js';
import type { HostingPrecedence } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';
import { ASKS_NOTHING } from './postures.js';

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
  /** Each router, as its own model has it; routers that no longer exist are missing. */
  readonly routers: ReadonlyMap<string, ModelRouter>;
  /** Services that each router reaches, by router; those without a tunneler are missing. */
  readonly reaches: ReadonlyMap<string, RouterReach>;
  /** Routers whose identity is disabled for a time, and when it ends by the clock of the database. */
  readonly disabledUntil: ReadonlyMap<string, Date>;
  readonly services: ReadonlyMap<string, ModelService>;
  readonly configVersions: readonly ConfigVersion[];
  readonly configTypes: ModelCatalog['configTypes'];
}

/** The version of the config `c`. */
export const CONFIG_VERSION = `(extract(epoch FROM c.updated_at) * 1000)::bigint::text`;

/**
 * Candidates come by indexes. A role list that overlaps them is all that AnyOf asks for; only AllOf is looked at more
 * closely, which costs more. A policy that several routers have is looked at once; so is a service. What belongs to a
 * router is answered in lists of its own that `toReaches` puts together: nothing is known of the size of a part, and
 * PostgreSQL would join by comparing all with all, or make a part again for each row.
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
admitting AS MATERIALIZED (SELECT o.id AS router_id, p.id FROM own o JOIN edge_router_policies p
  ON p.identity_roles && o.selectors AND role_selects(p.semantic, p.identity_roles, o.id, o.role_attributes)
    AND role_selects(p.semantic, p.edge_router_roles, o.id, o.router_attributes)),
granting AS MATERIALIZED (SELECT o.id AS router_id, o.served, p.id, p.name, p.type, p.semantic, p.service_roles
  FROM own o JOIN service_policies p ON p.identity_roles && o.selectors
    AND role_selects(p.semantic, p.identity_roles, o.id, o.role_attributes) AND ${ASKS_NOTHING}
  WHERE NOT o.is_disabled AND o.id IN (SELECT router_id FROM admitting)),
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
own_configs AS MATERIALIZED (SELECT c.service_id, c.config_id
  FROM service_configs c WHERE c.service_id IN (SELECT service_id FROM used)),
config_ids AS MATERIALIZED (SELECT config_id AS id FROM own_configs
  UNION SELECT config_id FROM overrides
  UNION SELECT config_id FROM router_configs WHERE router_id = ANY ($1)),
chosen AS MATERIALIZED (SELECT c.id, c.config_type_id, c.updated_at FROM configs c JOIN config_ids USING (id)),
grants AS (SELECT router_id, policy_id, json_agg(service_id) AS ids FROM granted GROUP BY 1, 2),
allowing AS (SELECT router_id, id FROM serving UNION ALL SELECT router_id, id FROM admitting)
SELECT e.epoch + e.routing AS index, n.timeline_id AS "timelineId",
  (SELECT json_agg(json_build_object('id', o.id, 'name', o.name, 'appData', o.app_data::text,
      'hostingCost', o.default_hosting_cost, 'hostingPrecedence', o.default_hosting_precedence,
      'disabledUntil', CASE WHEN o.is_disabled THEN o.disabled_until END)) FROM own o) AS identities,
  (SELECT json_agg(json_build_object('id', g.id, 'name', g.name, 'type', g.type)) FROM (SELECT DISTINCT id, name, type
    FROM granting) g) AS policies,
  (SELECT json_agg(json_build_object('routerId', g.router_id, 'policyId', g.policy_id, 'serviceIds', g.ids)
    ORDER BY g.policy_id) FROM grants g) AS grants,
  (SELECT json_agg(json_build_object('routerId', u.router_id, 'serviceId', h.service_id, 'cost', h.cost, 'precedence',
      h.precedence) ORDER BY h.service_id)
    FROM used u JOIN identity_hostings h ON h.identity_id = u.router_id AND h.service_id = u.service_id) AS hostings,
  (SELECT json_agg(json_build_object('routerId', c.identity_id, 'serviceId', c.service_id, 'typeId', c.config_type_id,
      'configId', c.config_id) ORDER BY c.service_id, c.config_type_id) FROM overrides c) AS overrides,
  (SELECT json_agg(json_build_object('routerId', a.router_id, 'ids', a.ids))
    FROM (SELECT router_id, json_agg(id) AS ids FROM allowing GROUP BY 1) a) AS allowing,
  (SELECT json_agg(json_build_object('id', r.id, 'name', r.name, 'fingerprint', coalesce(r.fingerprint, ''),
      'disabled', r.disabled, 'configIds', ARRAY(SELECT config_id FROM router_configs WHERE router_id = r.id
        ORDER BY 1)))
    FROM routers r WHERE r.id = ANY ($1)) AS routers,
  (SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'encryptionRequired', s.encryption_required,
      'configIds', coalesce(c.ids, '{}')))
    FROM services s LEFT JOIN (SELECT service_id, array_agg(config_id ORDER BY config_id) AS ids FROM own_configs
      GROUP BY 1) c ON c.service_id = s.id
    WHERE s.id IN (SELECT service_id FROM used)) AS services,
  (SELECT json_agg(json_build_object('id', c.id, 'version', ${CONFIG_VERSION})) FROM chosen c) AS "configVersions",
  (SELECT json_agg(json_build_object('id', y.id, 'name', y.name, 'target', y.target)) FROM config_types y
    WHERE y.id IN (SELECT config_type_id FROM chosen)) AS "configTypes"
FROM model_epochs e CROSS JOIN network n WHERE e.name = 'access'`,
);

interface IdentityJson {
  readonly id: string;
  readonly name: string;
  readonly appData: string;
  readonly hostingCost: number;
  readonly hostingPrecedence: HostingPrecedence;
  readonly disabledUntil: string | null;
}

interface OfRouter {
  readonly routerId: string;
}

/** Lists of what was found; null where there is none of a kind. */
interface ReachedRow {
  readonly index: number;
  readonly timelineId: string;
  readonly identities: readonly IdentityJson[] | null;
  readonly policies: readonly Omit<ModelPolicy, 'serviceIds'>[] | null;
  readonly grants: readonly (OfRouter & { readonly policyId: string; readonly serviceIds: readonly string[] })[] | null;
  readonly hostings: readonly (OfRouter & ModelHosting)[] | null;
  readonly overrides: readonly (OfRouter & ModelOverride)[] | null;
  /** Router policies that allow the router to its identity, or to services. */
  readonly allowing: readonly (OfRouter & { readonly ids: readonly string[] })[] | null;
  readonly routers: readonly ModelRouter[] | null;
  readonly services: readonly ModelService[] | null;
  readonly configVersions: readonly ConfigVersion[] | null;
  readonly configTypes: readonly ModelConfigType[] | null;
}

export async function reachedModels(db: Db, routerIds: readonly string[]): Promise<ReachedModels> {
  const row = await db.one(REACHED, [routerIds]);
  if (row === undefined) throw new Error('the database has no network');
  const identities = row.identities ?? [];
  return {
    index: row.index,
    timelineId: row.timelineId,
    routers: byId(row.routers ?? []),
    reaches: toReaches(row),
    disabledUntil: new Map(
      identities.flatMap(({ id, disabledUntil }) =>
        disabledUntil === null ? [] : [[id, new Date(disabledUntil)] as const],
      ),
    ),
    services: byId(row.services ?? []),
    configVersions: row.configVersions ?? [],
    configTypes: byId(row.configTypes ?? []),
  };
}

function toReaches(row: ReachedRow): Map<string, RouterReach> {
  const policies = byId(row.policies ?? []);
  const [grants, hostings] = [byRouter(row.grants), byRouter(row.hostings)];
  const [overrides, allowing] = [byRouter(row.overrides), byRouter(row.allowing)];
  return new Map(
    (row.identities ?? []).map(({ id, name, appData, hostingCost, hostingPrecedence }) => [
      id,
      {
        identity: {
          id,
          name,
          appData,
          hostingCost,
          hostingPrecedence,
          hostings: hostings.get(id) ?? [],
          overrides: overrides.get(id) ?? [],
        },
        policies: (grants.get(id) ?? []).flatMap(({ policyId, serviceIds }) => {
          const policy = policies.get(policyId);
          return policy === undefined ? [] : [{ ...policy, serviceIds }];
        }),
        routerPolicyIds: (allowing.get(id) ?? []).flatMap(({ ids }) => ids),
      },
    ]),
  );
}

function byRouter<T extends OfRouter>(list: readonly T[] | null): Map<string, Omit<T, 'routerId'>[]> {
  const found = new Map<string, Omit<T, 'routerId'>[]>();
  for (const { routerId, ...rest } of list ?? []) {
    const ofRouter = found.get(routerId);
    if (ofRouter === undefined) found.set(routerId, [rest]);
    else ofRouter.push(rest);
  }
  return found;
}

const byId = <T extends { readonly id: string }>(list: readonly T[]): Map<string, T> =>
  new Map(list.map((entity) => [entity.id, entity]));
