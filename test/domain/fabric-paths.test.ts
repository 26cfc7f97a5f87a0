/** The cheapest path over routers and links. */
import { expect } from 'chai';
import fc from 'fast-check';
import { PathGraph } from '../../domain/fabric/paths.js';
import type { PathLink, PathRouter } from '../../domain/fabric/paths.js';
import { pathCases } from '../cases/fabric-paths.js';
import { byTrying, expectWay, linkOf, randomNetworks } from '../support/ways.js';

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

  const { router, link } = randomNetworks;

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
        const best = byTrying('0', nodes, edges);
        expect(sorted(found.costs())).to.deep.equal(sorted(best));
        for (const { id } of nodes) {
          const path = graph.path('0', id);
          expect(found.to(id)).to.deep.equal(path);
          expect(path?.cost).to.equal(best.get(id));
          // The other end knows a path as cheap.
          const [others, back] = [graph.pathsFrom(id), graph.pathsFrom(id).from('0')];
          expect([back?.cost, others.costFrom('0')]).to.deep.equal([path?.cost, path?.cost]);
          if (path === undefined || back === undefined) continue;
          expectWay(path, nodes, edges);
          expectWay(back, nodes, edges);
          expect([back.routerIds[0], back.routerIds.at(-1)]).to.deep.equal(['0', id]);
          expect(graph.costOf(path)).to.equal(path.cost);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is the same in a network that changed step by step as in one that is made at once', () => {
    const id = fc.nat(7);
    const change = fc.oneof(
      ...randomNetworks.changes,
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

const sorted = (costs: ReadonlyMap<string, number>) => [...costs].sort();
