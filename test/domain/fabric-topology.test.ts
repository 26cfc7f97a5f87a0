/** Paths over a network that changes while they are kept, compared with all ways through it as it is. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { PathLink, PathRouter } from '../../domain/fabric/paths.js';
import { Topology } from '../../fabric/links/topology.js';
import { byTrying, expectWay, linkOf, randomNetworks } from '../support/ways.js';

const id = fc.nat(7);

const change = fc.oneof(...randomNetworks.changes);
/** Asked several times, until paths of an end are kept. */
const question = fc.record({
  kind: fc.constant('ask' as const),
  from: id,
  to: fc.uniqueArray(id, { minLength: 1, maxLength: 7 }),
  times: fc.integer({ min: 1, max: 9 }),
});

class Network {
  readonly #topology = new Topology();
  readonly #routers = new Map<string, PathRouter>();
  readonly #links = new Map<string, PathLink>();

  setRouter(made: PathRouter): void {
    this.#routers.set(made.id, made);
    this.#topology.setRouter(made);
  }

  removeRouter(routerId: string): void {
    this.#routers.delete(routerId);
    this.#topology.removeRouter(routerId);
  }

  setLink(made: PathLink): void {
    this.#links.set(made.id, made);
    this.#topology.setLink(made);
  }

  removeLink(linkId: string): void {
    this.#links.delete(linkId);
    this.#topology.removeLink(linkId);
  }

  expectAnswers(from: string, to: readonly string[], times: number): void {
    const [nodes, edges] = [[...this.#routers.values()], [...this.#links.values()]];
    const best = this.#routers.has(from) ? byTrying(from, nodes, edges) : new Map<string, number>();
    const wanted = to.filter((each) => best.has(each)).map((each) => [each, best.get(each)] as const);
    for (let time = 0; time < times; time += 1) {
      expect([...this.#topology.costsTo(from, new Set(to))].sort()).to.deep.equal([...wanted].sort());
      for (const each of to) {
        const path = this.#topology.path(from, each);
        expect(path?.cost).to.equal(best.get(each));
        if (path === undefined) continue;
        expect([path.routerIds[0], path.routerIds.at(-1)]).to.deep.equal([from, each]);
        expectWay(path, nodes, edges);
      }
    }
  }
}

describe('the topology', () => {
  it('answers as dear as the cheapest way, whatever is kept and has changed', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(change, question), { minLength: 20, maxLength: 50 }), (steps) => {
        const network = new Network();
        for (let index = 0; index < 6; index += 1)
          network.setRouter({ id: String(index), cost: index, noTraversal: index === 3 });
        for (const each of steps) {
          if (each.kind === 'link')
            network.setLink(linkOf(`l${each.at}`, each.link.from, each.link.to, each.link.cost));
          else if (each.kind === 'router') network.setRouter({ id: String(each.id), ...each.router });
          else if (each.kind === 'noLink') network.removeLink(`l${each.at}`);
          else if (each.kind === 'noRouter') network.removeRouter(String(each.id));
          else network.expectAnswers(String(each.from), each.to.map(String), each.times);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('knows that nothing changes for paths when a router that is gone loses its links', () => {
    const topology = new Topology();
    for (const name of ['a', 'b', 'c']) topology.setRouter({ id: name, cost: 0, noTraversal: false });
    topology.setLink({ id: 'm', routers: ['a', 'b'], cost: 1 });
    topology.setLink({ id: 'n', routers: ['b', 'c'], cost: 1 });
    const { version: before } = topology;
    topology.removeRouter('c');
    const { version } = topology;
    expect(version).to.be.greaterThan(before);
    topology.removeLink('n');
    topology.setLink({ id: 'o', routers: ['c', 'a'], cost: 1 });
    expect(topology.version).to.equal(version);
    topology.setRouter({ id: 'c', cost: 0, noTraversal: false });
    expect(topology.version).to.be.greaterThan(version);
    expect(topology.path('b', 'c')?.linkIds).to.deep.equal(['m', 'o']);
  });
});
