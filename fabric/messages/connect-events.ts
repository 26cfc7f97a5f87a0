/** ConnectEvents (20415): which identities are connected to a router. */
import { ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { eachPiece } from '../channel/pieces.js';
import type { ConnectedIdentities } from '../traffic/connected-identities.js';

interface Event {
  readonly identityId: string;
  readonly isConnected: boolean;
}

/** Reported together: in between, none may seem to have gone. */
export const connectEvents =
  ({ connected }: { readonly connected: Pick<ConnectedIdentities, 'report'> }): MessageHandler =>
  async (frame, channel) => {
    const all: Event[] = [];
    let isWhole = false;
    await eachPiece(ConnectEventsSchema, frame, channel, ({ events, fullState }) => {
      isWhole = fullState;
      for (const { identityId, isConnected } of events) all.push({ identityId, isConnected });
    });
    connected.report(channel.routerId, all, isWhole);
  };
