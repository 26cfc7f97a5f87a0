/** Small random networks, and all ways through them, to compare with paths that were found. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Path } from '../../domain/fabric/path.js';
import { MIN_ROUTER_COST } from '../../domain/fabric/paths.js';
import type { PathLink, PathRouter } from '../../domain/fabric/paths.js';

export const linkOf = (id: string, from: number, to: number, cost: number): PathLink => ({
  id,
  routers: [String(from), String(to)],
  cost,
});

const router = fc.record({ cost: fc.nat(40), noTraversal: fc.boolean() });
// Few costs, so that many ways cost the same.
const link = fc.record({ from: fc.nat(7), to: fc.nat(7), cost: fc.constantFrom(1, 2, 3, 20, 50) });

/** Routers without their ids, which are their numbers, and links between numbers. */
/** A step of a network of up to eight routers and twelve links that changes. */
const changes = [
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('link' as const), at: fc.nat(11), link }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('router' as const), id: fc.nat(7), router }) },
  fc.record({ kind: fc.constant('noLink' as const), at: fc.nat(11) }),
  fc.record({ kind: fc.constant('noRouter' as const), id: fc.nat(7) }),
] as const;

export const randomNetworks = { router, link, changes };

/** Goes the way of a path: it costs what the path says, and passes no router that nothing may pass. */
export function expectWay(
  { routerIds, linkIds, cost }: Path,
  nodes: readonly PathRouter[],
  edges: readonly PathLink[],
): void {
  expect(linkIds.length).to.equal(routerIds.length - 1);
  let sum = 0;
  for (const [index, linkId] of linkIds.entries()) {
    const [from, to] = [routerIds[index], routerIds[index + 1]];
    const link = edges.find(({ id }) => id === linkId);
    expect([...(link?.routers ?? [])].sort()).to.deep.equal([from, to].sort());
    const next = nodes.find(({ id }) => id === to);
    if (index < linkIds.length - 1) expect(next?.noTraversal).to.equal(false);
    sum += (link?.cost ?? NaN) + Math.max(next?.cost ?? NaN, MIN_ROUTER_COST);
  }
  expect(sum).to.equal(cost);
}

/** The least cost to each router, by trying every way from one that passes none twice. */
export function byTrying(start: string, nodes: readonly PathRouter[], edges: readonly PathLink[]): Map<string, number> {
  const best = new Map<string, number>();
  const walk = (at: string, cost: number, passed: readonly string[]) => {
    best.set(at, Math.min(best.get(at) ?? Infinity, cost));
    if (passed.length > 1 && nodes.find(({ id }) => id === at)?.noTraversal === true) return;
    for (const { routers, cost: linkCost } of edges) {
      for (const [from, to] of [routers, [routers[1], routers[0]]]) {
        const next = nodes.find(({ id }) => id === to);
        if (from !== at || next === undefined || passed.includes(next.id)) continue;
        walk(next.id, cost + linkCost + Math.max(next.cost, MIN_ROUTER_COST), [...passed, next.id]);
      }
    }
  };
  walk(start, 0, [start]);
  return best;
}
