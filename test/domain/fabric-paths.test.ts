/** The cheapest path over routers and links. */
import { expect } from 'chai';
import fc from 'fast-check';
import { MIN_ROUTER_COST, PathGraph } from '../../domain/fabric/paths.js';
import type { Path, PathLink, PathRouter } from '../../domain/fabric/paths.js';
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

function graphOf(routers: readonly PathRouter[], links: readonly PathLink[]): PathGraph {
  const graph = new PathGraph();
  for (const router of routers) graph.setRouter(router);
  for (const link of links) graph.setLink(link);
  return graph;
}

describe('a path', () => {
  for (const { name, routers, links, from, to, path, cost } of pathCases) {
    it(`${path === null ? 'is not found' : 'is found'}: ${name}`, () => {
      const graph = graphOf(routersOf(routers), linksOf(links));
      const found = graph.path(from, to);
      expect(graph.pathsFrom(from).to(to)).to.deep.equal(found);
      const text = found?.routerIds.flatMap((id, index) => [id, found.linkIds[index] ?? []].flat()).join(' ');
      expect({ path: text ?? null, cost: found?.cost }).to.deep.equal({ path, cost });
    });
  }

  const router = fc.record({ cost: fc.nat(40), noTraversal: fc.boolean() });
  // Few costs, so that many ways cost the same.
  const link = fc.record({ from: fc.nat(7), to: fc.nat(7), cost: fc.constantFrom(1, 2, 3, 20, 50) });

  it('is never dearer than any other way, in random networks', () => {
    const network = fc.record({
      routers: fc.array(router, { minLength: 2, maxLength: 8 }),
      links: fc.array(link, { maxLength: 14 }),
    });
    fc.assert(
      fc.property(network, ({ routers, links }) => {
        const nodes = routers.map((each, index) => ({ id: String(index), ...each }));
        const edges = links.map(({ from, to, cost }, index) => linkOf(`l${index}`, from, to, cost));
        const graph = graphOf(nodes, edges);
        const found = graph.pathsFrom('0');
        const best = byTrying(nodes, edges);
        expect(sorted(found.costs())).to.deep.equal(sorted(best));
        for (const { id } of nodes) {
          const path = graph.path('0', id);
          expect(found.to(id)).to.deep.equal(path);
          expect(path?.cost).to.equal(best.get(id));
          if (path === undefined) continue;
          expectWay(path, nodes, edges);
          expect(graph.costOf(path)).to.equal(path.cost);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is the same in a network that changed step by step as in one that is made at once', () => {
    const id = fc.nat(7);
    const change = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('link' as const), at: fc.nat(11), link }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('router' as const), id, router }) },
      fc.record({ kind: fc.constant('noLink' as const), at: fc.nat(11) }),
      fc.record({ kind: fc.constant('noRouter' as const), id }),
      // Steps that were found before are there when the next change comes.
      fc.record({ kind: fc.constant('look' as const), id }),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 20, maxLength: 60 }), (changes) => {
        const graph = new PathGraph();
        const routers = new Map<string, PathRouter>();
        const links = new Map<string, PathLink>();
        for (const each of changes) {
          if (each.kind === 'link') {
            const made = linkOf(`l${each.at}`, each.link.from, each.link.to, each.link.cost);
            links.set(made.id, made);
            graph.setLink(made);
          } else if (each.kind === 'router') {
            const made = { id: String(each.id), ...each.router };
            routers.set(made.id, made);
            graph.setRouter(made);
          } else if (each.kind === 'noLink') {
            links.delete(`l${each.at}`);
            graph.removeLink(`l${each.at}`);
          } else if (each.kind === 'noRouter') {
            routers.delete(String(each.id));
            graph.removeRouter(String(each.id));
          } else graph.pathsFrom(String(each.id));
        }
        const fresh = graphOf([...routers.values()].reverse(), [...links.values()].reverse());
        for (const from of routers.keys())
          for (const to of routers.keys()) {
            const path = graph.path(from, to);
            expect(path).to.deep.equal(fresh.path(from, to));
            if (path === undefined) continue;
            expect(graph.has(path)).to.equal(true);
            for (const linkId of path.linkIds) expect(links.has(linkId)).to.equal(true);
          }
      }),
      { numRuns: 500 },
    );
  });

  it('is not there any more when one of its links is gone, or leads elsewhere', () => {
    const graph = graphOf(routersOf('a b c'), linksOf('m=a-b:1 n=b-c:1'));
    const path = graph.path('a', 'c') ?? { routerIds: [], linkIds: [], cost: 0 };
    expect(path.linkIds).to.deep.equal(['m', 'n']);
    graph.setLink({ id: 'm', routers: ['b', 'a'], cost: 7 });
    expect(graph.has(path)).to.equal(true);
    expect([path.cost, graph.costOf(path)]).to.deep.equal([22, 28]);
    graph.setLink({ id: 'm', routers: ['a', 'c'], cost: 7 });
    expect(graph.has(path)).to.equal(false);
    graph.setLink({ id: 'm', routers: ['a', 'b'], cost: 7 });
    expect(graph.has(path)).to.equal(true);
    graph.removeRouter('c');
    expect(graph.costOf(path)).to.equal(undefined);
    graph.removeLink('n');
    expect(graph.has(path)).to.equal(false);
  });
});

const linkOf = (id: string, from: number, to: number, cost: number): PathLink => ({
  id,
  routers: [String(from), String(to)],
  cost,
});
const sorted = (costs: ReadonlyMap<string, number>) => [...costs].sort();

/** Goes the way of a path: it costs what the path says, and passes no router that nothing may pass. */
function expectWay({ routerIds, linkIds, cost }: Path, nodes: readonly PathRouter[], edges: readonly PathLink[]): void {
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
