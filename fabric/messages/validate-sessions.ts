/** ValidateSessions (20213): after a reconnect a router names the sessions that its clients use. */
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';
import type { SessionWatch } from '../traffic/session-watch.js';

export const validateSessions =
  ({ sessions }: { readonly sessions: Pick<SessionWatch, 'named'> }): MessageHandler =>
  (frame, channel) =>
    eachPiece(ValidateSessionsRequestSchema, frame, channel, ({ sessionTokens }) =>
      sessions.named(channel.routerId, sessionTokens),
    );
