/** Events of API sessions, sessions for services, and controllers, without any token. */
import { DomainError } from '../../domain/errors.js';
import type { ApiSession } from '../../domain/credentials.js';
import type { Controller, LazyRow, Session } from '../../domain/model.js';
import type { Context } from '../context.js';
import { all } from './comparisons.js';
import { difference } from './differences.js';
import type { Tell } from './traffic-events.js';

type Stores = Context['stores'];
type Look = () => Promise<void>;

/** Sessions that are read again each second; a network with more has too many that come and go. */
const MOST_SESSIONS = 2_000;

/** Goes on without this kind where there are too many, which an event says: other kinds were asked for with it. */
function bounded(namespace: string, look: Look, tell: Tell): Look {
  let isOver = false;
  return async () => {
    if (isOver) return;
    try {
      await look();
    } catch (error) {
      if (!(error instanceof DomainError && error.kind === 'invalidFilter')) throw error;
      isOver = true;
      tell(namespace, { event_type: 'unwatched', reason: `there are more than ${MOST_SESSIONS}` });
    }
  };
}

export function apiSessionWatch({ apiSessions }: Stores, tell: Tell): Look {
  const told = (event_type: string, { id, identity, ipAddress }: ApiSession, at?: Date) => {
    tell('apiSession', { event_type, id, identity_id: identity.id, ip_address: ipAddress }, at);
  };
  const read = () => all<LazyRow<ApiSession>>('', (request) => apiSessions.list(request), MOST_SESSIONS);
  const look = difference(read, {
    came: (row) => {
      const session = row.read();
      told('created', session, session.createdAt);
    },
    changed: () => undefined,
    left: (row) => {
      told('deleted', row.read());
    },
    stateOf: () => '',
  });
  return bounded('apiSession', look, tell);
}

export function sessionWatch({ sessions }: Stores, tell: Tell): Look {
  const told = (event_type: string, session: Session, at?: Date) => {
    const { id, type, apiSessionId, identityId, service } = session;
    const members = { id, session_type: type, api_session_id: apiSessionId, identity_id: identityId };
    tell('session', { event_type, ...members, service_id: service.id }, at);
  };
  const read = () => all<LazyRow<Session>>('', (request) => sessions.list(request, null), MOST_SESSIONS);
  const look = difference(read, {
    came: (row) => {
      const session = row.read();
      told('created', session, session.createdAt);
    },
    changed: () => undefined,
    left: (row) => {
      told('deleted', row.read());
    },
    stateOf: () => '',
  });
  return bounded('session', look, tell);
}

/** Controllers are equal: an event names the one that came or went, and there is no leader. */
export function controllerWatch({ controllers }: Stores, tell: Tell): Look {
  const told = (eventType: string, { id, name, ctrlAddress }: Controller) => {
    tell('cluster', { eventType, peers: [{ id, name, addr: ctrlAddress ?? '' }] });
  };
  return difference(() => all<Controller>('isOnline = true', (request) => controllers.list(request)), {
    came: (controller) => {
      told('peer.connected', controller);
    },
    changed: () => undefined,
    left: (controller) => {
      told('peer.disconnected', controller);
    },
    stateOf: () => '',
  });
}
