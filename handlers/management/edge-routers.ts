/** Edge routers: through which identities reach services. */
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayChangeRouter, whereAllowed } from '../delegation/delegation.js';
import { listOfIdentities } from '../forms/identity-model.js';
import {
  edgeRouterFor,
  routerEnrollment,
  routerFromPart,
  routerFromWhole,
  toEdgeRouterDetail,
} from '../forms/router-model.js';
import { EDGE_ROUTER_POLICY, SERVICE_EDGE_ROUTER_POLICY } from '../forms/router-policy-model.js';
import { listServiceViews } from '../access/service-views.js';

/** GET /edge-routers. */
export const listEdgeRouters: Handler<'management', 'listEdgeRouters'> = async (
  { query, caller },
  { stores, elementCache },
) => keptListOf(await stores.routers.listEdge(query), edgeRouterFor(caller), elementCache);

/**
 * POST /edge-routers, with its enrollment; a tunneler gets its identity. Fails: `duplicate` (name), `notFound`
 * (config), `invalidField` (two configs of one type).
 */
export const createEdgeRouter: Handler<'management', 'createEdgeRouter'> = async ({ body }, context) => {
  const draft = routerFromWhole(true, body);
  const id = context.newId();
  const enrollment = await routerEnrollment(id, true, context);
  await context.stores.routers.create(id, draft, enrollment);
  return created('edge-routers', id);
};

/** GET /edge-routers/{id}. Fails: `notFound`, also for a transit router. */
export const detailEdgeRouter: Handler<'management', 'detailEdgeRouter'> = async ({ params, caller }, { stores }) =>
  ok(toEdgeRouterDetail(await stores.routers.getEdge(params.id), caller));

/** PUT /edge-routers/{id}. Fails: as create. */
export const updateEdgeRouter: Handler<'management', 'updateEdgeRouter'> = async (
  { params, body, caller },
  { stores },
) => {
  const draft = routerFromWhole(true, body);
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayChangeRouter(caller, params.id, tx),
    ({ routers }) => routers.update(params.id, true, draft),
  );
  return noData();
};

/** PATCH /edge-routers/{id}. Fails: as create. */
export const patchEdgeRouter: Handler<'management', 'patchEdgeRouter'> = async (
  { params, body, caller },
  { stores },
) => {
  const changes = routerFromPart(true, body);
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayChangeRouter(caller, params.id, tx),
    ({ routers }) => routers.update(params.id, true, changes),
  );
  return noData();
};

/** DELETE /edge-routers/{id}: its identity, its system policy and its enrollment go too, and it leaves every policy. */
export const deleteEdgeRouter: Handler<'management', 'deleteEdgeRouter'> = async ({ params, caller }, { stores }) => {
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayChangeRouter(caller, params.id, tx),
    ({ routers }) => routers.remove(params.id, true),
  );
  return noData();
};

/** POST /edge-routers/{id}/re-enroll: its certificate is worth nothing from then on. Fails: `notFound`. */
export const reEnrollEdgeRouter: Handler<'management', 'reEnrollEdgeRouter'> = async ({ params, caller }, context) => {
  const enrollment = await routerEnrollment(params.id, true, context);
  await whereAllowed(
    caller,
    context.stores,
    (tx) => requireMayChangeRouter(caller, params.id, tx),
    ({ routers }) => routers.reEnroll(params.id, enrollment),
  );
  return noData();
};

/** GET /edge-routers/{id}/edge-router-policies: the policies that select it. */
export const listEdgeRouterEdgeRouterPolicies: Handler<'management', 'listEdgeRouterEdgeRouterPolicies'> = async (
  { params, query },
  { stores, elementCache },
) => {
  const router = await stores.routers.selectableEdge(params.id);
  return keptListOf(
    await stores.edgeRouterPolicies.list({ ...query, naming: { edgeRouterRoles: router } }),
    EDGE_ROUTER_POLICY,
    elementCache,
  );
};

/** GET /edge-routers/{id}/service-edge-router-policies: the policies that select it. */
export const listEdgeRouterServiceEdgeRouterPolicies: Handler<
  'management',
  'listEdgeRouterServiceEdgeRouterPolicies'
> = async ({ params, query }, { stores, elementCache }) => {
  const router = await stores.routers.selectableEdge(params.id);
  return keptListOf(
    await stores.serviceEdgeRouterPolicies.list({ ...query, naming: { edgeRouterRoles: router } }),
    SERVICE_EDGE_ROUTER_POLICY,
    elementCache,
  );
};

/** GET /edge-routers/{id}/identities: who may use it. */
export const listEdgeRouterIdentities: Handler<'management', 'listEdgeRouterIdentities'> = async (
  { params, query, caller },
  context,
) => {
  const { stores } = context;
  const roles = await stores.routerAccess.identitiesForRouter(await stores.routers.selectableEdge(params.id));
  return listOfIdentities(await stores.identities.list({ ...query, selectedBy: roles }), caller, context);
};

/** GET /edge-routers/{id}/services: what may be reached through it. */
export const listEdgeRouterServices: Handler<'management', 'listEdgeRouterServices'> = async (
  { params, query, caller },
  { stores },
) => {
  const roles = await stores.routerAccess.servicesForRouter(await stores.routers.selectableEdge(params.id));
  return listServiceViews({ ...query, selectedBy: roles }, caller, stores);
};

/** GET /identities/{id}/edge-routers: which ones the identity may use. */
export const listIdentityEdgeRouters: Handler<'management', 'listIdentityEdgeRouters'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const roles = await stores.routerAccess.routersForIdentity(await stores.identities.selectable(params.id));
  return keptListOf(
    await stores.routers.listEdge({ ...query, selectedBy: roles }),
    edgeRouterFor(caller),
    elementCache,
  );
};

/** GET /services/{id}/edge-routers: through which ones the service may be reached. */
export const listServiceEdgeRouters: Handler<'management', 'listServiceEdgeRouters'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  const roles = await stores.routerAccess.routersForService(await stores.services.selectable(params.id));
  return keptListOf(
    await stores.routers.listEdge({ ...query, selectedBy: roles }),
    edgeRouterFor(caller),
    elementCache,
  );
};
