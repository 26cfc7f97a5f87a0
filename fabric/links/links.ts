/**
 * The links between routers, as the routers that dialed them report them. Links are made by routers themselves: they
 * are told of each other (peers.ts), and this controller learns what came of it. A link carries new paths while the
 * channels of both its routers are open; one whose router is away stays known, since the router may hold it still.
 */
import { UNKNOWN_LATENCIES, linkCost } from '../../domain/fabric/link-cost.js';
import type { LinkLatencies } from '../../domain/fabric/link-cost.js';
import { couldBeId } from '../../domain/ids.js';
import { FaultSubject } from '../../generated/fabric/control_pb.js';
import type { ConnectedChannels } from '../channel/channel.js';
import type { FabricLog } from '../channel/router-log.js';
import { linkFaultMessage } from './link-messages.js';
import type { Topology } from './topology.js';

/** One of the connections that a link consists of. */
export interface LinkConnection {
  readonly type: string;
  readonly localAddress: string;
  readonly remoteAddress: string;
}

export interface Link {
  readonly id: string;
  /** Grows with each redial of the same link. */
  readonly iteration: number;
  /** The router that dialed, then the one that was dialed. */
  readonly routers: readonly [string, string];
  readonly protocol: string;
  readonly dialAddress: string;
  /** Grows with each change of `connections`. */
  readonly stateIteration: number;
  readonly connections: readonly LinkConnection[];
  readonly latencies: LinkLatencies;
}

/** A link as its dialing router tells of it. */
export type ReportedLink = Omit<Link, 'routers' | 'latencies'> & { readonly routerId: string };

export interface LinksOptions {
  readonly topology: Pick<Topology, 'setLink' | 'removeLink'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
  /** Called when a link carries nothing any more. */
  readonly onLost: (linkId: string) => void;
  readonly log: FabricLog;
}

/** KnownLinks that one router may have dialed: far more than a network of a thousand routers needs. */
export const MOST_LINKS_OF_ROUTER = 5_000;

export class KnownLinks {
  readonly #options: LinksOptions;
  readonly #byId = new Map<string, Link>();
  /** Ids of links by the router that dialed them. */
  readonly #dialedBy = new Map<string, Set<string>>();
  /** The same by the router that was dialed. */
  readonly #dialed = new Map<string, Set<string>>();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Link | undefined {
    return this.#byId.get(id);
  }

  all(): Iterable<Link> {
    return this.#byId.values();
  }

  /** Takes over a link of the router that dialed it. A link of another router, or an older try, changes nothing. */
  report(dialingId: string, { routerId, ...reported }: ReportedLink): void {
    const { id, iteration } = reported;
    if (!couldBeId(id) || !couldBeId(routerId) || routerId === dialingId) {
      this.#refuse(dialingId, 'a link that it cannot have was reported');
      return;
    }
    const known = this.#byId.get(id);
    if (known !== undefined && known.routers[0] !== dialingId) {
      this.#refuse(dialingId, 'a link of another router was reported');
      return;
    }
    if (known !== undefined && known.iteration >= iteration) return;
    if (known === undefined && (this.#dialedBy.get(dialingId)?.size ?? 0) >= MOST_LINKS_OF_ROUTER) {
      this.#refuse(dialingId, 'more links were reported than a router may have');
      return;
    }
    const isMoved = known !== undefined && known.routers[1] !== routerId;
    if (isMoved) this.#remove(known);
    const latencies = isMoved ? UNKNOWN_LATENCIES : (known?.latencies ?? UNKNOWN_LATENCIES);
    this.#keep({ ...reported, routers: [dialingId, routerId], latencies });
  }

  /** Forgets the links of a router that its whole list does not have any more. */
  keepListed(dialingId: string, listed: ReadonlySet<string>): void {
    for (const id of [...(this.#dialedBy.get(dialingId) ?? [])]) if (!listed.has(id)) this.#drop(id);
  }

  /**
   * Takes note that a router lost a link; the router at its other end is told, which may not have noticed.
   * @param iteration  of the link that was lost; 0 for any
   */
  lost(routerId: string, id: string, iteration: number): void {
    const link = this.#byId.get(id);
    if (link?.routers.includes(routerId) !== true || (iteration > 0 && iteration < link.iteration)) return;
    const [dialing, dialed] = link.routers;
    const other = routerId === dialing ? dialed : dialing;
    this.#drop(id);
    this.#options.channels.get(other)?.send(linkFaultMessage(FaultSubject.LINK, id, link.iteration));
  }

  /** Takes over which connections a link has, from the router that dialed it. */
  setConnections(
    routerId: string,
    { id, iteration, stateIteration, connections }: Pick<Link, 'id' | 'iteration' | 'stateIteration' | 'connections'>,
  ): void {
    const link = this.#byId.get(id);
    if (link?.routers[0] !== routerId || link.iteration !== iteration || link.stateIteration >= stateIteration) return;
    this.#byId.set(id, { ...link, stateIteration, connections });
  }

  /** Takes over a latency that a router measured at its end of a link. @param milliseconds  0 or more */
  setLatency(routerId: string, id: string, milliseconds: number): void {
    const link = this.#byId.get(id);
    if (link === undefined) return;
    const { latencies, routers } = link;
    if (routers[0] === routerId) this.#keep({ ...link, latencies: { ...latencies, dialing: milliseconds } });
    else if (routers[1] === routerId) this.#keep({ ...link, latencies: { ...latencies, accepting: milliseconds } });
  }

  /** Forgets all links of a router that is gone for good. */
  forgetRouter(routerId: string): void {
    for (const ids of [this.#dialedBy.get(routerId), this.#dialed.get(routerId)])
      for (const id of [...(ids ?? [])]) this.#drop(id);
  }

  #refuse(routerId: string, text: string): void {
    this.#options.log.warn({ routerId }, text);
  }

  #keep(link: Link): void {
    const { id, routers, latencies } = link;
    const before = this.#byId.get(id);
    this.#byId.set(id, link);
    if (before === undefined) {
      addTo(this.#dialedBy, routers[0], id);
      addTo(this.#dialed, routers[1], id);
    }
    const cost = linkCost(latencies);
    if (before === undefined || linkCost(before.latencies) !== cost)
      this.#options.topology.setLink({ id, routers, cost });
  }

  #remove({ id, routers }: Link): void {
    this.#byId.delete(id);
    removeFrom(this.#dialedBy, routers[0], id);
    removeFrom(this.#dialed, routers[1], id);
    this.#options.topology.removeLink(id);
  }

  #drop(id: string): void {
    const link = this.#byId.get(id);
    if (link === undefined) return;
    this.#remove(link);
    this.#options.onLost(id);
  }
}

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  index.set(key, (index.get(key) ?? new Set()).add(id));
}

function removeFrom(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  ids?.delete(id);
  if (ids?.size === 0) index.delete(key);
}
