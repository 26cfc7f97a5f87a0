/** Routers of any kind, as the fabric knows them: without what concerns identities and policies. */
import { invalidField } from '../../domain/errors.js';
import type { Router } from '../../domain/router.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type * as Request from '../../generated/fabric-api/request.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { created, listOf, noData, ok, pageOf } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields } from '../fields.js';
import { routerEnrollment, routerFromPart, routerFromWhole, toInterface } from '../forms/router-model.js';
import { toFabricTerminator } from './terminator-form.js';
import { linksAt } from './links-at.js';

function toRouterDetail(router: Router): Response.RouterDetail {
  const { presence } = router;
  return {
    connected: presence !== null,
    cost: router.cost,
    ctrlChanListeners: router.ctrlChanListeners,
    disabled: router.disabled,
    fingerprint: router.fingerprint,
    interfaces: router.interfaces.map(toInterface),
    listenerAddresses: presence?.linkListeners.map(({ address, protocol }) => ({ address, protocol })) ?? [],
    name: router.name,
    noTraversal: router.noTraversal,
    ...(presence === null ? {} : { versionInfo: presence.versionInfo }),
    ...baseFields(router, linksAt('routers', router.id)),
  };
}

/** GET /routers. */
export const listRouters: Handler<'fabric', 'listRouters'> = async ({ query }, { stores }) =>
  listOf(await stores.routers.listOfFabric(query), toRouterDetail);

/**
 * POST /routers: a transit router with its enrollment, under the id that is given or a new one. Fails: `duplicate` (id,
 * name), `invalidField` for a fingerprint, which only enrollment gives.
 */
export const createRouter: Handler<'fabric', 'createRouter'> = async ({ body }, context) => {
  requireFingerprint(body.fingerprint, null);
  const id = body.id == null || body.id === '' ? context.newId() : body.id;
  const enrollment = await routerEnrollment(id, false, context);
  await context.stores.routers.create(id, routerFromWhole(false, body), enrollment);
  return created('routers', id);
};

/** GET /routers/{id}. Fails: `notFound`. */
export const detailRouter: Handler<'fabric', 'detailRouter'> = async ({ params }, { stores }) =>
  ok(toRouterDetail(await stores.routers.get(params.id)));

/** PUT /routers/{id}: what the fabric does not know of it stays. Fails: as PATCH. */
export const updateRouter: Handler<'fabric', 'updateRouter'> = async ({ params, body }, { stores }) => {
  const { name, cost, noTraversal, disabled, ctrlChanListeners, tags } = routerFromWhole(false, body);
  const draft = { name, cost, noTraversal, disabled, ctrlChanListeners, tags };
  await stores.transaction((tx) => change(tx, params.id, body, draft));
  return noData();
};

/** PATCH /routers/{id}. Fails: `notFound`, `duplicate` (name), `invalidField` for another fingerprint than its own. */
export const patchRouter: Handler<'fabric', 'patchRouter'> = async ({ params, body }, { stores }) => {
  const changes = routerFromPart(false, body);
  await stores.transaction((tx) => change(tx, params.id, body, changes));
  return noData();
};

/** DELETE /routers/{id}: as the management API deletes one of its kind. Fails: `notFound`. */
export const deleteRouter: Handler<'fabric', 'deleteRouter'> = async ({ params }, { stores }) => {
  await stores.transaction(async (tx) => {
    const { isEdge } = await tx.routers.get(params.id);
    await tx.routers.remove(params.id, isEdge);
  });
  return noData();
};

/** GET /routers/{id}/terminators. Fails: `notFound`. */
export const listRouterTerminators: Handler<'fabric', 'listRouterTerminators'> = async (
  { params, query },
  { stores },
) => {
  const page = await pageOf(stores.fabricTerminators.list({ ...query, ofRouter: params.id }), () =>
    stores.routers.get(params.id),
  );
  return listOf(page, toFabricTerminator);
};

async function change(
  tx: StoreSet,
  id: string,
  { fingerprint }: Pick<Request.RouterPatch, 'fingerprint'>,
  changes: Parameters<StoreSet['routers']['update']>[2],
): Promise<void> {
  const router = await tx.routers.get(id);
  requireFingerprint(fingerprint, router.fingerprint);
  await tx.routers.update(id, router.isEdge, changes);
}

/** @throws DomainError `invalidField` for another one than the router has: certificates come by enrollment alone */
function requireFingerprint(given: string | null | undefined, own: string | null): void {
  if (given === null || given === undefined || given === '' || given.toLowerCase() === own) return;
  const reason = 'routers of this network get their certificates by enrollment: leave it out';
  throw invalidField('fingerprint', reason, given);
}
