/** The cheapest path over routers and links. */
import { expect } from 'chai';
import fc from 'fast-check';
import { MIN_ROUTER_COST, PathGraph } from '../../domain/fabric/paths.js';
import type { PathLink, PathRouter } from '../../domain/fabric/paths.js';
import { pathCases } from '../cases/fabric-paths.js';

const routersOf = (text: string): PathRouter[] =>
  text.split(' ').map((word) => {
    const [id = '', cost = '0'] = word.replace('!', '').split(':');
    return { id, cost: Number(cost), noTraversal: word.endsWith('!') };
  });
const linksOf = (text: string): PathLink[] =>
  [...text.matchAll(/(\w+)=(\w+)-(\w+):(\d+)/g)].map(([, id = '', from = '', to = '', cost]) => ({
    id,
    routers: [from, to],
    cost: Number(cost),
  }));

describe('a path', () => {
  for (const { name, routers, links, from, to, path, cost } of pathCases) {
    it(`${path === null ? 'is not found' : 'is found'}: ${name}`, () => {
      const found = new PathGraph(routersOf(routers), linksOf(links)).pathsFrom(from).get(to);
      const text = found?.routerIds.flatMap((id, index) => [id, found.linkIds[index] ?? []].flat()).join(' ');
      expect({ path: text ?? null, cost: found?.cost }).to.deep.equal({ path, cost });
    });
  }

  it('is never dearer than any other way, in random networks', () => {
    const router = fc.record({ cost: fc.nat(100), noTraversal: fc.boolean() });
    const link = fc.record({ from: fc.nat(5), to: fc.nat(5), cost: fc.nat(50) });
    const network = fc.record({
      routers: fc.array(router, { minLength: 2, maxLength: 6 }),
      links: fc.array(link, { maxLength: 12 }),
    });
    fc.assert(
      fc.property(network, ({ routers, links }) => {
        const nodes = routers.map((each, index) => ({ id: String(index), ...each }));
        const edges = links.map(({ from, to, cost }, index) => ({
          id: `l${index}`,
          routers: [String(from), String(to)] as const,
          cost,
        }));
        const found = new PathGraph(nodes, edges).pathsFrom('0');
        const best = byTrying(nodes, edges);
        expect([...found].map(([id, { cost }]) => [id, cost]).sort()).to.deep.equal([...best].sort());
        for (const { routerIds, linkIds } of found.values()) expect(linkIds.length).to.equal(routerIds.length - 1);
      }),
    );
  });
});

/** The least cost to each router, by trying every way from router 0 that passes none twice. */
function byTrying(nodes: readonly PathRouter[], edges: readonly PathLink[]): Map<string, number> {
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
  walk('0', 0, ['0']);
  return best;
}
