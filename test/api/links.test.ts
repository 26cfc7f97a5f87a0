/** Links: what routers are told of each other, what they report, and what circuits over them do. */
import { expect } from 'chai';
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { certFingerprint } from '../../domain/pki/keys.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { Header, HelloHeader, readBoolean } from '../../fabric/channel/headers.js';
import {
  DestType,
  FaultSchema,
  FaultSubject,
  ListenersSchema,
  PeerState,
  PeerStateChangesSchema,
  RouterLinksSchema,
  VerifyRouterSchema,
} from '../../generated/fabric/control_pb.js';
import type { PeerStateChange } from '../../generated/fabric/control_pb.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, routeAt, settled, unrouted } from '../support/traffic.js';

type ReportedLink = NonNullable<MessageInitShape<typeof RouterLinksSchema>['links']>[number];

const listenersOf = (address: string) =>
  toBinary(
    ListenersSchema,
    create(ListenersSchema, { listeners: [{ address, protocol: 'tls', groups: ['default'] }] }),
  );
const leafOf = ({ cert }: EnrolledRouter) =>
  certFingerprint(Buffer.from(cert.split('-----')[2]?.replace(/\s/g, '') ?? '', 'base64'));

describe('links', () => {
  let controller: TestController;
  let enrolled: EnrolledRouter[] = [];
  let routers: ScriptedRouter[] = [];

  before(async () => {
    controller = await startTestController();
  });
  beforeEach(async () => {
    enrolled = [];
    routers = [];
    for (const name of ['first', 'second', 'third'])
      enrolled.push(await newRouter(controller, { roleAttributes: [name] }));
  });
  afterEach(async () => {
    for (const router of routers) router.close();
    for (const { id } of enrolled) await controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`);
  });
  after(() => controller.stop());

  const at = <T>(items: readonly T[], index: number): T => {
    const item = items[index];
    if (item === undefined) throw new Error(`there is no item ${index}`);
    return item;
  };
  /** Connects the router with this number. */
  const online = async (index: number, address = `tls:router-${index}.example:6000`): Promise<ScriptedRouter> => {
    const router = await ScriptedRouter.knock(controller.url, at(enrolled, index), [
      [HelloHeader.Listeners, listenersOf(address)],
    ]);
    await router.next(ContentType.Result);
    await router.sayClientHello({ hostname: 'router.example', port: 3022 });
    await router.wholeState();
    routers.push(router);
    return router;
  };
  const changesAt = (router: ScriptedRouter): PeerStateChange[] =>
    router.bodies(ContentType.PeerStateChanges, PeerStateChangesSchema).flatMap(({ changes }) => changes);
  const change = (router: ScriptedRouter, id: string, state: PeerState) =>
    until(`${id} is ${PeerState[state]}`, () =>
      changesAt(router).find((each) => each.id === id && each.state === state),
    );
  const report = (router: ScriptedRouter, links: readonly ReportedLink[], fullRefresh = false) =>
    router.sendTyped(ContentType.RouterLinks, RouterLinksSchema, { links: [...links], fullRefresh });
  const linkTo = (router: ScriptedRouter, id: string, iteration = 1): ReportedLink => ({
    id,
    destRouterId: router.id,
    linkProtocol: 'tls',
    dialAddress: 'tls:router.example:6000',
    iteration,
  });
  const linkFault = (router: ScriptedRouter, id: string, iteration = 1) =>
    router.sendTyped(ContentType.Fault, FaultSchema, { subject: FaultSubject.LINK, id, iteration });
  const faultsAt = (router: ScriptedRouter) =>
    router.bodies(ContentType.Fault, FaultSchema).map(({ subject, id, iteration }) => ({ subject, id, iteration }));
  /** All of them were told to forget the circuit. */
  const ended = async (circuitId: string, ...path: readonly ScriptedRouter[]) => {
    await until('the circuit has ended', () => path.every((router) => unrouted(router).includes(circuitId)));
  };
  const verify = async (asker: ScriptedRouter, routerId: string, fingerprints: string[]) => {
    const sequence = asker.sendTyped(ContentType.VerifyRouter, VerifyRouterSchema, { routerId, fingerprints });
    return readBoolean((await asker.reply(sequence)).headers, Header.Success);
  };

  describe('between routers that know each other', () => {
    it('are made since each is told of the other, with its listeners', async () => {
      const [first, second] = [await online(0), await online(1)];
      for (const [router, peer, index] of [
        [first, second, 1],
        [second, first, 0],
      ] as const) {
        const { version, listeners } = await change(router, peer.id, PeerState.HEALTHY);
        expect(version).to.equal('v2.0.3');
        expect(listeners.map(({ address, groups }) => ({ address, groups }))).to.deep.equal([
          { address: `tls:router-${index}.example:6000`, groups: ['default'] },
        ]);
      }
      expect(changesAt(first).map(({ id }) => id)).to.not.include(first.id);
    });

    it('are told of no listener whose address no router could dial', async () => {
      const [first, second] = [await online(0), await online(1, 'tls:no port')];
      expect((await change(first, second.id, PeerState.HEALTHY)).listeners).to.deep.equal([]);
    });

    it('are told that a peer lost its channel, and that it was deleted', async () => {
      const [first, second] = [await online(0), await online(1)];
      second.close();
      await change(first, second.id, PeerState.UNHEALTHY);
      await controller.admin.delete(`${MANAGEMENT}/edge-routers/${second.id}`);
      await change(first, second.id, PeerState.REMOVED);
    });
  });

  describe('are accepted', () => {
    it('from the router whose certificate is the first, and from no other', async () => {
      const first = await online(0);
      const [own, other] = [leafOf(at(enrolled, 0)), leafOf(at(enrolled, 1))];
      const peerId = at(enrolled, 1).id;
      expect(await verify(first, peerId, [other])).to.equal(true);
      expect(await verify(first, peerId, [own, other])).to.equal(false);
      expect(await verify(first, peerId, [own])).to.equal(false);
      expect(await verify(first, peerId, [])).to.equal(false);
      expect(await verify(first, 'nobody', [other])).to.equal(false);
      expect(await verify(first, '\0', [other])).to.equal(false);
    });

    it('from no router that is disabled, or that must enroll again', async () => {
      const first = await online(0);
      const { id } = at(enrolled, 1);
      const print = leafOf(at(enrolled, 1));
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: true });
      expect(await verify(first, id, [print])).to.equal(false);
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: false });
      expect(await verify(first, id, [print])).to.equal(true);
      await controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`);
      expect(await verify(first, id, [print])).to.equal(false);
    });
  });

  describe('carry circuits', () => {
    interface Scene {
      readonly first: ScriptedRouter;
      readonly second: ScriptedRouter;
      readonly third: ScriptedRouter;
      readonly world: TrafficWorld;
    }
    /** A host at the second router; all are online, and nobody has a link. */
    const scene = async (): Promise<Scene> => {
      const [first, second, third] = [await online(0), await online(1), await online(2)];
      const world = await new TrafficWorld(controller).prepare(['#all']);
      await bind(second, await world.host());
      return { first, second, third, world };
    };
    /** Dials at the first router; each router of the path does what it is told. */
    const dialed = async ({ first, world }: Scene, path: readonly ScriptedRouter[]) => {
      const before = path.map(
        (router) => router.received.filter(({ contentType }) => contentType === ContentType.Route).length,
      );
      const sequence = dial(first, await world.dialer());
      const routes = await Promise.all(
        path.map(async (router, index) => {
          const seen = await routeAt(router, before[index] ?? 0);
          answerRoute(router, seen);
          return seen.route;
        }),
      );
      return { answer: await answerTo(first, sequence), routes };
    };

    it('are refused without a link', async () => {
      const made = await scene();
      const { refusal } = await answerTo(made.first, dial(made.first, await made.world.dialer()));
      expect(refusal?.[1]).to.contain('no online terminators');
    });

    it('over the link that a router dialed, in both directions', async () => {
      const made = await scene();
      const { first, second } = made;
      const id = unique('link');
      report(second, [linkTo(first, id)]);
      const { answer, routes } = await dialed(made, [first, second]);
      expect(answer.refusal).to.equal(undefined);
      const forwards = routes.map((route) => route.forwards.map(({ dstAddress, dstType }) => [dstAddress, dstType]));
      expect(forwards[0]).to.deep.equal([
        [id, DestType.LINK],
        [answer.ingressId, DestType.START],
      ]);
      expect(forwards[1]?.[1]).to.deep.equal([id, DestType.LINK]);
      expect(routes[0]?.egress).to.equal(undefined);
      expect(routes[1]?.egress?.binding).to.equal('edge');
    });

    it('around a router that lets nothing pass', async () => {
      const made = await scene();
      const { first, second, third } = made;
      report(first, [linkTo(third, unique('link'))]);
      report(third, [linkTo(second, unique('link'))]);
      const { answer } = await dialed(made, [first, third, second]);
      expect(answer.refusal).to.equal(undefined);
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${third.id}`, { noTraversal: true });
      await until('no path is left', async () => {
        const { refusal } = await answerTo(first, dial(first, await made.world.dialer()));
        return refusal?.[1].includes('no online terminators') === true;
      });
    });

    it('that go on over another path when a link is lost, and the other end is told', async () => {
      const made = await scene();
      const { first, second, third } = made;
      const [direct, toThird, fromThird] = [unique('link'), unique('link'), unique('link')];
      report(first, [linkTo(second, direct), linkTo(third, toThird)]);
      report(third, [linkTo(second, fromThird)]);
      const { answer } = await dialed(made, [first, second]);
      linkFault(first, direct);
      const moved = await Promise.all([routeAt(first, 1), routeAt(third, 0), routeAt(second, 1)]);
      for (const [index, router] of [first, third, second].entries()) answerRoute(router, at(moved, index));
      for (const { route } of moved) {
        expect(route.circuitId).to.equal(answer.circuitId);
        expect(route.egress).to.equal(undefined);
      }
      await until('the other end hears of it', () => faultsAt(second).length > 0);
      expect(faultsAt(second)).to.deep.equal([{ subject: FaultSubject.LINK, id: direct, iteration: 1 }]);
      expect(faultsAt(first)).to.deep.equal([]);
      linkFault(third, fromThird);
      await ended(answer.circuitId, first, second, third);
    });

    it('and are gone from the list that a router sends when it comes back', async () => {
      const made = await scene();
      const { first, second } = made;
      report(first, [linkTo(second, unique('link'))]);
      const { answer } = await dialed(made, [first, second]);
      report(first, [], true);
      await ended(answer.circuitId, first, second);
    });

    it('that pass a router which is deleted are led around it', async () => {
      const made = await scene();
      const { first, second, third } = made;
      const direct = unique('link');
      report(first, [linkTo(third, unique('link'))]);
      report(third, [linkTo(second, unique('link'))]);
      const { answer } = await dialed(made, [first, third, second]);
      report(first, [linkTo(second, direct)]);
      await controller.admin.delete(`${MANAGEMENT}/edge-routers/${third.id}`);
      const moved = await Promise.all([routeAt(first, 1), routeAt(second, 1)]);
      expect(moved.map(({ route }) => route.circuitId)).to.deep.equal([answer.circuitId, answer.circuitId]);
      expect(at(moved, 0).route.forwards.map(({ dstAddress }) => dstAddress)).to.include(direct);
    });
  });

  it('are taken by their latency, as both their ends measure it', async () => {
    const [first, second, third] = [await online(0), await online(1), await online(2)];
    const world = await new TrafficWorld(controller).prepare(['#all']);
    await bind(second, await world.host());
    const [direct, toThird, fromThird] = [unique('link'), unique('link'), unique('link')];
    report(first, [linkTo(second, direct), linkTo(third, toThird)]);
    report(third, [linkTo(second, fromThird)]);
    const histograms = (latencies: Readonly<Record<string, number>>) =>
      Object.fromEntries(
        Object.entries(latencies).map(([id, ms]) => [`link.${id}.latency`, { mean: ms * 1e6, count: 1n }]),
      );
    const measured = (router: ScriptedRouter, latencies: Readonly<Record<string, number>>) =>
      router.sendTyped(ContentType.Metrics, MetricsMessageSchema, { histograms: histograms(latencies) });
    // No router measures a link of others, and no latency is below zero.
    measured(third, { [direct]: 0, [toThird]: 5, [fromThird]: -1 });
    measured(second, { [direct]: 400, [fromThird]: 5 });
    measured(first, { [direct]: 400, [toThird]: 5 });
    measured(third, { [fromThird]: 5 });
    for (const router of [first, second, third]) await settled(router);
    const sequence = dial(first, await world.dialer());
    for (const router of [first, third, second]) answerRoute(router, await routeAt(router, 0));
    expect((await answerTo(first, sequence)).refusal).to.equal(undefined);
  });

  describe('are not believed', () => {
    it('of another router, nor to a router itself, nor when they are older', async () => {
      const made = { first: await online(0), second: await online(1), third: await online(2) };
      const { first, second, third } = made;
      const world = await new TrafficWorld(controller).prepare(['#all']);
      await bind(second, await world.host());
      const id = unique('link');
      report(first, [linkTo(second, id, 3)]);
      report(third, [linkTo(second, id, 9), linkTo(third, unique('link'))]);
      // Neither a stranger nor an older fault takes it away.
      linkFault(third, id, 9);
      linkFault(second, id, 2);
      const sequence = dial(first, await world.dialer());
      for (const router of [first, second]) answerRoute(router, await routeAt(router, 0));
      expect((await answerTo(first, sequence)).refusal).to.equal(undefined);
      expect(faultsAt(first)).to.deep.equal([]);
    });
  });
});
