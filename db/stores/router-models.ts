/**
 * Services that routers with a tunneler reach by themselves, and whether one may host or dial a service. A service is
 * reached when a policy grants it to the router's own identity and router policies allow this router to both. A policy
 * that asks for posture checks grants nothing: nothing is known of a router's device.
 */
import type { Strategy } from '../../domain/fabric/terminator-choice.js';
import type { ModelConfig } from '../../domain/fabric/router-model.js';
import type { PolicyType } from '../../domain/model.js';
import type { ModelTouches } from '../../domain/fabric/model-touches.js';
import type { Db } from '../postgres/contracts.js';
import { gainingRouters } from './gaining-routers.js';
import { ASKS_NOTHING } from './postures.js';
import { CONFIG_VERSION, reachedModels } from './reached-models.js';
import type { ConfigVersion, ReachedModels } from './reached-models.js';
import { ROUTER_SERVES_BOTH } from './router-access-view.js';
import { IS_ENABLED, SELECTS_BOTH, withSelectors } from './session-grants.js';
import { read, slowRead } from '../postgres/statement.js';

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

const CONFIGS = slowRead<ModelConfig & ConfigVersion>(
  'router-model-configs',
  `SELECT id, name, config_type_id AS "typeId", data::text AS data,
  ${CONFIG_VERSION} AS version FROM configs c WHERE id = ANY ($1)`,
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

type AccessRow = Omit<TunnelService, 'serviceId'> & {
  readonly hasIdentity: boolean;
  readonly serviceId: string | null;
};

export function routerModelView(db: Db): RouterModelView {
  return {
    reached: (routerIds) => reachedModels(db, routerIds),
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
