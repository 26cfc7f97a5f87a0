/** ValidateSessions (20213): after a reconnect a router names the sessions that its clients use. */
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';
import { sessionRemovedMessage } from '../session-watch.js';

const SLICE = 1_000;

export const validateSessions: MessageHandler = async (frame, channel, { stores, traffic }) => {
  const { sessionTokens: ids } = readBody(ValidateSessionsRequestSchema, frame);
  for (let at = 0; at < ids.length; at += SLICE) {
    const slice = ids.slice(at, at + SLICE);
    const uses = slice.map((sessionId) => ({ sessionId, routerId: channel.routerId }));
    const lost = new Set((await stores.shownSessions.lost(uses)).map(({ sessionId }) => sessionId));
    // Its sessions were forgotten when it closed.
    if (channel.isClosed) return;
    for (const id of slice) if (!lost.has(id) && !traffic.sessions.use(channel.routerId, id)) lost.add(id);
    if (lost.size > 0) channel.send(sessionRemovedMessage([...lost]));
  }
};
