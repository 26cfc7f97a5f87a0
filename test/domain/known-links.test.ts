/** What routers say of links and listeners that is false: it has no effect, and the log says so once. */
import { expect } from 'chai';
import { create, fromBinary } from '@bufbuild/protobuf';
import { latencyOf } from '../../domain/fabric/link-cost.js';
import { RouterLog } from '../../fabric/channel/router-log.js';
import { KnownLinks, MOST_LINKS_OF_ROUTER } from '../../fabric/links/links.js';
import type { ReportedLink } from '../../fabric/links/links.js';
import { RouterPeers } from '../../fabric/links/peers.js';
import { Topology } from '../../fabric/links/topology.js';
import { ListenerSchema, PeerState, PeerStateChangesSchema } from '../../generated/fabric/control_pb.js';
import type { PeerStateChange } from '../../generated/fabric/control_pb.js';
import type { Message } from '../../fabric/channel/frame.js';
import { until } from '../support/poll.js';

/** Lines as they are written, with the bounds of each router. */
function boundedLog() {
  const lines: string[] = [];
  const write = (facts: object, text: string) =>
    lines.push(`${'routerId' in facts ? String(facts.routerId) : ''}: ${text}`);
  const log = { debug: write, info: write, warn: write, error: write };
  return { lines, log: new RouterLog({ log: log as never, noteFailure: () => undefined }).log };
}

describe('links that are reported', () => {
  const scene = () => {
    const { lines, log } = boundedLog();
    const topology = new Topology();
    for (const id of ['a', 'b', 'c']) topology.setRouter({ id, cost: 0, noTraversal: false });
    const lost: string[] = [];
    const channels = { get: () => undefined };
    const options = { topology, channels, onLost: (id: string) => lost.push(id), onChanged: () => undefined, log };
    return { links: new KnownLinks(options), topology, lines, lost };
  };
  const link = (id: string, routerId: string, iteration = 1): ReportedLink => ({
    id,
    routerId,
    iteration,
    protocol: 'tls',
    dialAddress: 'tls:a:1',
    stateIteration: 0,
    connections: [],
  });
  const way = (topology: Topology, from: string, to: string) => topology.path(from, to)?.linkIds;

  it('by a router that did not dial them change nothing, however often', () => {
    const { links, topology, lines, lost } = scene();
    links.report('a', link('l', 'b', 3));
    for (let iteration = 1; iteration < 100; iteration += 1) links.report('c', link('l', 'b', iteration));
    links.keepListed('c', new Set());
    links.lost('c', 'l', 99);
    links.setConnections('c', { id: 'l', iteration: 3, stateIteration: 9, connections: [] });
    links.setLatency('c', 'l', 0);
    expect(way(topology, 'a', 'b')).to.deep.equal(['l']);
    expect(links.get('l')).to.deep.include({ iteration: 3, stateIteration: 0, routers: ['a', 'b'] });
    expect(links.get('l')?.latencies).to.deep.equal({ dialing: 65_000, accepting: 65_000 });
    expect(lost).to.deep.equal([]);
    expect(lines).to.deep.equal(['c: a link of another router was reported']);
  });

  it('to the router itself, or with ids that are none, are none', () => {
    const { links, lines } = scene();
    for (const [id, to] of [
      ['l', 'a'],
      ['', 'b'],
      ['l', ''],
      ['l l', 'b'],
      ['\0', 'b'],
      ['x'.repeat(65), 'b'],
      ['l', 'b c'],
    ] as const)
      links.report('a', link(id, to));
    expect(links.size).to.equal(0);
    expect(lines).to.deep.equal(['a: a link that it cannot have was reported']);
  });

  it('twice in one list count once, and the later try of both', () => {
    const { links, topology, lost } = scene();
    links.report('a', link('l', 'b', 2));
    links.report('a', link('l', 'b', 2));
    links.report('a', link('l', 'b', 1));
    links.report('a', link('l', 'b', 4));
    expect([links.size, links.get('l')?.iteration]).to.deep.equal([1, 4]);
    links.lost('b', 'l', 3);
    expect(way(topology, 'a', 'b')).to.deep.equal(['l']);
    links.lost('b', 'l', 4);
    expect(way(topology, 'a', 'b')).to.equal(undefined);
    expect(lost).to.deep.equal(['l']);
  });

  it('are so many of one router at most', () => {
    const { links, lines } = scene();
    for (let index = 0; index < MOST_LINKS_OF_ROUTER + 100; index += 1) links.report('a', link(`l${index}`, 'b'));
    links.report('b', link('own', 'a'));
    expect(links.size).to.equal(MOST_LINKS_OF_ROUTER + 1);
    expect(lines).to.deep.equal(['a: more links were reported than a router may have']);
    links.forgetRouter('a');
    expect(links.size).to.equal(0);
  });

  it('cost no less than nothing, whatever was measured or set', () => {
    for (const nanoseconds of [-1, NaN, Infinity, -Infinity]) expect(latencyOf(nanoseconds)).to.equal(undefined);
    expect(latencyOf(1e30)).to.equal(65_000);
    const { links, topology } = scene();
    links.report('a', link('l', 'b'));
    links.configure(new Map([['l', { staticCost: -1_000_000_000, isDown: false }]]));
    expect(topology.path('a', 'b')?.cost).to.equal(130_010);
  });
});

