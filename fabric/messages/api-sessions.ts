/** Routers and API sessions: whose clients are connected, and that a router lost count. */
import { ApiSessionHeartbeatSchema, RequestClientReSyncSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';
import type { KeptSession } from '../session-directory.js';

/** Looked up at a time. */
const BATCH = 1_000;

/** A session counts as used when the router reports that its identity is connected, or has shown a session of it. */
export const apiSessionHeartbeat: MessageHandler = async (frame, channel, services) => {
  const { sessionSync, sessionsSeen, stores, traffic } = services;
  const { tokens } = readBody(ApiSessionHeartbeatSchema, frame);
  const { routerId } = channel;
  for (let from = 0; from < tokens.length && !channel.isClosed; from += BATCH) {
    const named = await sessionSync.heartbeat(channel, tokens.slice(from, from + BATCH));
    const isConnected = ({ identity }: KeptSession) => traffic.connected.isAt(routerId, identity.id);
    sessionsSeen(named.filter(isConnected).map(({ id }) => id));
    const others = named.filter((session) => !isConnected(session)).map(({ id }) => id);
    if (others.length === 0) continue;
    const used = (await stores.routerSync.servicesOf(others)).filter(({ id }) => traffic.sessions.isUsed(routerId, id));
    sessionsSeen([...new Set(used.map(({ apiSessionId }) => apiSessionId))]);
  }
};

export const requestClientReSync: MessageHandler = (frame, channel, { routers, sessionSync, log }) => {
  readBody(RequestClientReSyncSchema, frame);
  const router = routers.routerOf(channel);
  if (router?.isEdge !== true) return;
  log.info({ routerId: channel.routerId }, 'a router asks for all API sessions again');
  routers.update(channel, { syncStatus: 'SYNC_RESYNC_WAIT' });
  sessionSync.begin(channel, router);
};
