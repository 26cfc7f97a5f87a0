/** A router reports the API sessions of connected clients. */
import type { Stores } from '../../db/stores/stores.js';
import { ApiSessionHeartbeatSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import type { KeptSession } from '../sessions/session-directory.js';
import type { SessionSync } from '../sessions/session-sync.js';
import { eachPiece, eachSlice } from '../channel/pieces.js';
import type { ConnectedIdentities } from '../traffic/connected-identities.js';
import type { SessionWatch } from '../traffic/session-watch.js';

/** Tokens that are looked up at a time. */
const BATCH = 500;

interface HeartbeatParts {
  readonly connected: Pick<ConnectedIdentities, 'isAt'>;
  readonly sessions: Pick<SessionWatch, 'isUsed' | 'usesAny'>;
  readonly sessionSync: Pick<SessionSync, 'heartbeat'>;
  readonly sessionsSeen: (apiSessionIds: readonly string[]) => void;
  readonly stores: Pick<Stores, 'routerSync'>;
}

/** A session counts as used when the router reports that its identity is connected, or has shown a session of it. */
export const apiSessionHeartbeat =
  ({ connected, sessions, sessionSync, sessionsSeen, stores }: HeartbeatParts): MessageHandler =>
  (frame, channel) =>
    eachPiece(ApiSessionHeartbeatSchema, frame, channel, ({ tokens }) =>
      eachSlice(tokens, BATCH, channel, async (batch) => {
        const { routerId } = channel;
        const named = await sessionSync.heartbeat(channel, batch);
        const isConnected = ({ identity }: KeptSession) => connected.isAt(routerId, identity.id);
        sessionsSeen(named.filter(isConnected).map(({ id }) => id));
        if (!sessions.usesAny(routerId)) return;
        const others = named.filter((session) => !isConnected(session)).map(({ id }) => id);
        if (others.length === 0) return;
        const services = await stores.routerSync.servicesOf(others);
        const used = services.filter(({ id }) => sessions.isUsed(routerId, id));
        sessionsSeen([...new Set(used.map(({ apiSessionId }) => apiSessionId))]);
      }),
    );
