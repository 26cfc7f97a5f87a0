/** An edge router says where clients reach it. From then on it is told of API sessions. */
import { ClientHelloSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import type { FabricLog } from '../channel/router-log.js';
import type { Spacing } from '../channel/spacing.js';
import type { ConnectedRouters } from '../presence/connected-routers.js';
import type { SessionSync } from '../sessions/session-sync.js';
import { reachOf } from '../traffic/reach.js';

interface ClientHelloParts {
  readonly routers: Pick<ConnectedRouters, 'routerOf' | 'update'>;
  readonly sessionSync: Pick<SessionSync, 'begin'>;
  /** Spaces out the whole states of API sessions. */
  readonly sessionStates: Spacing;
  readonly log: FabricLog;
}

export const clientHello =
  ({ routers, sessionSync, sessionStates, log }: ClientHelloParts): MessageHandler =>
  (frame, channel) => {
    const router = routers.routerOf(channel);
    if (router?.isEdge !== true) return;
    const reach = reachOf(readBody(ClientHelloSchema, frame), router.serverNames);
    const { hostname, protocols, unusable, uncertified } = reach;
    const { routerId } = channel;
    if (unusable > 0) log.warn({ routerId, addresses: unusable }, 'a router advertises addresses that cannot be used');
    if (uncertified.length > 0)
      log.warn(
        { routerId, hosts: uncertified },
        'a router advertises hosts that are not in its certificate, and clients will refuse it there: name them in ' +
          '`edge.csr.sans` of its configuration and enroll it again',
      );
    routers.update(channel, { hostname, protocols, syncStatus: 'SYNC_HELLO_WAIT' });
    sessionStates.run(channel, () => {
      sessionSync.begin(channel, router);
    });
  };
