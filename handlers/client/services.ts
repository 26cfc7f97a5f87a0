/** Services as clients see them: only what the caller may dial or bind. Administrators may also change them here. */
import { notFound } from '../../domain/errors.js';
import type { ApiSession } from '../../domain/model.js';
import { digestOf, stateOf } from '../../domain/policy/service-view.js';
import type { LastView } from '../../db/access-view.js';
import type { Stores } from '../../db/stores.js';
import { noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Context } from '../context.js';
import type { Caller } from '../reply.js';
import { isoTime } from '../fields.js';
import type { ViewState } from '../kept-answers.js';
import {
  changeService,
  findServiceView,
  listOwnServices,
  replaceService,
  toServiceDetail,
  viewsOf,
} from '../shared/service-views.js';

/** GET /services. */
export const listServices: Handler<'client', 'listServices'> = async ({ query, caller }, context) =>
  context.keptAnswers.answer(await viewState(caller, context), caller, `services ${JSON.stringify(query)}`, () =>
    listOwnServices(query, caller, context.stores),
  );

/** GET /services/{id}. Fails: `notFound`, also for a service that the caller may not reach. */
export const detailService: Handler<'client', 'detailService'> = async ({ params, caller }, context) =>
  context.keptAnswers.answer(await viewState(caller, context), caller, `service ${params.id}`, async () => {
    const service = await findServiceView(params.id, caller, context.stores);
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

/** GET /current-api-session/service-updates: since when the caller's services are as they are. */
export const listServiceUpdates: Handler<'client', 'listServiceUpdates'> = async (
  { caller },
  { stores, apiSessions, epochs, keptAnswers },
) => {
  const { session } = await apiSessions.live(caller.token, caller.apiSessionId);
  const { epoch } = await epochs.access.current(stores);
  return keptAnswers.ofSession(session, epoch, async () => {
    const last = await stores.access.lastView(caller.identityId, caller.configTypes);
    const changedAt =
      last.noted?.epoch === last.epoch
        ? last.noted.changedAt
        : await keptAnswers.once(JSON.stringify(['service-updates', session.id, last.epoch, last.noted?.epoch]), () =>
            compareView({ ...caller, roleAttributes: last.roleAttributes }, last, session, stores),
          );
    return ok({ lastChangeAt: isoTime(latest(session.createdAt, changedAt)) });
  });
};

/**
 * Called when the epoch has moved. Most moves do not concern the caller, and its grants show that sooner than its whole
 * view.
 */
async function compareView(
  caller: Caller,
  { epoch, content, movedAt, noted }: LastView,
  session: ApiSession,
  stores: Stores,
): Promise<Date> {
  const { access } = stores;
  const { identityId, configTypes } = caller;
  const state = stateOf(await access.grants({ id: identityId, roleAttributes: caller.roleAttributes }), content);
  if (noted?.state?.equals(state) === true) {
    await access.keepView(identityId, configTypes, epoch, state);
    return noted.changedAt;
  }
  const digest = digestOf(await viewsOf(caller, stores));
  const isOfOnePiece = (await access.epoch()).epoch === epoch;
  // What changed between login and a first poll is not known; that something did is, and a client must not miss it.
  return access.noteView(
    identityId,
    configTypes,
    { epoch, digest, state: isOfOnePiece ? state : null },
    latest(session.createdAt, movedAt),
  );
}

/** Taken before anything that the answer is made of is read. */
async function viewState({ identityId, roleAttributes }: Caller, { stores, epochs }: Context): Promise<ViewState> {
  const { epoch, content } = await epochs.access.current(stores);
  return {
    epoch,
    now: async () => (await epochs.access.read(stores)).epoch,
    state: async () => stateOf(await stores.access.grants({ id: identityId, roleAttributes }), content),
  };
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
