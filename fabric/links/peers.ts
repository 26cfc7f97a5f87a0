/**
 * Tells routers of each other, so that they make links: each dials the link listeners of the others whose groups it
 * shares. A router that loses its channel keeps its links; the others dial it less often until it is back.
 *
 * Where thousands come at once each would be told of each by a message of its own. So changes are told together, ten
 * times a second at most, and the first one after a rest at once. Where many are connected, of one without link
 * listeners only its deletion is told: the others cannot dial it, and have nothing to do when it comes or goes.
 */
import { create } from '@bufbuild/protobuf';
import { PeerState, PeerStateChangeSchema } from '../../generated/fabric/control_pb.js';
import { inParts } from '../../domain/in-parts.js';
import type { LinkListener } from '../../domain/router.js';
import type { Listener, PeerStateChange } from '../../generated/fabric/control_pb.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Hello } from '../channel/hello.js';
import type { Message } from '../channel/frame.js';
import type { FabricLog } from '../channel/router-log.js';
import { Spacing } from '../channel/spacing.js';
import { peerBody, peersMessage } from './link-messages.js';
import { PEERS_IN_MESSAGE, PeerPages } from './peer-pages.js';

/** The channel of a router with what it said at its hello. */
export interface GreetedChannel extends RouterChannel {
  readonly hello: Pick<Hello, 'version' | 'listeners'>;
}

interface Peer {
  readonly channel: GreetedChannel;
  readonly change: PeerStateChange;
  /** Number of the last change that it was told of when it connected. */
  readonly since: number;
}

interface News {
  readonly number: number;
  readonly routerId: string;
  readonly body: Uint8Array;
}

/** Least time between two tellings, and where that is more, the time for each router that is told: it takes 50 us. */
const APART_MS = 100;
const APART_PER_ROUTER_MS = 1;
/** Below so many routers all are told of each. */
const FEW = 100;
/** The routers together, whichever of them closes its channel. */
const ALL = { isClosed: false };
/** Bounds of what a router may advertise, since all others are told. */
const MOST_LISTENERS = 16;
const MOST_GROUPS = 32;
const MOST_CHARS = 256;

export class RouterPeers {
  readonly #log: FabricLog;
  readonly #peers = new Map<string, Peer>();
  /** The same, as a router that comes is told of them. */
  readonly #pages = new PeerPages();
  /** Routers that the others may know and that are not connected, with what they said last. */
  readonly #away = new Map<string, PeerStateChange>();
  /** Changes that the others are not told of yet, the last one of each router, the oldest first. */
  readonly #news = new Map<string, News>();
  #number = 0;
  readonly #spacing = new Spacing(() => Math.max(APART_MS, APART_PER_ROUTER_MS * this.#peers.size));

  constructor(log: FabricLog) {
    this.#log = log;
  }

