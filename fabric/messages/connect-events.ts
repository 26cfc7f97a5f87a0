/** ConnectEvents (20415): which identities are connected to a router. */
import { ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel.js';
import { readBody } from '../frame.js';

export const connectEvents: MessageHandler = (frame, channel, { traffic }) => {
  const { events, fullState } = readBody(ConnectEventsSchema, frame);
  traffic.connected.report(channel.routerId, events, fullState);
};
