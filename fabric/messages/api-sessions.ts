/** Routers and API sessions: whose clients are connected, and that a router lost count. */
import { ApiSessionHeartbeatSchema, RequestClientReSyncSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';

/** Looked up at a time. */
const BATCH = 1_000;

export const apiSessionHeartbeat: MessageHandler = async (frame, channel, { sessionSync, sessionsSeen }) => {
  const { tokens } = readBody(ApiSessionHeartbeatSchema, frame);
  for (let from = 0; from < tokens.length && !channel.isClosed; from += BATCH)
    sessionsSeen(await sessionSync.heartbeat(channel, tokens.slice(from, from + BATCH)));
};

export const requestClientReSync: MessageHandler = (frame, channel, { routers, sessionSync, log }) => {
  readBody(RequestClientReSyncSchema, frame);
  const router = routers.routerOf(channel);
  if (router?.isEdge !== true) return;
  log.info({ routerId: channel.routerId }, 'a router asks for all API sessions again');
  routers.update(channel, { syncStatus: 'SYNC_RESYNC_WAIT' });
  sessionSync.begin(channel, router);
};
