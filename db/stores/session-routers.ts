/**
 * The edge routers that a client can use for its sessions: connected, in step, and allowed by the router policies of
 * both kinds. What is not connected is left out, since clients try every router that they are told of.
 */
import type { SessionRouter } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import { withSelectors } from './session-grants.js';
import { read } from '../postgres/statement.js';

export interface RouterUse {
  readonly identityId: string;
  readonly serviceId: string;
}

/** Whether it is worth asking: most often for networks without routers, and while none is connected. */
export const HAS_CHANNELS = 'EXISTS (SELECT FROM router_channels)';

/** Shown of each session; clients try them all at once. */
const MOST = 25;

/**
 * Looks at those routers only, however many there are, that the policies of the identity name: by an attribute, by
 * id, or all, of which the first few will do. `OFFSET 0` keeps the planner from asking the policies about every router
 * and looking at the candidates afterwards.
 */
const ROUTERS = read<Row>(
  'session-routers',
  `WITH of_identities AS MATERIALIZED (
  SELECT ti.id, p.semantic, p.edge_router_roles AS roles
  FROM ${withSelectors('identities', 'e.id = ANY ($1)')} ti JOIN edge_router_policies p
    ON p.identity_roles && ti.selectors AND role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes)),
of_services AS MATERIALIZED (
  SELECT ts.id, p.semantic, p.edge_router_roles AS roles
  FROM ${withSelectors('services', 'e.id = ANY ($2)')} ts JOIN service_edge_router_policies p
    ON p.service_roles && ts.selectors AND role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes)),
named AS MATERIALIZED (
  SELECT o.id, array_agg(DISTINCT substr(role, 2)) FILTER (WHERE role LIKE '#%') AS attributes,
    array_agg(DISTINCT substr(role, 2)) FILTER (WHERE role LIKE '@%') AS ids,
    bool_or(role = '#all') AS is_all
  FROM of_identities o, unnest(o.roles) AS role GROUP BY o.id)
SELECT u.n, json_build_object('name', o.name, 'cost', o.cost, 'noTraversal', o.no_traversal, 'appData', o.app_data,
  'hostname', o.hostname, 'protocols', o.protocols, 'syncStatus', o.sync_status, 'version', o.version,
  'capabilitiesMask', o.capabilities_mask::text) AS router
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (identity_id, service_id, n)
JOIN named f ON f.id = u.identity_id
CROSS JOIN LATERAL (
  SELECT r.id, r.name, r.cost, r.no_traversal, r.app_data, r.version, r.capabilities_mask, c.hostname,
    c.protocols, c.sync_status
  FROM (SELECT e.id FROM routers e WHERE e.role_attributes && f.attributes
    UNION SELECT e.id FROM unnest(f.ids) AS e (id)
    UNION SELECT e.router_id FROM router_channels e WHERE f.is_all) candidate
  CROSS JOIN LATERAL (SELECT r.* FROM routers r WHERE r.id = candidate.id AND r.is_edge AND NOT r.disabled OFFSET 0) r
  CROSS JOIN LATERAL (SELECT c.* FROM router_channels c JOIN router_hosts h ON h.id = c.host_id
    WHERE c.router_id = r.id AND ${HOST_IS_ALIVE} ORDER BY c.connected_at DESC LIMIT 1) c
  WHERE c.sync_status = 'SYNC_DONE' AND c.protocols <> '{}'
    AND EXISTS (SELECT FROM of_identities p
      WHERE p.id = u.identity_id AND role_selects(p.semantic, p.roles, r.id, r.role_attributes))
    AND EXISTS (SELECT FROM of_services p
      WHERE p.id = u.service_id AND role_selects(p.semantic, p.roles, r.id, r.role_attributes))
  LIMIT ${MOST}) o
ORDER BY u.n, o.id`,
);

interface Row {
  /** The number of the use, from 1. */
  readonly n: number;
  readonly router: SessionRouter;
}

/** Finds the routers of each use, by id, and no more of them than clients can try. */
export async function routersFor(db: Db, uses: readonly RouterUse[]): Promise<(use: RouterUse) => SessionRouter[]> {
  const distinct = [...new Map(uses.map((use) => [keyOf(use), use])).values()];
  const rows = await db.many(ROUTERS, [
    distinct.map(({ identityId }) => identityId),
    distinct.map(({ serviceId }) => serviceId),
  ]);
  const found = new Map<string, SessionRouter[]>(distinct.map((use) => [keyOf(use), []]));
  for (const { n, router } of rows) {
    const use = distinct[n - 1];
    if (use !== undefined) found.get(keyOf(use))?.push(router);
  }
  return (use) => found.get(keyOf(use)) ?? [];
}

const keyOf = ({ identityId, serviceId }: RouterUse): string => `${identityId} ${serviceId}`;
