/**
 * Routers of any kind, under two names: `routers` and `transit-routers` are one list. Edge routers are read here and
 * changed under their own name.
 */
import { created, keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { routerEnrollment, routerFor, routerFromPart, routerFromWhole, toRouterDetail } from '../forms/router-model.js';

/** GET /routers: all routers, edge routers among them. */
export const listRouters: Handler<'management', 'listRouters'> = async ({ query, caller }, { stores, elementCache }) =>
  keptListOf(await stores.routers.list(query), routerFor(caller), elementCache);

/**
 * POST /routers: a transit router with its enrollment. Fails: `duplicate` (name), `notFound` (config), `invalidField`
 * (two configs of one type).
 */
export const createRouter: Handler<'management', 'createRouter'> = async ({ body }, context) => {
  const draft = routerFromWhole(false, body);
  const id = context.newId();
  const enrollment = await routerEnrollment(id, false, context);
  await context.stores.routers.create(id, draft, enrollment);
  return created('transit-routers', id);
};

/** GET /routers/{id}. Fails: `notFound`. */
export const detailRouter: Handler<'management', 'detailRouter'> = async ({ params, caller }, { stores }) =>
  ok(toRouterDetail(await stores.routers.get(params.id), caller));

/** PUT /routers/{id}. Fails: as create, `routerNotUpdatable` for an edge router. */
export const updateRouter: Handler<'management', 'updateRouter'> = async ({ params, body }, { stores }) => {
  const draft = routerFromWhole(false, body);
  await stores.routers.update(params.id, false, draft);
  return noData();
};

/** PATCH /routers/{id}. Fails: as PUT. */
export const patchRouter: Handler<'management', 'patchRouter'> = async ({ params, body }, { stores }) => {
  const changes = routerFromPart(false, body);
  await stores.routers.update(params.id, false, changes);
  return noData();
};

/** DELETE /routers/{id}, with its enrollment. Fails: `notFound`, `routerNotUpdatable` for an edge router. */
export const deleteRouter: Handler<'management', 'deleteRouter'> = async ({ params }, { stores }) => {
  await stores.routers.remove(params.id, false);
  return noData();
};

export const listTransitRouters: Handler<'management', 'listTransitRouters'> = listRouters;
export const createTransitRouter: Handler<'management', 'createTransitRouter'> = createRouter;
export const detailTransitRouter: Handler<'management', 'detailTransitRouter'> = detailRouter;
export const updateTransitRouter: Handler<'management', 'updateTransitRouter'> = updateRouter;
export const patchTransitRouter: Handler<'management', 'patchTransitRouter'> = patchRouter;
export const deleteTransitRouter: Handler<'management', 'deleteTransitRouter'> = deleteRouter;
