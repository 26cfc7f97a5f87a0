/**
 * Finds the routers that may reach more by a change. It looks at policies that were touched, or that select a service
 * that was; whom they select is found by overlapping role lists alone, which names some routers too many and none too
 * few.
 */
import type { ModelTouches } from '../../domain/fabric/model-touches.js';
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';

const GAINING = slowRead<{ id: string }>(
  'gaining-routers',
  `WITH granting AS MATERIALIZED (
  SELECT p.identity_roles AS roles FROM service_policies p
  WHERE p.id = ANY ($2) OR ($3 AND p.posture_check_roles <> '{}')
  UNION ALL SELECT p.identity_roles FROM services s JOIN service_policies p
    ON p.service_roles && selectors_of(s.id, s.role_attributes) WHERE s.id = ANY ($4)),
serving AS MATERIALIZED (
  SELECT edge_router_roles AS roles FROM edge_router_policies WHERE id = ANY ($5)
  UNION ALL SELECT edge_router_roles FROM service_edge_router_policies WHERE id = ANY ($6))
SELECT r.id FROM routers r JOIN identities i ON i.id = r.id WHERE r.id = ANY ($1) AND r.is_tunneler_enabled AND (
  EXISTS (SELECT FROM granting g WHERE g.roles && selectors_of(i.id, i.role_attributes))
  OR EXISTS (SELECT FROM serving s WHERE s.roles && selectors_of(r.id, r.role_attributes)))`,
);

export async function gainingRouters(db: Db, routerIds: readonly string[], touches: ModelTouches): Promise<string[]> {
  const services = [...touches.of('service')];
  const policies = [...touches.of('servicePolicy')];
  const edgeRouterPolicies = [...touches.of('edgeRouterPolicy')];
  const serviceEdgeRouterPolicies = [...touches.of('serviceEdgeRouterPolicy')];
  const hasChecks = touches.of('postureCheck').size > 0;
  const named = [services, policies, edgeRouterPolicies, serviceEdgeRouterPolicies];
  if (!hasChecks && named.every(({ length }) => length === 0)) return [];
  const rows = await db.many(GAINING, [
    routerIds,
    policies,
    hasChecks,
    services,
    edgeRouterPolicies,
    serviceEdgeRouterPolicies,
  ]);
  return rows.map(({ id }) => id);
}
