/** Service policies: role lists that decide who may dial or bind what. Reads show `@id` roles by present names. */
import type { PolicyType, Semantic, ServicePolicy, ServicePolicyDraft } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { linked, text, textArray } from '../query/fields.js';
import type { Lists } from '../query/lists.js';
import { display } from './role-lists.js';
import { namesBehind, policyStores } from './role-policies.js';
import type { PolicyRow, PolicyStore } from './role-policies.js';
import { service } from './services.js';
import { identity } from './identities.js';

type Roles = 'identityRoles' | 'serviceRoles' | 'postureCheckRoles';
type Row = PolicyRow<Roles> & { readonly type: PolicyType };

export const servicePolicy = entity<Row>(
  'service_policies',
  {
    name: text().unique(),
    type: text<PolicyType>(),
    semantic: text<Semantic>(),
    identityRoles: textArray(),
    serviceRoles: textArray(),
    postureCheckRoles: textArray(),
    identityNames: namesBehind('identityRoles'),
    serviceNames: namesBehind('serviceRoles'),
    postureCheckNames: namesBehind('postureCheckRoles'),
  },
  {
    name: 'servicePolicy',
    collections: ['service-policies'],
    versionedBy: 'updatedAt',
    symbols: {
      identities: linked(
        () => identity.symbols,
        'identity.read',
        `identities {alias} JOIN (VALUES (1)) {alias}_one (n)
      ON role_selects(t.semantic, t.identity_roles, {alias}.id, {alias}.role_attributes)`,
      ),
      services: linked(
        () => service.symbols,
        'service.read',
        `services {alias} JOIN (VALUES (1)) {alias}_one (n)
      ON role_selects(t.semantic, t.service_roles, {alias}.id, {alias}.role_attributes)`,
      ),
    },
  },
);

const fromRow = ({ identityNames, serviceNames, postureCheckNames, ...row }: Row): ServicePolicy => ({
  identityRolesDisplay: display(row.identityRoles, identityNames),
  serviceRolesDisplay: display(row.serviceRoles, serviceNames),
  postureCheckRolesDisplay: display(row.postureCheckRoles, postureCheckNames),
  ...row,
});

const storeOn = policyStores<Row, ServicePolicy, Roles>({
  entity: servicePolicy,
  roles: ['identityRoles', 'serviceRoles', 'postureCheckRoles'],
  fromRow,
});

export type ServicePolicyStore = PolicyStore<ServicePolicy, ServicePolicyDraft, Roles>;

export function servicePolicyStore(db: Db, lists: Lists): ServicePolicyStore {
  return storeOn(db, lists);
}
