/** Routers and API sessions: whose clients are connected, and that a router lost count. */
import { ApiSessionHeartbeatSchema, RequestClientReSyncSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';
import { eachPiece, eachSlice } from '../pieces.js';

/** Looked up at a time. */
const BATCH = 500;

export const apiSessionHeartbeat: MessageHandler = (frame, channel, { sessionSync, sessionsSeen }) =>
  eachPiece(ApiSessionHeartbeatSchema, frame, channel, ({ tokens }) =>
    eachSlice(tokens, BATCH, channel, async (batch) => {
      sessionsSeen(await sessionSync.heartbeat(channel, batch));
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
