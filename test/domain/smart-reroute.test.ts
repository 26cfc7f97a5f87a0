/** Which circuits move to a cheaper path, and that they do. */
import { expect } from 'chai';
import type { Path } from '../../domain/fabric/path.js';
import { CheaperPaths, mostToMove } from '../../domain/fabric/smart-reroute.js';
import { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import { RouteSchema, UnrouteSchema } from '../../generated/fabric/control_pb.js';
import type { RouterChannel } from '../../fabric/channel/channel.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import type { Frame, Message } from '../../fabric/channel/frame.js';
import { RouteResultHeader, encodeBoolean } from '../../fabric/channel/headers.js';
import { Topology } from '../../fabric/links/topology.js';
import { Circuits } from '../../fabric/traffic/circuits.js';
import { Moves } from '../../fabric/traffic/moves.js';
import { SmartReroute } from '../../fabric/traffic/smart-reroute.js';
import { rerouteCases } from '../cases/smart-reroute.js';
import { until } from '../support/poll.js';

const pathOf = (name: string, cost: number): Path => ({ routerIds: ['a', 'b'], linkIds: [name], cost });

describe('a cheaper path', () => {
  for (const { name, circuits, of, moves } of rerouteCases)
    it(`is taken by ${name}`, () => {
      const words = circuits.split(' ').filter((word) => word !== '');
      const cheaper = new CheaperPaths<{ path: Path; index: number }>(of ?? words.length);
      for (const [index, word] of words.entries()) {
        const [now = '', best = ''] = word.replace('=', '').split('>');
        const circuit = { index, path: pathOf('own', 0) };
        const found = best === '-' ? undefined : pathOf(word.endsWith('=') ? 'own' : 'other', Number(best));
        cheaper.consider(circuit, now === '-' ? undefined : Number(now), found);
      }
      expect(cheaper.chosen.map(({ index }) => index)).to.deep.equal(moves);
    });

  it('is taken by 2 % of the circuits, at least one and at most four', () => {
    expect([0, 1, 99, 100, 150, 199, 200, 5_000].map(mostToMove)).to.deep.equal([1, 1, 1, 2, 3, 3, 4, 4]);
  });
});

/** A router that does what it is told, and remembers it. */
class Router implements RouterChannel {
  readonly isClosed = false;
  readonly fingerprint = '';
  /** Ids of circuits with the addresses that they were led to. */
  readonly routes: (readonly [circuitId: string, to: readonly string[]])[] = [];
  readonly unrouted: string[] = [];

  constructor(readonly routerId: string) {}

  request(message: Message): Promise<Frame> {
    const { circuitId, forwards } = readBody(RouteSchema, message);
    this.routes.push([circuitId, forwards.map(({ dstAddress }) => dstAddress)]);
    const headers = new Map<number, Uint8Array>([[RouteResultHeader.Success, encodeBoolean(true)]]);
    return Promise.resolve({
      contentType: ContentType.RouteResult,
      sequence: 1,
      headers,
      body: Buffer.alloc(0),
      bytes: 0,
    });
  }

  send(message: Message): void {
    this.unrouted.push(readBody(UnrouteSchema, message).circuitId);
  }

  renewed(): void {
    throw new Error('nothing is renewed');
  }

  reply(): void {
    throw new Error('nothing is asked');
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  work<T>(part: () => T): Promise<T> {
    return Promise.resolve(part());
  }

  close(): void {
    throw new Error('nothing is closed');
  }
}

describe('a round of cheaper paths', () => {
  it('moves the dearest circuits that gain, and tells the routers of both paths', async () => {
    const routers = new Map(['a', 'b', 'c'].map((id) => [id, new Router(id)]));
    const channels = { get: (id: string) => routers.get(id) };
    const topology = new Topology();
    for (const id of routers.keys()) topology.setRouter({ id, cost: 0, noTraversal: false });
    topology.setLink({ id: 'direct', routers: ['a', 'b'], cost: 1 });
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0), () => undefined);
    const moves = new Moves({
      circuits,
      topology,
      channels,
      noteFailure: (error) => {
        throw error;
      },
    });
    const smart = new SmartReroute({ circuits, topology, moves });
    const path = topology.path('a', 'b') ?? pathOf('none', 0);
    for (let index = 0; index < 100; index += 1)
      circuits.add({
        id: `circuit-${index}`,
        createdAtMs: 0,
        path,
        ends: { ingressId: `in-${index}`, egressId: `out-${index}` },
        serviceId: 's',
        clientId: 'i',
        maxIdleMs: 0,
        sessionId: null,
        terminatorId: 't',
        hostSessionId: null,
        tags: {},
      });
    expect(await smart.round()).to.deep.equal([]);
    // The link slows down, and there is another way by now.
    topology.setLink({ id: 'direct', routers: ['a', 'b'], cost: 200 });
    topology.setLink({ id: 'first', routers: ['a', 'c'], cost: 1 });
    topology.setLink({ id: 'second', routers: ['c', 'b'], cost: 1 });
    const moved = (await smart.round()).map(({ id }) => id);
    expect(moved.length).to.equal(2);
    await until('they go over the third router', () => circuits.ofLink('second').length === 2);
    expect(circuits.ofLink('direct').length).to.equal(98);
    for (const router of routers.values()) {
      expect(router.routes.map(([id]) => id)).to.have.members(moved);
      expect(router.unrouted).to.deep.equal([]);
    }
    expect(routers.get('c')?.routes[0]?.[1]).to.deep.equal(['second', 'first']);
    await smart.close();
  });
});
