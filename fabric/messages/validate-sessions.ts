/** ValidateSessions (20213): after a reconnect a router names the sessions that its clients use. */
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';

export const validateSessions: MessageHandler = (frame, channel, { traffic }) => {
  const { sessionTokens } = readBody(ValidateSessionsRequestSchema, frame);
  return traffic.sessions.named(channel.routerId, sessionTokens);
};
