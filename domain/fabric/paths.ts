/**
 * The cheapest way over routers and links. A step to a router costs the cheapest usable link to it and the router's own
 * cost, at least `MIN_ROUTER_COST`; the router where traffic enters costs nothing.
 */
import { Paths, capped, pathTo } from './path.js';
import type { Path, PathEnd } from './path.js';
import { PathQueue } from './path-queue.js';

export interface PathRouter {
  readonly id: string;
  /** 0 to 65,535, as an administrator set it. */
  readonly cost: number;
  /** Traffic may begin or end here, but not pass. */
  readonly noTraversal: boolean;
}

/** Usable in both directions. */
export interface PathLink {
  readonly id: string;
  readonly routers: readonly [string, string];
  readonly cost: number;
}

export const MIN_ROUTER_COST = 10;

interface Step {
  readonly linkId: string;
  readonly to: Node;
  readonly cost: number;
}

/** A router, connected or only named by links, with what the search that was there last found. */
class Node {
  /** undefined while it is not connected: no path leads there. */
  router: PathRouter | undefined;
  readonly links = new Map<string, PathLink>();
  /** undefined when they have to be found again. */
  steps: readonly Step[] | undefined;
  search = 0;
  cost = 0;
  place = -1;
  from: Node | undefined;
  linkId = '';

  constructor(readonly id: string) {}
}

/** The routers that are connected and the links between them, as they are now. */
export class PathGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #links = new Map<string, PathLink>();
  readonly #queue = new PathQueue<Node>();
  #searches = 0;
  #version = 0;

  /** Grows with each change that paths may depend on. */
  get version(): number {
    return this.#version;
  }

  setRouter(router: PathRouter): void {
    const node = this.#nodeOf(router.id);
    const { cost, noTraversal } = node.router ?? {};
    if (cost === router.cost && noTraversal === router.noTraversal) return;
    node.router = router;
    this.#changed(node);
  }

  removeRouter(id: string): void {
    const node = this.#nodes.get(id);
    if (node?.router === undefined) return;
    node.router = undefined;
    this.#changed(node);
    this.#dropIdle(node);
  }

  setLink(link: PathLink): void {
    const { id, cost, routers } = link;
    const known = this.#links.get(id);
    if (known !== undefined && known.cost === cost && isBetween(known, routers)) return;
    if (known !== undefined) this.removeLink(id);
    this.#links.set(id, link);
    for (const routerId of routers) this.#nodeOf(routerId).links.set(id, link);
    this.#relinked(link);
  }

  removeLink(id: string): void {
    const link = this.#links.get(id);
    if (link === undefined) return;
    this.#links.delete(id);
    this.#relinked(link);
    for (const routerId of link.routers) {
      const node = this.#nodes.get(routerId);
      node?.links.delete(id);
      if (node !== undefined) this.#dropIdle(node);
    }
  }

  /** Whether all links of a path are there still, between the same routers. */
  has({ linkIds, routerIds }: Path): boolean {
    return linkIds.every((id, index) => {
      const link = this.#links.get(id);
      return link !== undefined && isBetween(link, [routerIds[index] ?? '', routerIds[index + 1] ?? '']);
    });
  }

  /** Returns what a path costs now; undefined when one of its links or routers is gone. */
  costOf(path: Path): number | undefined {
    if (!this.has(path)) return undefined;
    let cost = 0;
    for (const [index, linkId] of path.linkIds.entries()) {
      const to = this.#nodes.get(path.routerIds[index + 1] ?? '')?.router;
      if (to === undefined) return undefined;
      cost += (this.#links.get(linkId)?.cost ?? 0) + enteringCost(to);
    }
    return capped(cost);
  }

  /** The cheapest path; undefined when there is none. Looks no further than it has to. */
  path(sourceId: string, targetId: string): Path | undefined {
    const target = this.#nodes.get(targetId);
    if (target === undefined) return undefined;
    let found: Path | undefined;
    this.#search(sourceId, (node) => {
      if (node === target) found = pathTo(node);
      return node !== target;
    });
    return found;
  }

  /** The cheapest path to each router that can be reached; the source itself among them. */
  pathsFrom(sourceId: string): Paths {
    const ends = new Map<string, PathEnd>();
    this.#search(sourceId, ({ id, cost, from, linkId, router }) => {
      const entering = enteringCost(router);
      ends.set(id, { id, cost, entering, linkId, from: from === undefined ? undefined : ends.get(from.id) });
      return true;
    });
    return new Paths(sourceId, ends);
  }

  /**
   * Goes through the routers that can be reached, the cheapest first, and by their ids where they cost the same, so
   * that equal graphs have equal paths.
   * @param visit  returns false to end it
   */
  #search(sourceId: string, visit: (node: Node) => boolean): void {
    const source = this.#nodes.get(sourceId);
    if (source?.router === undefined) return;
    const search = (this.#searches += 1);
    const queue = this.#queue;
    queue.clear();
    Object.assign(source, { search, cost: 0, from: undefined, linkId: '' });
    queue.add(source);
    for (let node = queue.take(); node !== undefined; node = queue.take()) {
      if (!visit(node)) return;
      if (node !== source && node.router?.noTraversal === true) continue;
      for (const { to, cost: stepCost, linkId } of (node.steps ??= stepsOf(node, this.#nodes))) {
        const cost = node.cost + stepCost;
        const isNew = to.search !== search;
        if (!isNew && (to.place < 0 || cost >= to.cost)) continue;
        to.search = search;
        to.cost = cost;
        to.from = node;
        to.linkId = linkId;
        if (isNew) queue.add(to);
        else queue.moveUp(to);
      }
    }
  }

  #nodeOf(id: string): Node {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node = new Node(id);
    this.#nodes.set(id, node);
    return node;
  }

  /** Steps to a router cost what it costs, so those of its neighbours are others as well. */
  #changed(node: Node): void {
    this.#version += 1;
    node.steps = undefined;
    for (const { routers } of node.links.values()) for (const id of routers) this.#forgetSteps(id);
  }

  /** No path leads over a link to a router that is not connected: when one goes, its links change nothing more. */
  #relinked({ routers }: PathLink): void {
    if (routers.some((id) => this.#nodes.get(id)?.router === undefined)) return;
    this.#version += 1;
    for (const id of routers) this.#forgetSteps(id);
  }

  #forgetSteps(id: string): void {
    const node = this.#nodes.get(id);
    if (node !== undefined) node.steps = undefined;
  }

  #dropIdle(node: Node): void {
    if (node.router === undefined && node.links.size === 0) this.#nodes.delete(node.id);
  }
}

const isBetween = ({ routers: [a, b] }: PathLink, [from, to]: readonly [string, string]): boolean =>
  (a === from && b === to) || (a === to && b === from);

const enteringCost = (router: PathRouter | undefined): number => Math.max(router?.cost ?? 0, MIN_ROUTER_COST);

/** One step to each neighbour, over the cheapest link; the smaller id wins between two of equal cost. */
function stepsOf(from: Node, nodes: ReadonlyMap<string, Node>): readonly Step[] {
  const best = new Map<Node, PathLink>();
  for (const link of from.links.values()) {
    const [a, b] = link.routers;
    const to = nodes.get(a === from.id ? b : a);
    if (to?.router === undefined || to === from) continue;
    const known = best.get(to);
    if (known === undefined || link.cost < known.cost || (link.cost === known.cost && link.id < known.id))
      best.set(to, link);
  }
  return [...best].map(([to, { id, cost }]) => ({
    linkId: id,
    to,
    cost: cost + enteringCost(to.router),
  }));
}
