/**
 * Reads of access to edge routers: which policies select an entity, and what the other side of those policies selects.
 */
import { notFound, raise } from '../../domain/errors.js';
import type { Selectable } from '../../domain/policy/roles.js';
import type { Db } from '../postgres/contracts.js';
import { namesEntity } from '../query/scopes.js';
import type { RoleList } from '../query/scopes.js';
import { read } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

/** Whether edge router policies allow the router `r` to the identity `ti`, both with their selectors. */
const ROUTER_SERVES_IDENTITY = `EXISTS (SELECT FROM edge_router_policies p WHERE p.identity_roles && ti.selectors
      AND role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes)
      AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))`;
/** The same for service edge router policies and the service `ts`. */
const ROUTER_SERVES_SERVICE = `EXISTS (SELECT FROM service_edge_router_policies p
      WHERE p.service_roles && ts.selectors
      AND role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes)
      AND role_selects(p.semantic, p.edge_router_roles, r.id, r.role_attributes))`;
export const ROUTER_SERVES_BOTH = `${ROUTER_SERVES_IDENTITY} AND ${ROUTER_SERVES_SERVICE}`;

/** A service, with role lists over edge routers: of the policies that select it, and of those that select a caller. */
export interface ServiceForIdentity extends Selectable {
  readonly ofIdentity: readonly RoleList[];
  readonly ofService: readonly RoleList[];
}

export interface RouterAccessView {
  /** Role lists over edge routers of the policies that select an identity. */
  routersForIdentity(identity: Selectable): Promise<RoleList[]>;
  /** Role lists over edge routers of the policies that select a service. */
  routersForService(service: Selectable): Promise<RoleList[]>;
  /** Both, and the service itself, in one read. @throws DomainError `notFound` */
  routersForBoth(serviceId: string, identity: Selectable): Promise<ServiceForIdentity>;
  /** Role lists over identities of the policies that select an edge router. */
  identitiesForRouter(router: Selectable): Promise<RoleList[]>;
  /** Role lists over services of the policies that select an edge router. */
  servicesForRouter(router: Selectable): Promise<RoleList[]>;
}

const rolesFor = (policies: Policies, by: Roles, wanted: Roles) =>
  read<RoleList>(
    `${policies}-by-${by}`,
    `SELECT p.semantic, p.${wanted} AS roles FROM ${policies} p
    WHERE ${namesEntity('p', by, '$1', '$2::text[]')}`,
  );

type Policies = 'edge_router_policies' | 'service_edge_router_policies';
type Roles = 'edge_router_roles' | 'identity_roles' | 'service_roles';

const ROUTERS_FOR_IDENTITY = rolesFor('edge_router_policies', 'identity_roles', 'edge_router_roles');
const ROUTERS_FOR_SERVICE = rolesFor('service_edge_router_policies', 'service_roles', 'edge_router_roles');
const IDENTITIES_FOR_ROUTER = rolesFor('edge_router_policies', 'edge_router_roles', 'identity_roles');
const SERVICES_FOR_ROUTER = rolesFor('service_edge_router_policies', 'edge_router_roles', 'service_roles');

const rolesOf = (policies: Policies, by: Roles, id: string, attributes: string) =>
  `(SELECT coalesce(json_agg(json_build_object('semantic', p.semantic, 'roles', p.edge_router_roles)), '[]')
    FROM ${policies} p WHERE ${namesEntity('p', by, id, attributes)})`;

const ROUTERS_FOR_BOTH = read<ServiceForIdentity>(
  'routers-for-both',
  `SELECT t.id, t.role_attributes AS "roleAttributes",
  ${rolesOf('edge_router_policies', 'identity_roles', '$2', '$3::text[]')} AS "ofIdentity",
  ${rolesOf('service_edge_router_policies', 'service_roles', 't.id', 't.role_attributes')} AS "ofService"
FROM services t WHERE t.id = $1`,
);

export function routerAccessView(db: Db): RouterAccessView {
  const find = (roles: Statement<RoleList>) => (entity: Selectable) =>
    db.many(roles, [entity.id, entity.roleAttributes]);
  return {
    routersForIdentity: find(ROUTERS_FOR_IDENTITY),
    routersForService: find(ROUTERS_FOR_SERVICE),
    routersForBoth: async (serviceId, { id, roleAttributes }) =>
      (await db.one(ROUTERS_FOR_BOTH, [serviceId, id, roleAttributes])) ?? raise(notFound('service', serviceId)),
    identitiesForRouter: find(IDENTITIES_FOR_ROUTER),
    servicesForRouter: find(SERVICES_FOR_ROUTER),
  };
}
