/** Routers and API sessions: whose clients are connected, and that a router lost count. */
import { ApiSessionHeartbeatSchema, RequestClientReSyncSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import type { KeptSession } from '../sessions/session-directory.js';
import { eachPiece, eachSlice } from '../channel/pieces.js';

/** Looked up at a time. */
const BATCH = 500;

/** A session counts as used when the router reports that its identity is connected, or has shown a session of it. */
export const apiSessionHeartbeat: MessageHandler = (frame, channel, services) =>
  eachPiece(ApiSessionHeartbeatSchema, frame, channel, ({ tokens }) =>
    eachSlice(tokens, BATCH, channel, async (batch) => {
      const { sessionSync, sessionsSeen, stores, traffic } = services;
      const { routerId } = channel;
      const named = await sessionSync.heartbeat(channel, batch);
      const isConnected = ({ identity }: KeptSession) => traffic.connected.isAt(routerId, identity.id);
      sessionsSeen(named.filter(isConnected).map(({ id }) => id));
      const others = named.filter((session) => !isConnected(session)).map(({ id }) => id);
      if (others.length === 0) return;
      const used = (await stores.routerSync.servicesOf(others)).filter(({ id }) =>
        traffic.sessions.isUsed(routerId, id),
      );
      sessionsSeen([...new Set(used.map(({ apiSessionId }) => apiSessionId))]);
    }),
  );

export const requestClientReSync: MessageHandler = (frame, channel, { routers, sessionSync, wholeStates, log }) => {
  readBody(RequestClientReSyncSchema, frame);
  const router = routers.routerOf(channel);
  if (router?.isEdge !== true) return;
  log.info({ routerId: channel.routerId }, 'a router asks for all API sessions again');
  routers.update(channel, { syncStatus: 'SYNC_RESYNC_WAIT' });
  wholeStates.sessions.run(channel, () => {
    sessionSync.begin(channel, router);
  });
};
