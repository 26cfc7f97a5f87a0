/** Service policies: role lists that decide who may dial or bind what. Reads show `@id` roles by present names. */
import type { PolicyType, ServicePolicy, ServicePolicyDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { display } from './role-lists.js';
import type { Names } from './role-lists.js';
import { policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';
import { servicePolicySymbols } from './symbols.js';
import { baseOf } from '../query/table.js';
import type { Lists } from '../query/table.js';

interface Row extends PolicyRow {
  type: PolicyType;
  identity_roles: string[];
  service_roles: string[];
  posture_check_roles: string[];
  identity_names: Names;
  service_names: Names;
  posture_check_names: Names;
}

function fromRow(row: Row): ServicePolicy {
  return {
    name: row.name,
    type: row.type,
    semantic: row.semantic,
    identityRoles: row.identity_roles,
    serviceRoles: row.service_roles,
    postureCheckRoles: row.posture_check_roles,
    identityRolesDisplay: display(row.identity_roles, row.identity_names),
    serviceRolesDisplay: display(row.service_roles, row.service_names),
    postureCheckRolesDisplay: display(row.posture_check_roles, row.posture_check_names),
    ...baseOf(row),
  };
}

const storeOn = policyStores({
  table: 'service_policies',
  entity: 'servicePolicy',
  symbols: servicePolicySymbols,
  columns: ['type'],
  roles: ['identityRoles', 'serviceRoles', 'postureCheckRoles'],
  fromRow,
});

export type ServicePolicyStore = PolicyStore<
  ServicePolicy,
  ServicePolicyDraft,
  'identityRoles' | 'serviceRoles' | 'postureCheckRoles'
>;

export function servicePolicyStore(db: Db, lists: Lists): ServicePolicyStore {
  return storeOn(db, lists);
}
