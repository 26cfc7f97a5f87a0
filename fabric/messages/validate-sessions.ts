/** ValidateSessions (20213): after a reconnect a router names the sessions that its clients use. */
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';

export const validateSessions: MessageHandler = (frame, channel, { traffic }) =>
  eachPiece(ValidateSessionsRequestSchema, frame, channel, ({ sessionTokens }) =>
    traffic.sessions.named(channel.routerId, sessionTokens),
  );
