/** The checks that a dial and a bind have in common, in the order in which routers expect their refusals. */
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import { couldBeStored } from '../../domain/ids.js';
import type { PolicyType } from '../../domain/model.js';
import type { RouterChannel } from '../channel/channel.js';
import { invalidApiSession, invalidEdgeRouter, invalidSession, wrongSessionType } from '../channel/edge-errors.js';
import type { Flight } from './flights.js';
import type { FabricServices } from '../services.js';

/** What a router shows for a client. */
export interface ShownTokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}

/**
 * The session that a router shows for a client. From now on the router hears when it ends.
 * @throws EdgeError
 */
export async function requireSession(
  { apiSessionToken, sessionToken }: ShownTokens,
  type: PolicyType,
  channel: RouterChannel,
  { apiSessions, stores, traffic, sessionsSeen }: FabricServices,
  flight: Flight,
): Promise<ShownSession> {
  const { routerId } = channel;
  const apiSessionId = await apiSessions.find(apiSessionToken);
  if (apiSessionId === undefined) throw invalidApiSession();
  const read = () => stores.shownSessions.find(sessionToken, routerId);
  // A bind also depends on what its host is given by the identity, which is read each time.
  const find = () => (type === 'Dial' ? traffic.memory.session(sessionToken, routerId, read) : read());
  const session = sessionToken === '' || !couldBeStored(sessionToken) ? undefined : await find();
  if (session?.apiSessionId !== apiSessionId) throw invalidSession();
  if (session.type !== type) throw wrongSessionType();
  if (!session.isRouterAllowed) throw invalidEdgeRouter();
  if (channel.isClosed) throw invalidSession();
  traffic.sessions.use(routerId, session.id);
  flight.hangsOn(session.id, session.serviceId);
  sessionsSeen([apiSessionId]);
  return session;
}
