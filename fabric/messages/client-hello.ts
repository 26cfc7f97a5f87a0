/** An edge router says where clients reach it, and is told all API sessions; or it asks for them again. */
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { RouterPresence } from '../../domain/router.js';
import { ClientHelloSchema, RequestClientReSyncSchema } from '../../generated/fabric/edge_pb.js';
import type { MessageHandler, RouterChannel } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import type { FabricLog } from '../channel/router-log.js';
import type { Spacing } from '../channel/spacing.js';
import type { ConnectedRouters } from '../presence/connected-routers.js';
import type { SessionSync } from '../sessions/session-sync.js';
import { reachOf } from '../traffic/reach.js';

interface SyncParts {
  readonly routers: Pick<ConnectedRouters, 'routerOf' | 'update'>;
  readonly sessionSync: Pick<SessionSync, 'begin'>;
  /** Spaces out the whole states of API sessions. */
  readonly sessionStates: Spacing;
  readonly log: FabricLog;
}

export const clientHello =
  (parts: SyncParts): MessageHandler =>
  (frame, channel) => {
    const { routers, log } = parts;
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
    begin(channel, router, { hostname, protocols, syncStatus: 'SYNC_HELLO_WAIT' }, parts);
  };

export const requestClientReSync =
  (parts: SyncParts): MessageHandler =>
  (frame, channel) => {
    readBody(RequestClientReSyncSchema, frame);
    const router = parts.routers.routerOf(channel);
    if (router?.isEdge !== true) return;
    parts.log.info({ routerId: channel.routerId }, 'a router asks for all API sessions again');
    begin(channel, router, { syncStatus: 'SYNC_RESYNC_WAIT' }, parts);
  };

function begin(
  channel: RouterChannel,
  router: KnownRouter,
  presence: Partial<RouterPresence>,
  { routers, sessionSync, sessionStates }: SyncParts,
): void {
  routers.update(channel, presence);
  sessionStates.run(channel, () => {
    sessionSync.begin(channel, router);
  });
}