describe('link listeners that are said', () => {
  const listener = (address: string, groups: string[] = []) =>
    create(ListenerSchema, { address, protocol: 'tls', groups });

  it('at false addresses, or without bounds, are not passed on, and the log says so once', () => {
    const { lines, log } = boundedLog();
    const sent: number[] = [];
    const channel = (routerId: string, listeners: ReturnType<typeof listener>[]) =>
      ({
        routerId,
        hello: { version: { version: 'v2.1.0' }, listeners },
        send: () => sent.push(1),
      }) as never;
    const peers = new RouterPeers(log);
    const bad = [
      'tls:host',
      'tls::',
      'host:1',
      'tls:a b:1',
      'TLS:a:1',
      `tls:${'x'.repeat(300)}:1`,
      'tls:a:123456',
      '',
    ].map((address) => listener(address));
    const wide = listener('tls:a:1', Array<string>(33).fill('group'));
    peers.connected(channel('a', [...bad, wide]));
    for (let times = 0; times < 50; times += 1) peers.listenersChanged({ routerId: 'a' }, bad);
    // One that is not connected has none.
    peers.listenersChanged({ routerId: 'stranger' }, bad);
    expect(lines.length).to.equal(1);
    expect(lines[0]).to.contain('a: a router advertises link listeners');
    expect(sent).to.deep.equal([]);
  });

  it('are told together when many routers come at once, to each but the router itself, and once', async () => {
    const told = new Map<string, PeerStateChange[][]>();
    const channel = (routerId: string) =>
      ({
        routerId,
        hello: { version: { version: 'v2.1.0' }, listeners: [listener(`tls:${routerId}:1`)] },
        send: ({ body }: Message) => {
          const { changes } = fromBinary(PeerStateChangesSchema, body);
          told.set(routerId, [...(told.get(routerId) ?? []), changes]);
        },
      }) as never;
    const peers = new RouterPeers(boundedLog().log);
    const ids = Array.from({ length: 50 }, (_, index) => `router-${index}`);
    for (const id of ids) peers.connected(channel(id));
    peers.listenersChanged({ routerId: 'router-0' }, [listener('tls:later:1')]);
    const others = (id: string) => ids.slice(1).filter((each) => each !== id);
    const toldOf = (id: string) => (told.get(id) ?? []).flat().map((change) => change.id);
    await until('all are told', () => ids.every((id) => toldOf(id).length >= ids.length - 1));
    for (const id of ids)
      expect(
        toldOf(id).filter((each) => each !== 'router-0'),
        id,
      ).to.have.members(others(id));
    for (const id of ids) expect(told.get(id)?.length ?? 0, id).to.be.at.most(2);
    const last = (told.get('router-49') ?? [])
      .flat()
      .filter(({ id }) => id === 'router-0')
      .at(-1);
    expect(last?.listeners.map(({ address }) => address)).to.deep.equal(['tls:later:1']);
  });

  it('are told of with all routers beside few; beside many nothing is told of one without, but its end', async () => {
    const told: PeerStateChange[] = [];
    const channel = (routerId: string, address?: string) =>
      ({
        routerId,
        hello: { version: { version: 'v2.1.0' }, listeners: address === undefined ? [] : [listener(address)] },
        send: ({ body }: Message) => {
          if (routerId === 'first') told.push(...fromBinary(PeerStateChangesSchema, body).changes);
        },
      }) as never;
    const last = (id: string) => told.filter((change) => change.id === id).at(-1);
    const peers = new RouterPeers(boundedLog().log);
    peers.connected(channel('first'));
    for (let count = 1; count < 120; count += 1) peers.connected(channel(`router-${count}`));
    const listening = channel('listening', 'tls:listening:1');
    const silent = channel('silent');
    peers.connected(listening);
    peers.connected(silent);
    await until('the one that listens is told of', () => last('listening') !== undefined);
    expect(told.map(({ id }) => id))
      .to.include('router-1')
      .and.not.to.include('router-119');
    expect(last('silent')).to.equal(undefined);

    peers.lost(listening);
    peers.lost(silent);
    await until('it is told that its channel is lost', () => last('listening')?.state === PeerState.UNHEALTHY);
    peers.connected(channel('listening'));
    await until('it is told that it listens no more', () => last('listening')?.state === PeerState.HEALTHY);
    expect(last('listening')?.listeners).to.deep.equal([]);
    expect(last('silent')).to.equal(undefined);

    peers.removed('silent');
    await until('it is told that it is gone', () => last('silent')?.state === PeerState.REMOVED);
  });
});
