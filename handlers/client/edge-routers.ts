/** Edge routers as clients see them: only those that the policies allow to the caller. */
import type { Stores } from '../../db/stores/stores.js';
import { DomainError } from '../../domain/errors.js';
import { keptListOf } from '../handler.js';
import type { Handler } from '../handler.js';
import type { Caller } from '../reply.js';
import { OWN_EDGE_ROUTER, toCommonEdgeRouter } from '../forms/router-model.js';
import { toSessionEdgeRouter } from '../forms/session-model.js';
import { reached, requireReached } from '../access/service-views.js';

/** GET /current-identity/edge-routers: which ones the caller may use; enrolled ones only. */
export const getCurrentIdentityEdgeRouters: Handler<'client', 'getCurrentIdentityEdgeRouters'> = async (
  { query, caller },
  { stores, elementCache },
) => {
  const roles = await stores.routerAccess.routersForIdentity(identityOf(caller));
  const page = await stores.routers.listEdge({ ...query, selectedBy: roles, isForClient: true });
  return keptListOf(page, OWN_EDGE_ROUTER, elementCache);
};

/**
 * GET /services/{id}/edge-routers: through which the caller may reach the service; with the token of a session, those
 * that its client can use now. Fails: `notFound`, as the service itself; `unauthenticated` for a token of no session of
 * the caller for this service.
 */
export const listServiceEdgeRouters: Handler<'client', 'listServiceEdgeRouters'> = async (
  { params, query, headers, caller },
  { stores },
) => {
  const sessionToken = headers['session-token'] ?? '';
  if (sessionToken !== '') return ofSession(params.id, sessionToken, caller, stores);
  const read = stores.routerAccess.routersForBoth(params.id, identityOf(caller));
  const { ofIdentity, ofService } = await reached(read, caller, stores);
  const page = await stores.routers.listCommonEdge(query, ofIdentity, ofService);
  const edgeRouters = page.items.map(toCommonEdgeRouter);
  if (page.rest !== undefined) for await (const batch of page.rest) edgeRouters.push(...batch.map(toCommonEdgeRouter));
  const { filterableFields, limit, offset, totalCount } = page;
  return { status: 200, data: { edgeRouters }, page: { filterableFields, limit, offset, totalCount } };
};

const identityOf = ({ identityId: id, roleAttributes }: Caller) => ({ id, roleAttributes });

/** Lets a client learn of changes for a session that it has. */
async function ofSession(serviceId: string, sessionToken: string, caller: Caller, stores: Stores) {
  await requireReached(serviceId, caller, stores);
  const session = await stores.sessions.findByToken(sessionToken, caller.apiSessionId);
  if (session?.service.id !== serviceId)
    throw new DomainError('unauthenticated', { logReason: 'the session token is of no session for this service' });
  const edgeRouters = session.edgeRouters.map(toSessionEdgeRouter);
  const { length } = edgeRouters;
  return {
    status: 200,
    data: { edgeRouters },
    page: { filterableFields: [], limit: length, offset: 0, totalCount: length },
  } as const;
}
