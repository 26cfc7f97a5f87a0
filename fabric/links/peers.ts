/**
 * Tells routers of each other, so that they make links: each dials the link listeners of the others whose groups it
 * shares. A router that loses its channel keeps its links; the others dial it less often until it is back.
 */
import { create } from '@bufbuild/protobuf';
import { PeerState, PeerStateChangeSchema } from '../../generated/fabric/control_pb.js';
import type { LinkListener } from '../../domain/router.js';
import type { Listener, PeerStateChange } from '../../generated/fabric/control_pb.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Hello } from '../channel/hello.js';
import type { FabricLog } from '../channel/router-log.js';
import { peersMessage } from './link-messages.js';

/** The channel of a router with what it said at its hello. */
export interface GreetedChannel extends RouterChannel {
  readonly hello: Pick<Hello, 'version' | 'listeners'>;
}

interface Peer {
  readonly channel: GreetedChannel;
  readonly change: PeerStateChange;
}

/** Peers in one message. */
const BATCH = 500;
/** Bounds of what a router may advertise, since all others are told. */
const MOST_LISTENERS = 16;
const MOST_GROUPS = 32;
const MOST_CHARS = 256;

export class RouterPeers {
  readonly #log: FabricLog;
  readonly #peers = new Map<string, Peer>();
  /** Ids of routers that the others were told of and that are not connected. */
  readonly #away = new Set<string>();

  constructor(log: FabricLog) {
    this.#log = log;
  }

  /** Tells the router of all others that are connected, and them of it. */
  connected(channel: GreetedChannel): void {
    const change = this.#healthy(channel, channel.hello.listeners);
    const others = [...this.#peers.values()].filter((peer) => peer.channel.routerId !== channel.routerId);
    this.#tell(channel.routerId, change);
    for (let from = 0; from < others.length; from += BATCH)
      channel.send(peersMessage(others.slice(from, from + BATCH).map((peer) => peer.change)));
    this.#peers.set(channel.routerId, { channel, change });
    this.#away.delete(channel.routerId);
  }

  /** Tells the others at which addresses the router listens from now on. */
  listenersChanged({ routerId }: Pick<RouterChannel, 'routerId'>, listeners: readonly Listener[]): void {
    const peer = this.#peers.get(routerId);
    if (peer === undefined) return;
    const change = this.#healthy(peer.channel, listeners);
    this.#peers.set(routerId, { channel: peer.channel, change });
    this.#tell(routerId, change);
  }

  /** Whether the others were told of a router that is not connected. */
  awaits(routerId: string): boolean {
    return this.#away.has(routerId);
  }

  /** Ids of those routers. */
  get away(): Iterable<string> {
    return this.#away;
  }

  /** Tells the others that its channel is closed. */
  lost(channel: GreetedChannel): void {
    const { routerId } = channel;
    const peer = this.#peers.get(routerId);
    if (peer?.channel !== channel) return;
    this.#peers.delete(routerId);
    this.#away.add(routerId);
    this.#tell(routerId, { ...peer.change, state: PeerState.UNHEALTHY });
  }

  /** Tells the others to give up their links to a router that was deleted, if they were told of it. */
  removed(routerId: string): void {
    const isConnected = this.#peers.delete(routerId);
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

  #tell(routerId: string, change: PeerStateChange): void {
    const news = peersMessage([change]);
    for (const [id, { channel }] of this.#peers) if (id !== routerId) channel.send(news);
  }
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
