/**
 * What the ends of a circuit are given of each other: the same for clients that dial and for routers that do so by
 * themselves. With scripted routers.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { PeerDataKey, RouteResultHeader } from '../../fabric/channel/headers.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import type { ScriptedRouter } from '../support/scripted-router.js';
import { PUBLIC_KEY, answerRoute, answerTo, bind, dial, routeAt } from '../support/traffic.js';
import type { SeenRoute, Shown } from '../support/traffic.js';
import { TunnelWorld } from '../support/tunnel-world.js';
import { dialByItself, dialed } from '../support/tunneler.js';
import type { TunnelService } from '../support/tunneler.js';

type Given = Readonly<Record<number, Uint8Array>>;

interface Connected {
  readonly seen: SeenRoute;
  readonly toHost: Given;
  readonly toDialer: Given;
}

const FORGED = Buffer.from('forged');
/** Keys that are headers of frames or of route results, first and last of each range. */
const NO_PEER_DATA = [0, 1, 2, 10, 127, 1101, 1102, 1103, 1104];
const FREE = [
  128,
  255,
  1000,
  PUBLIC_KEY,
  PeerDataKey.CallerId,
  PeerDataKey.AppData,
  1025,
  1105,
  PeerDataKey.StickinessToken,
];
const ALL = [...NO_PEER_DATA, ...FREE, PeerDataKey.DialerIdentityId, PeerDataKey.DialerIdentityName];

const given = (keys: readonly number[]): Given => Object.fromEntries(keys.map((key) => [key, FORGED]));
const texts = (data: Given) => new Map(Object.entries(data).map(([key, value]) => [Number(key), text(value)]));
const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

describe('what the ends of a circuit are given', () => {
  let world: TunnelWorld;
  let made: TunnelService;
  let host: Shown;
  let client: Shown;
  before(async () => {
    world = await TunnelWorld.open();
    made = await world.service();
    host = await world.client(made, 'Bind');
    client = await world.client(made, 'Dial');
    await bind(world.router, host, { peerData: given(ALL) });
  });
  after(() => world.close());

  const takeRoute = async (router: ScriptedRouter, before: number, ofResult: Given): Promise<SeenRoute> => {
    const seen = await routeAt(router, before);
    answerRoute(router, seen, { headers: Object.entries(ofResult).map(([key, value]) => [Number(key), value]) });
    return seen;
  };
  const routes = (router: ScriptedRouter) =>
    router.received.filter(({ contentType }) => contentType === ContentType.Route).length;
  const byClient = async (ofDialer: Given, ofResult: Given): Promise<Connected> => {
    const { router } = world;
    const before = routes(router);
    const peerData = new Map(Object.entries(ofDialer).map(([key, value]) => [Number(key), value]));
    const sequence = dial(router, client, { peerData });
    const seen = await takeRoute(router, before, ofResult);
    const answer = await answerTo(router, sequence);
    expect(answer.refusal).to.equal(undefined);
    return { seen, toHost: seen.route.egress?.peerData ?? {}, toDialer: Object.fromEntries(answer.peerData) };
  };
  const byRouter = async (ofDialer: Given, ofResult: Given): Promise<Connected> => {
    const { router } = world;
    const before = routes(router);
    const sequence = dialByItself(router, { serviceName: made.name, peerData: { ...ofDialer } });
    const seen = await takeRoute(router, before, ofResult);
    const answer = await dialed(router, sequence);
    if ('refusal' in answer) throw new Error(answer.refusal.join(' '));
    return { seen, toHost: seen.route.egress?.peerData ?? {}, toDialer: answer.circuit.peerData };
  };

  const kinds = [
    ['a client', byClient, () => [client.caller.id, client.caller.name]],
    ['a router by itself', byRouter, () => [world.own.id, world.own.name]],
  ] as const;
  for (const [who, connect, whom] of kinds)
    describe(`when ${who} dials`, () => {
      it('names the dialer by what it proved, and passes all but the keys of frames to the host', async () => {
        const { seen, toHost } = await connect(given(ALL), {});
        const [id, name] = whom();
        expect(seen.route.tags['clientId']).to.equal(id);
        expect(texts(toHost)).to.deep.equal(
          new Map<number, string>([
            ...FREE.map((key) => [key, 'forged'] as const),
            [PeerDataKey.DialerIdentityId, id ?? ''],
            [PeerDataKey.DialerIdentityName, name ?? ''],
          ]),
        );
      });

      it('gives the dialer what the host gave, without those keys and without any dialer', async () => {
        const ofResult = Object.fromEntries(
          [...FREE, PeerDataKey.DialerIdentityId, RouteResultHeader.TerminatorLocalAddress].map((key) => [
            key,
            Buffer.from('of the result'),
          ]),
        );
        expect(texts((await connect({}, {})).toDialer)).to.deep.equal(texts(given(FREE)));
        const { toDialer } = await connect({}, ofResult);
        expect(texts(toDialer)).to.deep.equal(new Map(FREE.map((key) => [key, 'of the result'])));
      });

      it('says so whatever the peer data are', async () => {
        const keys = fc.integer({ min: 0, max: 1_130 }).map(String);
        await fc.assert(
          fc.asyncProperty(fc.dictionary(keys, fc.uint8Array({ maxLength: 20 }), { maxKeys: 40 }), async (data) => {
            const { seen, toHost } = await connect(data, {});
            expect(text(toHost[PeerDataKey.DialerIdentityId])).to.equal(seen.route.tags['clientId']);
            expect(text(toHost[PeerDataKey.DialerIdentityName])).to.equal(whom()[1]);
            expect(Object.keys(toHost).filter((key) => NO_PEER_DATA.includes(Number(key)))).to.deep.equal([]);
          }),
          { numRuns: 30 },
        );
      });
    });
});
