/** What the policies say of one identity and one service, in one look: what it may do, and by which edge routers. */
import type { NamedRef, PolicyType } from '../domain/model.js';
import type { Db } from './db.js';
import { SELECTS_BOTH, withSelectors } from './session-grants.js';

export interface Advice {
  /** null when there is none with its id. */
  readonly identity: NamedRef | null;
  readonly service: NamedRef | null;
  /** Granted by some policy, whatever its posture checks say. */
  readonly permissions: readonly PolicyType[];
  /** Edge routers that router policies allow to the identity, and to the service. */
  readonly identityRouterCount: number;
  readonly serviceRouterCount: number;
  /** Routers that both may use, online or not, by name. */
  readonly common: readonly NamedRef[];
}

export interface AdviceView {
  on(identityId: string, serviceId: string): Promise<Advice>;
}

/** Edge routers of the policies of `table` whose `column` selects the one entity `e` of `from`: first the policies, once. */
const allowedBy = (table: string, column: string, from: string) => `policies_for_${from} AS MATERIALIZED (
    SELECT p.semantic, p.edge_router_roles FROM ${from} e JOIN ${table} p ON p.${column} && e.selectors
      AND role_selects(p.semantic, p.${column}, e.id, e.role_attributes)),
  routers_for_${from} AS MATERIALIZED (SELECT r.id, r.name FROM routers r
    WHERE r.is_edge AND EXISTS (SELECT FROM policies_for_${from} p WHERE role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes)))`;

const ADVICE = `WITH identity AS MATERIALIZED ${withSelectors('identities', 'e.id = $1')},
  service AS MATERIALIZED ${withSelectors('services', 'e.id = $2')},
  ${allowedBy('edge_router_policies', 'identity_roles', 'identity')},
  ${allowedBy('service_edge_router_policies', 'service_roles', 'service')}
SELECT (SELECT json_build_object('id', id, 'name', name) FROM identity) AS identity, (SELECT json_build_object('id', id, 'name', name) FROM service) AS service,
  ARRAY (SELECT DISTINCT p.type FROM identity ti, service ts, service_policies p WHERE ${SELECTS_BOTH}) AS permissions,
  (SELECT count(*)::int FROM routers_for_identity) AS "identityRouterCount", (SELECT count(*)::int FROM routers_for_service) AS "serviceRouterCount",
  (SELECT coalesce(json_agg(json_build_object('id', i.id, 'name', i.name) ORDER BY i.name), '[]')
    FROM routers_for_identity i WHERE i.id IN (SELECT id FROM routers_for_service)) AS common`;

export function adviceView(db: Db): AdviceView {
  return {
    async on(identityId, serviceId) {
      const { rows: [row] } = await db.run<Advice>('advice', ADVICE, [identityId, serviceId]);
      return row ?? { identity: null, service: null, permissions: [], identityRouterCount: 0, serviceRouterCount: 0, common: [] };
    },
  };
}
