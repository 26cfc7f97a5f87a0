/** Sessions of all identities. */
import { keptListOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayEnd, whereAllowed } from '../delegation/delegation.js';
import { SESSION_OF_ANY, toSessionManagementDetail } from '../forms/session-model.js';

/** GET /sessions. */
export const listSessions: Handler<'management', 'listSessions'> = async ({ query }, { stores, elementCache }) =>
  keptListOf(await stores.sessions.list(query, null), SESSION_OF_ANY, elementCache);

/** GET /sessions/{id}. Fails: `notFound`, also for a session that nothing grants any more. */
export const detailSession: Handler<'management', 'detailSession'> = async ({ params }, { stores }) =>
  ok(toSessionManagementDetail(await stores.sessions.get(params.id, null)));

/** DELETE /sessions/{id}. Fails: `notFound`, `unauthenticated`. */
export const deleteSession: Handler<'management', 'deleteSession'> = async ({ params, caller }, { stores }) => {
  // The owner never changes, so it may be read before the transaction; its rights are read within.
  const owner = caller.isAdmin ? '' : (await stores.sessions.get(params.id, null)).identityId;
  await whereAllowed(
    caller,
    stores,
    (tx) => requireMayEnd(caller, owner, 'unauthenticated', tx),
    (on) => on.sessions.remove(params.id, null),
  );
  return noData();
};

/** GET /sessions/{id}/route-path: empty while no router reports circuits to the controller. Fails: `notFound`. */
export const detailSessionRoutePath: Handler<'management', 'detailSessionRoutePath'> = async (
  { params },
  { stores },
) => {
  await stores.sessions.get(params.id, null);
  return ok({ routePath: [] });
};
