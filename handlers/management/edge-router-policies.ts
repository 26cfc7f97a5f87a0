/** Edge router policies: which identities may use which edge routers. */
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenName, givenTags } from '../fields.js';
import { givenRoles } from '../forms/policy-roles.js';
import { listOfIdentities } from '../forms/identity-model.js';
import { edgeRouterFor } from '../forms/router-model.js';
import {
  EDGE_ROUTER_POLICY,
  EDGE_ROUTER_POLICY_ROLES,
  edgeRouterPolicyFrom,
  toEdgeRouterPolicyDetail,
} from '../forms/router-policy-model.js';

/** GET /edge-router-policies. */
export const listEdgeRouterPolicies: Handler<'management', 'listEdgeRouterPolicies'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.edgeRouterPolicies.list(query), EDGE_ROUTER_POLICY, elementCache);

/** POST /edge-router-policies. Fails: `duplicate` (name), `invalidField` (a role, or an `@id` of no entity). */
export const createEdgeRouterPolicy: Handler<'management', 'createEdgeRouterPolicy'> = async (
  { body },
  { stores, newId },
) => {
  const draft = edgeRouterPolicyFrom(body);
  const id = newId();
  await stores.edgeRouterPolicies.create(id, draft);
  return created('edge-router-policies', id);
};

/** GET /edge-router-policies/{id}. Fails: `notFound`. */
export const detailEdgeRouterPolicy: Handler<'management', 'detailEdgeRouterPolicy'> = async ({ params }, { stores }) =>
  ok(toEdgeRouterPolicyDetail(await stores.edgeRouterPolicies.get(params.id)));

/** PUT /edge-router-policies/{id}. Fails: as create, `notUpdatable` for one of the system. */
export const updateEdgeRouterPolicy: Handler<'management', 'updateEdgeRouterPolicy'> = async (
  { params, body },
  { stores },
) => {
  const draft = edgeRouterPolicyFrom(body);
  await stores.edgeRouterPolicies.update(params.id, draft);
  return noData();
};

/** PATCH /edge-router-policies/{id}. Fails: as PUT. */
export const patchEdgeRouterPolicy: Handler<'management', 'patchEdgeRouterPolicy'> = async (
  { params, body },
  { stores },
) => {
  const changes = {
    name: givenName(body.name),
    semantic: given(body.semantic),
    tags: givenTags(body.tags),
    ...givenRoles(body, EDGE_ROUTER_POLICY_ROLES),
  };
  await stores.edgeRouterPolicies.update(params.id, changes);
  return noData();
};

/** DELETE /edge-router-policies/{id}. Fails: `notDeletable` for one of the system. */
export const deleteEdgeRouterPolicy: Handler<'management', 'deleteEdgeRouterPolicy'> = async (
  { params },
  { stores },
) => {
  await stores.edgeRouterPolicies.remove(params.id);
  return noData();
};

/** GET /edge-router-policies/{id}/edge-routers: what its edge router roles select. */
export const listEdgeRouterPolicyEdgeRouters: Handler<'management', 'listEdgeRouterPolicyEdgeRouters'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const { semantic, edgeRouterRoles } = await stores.edgeRouterPolicies.roles(params.id);
  const selectedBy = [{ semantic, roles: edgeRouterRoles }];
  return keptListOf(await stores.routers.listEdge({ ...query, selectedBy }), edgeRouterFor(caller), elementCache);
};

/** GET /edge-router-policies/{id}/identities: whom its identity roles select. */
export const listEdgeRouterPolicyIdentities: Handler<'management', 'listEdgeRouterPolicyIdentities'> = async (
  { params, query, caller },
  context,
) => {
  const { stores } = context;
  const { semantic, identityRoles } = await stores.edgeRouterPolicies.roles(params.id);
  const selectedBy = [{ semantic, roles: identityRoles }];
  return listOfIdentities(await stores.identities.list({ ...query, selectedBy }), caller, context);
};

/** GET /identities/{id}/edge-router-policies: the policies that select this identity. */
export const listIdentitysEdgeRouterPolicies: Handler<'management', 'listIdentitysEdgeRouterPolicies'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const identity = await stores.identities.selectable(params.id);
  return keptListOf(
    await stores.edgeRouterPolicies.list({ ...query, naming: { identityRoles: identity } }),
    EDGE_ROUTER_POLICY,
    elementCache,
  );
};
