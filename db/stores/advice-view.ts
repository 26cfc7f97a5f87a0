/** Advice on one identity and one service, in one look: what it may do by the policies, and by which edge routers. */
import type { NamedRef, PolicyType } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { isOnlineSql } from './router-channels.js';
import { SELECTS_BOTH, withSelectors } from './session-grants.js';
import { read } from '../postgres/statement.js';

export interface Advice {
  /** null when there is none with its id. */
  readonly identity: NamedRef | null;
  readonly service: NamedRef | null;
  /** Granted by some policy, whatever its posture checks say. */
  readonly permissions: readonly PolicyType[];
  /** Edge routers that router policies allow to the identity, and to the service. */
  readonly identityRouterCount: number;
  readonly serviceRouterCount: number;
  /** Routers that both may use, by name. */
  readonly common: readonly (NamedRef & { readonly isOnline: boolean })[];
}

export interface AdviceView {
  /** Names what the policies, services and routers are; it differs once any of them has changed,
   * or once a router is online that was not, or is not any more. */
  epoch(): Promise<string>;
  on(identityId: string, serviceId: string): Promise<Advice>;
}

/**
 * Whether the role list `roles` of policy `p` selects `e`, which has its selectors: that they overlap is all that
 * `AnyOf` asks for.
 */
const selects = (roles: string, e: string) =>
  `p.${roles} && ${e}.selectors
    AND (p.semantic = 'AnyOf' OR role_selects(p.semantic, p.${roles}, ${e}.id, ${e}.role_attributes))`;

/**
 * Edge routers of the policies of `table` whose `column` selects the one entity of `from`: first the policies, once.
 */
export const allowedBy = (table: string, column: string, from: string) => `policies_for_${from} AS MATERIALIZED (
    SELECT p.semantic, p.edge_router_roles FROM ${from} e JOIN ${table} p ON ${selects(column, 'e')}),
  routers_for_${from} AS MATERIALIZED (SELECT r.id, r.name FROM edge_routers r
    WHERE EXISTS (SELECT FROM policies_for_${from} p WHERE ${selects('edge_router_roles', 'r')}))`;

const ADVICE = read<Advice>(
  'advice',
  `WITH identity AS MATERIALIZED ${withSelectors('identities', 'e.id = $1')},
  service AS MATERIALIZED ${withSelectors('services', 'e.id = $2')},
  edge_routers AS MATERIALIZED ${withSelectors('routers', 'e.is_edge')},
  ${allowedBy('edge_router_policies', 'identity_roles', 'identity')},
  ${allowedBy('service_edge_router_policies', 'service_roles', 'service')}
SELECT (SELECT json_build_object('id', id, 'name', name) FROM identity) AS identity,
  (SELECT json_build_object('id', id, 'name', name) FROM service) AS service,
  ARRAY (SELECT DISTINCT p.type FROM identity ti, service ts, service_policies p
    WHERE ${SELECTS_BOTH} ORDER BY 1) AS permissions,
  (SELECT count(*)::int FROM routers_for_identity) AS "identityRouterCount",
  (SELECT count(*)::int FROM routers_for_service) AS "serviceRouterCount",
  (SELECT coalesce(json_agg(json_build_object('id', i.id, 'name', i.name,
      'isOnline', ${isOnlineSql('i.id')}) ORDER BY i.name), '[]')
    FROM routers_for_identity i WHERE i.id IN (SELECT id FROM routers_for_service)) AS common`,
);

const ADVICE_EPOCH = read<{ epoch: string }>(
  'advice-epoch',
  "SELECT epoch || '.' || routing || '.' || presence AS epoch FROM model_epochs WHERE name = 'access'",
);

export function adviceView(db: Db): AdviceView {
  return {
    async epoch() {
      const row = await db.one(ADVICE_EPOCH);
      return row?.epoch ?? '';
    },
    async on(identityId, serviceId) {
      const row = await db.one(ADVICE, [identityId, serviceId]);
      return (
        row ?? {
          identity: null,
          service: null,
          permissions: [],
          identityRouterCount: 0,
          serviceRouterCount: 0,
          common: [],
        }
      );
    },
  };
}
