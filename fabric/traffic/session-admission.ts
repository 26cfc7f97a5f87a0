/** Admits a client that dials or binds: the checks of its session, in the order in which routers expect refusals. */
import type { ShownSession } from '../../db/stores/shown-sessions.js';
import type { Stores } from '../../db/stores/stores.js';
import { couldBeStored } from '../../domain/ids.js';
import type { PolicyType } from '../../domain/model.js';
import type { RouterChannel } from '../channel/channel.js';
import { invalidApiSession, invalidEdgeRouter, invalidSession, wrongSessionType } from '../channel/edge-errors.js';
import type { Flight } from './flights.js';
import type { DialMemory } from './dial-memory.js';
import type { SessionWatch } from './session-watch.js';

/** Tokens that a router shows for a client. */
export interface ShownTokens {
  readonly apiSessionToken: string;
  readonly sessionToken: string;
}

export interface ApiSessionTokens {
  /** Finds the complete API session with this token, and counts it as used now. @returns its id */
  find(token: string): Promise<string | undefined>;
  /** Finds the complete API session of this identity whose access token this is. @returns its id */
  findSigned(accessToken: string, identityId: string): Promise<string | undefined>;
  /**
   * Makes the session by which the API session that this token names dials the service, unless there is one.
   * @returns why none was made; undefined when there is one
   */
  openDial(accessToken: string, serviceId: string): Promise<'noService' | 'noRouter' | 'noSession' | undefined>;
}

export interface SessionAdmissionParts {
  readonly apiSessions: ApiSessionTokens;
  readonly stores: Pick<Stores, 'shownSessions'>;
  readonly memory: Pick<DialMemory, 'session'>;
  readonly sessions: Pick<SessionWatch, 'use'>;
  /** Counts these API sessions as active: their clients use a router. */
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
}

/**
 * Returns the session that a router shows for a client. From now on the router hears when it ends.
 * @throws EdgeError
 */
export async function requireSession(
  { apiSessionToken, sessionToken }: ShownTokens,
  type: PolicyType,
  channel: RouterChannel,
  flight: Flight,
  { apiSessions, stores, memory, sessions, sessionsSeen }: SessionAdmissionParts,
): Promise<ShownSession> {
  const { routerId } = channel;
  const apiSessionId = await apiSessions.find(apiSessionToken);
  if (apiSessionId === undefined) throw invalidApiSession();
  const read = () => stores.shownSessions.find(sessionToken, routerId);
  // A bind also depends on what its host is given by the identity, which is read each time.
  const find = () => (type === 'Dial' ? memory.session(sessionToken, routerId, read) : read());
  const session = sessionToken === '' || !couldBeStored(sessionToken) ? undefined : await find();
  if (session?.apiSessionId !== apiSessionId) throw invalidSession();
  if (session.type !== type) throw wrongSessionType();
  if (!session.isRouterAllowed) throw invalidEdgeRouter();
  if (channel.isClosed) throw invalidSession();
  sessions.use(routerId, session.id);
  flight.dependsOn(session.id, session.serviceId);
  sessionsSeen([apiSessionId]);
  return session;
}
