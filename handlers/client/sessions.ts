/** Sessions as clients ask for them: the right to dial or bind one service. A client sees those of its own identity. */
import { keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { tagsFrom } from '../fields.js';
import { requireReached } from '../access/service-views.js';
import { sessionFor } from '../access/session-creation.js';
import { SESSION, toSessionDetail } from '../forms/session-model.js';
import { CLIENT_TERMINATOR } from '../forms/terminator-model.js';

/** GET /sessions. */
export const listSessions: Handler<'client', 'listSessions'> = async ({ query, caller }, { stores, elementCache }) =>
  keptListOf(await stores.sessions.list(query, caller.identityId), SESSION, elementCache);

/** POST /sessions. Fails: `notFound` (service), `invalidField` (type), `invalidPosture`, `noEdgeRouters`. */
export const createSession: Handler<'client', 'createSession'> = async ({ body, caller }, context) => {
  const session = await sessionFor(
    { serviceId: body.serviceId ?? '', type: body.type ?? 'Dial', tags: tagsFrom(body.tags) },
    caller,
    context,
  );
  return { status: 201, data: toSessionDetail(session) };
};

/**
 * GET /sessions/{id}. Fails: `notFound`, also for a session of another identity and for one that nothing grants any
 * more.
 */
export const detailSession: Handler<'client', 'detailSession'> = async ({ params, caller }, { stores }) =>
  ok(toSessionDetail(await stores.sessions.get(params.id, caller.identityId)));

/** DELETE /sessions/{id}. Fails: `notFound`, as the read does. */
export const deleteSession: Handler<'client', 'deleteSession'> = async ({ params, caller }, { stores }) => {
  await stores.sessions.remove(params.id, caller.identityId);
  return noData();
};

/** GET /services/{id}/terminators. Fails: `notFound`, also for a service that the caller may not reach. */
export const listServiceTerminators: Handler<'client', 'listServiceTerminators'> = async (
  { params, query, caller },
  { stores, elementCache },
) => {
  await requireReached(params.id, caller, stores);
  return keptListOf(
    await stores.terminators.list({ ...query, ofService: params.id, isForClient: true }),
    CLIENT_TERMINATOR,
    elementCache,
  );
};
