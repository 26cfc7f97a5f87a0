/** Services as clients see them: only what the caller may dial or bind. Administrators may also change them here. */
import { notFound } from '../../domain/errors.js';
import { msUntilTick, grantsState } from '../../domain/policy/service-view.js';
import { noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import type { ViewState } from '../response-cache.js';
import {
  changeService,
  findServiceView,
  listOwnServices,
  replaceService,
  toServiceDetail,
} from '../access/service-views.js';

/** GET /services. */
export const listServices: Handler<'client', 'listServices'> = async ({ query, caller }, context) =>
  context.responseCache.answer(
    await viewState(caller, context),
    caller,
    `services ${JSON.stringify(query)}`,
    (grants) => listOwnServices(query, caller, grants, context.stores),
  );

/** GET /services/{id}. Fails: `notFound`, also for a service that the caller may not reach. */
export const detailService: Handler<'client', 'detailService'> = async ({ params, caller }, context) =>
  context.responseCache.answer(await viewState(caller, context), caller, `service ${params.id}`, async (grants) => {
    const service = await findServiceView(params.id, caller, context.stores, grants);
    if (service === undefined || service.permissions.length === 0) throw notFound('service', params.id);
    return ok(toServiceDetail(service));
  });

/** PUT /services/{id}. Administrators only. */
export const updateService: Handler<'client', 'updateService'> = async ({ params, body }, context) =>
  replaceService(params.id, body, context);

/** PATCH /services/{id}. Administrators only. */
export const patchService: Handler<'client', 'patchService'> = async ({ params, body }, context) =>
  changeService(params.id, body, context);

/** DELETE /services/{id}. Administrators only. */
export const deleteService: Handler<'client', 'deleteService'> = async ({ params }, { stores }) => {
  await stores.services.remove(params.id);
  return noData();
};

/** Taken before anything that the answer is made of is read. */
async function viewState(caller: Caller, { stores, epochs }: Context): Promise<ViewState> {
  const { identityId, roleAttributes } = caller;
  const { epoch, content } = await epochs.access.current(stores);
  return {
    epoch,
    now: async () => (await epochs.access.read(stores)).epoch,
    seen: async () => {
      const beganMs = performance.now();
      const { grants, posture } = await stores.access.grantsIn(caller.apiSessionId, { id: identityId, roleAttributes });
      const state = grantsState(grants, content);
      if (posture === null) return { grants, state, posture };
      const goodUntilMs = beganMs + msUntilTick(grants, posture.now);
      return { grants, state, posture: { revision: posture.revision, goodUntilMs } };
    },
  };
}
