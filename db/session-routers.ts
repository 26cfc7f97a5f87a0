/**
 * The edge routers that a client can use for its sessions: connected, in step, and allowed by the router policies of
 * both kinds. What is not connected is left out, since clients try every router that they are told of.
 */
import type { SessionRouter } from '../domain/model.js';
import type { Db } from './db.js';
import { ROUTER_SERVES_IDENTITY, ROUTER_SERVES_SERVICE } from './router-access-view.js';
import { HOST_IS_ALIVE } from './router-channels.js';
import { withSelectors } from './session-grants.js';

export interface Use {
  readonly identityId: string;
  readonly serviceId: string;
}

/** Whether it is worth asking: most often for networks without routers, and while none is connected. */
export const HAS_CHANNELS = 'EXISTS (SELECT FROM router_channels)';

/** Of each session; clients try them all at once. */
const MOST = 25;

const ROUTERS = `WITH online AS MATERIALIZED (
  SELECT DISTINCT ON (r.id) r.id, r.name, r.cost, r.no_traversal, r.app_data, r.role_attributes, c.hostname,
    c.protocols, c.sync_status
  FROM router_channels c JOIN router_hosts h ON h.id = c.host_id JOIN routers r ON r.id = c.router_id
  WHERE ${HOST_IS_ALIVE} AND r.is_edge AND NOT r.disabled AND c.sync_status = 'SYNC_DONE' AND c.protocols <> '{}'
  ORDER BY r.id, c.connected_at DESC),
of_identities AS (SELECT ti.id, array_agg(r.id ORDER BY r.id) AS ids
  FROM ${withSelectors('identities', 'e.id = ANY ($1)')} ti JOIN online r ON ${ROUTER_SERVES_IDENTITY} GROUP BY ti.id),
of_services AS (SELECT ts.id, array_agg(r.id ORDER BY r.id) AS ids
  FROM ${withSelectors('services', 'e.id = ANY ($2)')} ts JOIN online r ON ${ROUTER_SERVES_SERVICE} GROUP BY ts.id)
SELECT (SELECT json_object_agg(id, ids) FROM of_identities) AS "ofIdentities",
  (SELECT json_object_agg(id, ids) FROM of_services) AS "ofServices",
  (SELECT json_object_agg(id, json_build_object('name', name, 'cost', cost, 'noTraversal', no_traversal,
    'appData', app_data, 'hostname', hostname, 'protocols', protocols, 'syncStatus', sync_status))
  FROM online) AS routers`;

type Ids = Readonly<Record<string, readonly string[]>>;
interface Row {
  readonly ofIdentities: Ids | null;
  readonly ofServices: Ids | null;
  readonly routers: Readonly<Record<string, SessionRouter>> | null;
}

/** For each of these uses; by id, and no more than clients can try. */
export async function routersFor(db: Db, uses: readonly Use[]): Promise<(use: Use) => SessionRouter[]> {
  const {
    rows: [row],
  } = await db.read<Row>('session-routers', ROUTERS, [
    [...new Set(uses.map(({ identityId }) => identityId))],
    [...new Set(uses.map(({ serviceId }) => serviceId))],
  ]);
  const known = new Map(Object.entries(row?.routers ?? {}));
  const ofServices = new Map(Object.entries(row?.ofServices ?? {}).map(([id, ids]) => [id, new Set(ids)]));
  return ({ identityId, serviceId }) =>
    (row?.ofIdentities?.[identityId] ?? [])
      .filter((id) => ofServices.get(serviceId)?.has(id) === true)
      .slice(0, MOST)
      .flatMap((id) => known.get(id) ?? []);
}
