/** Service edge router policies: which services may be reached through which edge routers. */
import type { Semantic, ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { text, textArray } from '../query/fields.js';
import type { Lists } from '../query/lists.js';
import { display } from './role-lists.js';
import { namesBehind, policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';

type Roles = 'edgeRouterRoles' | 'serviceRoles';
type Row = PolicyRow<Roles>;

export const serviceEdgeRouterPolicy = entity<Row>(
  'service_edge_router_policies',
  {
    name: text().unique(),
    semantic: text<Semantic>(),
    edgeRouterRoles: textArray(),
    serviceRoles: textArray(),
    routerNames: namesBehind('edgeRouterRoles'),
    serviceNames: namesBehind('serviceRoles'),
  },
  { name: 'serviceEdgeRouterPolicy', collections: ['service-edge-router-policies'], versionedBy: 'updatedAt' },
);

const fromRow = ({ routerNames, serviceNames, ...row }: Row): ServiceEdgeRouterPolicy => ({
  edgeRouterRolesDisplay: display(row.edgeRouterRoles, routerNames),
  serviceRolesDisplay: display(row.serviceRoles, serviceNames),
  ...row,
});

const storeOn = policyStores<Row, ServiceEdgeRouterPolicy, Roles>({
  entity: serviceEdgeRouterPolicy,
  roles: ['edgeRouterRoles', 'serviceRoles'],
  fromRow,
});

export type ServiceEdgeRouterPolicyStore = PolicyStore<ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyDraft, Roles>;

export function serviceEdgeRouterPolicyStore(db: Db, lists: Lists): ServiceEdgeRouterPolicyStore {
  return storeOn(db, lists);
}
