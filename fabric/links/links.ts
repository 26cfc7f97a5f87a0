/**
 * The links between routers, as the routers that dialed them report them. Links are made by routers themselves: they
 * are told of each other (peers.ts), and this controller learns what came of it. A link carries new paths while the
 * channels of both its routers are open; one whose router is away stays known, since the router may hold it still.
 */
import type { LinkRow } from '../../db/stores/links.js';
import { UNKNOWN_LATENCIES, USUAL_LINK_SETTINGS, linkCost } from '../../domain/fabric/link-cost.js';
import type { LinkLatencies } from '../../domain/fabric/link-cost.js';
import type { LinkConnection, LinkSettings } from '../../domain/fabric/link.js';
import { couldBeId } from '../../domain/ids.js';
import { FaultSubject } from '../../generated/fabric/control_pb.js';
import type { ConnectedChannels } from '../channel/channel.js';
import type { FabricLog } from '../channel/router-log.js';
import { linkFaultMessage } from './link-messages.js';
import type { Topology } from './topology.js';

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
  /** Time at which this controller heard of this attempt. */
  readonly createdAt: Date;
}

/** A link as its dialing router tells of it. */
export type ReportedLink = Omit<Link, 'routers' | 'latencies' | 'createdAt'> & { readonly routerId: string };

export interface LinksOptions {
  readonly topology: Pick<Topology, 'setLink' | 'removeLink'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
  /** Called when a link carries nothing any more. */
  readonly onLost: (linkId: string) => void;
  /** Called when a link came, is another one or is gone. */
  readonly onChanged: (linkId: string) => void;
  readonly log: FabricLog;
}

/** Links that one router may have dialed: far more than a network of a thousand routers needs. */
export const MOST_LINKS_OF_ROUTER = 5_000;

export class KnownLinks {
  readonly #options: LinksOptions;
  readonly #byId = new Map<string, Link>();
  /** Ids of links by the router that dialed them. */
  readonly #dialedBy = new Map<string, Set<string>>();
  /** The same by the router that was dialed. */
  readonly #dialed = new Map<string, Set<string>>();
  /** Settings of operators, by id of the link. */
  #settings: ReadonlyMap<string, LinkSettings> = new Map();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Link | undefined {
    return this.#byId.get(id);
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** Milliseconds that the dialing ends of links measured, of so many at most. */
  latencies(most: number): Map<string, number> {
    const found = new Map<string, number>();
    for (const [id, link] of this.#byId) {
      if (found.size >= most) break;
      found.set(id, link.latencies.dialing);
    }
    return found;
  }

  /** The link as all controllers are shown it; undefined when it is not known. */
  rowOf(id: string): LinkRow | undefined {
    const link = this.#byId.get(id);
    if (link === undefined) return undefined;
    const { routers, latencies, ...row } = link;
    const [sourceRouterId, destRouterId] = routers;
    const [sourceLatency, destLatency] = [nanoseconds(latencies.dialing), nanoseconds(latencies.accepting)];
    return { ...row, sourceRouterId, destRouterId, sourceLatency, destLatency };
  }

  /** Takes over what operators set on links, by id. Circuits over a link that is down now find another way. */
  configure(settings: ReadonlyMap<string, LinkSettings>): void {
    const before = this.#settings;
    this.#settings = settings;
    for (const id of new Set([...before.keys(), ...settings.keys()])) {
      const link = this.#byId.get(id);
      if (link === undefined) continue;
      this.#offer(link);
      if (settings.get(id)?.isDown === true && before.get(id)?.isDown !== true) this.#options.onLost(id);
    }
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
    this.#keep({ ...reported, routers: [dialingId, routerId], latencies, createdAt: new Date() });
    // It leads elsewhere now: what went over it has to find another way.
    if (isMoved) this.#options.onLost(id);
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
    this.#tellLost(other, link);
  }

  /** Takes over which connections a link has, from the router that dialed it. */
  setConnections(
    routerId: string,
    { id, iteration, stateIteration, connections }: Pick<Link, 'id' | 'iteration' | 'stateIteration' | 'connections'>,
  ): void {
    const link = this.#byId.get(id);
    if (link?.routers[0] !== routerId || link.iteration !== iteration || link.stateIteration >= stateIteration) return;
    this.#byId.set(id, { ...link, stateIteration, connections });
    this.#options.onChanged(id);
  }

  /** Has both its routers give up a link, as an operator wants it; they may dial it again. */
  remove(id: string): void {
    const link = this.#byId.get(id);
    if (link === undefined) return;
    this.#drop(id);
    for (const routerId of link.routers) this.#tellLost(routerId, link);
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

  #tellLost(routerId: string, { id, iteration }: Link): void {
    this.#options.channels.get(routerId)?.send(linkFaultMessage(FaultSubject.LINK, id, iteration));
  }

  #keep(link: Link): void {
    const { id, routers } = link;
    const before = this.#byId.get(id);
    this.#byId.set(id, link);
    if (before === undefined) {
      addTo(this.#dialedBy, routers[0], id);
      addTo(this.#dialed, routers[1], id);
    }
    this.#offer(link);
    this.#options.onChanged(id);
  }

  /** Lets paths lead over a link, unless it is down. */
  #offer({ id, routers, latencies }: Link): void {
    const { topology } = this.#options;
    const settings = this.#settings.get(id) ?? USUAL_LINK_SETTINGS;
    if (settings.isDown) topology.removeLink(id);
    else topology.setLink({ id, routers, cost: linkCost(latencies, settings) });
  }

  #remove({ id, routers }: Link): void {
    this.#byId.delete(id);
    removeFrom(this.#dialedBy, routers[0], id);
    removeFrom(this.#dialed, routers[1], id);
    this.#options.topology.removeLink(id);
    this.#options.onChanged(id);
  }

  #drop(id: string): void {
    const link = this.#byId.get(id);
    if (link === undefined) return;
    this.#remove(link);
    this.#options.onLost(id);
  }
}

const nanoseconds = (milliseconds: number) => Math.round(milliseconds * 1e6);

function addTo(index: Map<string, Set<string>>, key: string, id: string): void {
  index.set(key, (index.get(key) ?? new Set()).add(id));
}

function removeFrom(index: Map<string, Set<string>>, key: string, id: string): void {
  const ids = index.get(key);
  ids?.delete(id);
  if (ids?.size === 0) index.delete(key);
}
