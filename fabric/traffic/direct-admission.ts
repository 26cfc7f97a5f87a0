/**
 * Admits a client that dials by its access token alone. Its first dial of a service makes a session, as if the client
 * had asked for one: whatever ends sessions of others ends this one, and its circuits with it.
 */
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import { couldBeId, couldBeStored } from '../../domain/ids.js';
import type { RouterChannel } from '../channel/channel.js';
import { EdgeError, invalidApiSession, invalidService, invalidSession } from '../channel/edge-errors.js';
import type { Flight } from './flights.js';
import type { SessionAdmissionParts } from './session-admission.js';

/** The client and its wish, as a router names them. */
export interface DirectDial {
  readonly accessToken: string;
  readonly identityId: string;
  readonly serviceId: string;
}

/**
 * Returns the session by which the client dials. The identity that the router names must be that of the token.
 * @throws EdgeError
 */
export async function requireDirectDial(
  { accessToken, identityId, serviceId }: DirectDial,
  channel: RouterChannel,
  flight: Flight,
  { apiSessions, stores, memory, sessions, sessionsSeen }: SessionAdmissionParts,
): Promise<ShownSession> {
  const { routerId } = channel;
  if (identityId === '' || serviceId === '') throw new EdgeError('internal', 'no identity or no service is named');
  if (!couldBeStored(accessToken) || !couldBeId(identityId)) throw invalidApiSession();
  const apiSessionId = await apiSessions.findSigned(accessToken, identityId);
  if (apiSessionId === undefined) throw invalidApiSession();
  if (!couldBeId(serviceId)) throw invalidService();
  const find = () => stores.shownSessions.findDial(apiSessionId, serviceId, routerId);
  const session = await memory.session(`${apiSessionId} ${serviceId}`, routerId, async () => {
    const found = await find();
    if (found !== undefined) return found;
    requireOpened(await apiSessions.openDial(accessToken, serviceId));
    return find();
  });
  // It was there a moment ago: the grant, or the API session, has just gone.
  if (session === undefined) throw invalidService();
  if (!session.isRouterAllowed) throw notAllowed('this router');
  if (channel.isClosed) throw invalidSession();
  sessions.use(routerId, session.id);
  flight.dependsOn(session.id, session.serviceId);
  sessionsSeen([apiSessionId]);
  return session;
}

type Unopened = Awaited<ReturnType<SessionAdmissionParts['apiSessions']['openDial']>>;

/** @throws EdgeError */
function requireOpened(fault: Unopened): void {
  if (fault === 'noSession') throw invalidApiSession();
  if (fault === 'noService') throw invalidService();
  if (fault === 'noRouter') throw notAllowed('any router');
}

const notAllowed = (router: string) =>
  new EdgeError(
    'accessDenied',
    `no edge router policy allows ${router} to the identity, or no service edge router policy to the service`,
  );
