/** A path over routers and links, and all cheapest paths of one router, as they were when they were found. */

export interface Path {
  /** Routers from the one where traffic enters to the one where it leaves: one or more. */
  readonly routerIds: readonly string[];
  /** Links between the routers, one fewer than those. */
  readonly linkIds: readonly string[];
  readonly cost: number;
}

/** A router where a path ends, and the path without its last step. */
export interface PathEnd {
  readonly id: string;
  readonly cost: number;
  /** Cost of a step to the router, but for its link. */
  readonly entering: number;
  readonly linkId: string;
  readonly from: PathEnd | undefined;
}

const MAX_PATH_COST = 2 ** 20;

export const capped = (cost: number) => Math.min(cost, MAX_PATH_COST);

/**
 * Links lead in both directions, so the cheapest path back is the same path. Only its cost is another one: it has the
 * cost of the router where it ends, and not that of the router where it begins.
 */
export class Paths {
  readonly #ends: ReadonlyMap<string, PathEnd>;
  readonly #entering: number;

  /** @param ends  the router itself among them, if it is connected */
  constructor(routerId: string, ends: ReadonlyMap<string, PathEnd>) {
    this.#ends = ends;
    this.#entering = ends.get(routerId)?.entering ?? 0;
  }

  /** The path from this router to another; undefined when there is none. */
  to(routerId: string): Path | undefined {
    const end = this.#ends.get(routerId);
    return end === undefined ? undefined : pathTo(end);
  }

  /** The path from another router to this one; undefined when there is none. */
  from(routerId: string): Path | undefined {
    const end = this.#ends.get(routerId);
    if (end === undefined) return undefined;
    const { routerIds, linkIds } = pathTo(end);
    return { routerIds: [...routerIds].reverse(), linkIds: [...linkIds].reverse(), cost: this.#backwards(end) };
  }

  costTo(routerId: string): number | undefined {
    const end = this.#ends.get(routerId);
    return end === undefined ? undefined : capped(end.cost);
  }

  costFrom(routerId: string): number | undefined {
    const end = this.#ends.get(routerId);
    return end === undefined ? undefined : this.#backwards(end);
  }

  /** Costs by the router where the path ends. */
  costs(): Map<string, number> {
    const costs = new Map<string, number>();
    for (const [id, { cost }] of this.#ends) costs.set(id, capped(cost));
    return costs;
  }

  #backwards({ cost, entering, from }: PathEnd): number {
    return from === undefined ? 0 : capped(cost - entering + this.#entering);
  }
}

/** The steps of a path, from its end. */
type Trail = Pick<PathEnd, 'id' | 'cost' | 'linkId'> & { readonly from: Trail | undefined };

export function pathTo(end: Trail): Path {
  const routerIds = [end.id];
  const linkIds: string[] = [];
  for (let at = end; at.from !== undefined; at = at.from) {
    routerIds.push(at.from.id);
    linkIds.push(at.linkId);
  }
  return { routerIds: routerIds.reverse(), linkIds: linkIds.reverse(), cost: capped(end.cost) };
}
