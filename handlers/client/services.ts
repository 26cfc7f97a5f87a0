/** Services as clients see them: only what the caller may dial or bind. Administrators may also change them here. */
import { notFound } from '../../domain/errors.js';
import { digestOf } from '../../db/access-view.js';
import { noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { changeService, findServiceView, listOwnServices, replaceService, toServiceDetail, viewsOf } from '../shared/service-views.js';

/** GET /services. */
export const listServices: Handler<'client', 'listServices'> = async ({ query, caller }, { stores, written }) =>
  written.answer(await stores.access.epoch(), caller, `services ${JSON.stringify(query)}`, () => listOwnServices(query, caller, stores));

/** GET /services/{id}. Fails: `notFound`, also for a service that the caller may not reach. */
export const detailService: Handler<'client', 'detailService'> = async ({ params, caller }, { stores, written }) =>
  written.answer(await stores.access.epoch(), caller, `service ${params.id}`, async () => {
    const service = await findServiceView(params.id, caller, stores);
    if (service === undefined || service.permissions.length === 0) throw notFound('service', params.id);
    return ok(toServiceDetail(service));
  });

/** PUT /services/{id}. Administrators only. */
export const updateService: Handler<'client', 'updateService'> = async ({ params, body }, services) => replaceService(params.id, body, services);

/** PATCH /services/{id}. Administrators only. */
export const patchService: Handler<'client', 'patchService'> = async ({ params, body }, services) => changeService(params.id, body, services);

/** DELETE /services/{id}. Administrators only. */
export const deleteService: Handler<'client', 'deleteService'> = async ({ params }, { stores }) => {
  await stores.services.remove(params.id);
  return noData();
};

/** GET /current-api-session/service-updates: since when the caller's services are as they are. */
export const listServiceUpdates: Handler<'client', 'listServiceUpdates'> = async ({ caller }, { stores, sessions }) => {
  const { session } = await sessions.live(caller.token, caller.apiSessionId);
  const noted = await stores.access.lastChange(caller.identityId, caller.configTypes);
  let { changedAt } = noted;
  if (changedAt === null) {
    const digest = digestOf(await viewsOf(caller, stores));
    // What changed between login and a first poll is not known; that something did is, and a client must not miss it.
    changedAt = await stores.access.noteView(caller.identityId, caller.configTypes, noted.epoch, digest, latest(session.createdAt, noted.movedAt));
  }
  return ok({ lastChangeAt: latest(session.createdAt, changedAt).toISOString() });
};

function latest(a: Date, b: Date): Date {
  return a > b ? a : b;
}
