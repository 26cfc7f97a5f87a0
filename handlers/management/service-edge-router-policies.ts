/** Service edge router policies: which services may be reached through which edge routers. */
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { given, givenName, givenTags } from '../fields.js';
import { givenRoles } from '../forms/policy-roles.js';
import { edgeRouterFor } from '../forms/router-model.js';
import {
  SERVICE_EDGE_ROUTER_POLICY,
  SERVICE_EDGE_ROUTER_POLICY_ROLES,
  serviceEdgeRouterPolicyFrom,
  toServiceEdgeRouterPolicyDetail,
} from '../forms/router-policy-model.js';
import { listServiceViews } from '../access/service-views.js';

/** GET /service-edge-router-policies. */
export const listServiceEdgeRouterPolicies: Handler<'management', 'listServiceEdgeRouterPolicies'> = async (
  { query },
  { stores, elementCache },
) => keptListOf(await stores.serviceEdgeRouterPolicies.list(query), SERVICE_EDGE_ROUTER_POLICY, elementCache);

/** POST /service-edge-router-policies. Fails: `duplicate` (name), `invalidField` (a role, or an `@id` of no entity). */
export const createServiceEdgeRouterPolicy: Handler<'management', 'createServiceEdgeRouterPolicy'> = async (
  { body },
  { stores, newId },
) => {
  const draft = serviceEdgeRouterPolicyFrom(body);
  const id = newId();
  await stores.serviceEdgeRouterPolicies.create(id, draft);
  return created('service-edge-router-policies', id);
};

/** GET /service-edge-router-policies/{id}. Fails: `notFound`. */
export const detailServiceEdgeRouterPolicy: Handler<'management', 'detailServiceEdgeRouterPolicy'> = async (
  { params },
  { stores },
) => ok(toServiceEdgeRouterPolicyDetail(await stores.serviceEdgeRouterPolicies.get(params.id)));

/** PUT /service-edge-router-policies/{id}. Fails: as create. */
export const updateServiceEdgeRouterPolicy: Handler<'management', 'updateServiceEdgeRouterPolicy'> = async (
  { params, body },
  { stores },
) => {
  const draft = serviceEdgeRouterPolicyFrom(body);
  await stores.serviceEdgeRouterPolicies.update(params.id, draft);
  return noData();
};

/** PATCH /service-edge-router-policies/{id}. Fails: as create. */
export const patchServiceEdgeRouterPolicy: Handler<'management', 'patchServiceEdgeRouterPolicy'> = async (
  { params, body },
  { stores },
) => {
  const changes = {
    name: givenName(body.name),
    semantic: given(body.semantic),
    tags: givenTags(body.tags),
    ...givenRoles(body, SERVICE_EDGE_ROUTER_POLICY_ROLES),
  };
  await stores.serviceEdgeRouterPolicies.update(params.id, changes);
  return noData();
};

/** DELETE /service-edge-router-policies/{id}. */
export const deleteServiceEdgeRouterPolicy: Handler<'management', 'deleteServiceEdgeRouterPolicy'> = async (
  { params },
  { stores },
) => {
  await stores.serviceEdgeRouterPolicies.remove(params.id);
  return noData();
};

/** GET /service-edge-router-policies/{id}/edge-routers: what its edge router roles select. */
export const listServiceEdgeRouterPolicyEdgeRouters: Handler<
  'management',
  'listServiceEdgeRouterPolicyEdgeRouters'
> = async ({ params, query, caller }, { stores, elementCache }) => {
  const { semantic, edgeRouterRoles } = await stores.serviceEdgeRouterPolicies.roles(params.id);
  const selectedBy = [{ semantic, roles: edgeRouterRoles }];
  return keptListOf(await stores.routers.listEdge({ ...query, selectedBy }), edgeRouterFor(caller), elementCache);
};

/** GET /service-edge-router-policies/{id}/services: what its service roles select. */
export const listServiceEdgeRouterPolicyServices: Handler<'management', 'listServiceEdgeRouterPolicyServices'> = async (
  { params, query, caller },
  { stores },
) => {
  const { semantic, serviceRoles } = await stores.serviceEdgeRouterPolicies.roles(params.id);
  return listServiceViews({ ...query, selectedBy: [{ semantic, roles: serviceRoles }] }, caller, stores);
};

/** GET /services/{id}/service-edge-router-policies: the policies that select this service. */
export const listServiceServiceEdgeRouterPolicies: Handler<
  'management',
  'listServiceServiceEdgeRouterPolicies'
> = async ({ params, query }, { stores, elementCache }) => {
  const service = await stores.services.selectable(params.id);
  return keptListOf(
    await stores.serviceEdgeRouterPolicies.list({ ...query, naming: { serviceRoles: service } }),
    SERVICE_EDGE_ROUTER_POLICY,
    elementCache,
  );
};
