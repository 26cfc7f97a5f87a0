/** Service policies: which identities may dial or bind which services. */
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenName, givenTags } from '../fields.js';
import { givenRoles } from '../forms/policy-roles.js';
import {
  SERVICE_POLICY,
  policyTypeFrom,
  SERVICE_POLICY_ROLES,
  servicePolicyFrom,
  toServicePolicyDetail,
} from '../forms/service-policy-model.js';
import { POSTURE_CHECK } from '../forms/posture-check-model.js';
import { listServiceViews } from '../access/service-views.js';
import { listOfIdentities } from '../forms/identity-model.js';

/** GET /service-policies. */
export const listServicePolicies: Handler<'management', 'listServicePolicies'> = async (
  { query, caller },
  { stores, elementCache },
) => keptListOf(await stores.servicePolicies.list({ ...query, reader: caller }), SERVICE_POLICY, elementCache);

/** POST /service-policies. Fails: `duplicate` (name), `invalidField` (a role, or an `@id` of no entity). */
export const createServicePolicy: Handler<'management', 'createServicePolicy'> = async (
  { body },
  { stores, newId },
) => {
  const draft = servicePolicyFrom(body);
  const id = newId();
  await stores.servicePolicies.create(id, draft);
  return created('service-policies', id);
};

/** GET /service-policies/{id}. Fails: `notFound`. */
export const detailServicePolicy: Handler<'management', 'detailServicePolicy'> = async ({ params }, { stores }) =>
  ok(toServicePolicyDetail(await stores.servicePolicies.get(params.id)));

/** PUT /service-policies/{id}. */
export const updateServicePolicy: Handler<'management', 'updateServicePolicy'> = async (
  { params, body },
  { stores },
) => {
  const draft = servicePolicyFrom(body);
  await stores.servicePolicies.update(params.id, draft);
  return noData();
};

/** PATCH /service-policies/{id}. */
export const patchServicePolicy: Handler<'management', 'patchServicePolicy'> = async ({ params, body }, { stores }) => {
  const changes = {
    name: givenName(body.name),
    type: body.type == null ? undefined : policyTypeFrom(body.type),
    semantic: given(body.semantic),
    tags: givenTags(body.tags),
    ...givenRoles(body, SERVICE_POLICY_ROLES),
  };
  await stores.servicePolicies.update(params.id, changes);
  return noData();
};

/** DELETE /service-policies/{id}. */
export const deleteServicePolicy: Handler<'management', 'deleteServicePolicy'> = async ({ params }, { stores }) => {
  await stores.servicePolicies.remove(params.id);
  return noData();
};

/** GET /service-policies/{id}/identities: whom its identity roles select. */
export const listServicePolicyIdentities: Handler<'management', 'listServicePolicyIdentities'> = async (
  { params, query, caller },
  context,
) => {
  const { stores } = context;
  const { semantic, identityRoles } = await stores.servicePolicies.roles(params.id);
  const selectedBy = [{ semantic, roles: identityRoles }];
  return listOfIdentities(await stores.identities.list({ ...query, selectedBy }), caller, context);
};

/** GET /service-policies/{id}/services: what its service roles select. */
export const listServicePolicyServices: Handler<'management', 'listServicePolicyServices'> = async (
  { params, query, caller },
  { stores },
) => {
  const { semantic, serviceRoles } = await stores.servicePolicies.roles(params.id);
  return listServiceViews({ ...query, selectedBy: [{ semantic, roles: serviceRoles }] }, caller, stores);
};

/** GET /service-policies/{id}/posture-checks: what its posture check roles select. */
export const listServicePolicyPostureChecks: Handler<'management', 'listServicePolicyPostureChecks'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const { semantic, postureCheckRoles } = await stores.servicePolicies.roles(params.id);
  return keptListOf(
    await stores.postureChecks.list({ ...query, selectedBy: [{ semantic, roles: postureCheckRoles }] }),
    POSTURE_CHECK,
    elementCache,
  );
};
