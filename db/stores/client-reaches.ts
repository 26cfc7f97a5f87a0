/**
 * Reads what clients with signed tokens reach over routers: identities that edge router policies allow to a router,
 * services that its service edge router policies allow, and the policies and posture checks between them. Routers that
 * the same router policies select share one answer.
 */
import type { Db } from '../postgres/contracts.js';
import { slowRead } from '../postgres/statement.js';
import { isDisabledSql } from './disabled.js';

/** Ids of the router policies that select a router, sorted. */
export interface RouterGroup {
  readonly edgeRouterPolicyIds: readonly string[];
  readonly serviceEdgeRouterPolicyIds: readonly string[];
}

export interface ReadReach {
  /** JSON text of `ClientReachLists`: the same text for the same. */
  readonly text: string;
  /** The next time at which an identity is enabled again; null for none. */
  readonly changesAt: Date | null;
}

export interface ClientReachView {
  /** Groups by router; disabled routers, and those without an edge, are missing. */
  groups(routerIds: readonly string[]): Promise<ReadonlyMap<string, RouterGroup>>;
  reach(group: RouterGroup): Promise<ReadReach>;
}

const selecting = (table: string) => `SELECT p.id FROM ${table} p WHERE p.edge_router_roles && v.selectors
    AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes)`;

/** The policy that each tunneler has for its own identity says nothing of clients. */
const GROUPS = slowRead<RouterGroup & { id: string }>(
  'client-reach-groups',
  `SELECT r.id,
  ARRAY(${selecting('edge_router_policies')} AND p.identity_roles <> ARRAY['@' || r.id] ORDER BY 1)
    AS "edgeRouterPolicyIds",
  ARRAY(${selecting('service_edge_router_policies')} ORDER BY 1) AS "serviceEdgeRouterPolicyIds"
FROM routers r CROSS JOIN LATERAL (SELECT selectors_of(r.id, r.role_attributes) AS selectors OFFSET 0) v
WHERE r.id = ANY ($1) AND r.is_edge AND NOT r.disabled`,
);

/**
 * Entities that the role lists of `policies` select. Candidates come by indexes first, so that a group of routers costs
 * what its own clients and services are, not what the network has.
 */
const selectedBy = (policies: string, entities: string, columns: string, condition: string) => {
  const named = (sign: string) =>
    `ARRAY(SELECT substr(role, 2) FROM ${policies} CROSS JOIN LATERAL unnest(roles) role WHERE role LIKE '${sign}%')`;
  const those = `SELECT ${columns} FROM ${entities} e WHERE ${condition} AND`;
  return `WITH candidates AS MATERIALIZED (${those} e.id = ANY (${named('@')})
    UNION ${those} e.role_attributes && ${named('#')}
    UNION ${those} EXISTS (SELECT FROM ${policies} WHERE roles = '{#all}'))
  SELECT ${columns} FROM candidates e
  WHERE EXISTS (SELECT FROM ${policies} q WHERE role_selects(q.semantic, q.roles, e.id, e.role_attributes))`;
};

/** Members of service policies by their selectors: a role that an entity has is joined, not compared with each. */
const membersOf = (entities: string, roles: string) => `SELECT DISTINCT p.id AS policy_id, e.id
  FROM service_policies p CROSS JOIN LATERAL unnest(p.${roles}) role
  JOIN (SELECT x.id, x.role_attributes, selector FROM ${entities} x
    CROSS JOIN LATERAL unnest(selectors_of(x.id, x.role_attributes)) selector) e ON e.selector = role
  WHERE p.semantic = 'AnyOf' OR role_selects(p.semantic, p.${roles}, e.id, e.role_attributes)`;

const PERSON = 'e.id, e.name, e.role_attributes';
const OFFER = `${PERSON}, e.encryption_required`;

const REACH = slowRead<ReadReach>(
  'client-reach',
  `WITH admitting AS MATERIALIZED (SELECT semantic, identity_roles AS roles FROM edge_router_policies
  WHERE id = ANY ($1)),
serving AS MATERIALIZED (SELECT semantic, service_roles AS roles FROM service_edge_router_policies WHERE id = ANY ($2)),
people AS MATERIALIZED (${selectedBy('admitting', 'identities', PERSON, `NOT ${isDisabledSql('e')}`)}),
offers AS MATERIALIZED (${selectedBy('serving', 'services', OFFER, 'true')}),
of_people AS MATERIALIZED (SELECT m.policy_id, json_agg(m.id ORDER BY m.id) AS ids
  FROM (${membersOf('people', 'identity_roles')}) m GROUP BY 1),
of_offers AS MATERIALIZED (SELECT m.policy_id, m.id FROM (${membersOf('offers', 'service_roles')}) m),
granting AS MATERIALIZED (SELECT p.id, p.name, p.type, i.ids AS identity_ids, s.ids AS service_ids,
    ARRAY(SELECT c.id FROM posture_checks c
      WHERE p.posture_check_roles <> '{}' AND role_selects(p.semantic, p.posture_check_roles, c.id, c.role_attributes)
      ORDER BY 1) AS check_ids
  FROM service_policies p JOIN of_people i ON i.policy_id = p.id
  JOIN (SELECT policy_id, json_agg(id ORDER BY id) AS ids FROM of_offers GROUP BY 1) s ON s.policy_id = p.id)
SELECT json_build_object(
  'identities', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name) ORDER BY id), '[]') FROM people),
  'services', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name,
      'encryptionRequired', encryption_required) ORDER BY id), '[]')
    FROM offers WHERE id IN (SELECT m.id FROM of_offers m JOIN granting g ON g.id = m.policy_id)),
  'checks', (SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'typeId', c.type_id,
      'criteria', c.criteria) ORDER BY c.id), '[]')
    FROM posture_checks c WHERE c.id IN (SELECT unnest(g.check_ids) FROM granting g)),
  'policies', (SELECT coalesce(json_agg(json_build_object('id', id, 'name', name, 'type', type,
      'serviceIds', service_ids, 'checkIds', check_ids, 'identityIds', identity_ids) ORDER BY id), '[]')
    FROM granting))::text AS text,
  (SELECT min(disabled_until) FROM identities WHERE disabled_until > now()) AS "changesAt"`,
);

export function clientReachView(db: Db): ClientReachView {
  return {
    async groups(routerIds) {
      const rows = await db.many(GROUPS, [routerIds]);
      return new Map(rows.map(({ id, ...group }) => [id, group]));
    },
    async reach({ edgeRouterPolicyIds, serviceEdgeRouterPolicyIds }) {
      const row = await db.one(REACH, [edgeRouterPolicyIds, serviceEdgeRouterPolicyIds]);
      if (row === undefined) throw new Error('a row without a condition is always there');
      return row;
    },
  };
}
