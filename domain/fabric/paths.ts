/**
 * The cheapest way over routers and links. A step to a router costs the cheapest usable link to it and the router's own
 * cost, at least `MIN_ROUTER_COST`; the router where traffic enters costs nothing.
 */

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

export interface Path {
  /** From the router where traffic enters to the one where it leaves: one or more. */
  readonly routerIds: readonly string[];
  /** Between them, one fewer. */
  readonly linkIds: readonly string[];
  readonly cost: number;
}

export const MIN_ROUTER_COST = 10;
export const MAX_PATH_COST = 2 ** 20;

interface Step {
  readonly linkId: string;
  readonly from: string;
  readonly to: PathRouter;
  readonly cost: number;
}

/** The routers that are connected and the links between them, as they are now. */
export class PathGraph {
  readonly #routers: ReadonlyMap<string, PathRouter>;
  readonly #steps = new Map<string, Map<string, Step>>();

  /** Links to routers that are not among `routers` do not count. */
  constructor(routers: Iterable<PathRouter>, links: Iterable<PathLink>) {
    this.#routers = new Map([...routers].map((router) => [router.id, router]));
    for (const { id, cost, routers: ends } of links) {
      this.#addStep(id, cost, ends[0], ends[1]);
      this.#addStep(id, cost, ends[1], ends[0]);
    }
  }

  /** The cheapest path to each router that can be reached from `sourceId`; the source itself among them. */
  pathsFrom(sourceId: string): ReadonlyMap<string, Path> {
    const source = this.#routers.get(sourceId);
    if (source === undefined) return new Map();
    const done = new Map<string, { cost: number; last: Step | undefined }>();
    const open = new Map<string, { cost: number; last: Step | undefined }>([[sourceId, { cost: 0, last: undefined }]]);
    for (let id = cheapest(open); id !== undefined; id = cheapest(open)) {
      const reached = open.get(id);
      if (reached === undefined) break;
      open.delete(id);
      done.set(id, reached);
      if (id !== sourceId && this.#routers.get(id)?.noTraversal === true) continue;
      for (const step of this.#steps.get(id)?.values() ?? []) {
        if (done.has(step.to.id)) continue;
        const cost = reached.cost + step.cost;
        const known = open.get(step.to.id);
        if (known === undefined || cost < known.cost) open.set(step.to.id, { cost, last: step });
      }
    }
    return new Map([...done.keys()].map((id) => [id, pathTo(id, done)]));
  }

  #addStep(linkId: string, linkCost: number, from: string, toId: string): void {
    const to = this.#routers.get(toId);
    if (to === undefined || !this.#routers.has(from) || from === toId) return;
    const cost = linkCost + Math.max(to.cost, MIN_ROUTER_COST);
    const steps = this.#steps.get(from) ?? new Map<string, Step>();
    const known = steps.get(toId);
    // The smaller id wins between two links of equal cost, so that equal graphs have equal paths.
    if (known === undefined || cost < known.cost || (cost === known.cost && linkId < known.linkId))
      steps.set(toId, { linkId, from, to, cost });
    this.#steps.set(from, steps);
  }
}

/** Networks have tens of routers, rarely hundreds: a look at all that are open costs less than a heap. */
function cheapest(open: ReadonlyMap<string, { readonly cost: number }>): string | undefined {
  let best: string | undefined;
  let bestCost = Infinity;
  for (const [id, { cost }] of open) {
    if (cost < bestCost || (cost === bestCost && best !== undefined && id < best)) {
      best = id;
      bestCost = cost;
    }
  }
  return best;
}

function pathTo(id: string, done: ReadonlyMap<string, { cost: number; last: Step | undefined }>): Path {
  const routerIds = [id];
  const linkIds: string[] = [];
  for (let step = done.get(id)?.last; step !== undefined; step = done.get(step.from)?.last) {
    routerIds.unshift(step.from);
    linkIds.unshift(step.linkId);
  }
  return { routerIds, linkIds, cost: Math.min(done.get(id)?.cost ?? 0, MAX_PATH_COST) };
}
