/** Which edge routers the router policies allow to an identity and to a service: what advice on their access is made of. */
import type { NamedRef } from '../domain/model.js';
import type { Selectable } from '../domain/policy/roles.js';
import type { Db } from './db.js';

export interface RouterReach {
  readonly identityRouterCount: number;
  readonly serviceRouterCount: number;
  /** Routers that both may use, online or not, by name. */
  readonly common: readonly NamedRef[];
}

export interface AdviceView {
  routers(identity: Selectable, service: Selectable): Promise<RouterReach>;
}

/** Edge routers of the policies of `table` whose `column` selects the entity in `$id`, `$attributes`. */
const allowedBy = (table: string, column: string, id: string, attributes: string) => `SELECT r.id, r.name FROM routers r
  WHERE r.is_edge AND EXISTS (SELECT FROM ${table} p WHERE p.${column} && selectors_of(${id}, ${attributes}::text[])
    AND role_selects(p.semantic, p.${column}, ${id}, ${attributes}::text[])
    AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))`;

const ROUTERS = `WITH for_identity AS MATERIALIZED (${allowedBy('edge_router_policies', 'identity_roles', '$1', '$2')}),
  for_service AS MATERIALIZED (${allowedBy('service_edge_router_policies', 'service_roles', '$3', '$4')})
SELECT (SELECT count(*)::int FROM for_identity) AS "identityRouterCount", (SELECT count(*)::int FROM for_service) AS "serviceRouterCount",
  (SELECT coalesce(json_agg(i ORDER BY i.name), '[]') FROM for_identity i WHERE i.id IN (SELECT id FROM for_service)) AS common`;

export function adviceView(db: Db): AdviceView {
  return {
    async routers(identity, service) {
      const { rows: [row] } = await db.run<RouterReach>('advice-routers', ROUTERS,
        [identity.id, identity.roleAttributes, service.id, service.roleAttributes]);
      return row ?? { identityRouterCount: 0, serviceRouterCount: 0, common: [] };
    },
  };
}