  /** Tells the router of all others that are connected, and them of it. */
  connected(channel: GreetedChannel): void {
    const { routerId } = channel;
    const change = this.#healthy(channel, channel.hello.listeners);
    const before = this.#peers.get(routerId)?.change ?? this.#away.get(routerId);
    const isNews = this.#isNews(change, before);
    this.#pages.delete(routerId);
    send(channel, this.#pages.messages());
    if (isNews) this.#pages.set(routerId, this.#tell(routerId, change).body);
    this.#peers.set(routerId, { channel, change, since: this.#number });
    this.#away.delete(routerId);
  }

  /** Tells the others at which addresses the router listens from now on. */
  listenersChanged({ routerId }: Pick<RouterChannel, 'routerId'>, listeners: readonly Listener[]): void {
    const peer = this.#peers.get(routerId);
    if (peer === undefined) return;
    const change = this.#healthy(peer.channel, listeners);
    if (this.#isNews(change, peer.change)) this.#pages.set(routerId, this.#tell(routerId, change).body);
    this.#peers.set(routerId, { ...peer, change });
  }

  /** Whether the others may know a router that is not connected. */
  awaits(routerId: string): boolean {
    return this.#away.has(routerId);
  }

  /** Ids of those routers. */
  get away(): Iterable<string> {
    return this.#away.keys();
  }

  /** Tells the others that its channel is closed. */
  lost(channel: GreetedChannel): void {
    const { routerId } = channel;
    const peer = this.#peers.get(routerId);
    if (peer?.channel !== channel) return;
    this.#peers.delete(routerId);
    this.#pages.delete(routerId);
    this.#away.set(routerId, peer.change);
    if (this.#isNews(peer.change)) this.#tell(routerId, { ...peer.change, state: PeerState.UNHEALTHY });
  }

  /** Tells the others to give up their links to a router that was deleted, if they were told of it. */
  removed(routerId: string): void {
    const isConnected = this.#peers.delete(routerId);
    this.#pages.delete(routerId);
    if (!this.#away.delete(routerId) && !isConnected) return;
    this.#tell(routerId, create(PeerStateChangeSchema, { id: routerId, state: PeerState.REMOVED }));
  }

  #healthy({ routerId, hello }: GreetedChannel, listeners: readonly Listener[]): PeerStateChange {
    const usable = usableOf(listeners);
    if (usable.length < listeners.length)
      this.#log.warn(
        { routerId, left: listeners.length - usable.length },
        'a router advertises link listeners that no router could dial, or too many; others are not told of them',
      );
    const { version } = hello.version;
    return create(PeerStateChangeSchema, { id: routerId, version, state: PeerState.HEALTHY, listeners: usable });
  }

  /** @param before  what it said before */
  #isNews({ listeners }: PeerStateChange, before?: PeerStateChange): boolean {
    return this.#peers.size < FEW || listeners.length > 0 || (before !== undefined && before.listeners.length > 0);
  }

  /** Tells the others, at once or soon. */
  #tell(routerId: string, change: PeerStateChange): News {
    this.#number += 1;
    const news = { number: this.#number, routerId, body: peerBody(change) };
    this.#news.delete(routerId);
    this.#news.set(routerId, news);
    this.#spacing.run(ALL, () => {
      this.#tellNews();
    });
    return news;
  }

  /** Tells each router of the changes since it connected, but for its own. */
  #tellNews(): void {
    const news = [...this.#news.values()];
    const oldest = news[0]?.number ?? 0;
    const ofMost = batches(news.map(({ body }) => body));
    for (const [id, { channel, since }] of this.#peers) {
      const isOfMost = since < oldest && !this.#news.has(id);
      const own = () => news.filter(({ number, routerId }) => number > since && routerId !== id);
      send(channel, isOfMost ? ofMost : batches(own().map(({ body }) => body)));
    }
    this.#news.clear();
  }
}

const batches = (bodies: readonly Uint8Array[]): Message[] => inParts(bodies, PEERS_IN_MESSAGE).map(peersMessage);

function send(channel: GreetedChannel, messages: readonly Message[]): void {
  for (const each of messages) channel.send(each);
}

/** Those that the others are told of, as they are shown. */
export const shownListeners = (listeners: readonly Listener[]): LinkListener[] =>
  usableOf(listeners).map(({ address, protocol }) => ({ address, protocol }));

const usableOf = (listeners: readonly Listener[]) => listeners.filter(isUsable).slice(0, MOST_LISTENERS);

/** Leaves out what no router could dial, and what is too long to be sent to all of them. */
function isUsable({ address, protocol, groups, costTags, localBinding }: Listener): boolean {
  const texts = [address, protocol, localBinding, ...groups, ...costTags];
  return (
    /^[a-z0-9]+:\S+:\d{1,5}$/.test(address) &&
    groups.length <= MOST_GROUPS &&
    costTags.length <= MOST_GROUPS &&
    texts.every((text) => text.length <= MOST_CHARS)
  );
}
