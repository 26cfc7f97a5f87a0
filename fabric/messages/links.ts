/** Reads what routers say about links: which they dialed, what those consist of, and who has dialed them. */
import { couldBeId } from '../../domain/ids.js';
import {
  LinkStateUpdateSchema,
  ListenersSchema,
  RouterLinksSchema,
  VerifyRouterSchema,
} from '../../generated/fabric/control_pb.js';
import type { LinkConnState, RouterLinks_RouterLink } from '../../generated/fabric/control_pb.js';
import type { RouterSyncView } from '../../db/stores/router-sync-view.js';
import type { MessageHandler } from '../channel/channel.js';
import { readBody } from '../channel/frame.js';
import { eachPiece } from '../channel/pieces.js';
import { result } from '../channel/results.js';
import type { Spacing } from '../channel/spacing.js';
import type { KnownLinks, Link, ReportedLink } from '../links/links.js';
import { shownListeners } from '../links/peers.js';
import type { RouterPeers } from '../links/peers.js';
import type { ConnectedRouters } from '../presence/connected-routers.js';

/** Bounds of what is kept of one link. */
const MOST_CONNECTIONS = 16;
const MOST_CHARS = 256;

/** RouterLinks (1035): a router dialed links, or tells of all that it dialed. */
export const routerLinks =
  ({ links }: { readonly links: Pick<KnownLinks, 'report' | 'keepListed'> }): MessageHandler =>
  async (frame, channel) => {
    const listed = new Set<string>();
    let isWhole = false;
    await eachPiece(RouterLinksSchema, frame, channel, ({ links: reported, fullRefresh }) => {
      isWhole ||= fullRefresh;
      for (const link of reported) {
        listed.add(link.id);
        links.report(channel.routerId, toReported(link));
      }
    });
    if (isWhole) links.keepListed(channel.routerId, listed);
  };

/** LinkState (1053): a link consists of other connections. */
export const linkState =
  ({ links }: { readonly links: Pick<KnownLinks, 'setConnections'> }): MessageHandler =>
  (frame, channel) => {
    const { linkId, linkIteration, connState } = readBody(LinkStateUpdateSchema, frame);
    links.setConnections(channel.routerId, { id: linkId, iteration: linkIteration, ...toConnections(connState) });
  };

interface ListenerParts {
  readonly peers: Pick<RouterPeers, 'listenersChanged'>;
  readonly routers: Pick<ConnectedRouters, 'update'>;
  /** Spaces out changes of link listeners: all other routers are told of each. */
  readonly listenerChanges: Spacing;
}

/** UpdateLinkListeners (1056): a router listens for links at other addresses than it said in its hello. */
export const updateLinkListeners =
  ({ peers, routers, listenerChanges }: ListenerParts): MessageHandler =>
  (frame, channel) => {
    const { listeners } = readBody(ListenersSchema, frame);
    listenerChanges.run(channel, () => {
      peers.listenersChanged(channel, listeners);
      routers.update(channel, { linkListeners: shownListeners(listeners) });
    });
  };

/**
 * VerifyRouter (1036): a router was dialed by a peer and asks whether the certificate that the peer showed is the one
 * it enrolled with. The first fingerprint alone is of the peer's own certificate; others are of whom it likes.
 */
export const verifyRouter =
  ({ stores }: { readonly stores: { readonly routerSync: Pick<RouterSyncView, 'routers'> } }): MessageHandler =>
  async (frame, channel) => {
    const { routerId, fingerprints } = readBody(VerifyRouterSchema, frame);
    const [router] = couldBeId(routerId) ? await stores.routerSync.routers([routerId]) : [];
    const isVerified = router?.fingerprint != null && !router.disabled && fingerprints[0] === router.fingerprint;
    channel.reply(frame, isVerified ? result(true, 'router verified') : result(false, 'the router is not verified'));
  };

/** A text that is cut may end in half a character, which nothing can store. */
const short = (text: string) => text.slice(0, MOST_CHARS).toWellFormed();

function toReported(link: RouterLinks_RouterLink): ReportedLink {
  const { id, iteration, destRouterId, linkProtocol, dialAddress, connState } = link;
  return {
    id,
    iteration,
    routerId: destRouterId,
    protocol: short(linkProtocol),
    dialAddress: short(dialAddress),
    ...toConnections(connState),
  };
}

function toConnections(state: LinkConnState | undefined): Pick<Link, 'stateIteration' | 'connections'> {
  const { stateIteration = 0, conns = [] } = state ?? {};
  const connections = conns.slice(0, MOST_CONNECTIONS).map(({ type, localAddr, remoteAddr }) => ({
    type: short(type),
    localAddress: short(localAddr),
    remoteAddress: short(remoteAddr),
  }));
  return { stateIteration, connections };
}
