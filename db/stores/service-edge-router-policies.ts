/** Service edge router policies: which services may be reached through which edge routers. */
import type { ServiceEdgeRouterPolicy, ServiceEdgeRouterPolicyDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { display } from './role-lists.js';
import type { Names } from './role-lists.js';
import { policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';
import { serviceEdgeRouterPolicySymbols } from './symbols.js';
import { baseOf } from '../query/table.js';
import type { Lists } from '../query/table.js';

interface Row extends PolicyRow {
  edge_router_roles: string[];
  service_roles: string[];
  router_names: Names;
  service_names: Names;
}

function fromRow(row: Row): ServiceEdgeRouterPolicy {
  return {
    name: row.name,
    semantic: row.semantic,
    edgeRouterRoles: row.edge_router_roles,
    serviceRoles: row.service_roles,
    edgeRouterRolesDisplay: display(row.edge_router_roles, row.router_names),
    serviceRolesDisplay: display(row.service_roles, row.service_names),
    ...baseOf(row),
  };
}

const storeOn = policyStores({
  table: 'service_edge_router_policies',
  entity: 'serviceEdgeRouterPolicy',
  symbols: serviceEdgeRouterPolicySymbols,
  roles: ['edgeRouterRoles', 'serviceRoles'],
  fromRow,
});

export type ServiceEdgeRouterPolicyStore = PolicyStore<
  ServiceEdgeRouterPolicy,
  ServiceEdgeRouterPolicyDraft,
  'edgeRouterRoles' | 'serviceRoles'
>;

export function serviceEdgeRouterPolicyStore(db: Db, lists: Lists): ServiceEdgeRouterPolicyStore {
  return storeOn(db, lists);
}
