/** Links: what routers are told of each other, what they report, and what circuits over them do. */
import { expect } from 'chai';
import { certFingerprint } from '../../domain/pki/keys.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { Header, readBoolean } from '../../fabric/channel/headers.js';
import { DestType, FaultSubject, PeerState, VerifyRouterSchema } from '../../generated/fabric/control_pb.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import {
  LinkScene,
  at,
  change,
  changesAt,
  ended,
  faultsAt,
  linkFault,
  linkTo,
  measured,
  moved,
  report,
} from '../support/link-scene.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import type { EnrolledRouter, ScriptedRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, routeAt, settled, unrouted } from '../support/traffic.js';

const leafOf = ({ cert }: EnrolledRouter) =>
  certFingerprint(Buffer.from(cert.split('-----')[2]?.replace(/\s/g, '') ?? '', 'base64'));

describe('links', () => {
  let controller: TestController;
  let scenes: LinkScene;

  before(async () => {
    controller = await startTestController();
    scenes = new LinkScene(controller);
  });
  beforeEach(() => scenes.begin());
  afterEach(() => scenes.end());
  after(() => controller.stop());

  const online = (index: number, address?: string) => scenes.online(index, address);
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

    it('are told once that a peer which was connected is deleted, and of no other that is', async () => {
      const [first, second] = [await online(0), await online(1)];
      await change(first, second.id, PeerState.HEALTHY);
      for (const { id } of [scenes.enrolled(2), scenes.enrolled(1)])
        await controller.admin.delete(`${MANAGEMENT}/edge-routers/${id}`);
      await second.cut();
      await change(first, second.id, PeerState.REMOVED);
      await settled(first);
      expect(changesAt(first).map(({ id, state }) => [id, state])).to.deep.equal([
        [second.id, PeerState.HEALTHY],
        [second.id, PeerState.REMOVED],
      ]);
    });
  });

  describe('are accepted', () => {
    it('from the router whose certificate is the first, and from no other', async () => {
      const first = await online(0);
      const [own, other] = [leafOf(scenes.enrolled(0)), leafOf(scenes.enrolled(1))];
      const peerId = scenes.enrolled(1).id;
      expect(await verify(first, peerId, [other])).to.equal(true);
      expect(await verify(first, peerId, [own, other])).to.equal(false);
      expect(await verify(first, peerId, [own])).to.equal(false);
      expect(await verify(first, peerId, [])).to.equal(false);
      expect(await verify(first, 'nobody', [other])).to.equal(false);
      expect(await verify(first, '\0', [other])).to.equal(false);
    });

    it('from no router that is disabled, or that must enroll again', async () => {
      const first = await online(0);
      const { id } = scenes.enrolled(1);
      const print = leafOf(scenes.enrolled(1));
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: true });
      expect(await verify(first, id, [print])).to.equal(false);
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { disabled: false });
      expect(await verify(first, id, [print])).to.equal(true);
      await controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`);
      expect(await verify(first, id, [print])).to.equal(false);
    });
  });

  describe('carry circuits', () => {
    it('are refused without a link', async () => {
      const made = await scenes.scene();
      const { refusal } = await answerTo(made.first, dial(made.first, await made.world.dialer()));
      expect(refusal?.[1]).to.contain('no online terminators');
    });

    it('over the link that a router dialed, in both directions', async () => {
      const made = await scenes.scene();
      const { first, second } = made;
      const id = unique('link');
      report(second, [linkTo(first, id)]);
      const { answer, routes } = await scenes.dialed(made, [first, second]);
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
      const made = await scenes.scene();
      const { first, second, third } = made;
      report(first, [linkTo(third, unique('link'))]);
      report(third, [linkTo(second, unique('link'))]);
      const { answer } = await scenes.dialed(made, [first, third, second]);
      expect(answer.refusal).to.equal(undefined);
      await controller.admin.patch(`${MANAGEMENT}/edge-routers/${third.id}`, { noTraversal: true });
      await until('no path is left', async () => {
        const { refusal } = await answerTo(first, dial(first, await made.world.dialer()));
        return refusal?.[1].includes('no online terminators') === true;
      });
    });

    it('that go on over another path when a link is lost, and the other end is told', async () => {
      const made = await scenes.scene();
      const { first, second, third } = made;
      const [direct, toThird, fromThird] = [unique('link'), unique('link'), unique('link')];
      report(first, [linkTo(second, direct), linkTo(third, toThird)]);
      report(third, [linkTo(second, fromThird)]);
      const { answer } = await scenes.dialed(made, [first, second]);
      linkFault(first, direct);
      for (const { route } of await moved([first, 1], [third, 0], [second, 1])) {
        expect(route.circuitId).to.equal(answer.circuitId);
        expect(route.egress).to.equal(undefined);
      }
      await until('the other end hears of it', () => faultsAt(second).length > 0);
      expect(faultsAt(second)).to.deep.equal([{ subject: FaultSubject.LINK, id: direct, iteration: 1 }]);
      expect(faultsAt(first)).to.deep.equal([]);
      linkFault(third, fromThird);
      await ended(answer.circuitId, first, second, third);
    });

    it('and are forgotten by routers of a path that was tried in vain', async () => {
      const made = await scenes.scene();
      const { first, second, third } = made;
      const [direct, again] = [unique('link'), unique('link')];
      report(first, [linkTo(second, direct), linkTo(third, unique('link'))]);
      report(third, [linkTo(second, unique('link'))]);
      const { answer } = await scenes.dialed(made, [first, second]);
      linkFault(first, direct);
      const [atFirst, atThird, atSecond] = [await routeAt(first, 1), await routeAt(third, 0), await routeAt(second, 1)];
      report(first, [linkTo(second, again)]);
      await settled(first);
      answerRoute(first, atFirst);
      answerRoute(third, atThird);
      answerRoute(second, atSecond, { failure: [0, 'no such link'] });
      const routes = await moved([first, 2], [second, 2]);
      expect(at(routes, 0).route.forwards.map(({ dstAddress }) => dstAddress)).to.include(again);
      await ended(answer.circuitId, third);
      expect([...unrouted(first), ...unrouted(second)]).to.deep.equal([]);
    });

    it('that go on over another path when their link leads to another router', async () => {
      const made = await scenes.scene();
      const { first, second, third } = made;
      const [turned, onward] = [unique('link'), unique('link')];
      report(first, [linkTo(second, turned)]);
      const { answer } = await scenes.dialed(made, [first, second]);
      report(third, [linkTo(second, onward)]);
      await settled(third);
      report(first, [linkTo(third, turned, 2)]);
      const routes = await moved([first, 1], [third, 0], [second, 1]);
      expect(routes.map(({ route }) => route.circuitId)).to.deep.equal(Array(3).fill(answer.circuitId));
      expect(at(routes, 1).route.forwards.map(({ dstAddress }) => dstAddress)).to.have.members([turned, onward]);
    });

    it('and are gone from the list that a router sends when it comes back', async () => {
      const made = await scenes.scene();
      const { first, second } = made;
      report(first, [linkTo(second, unique('link'))]);
      const { answer } = await scenes.dialed(made, [first, second]);
      report(first, [], true);
      await ended(answer.circuitId, first, second);
    });

    it('that pass a router which is deleted are led around it', async () => {
      const made = await scenes.scene();
      const { first, second, third } = made;
      const direct = unique('link');
      report(first, [linkTo(third, unique('link'))]);
      report(third, [linkTo(second, unique('link'))]);
      const { answer } = await scenes.dialed(made, [first, third, second]);
      report(first, [linkTo(second, direct)]);
      await controller.admin.delete(`${MANAGEMENT}/edge-routers/${third.id}`);
      const routes = await moved([first, 1], [second, 1]);
      expect(routes.map(({ route }) => route.circuitId)).to.deep.equal([answer.circuitId, answer.circuitId]);
      expect(at(routes, 0).route.forwards.map(({ dstAddress }) => dstAddress)).to.include(direct);
    });
  });

  it('are taken by their latency, as both their ends measure it', async () => {
    const [first, second, third] = [await online(0), await online(1), await online(2)];
    const world = await new TrafficWorld(controller).prepare(['#all']);
    await bind(second, await world.host());
    const [direct, toThird, fromThird] = [unique('link'), unique('link'), unique('link')];
    report(first, [linkTo(second, direct), linkTo(third, toThird)]);
    report(third, [linkTo(second, fromThird)]);
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
