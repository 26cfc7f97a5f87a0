/** API sessions: who is logged in. */
import { keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayEnd, whereAllowed } from '../delegation/delegation.js';
import { API_SESSION, toApiSessionDetail } from '../forms/api-session-model.js';

/** GET /api-sessions. */
export const listAPISessions: Handler<'management', 'listAPISessions'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.apiSessions.list(query), API_SESSION, elementCache);

/** GET /api-sessions/{id}. Fails: `notFound`. */
export const detailAPISessions: Handler<'management', 'detailAPISessions'> = async ({ params }, { stores }) =>
  ok(toApiSessionDetail(await stores.apiSessions.get(params.id)));

/**
 * DELETE /api-sessions/{id}: its token is refused from then on, and what belongs to it goes. Fails: `notFound`,
 * `forbidden`.
 */
export const deleteAPISessions: Handler<'management', 'deleteAPISessions'> = async ({ params, caller }, { stores }) => {
  await whereAllowed(
    caller,
    stores,
    async (tx) => requireMayEnd(caller, (await tx.apiSessions.get(params.id)).identity.id, 'forbidden', tx),
    (on) => on.apiSessions.remove(params.id),
  );
  return noData();
};
