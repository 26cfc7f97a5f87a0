/**
 * Dials that take their time: what allowed one is taken away before the router has answered. The late answer gets no
 * circuit, and what the router has built is taken from it. With scripted routers.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import { COMMON_WAYS, AccessScene, DIALER_WAYS, HOST_WAYS, OWN_WAYS } from '../support/access-scene.js';
import type { Way } from '../support/access-scene.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { askMetrics, valueIn } from '../support/metrics.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { answerRoute, answerTo, bind, dial, endedAt, routeAt, unrouted } from '../support/traffic.js';
import type { SeenRoute } from '../support/traffic.js';
import { dialByItself, dialed, host, patch } from '../support/tunneler.js';

describe('a dial whose answer takes its time', () => {
  let controller: TestController;
  let enrolled: EnrolledRouter;
  let router: ScriptedRouter;
  before(async () => {
    controller = await startTestController({ EDGE_METRICS_LISTEN: '127.0.0.1:0' });
  });
  after(() => controller.stop());
  beforeEach(async () => {
    enrolled = await newRouter(controller, { isTunnelerEnabled: true });
    router = await ScriptedRouter.online(controller.url, enrolled);
  });
  afterEach(() => {
    router.close();
  });

  const routes = () => router.received.filter(({ contentType }) => contentType === ContentType.Route).length;
  interface Held {
    readonly seen: SeenRoute;
    readonly answer: () => Promise<readonly [number, string] | undefined>;
  }
  const holdAny = async (send: () => number, refusal: (sequence: number) => Promise<Held['answer']>): Promise<Held> => {
    const before = routes();
    const sequence = send();
    const seen = await routeAt(router, before);
    return { seen, answer: await refusal(sequence) };
  };
  const byClient = ({ dialers: [dialer] }: AccessScene) =>
    holdAny(
      () => dial(router, dialer ?? { sessionToken: '', apiSessionToken: '' }),
      async (sequence) => async () => (await answerTo(router, sequence)).refusal,
    );
  const byRouter = ({ name }: AccessScene) =>
    holdAny(
      () => dialByItself(router, { serviceName: name }),
      async (sequence) => async () => {
        const answer = await dialed(router, sequence);
        return 'refusal' in answer ? answer.refusal : undefined;
      },
    );
  const hosted = async ({ hosts: [host] }: AccessScene) => {
    const answer = await bind(router, host ?? { sessionToken: '', apiSessionToken: '' });
    expect(answer.msg).to.equal('');
    return answer.terminatorId;
  };

  const kinds = [
    ['a client', byClient, [...DIALER_WAYS, ...HOST_WAYS, ...COMMON_WAYS]],
    ['a router by itself', byRouter, [...OWN_WAYS, ...HOST_WAYS, ...COMMON_WAYS]],
  ] as const;
  for (const [who, hold, ways] of kinds)
    describe(`of ${who} gets no circuit, and one that stands ends,`, () => {
      const taken = async ({ what, isPostured = false, take }: Way) => {
        const scene = await AccessScene.open(controller, [enrolled.id], { isPostured });
        await hosted(scene);
        const first = await hold(scene);
        answerRoute(router, first.seen);
        expect(await first.answer(), what).to.equal(undefined);
        const late = await hold(scene);
        await take(scene, controller.admin);
        await until('the one that stands ends', () => unrouted(router).includes(first.seen.route.circuitId));
        expect(unrouted(router)).not.to.include(late.seen.route.circuitId);
        answerRoute(router, late.seen);
        expect((await late.answer())?.[0], what).to.be.a('number');
        await until('the late one is unrouted', () => unrouted(router).includes(late.seen.route.circuitId));
      };
      for (const way of ways) it(`when ${way.what}`, () => taken(way));
    });

  const losses = [
    [
      'its tunneler is switched off',
      (id: string) => patch(controller, `edge-routers/${id}`, { isTunnelerEnabled: false }),
    ],
    [
      'its identity is disabled',
      (id: string) => controller.admin.post(`${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 5 }),
    ],
  ] as const;
  for (const [what, take] of losses)
    it(`gets no circuit to what a router hosts, nor from it, when ${what}`, async () => {
      const scene = await AccessScene.open(controller, [enrolled.id]);
      const { serviceId } = scene;
      await patch(controller, `service-policies/${scene.policies.bind}`, {
        semantic: 'AnyOf',
        identityRoles: [`@${enrolled.id}`],
      });
      expect((await host(router, { serviceId })).msg).to.equal('');
      const standing = await byClient(scene);
      answerRoute(router, standing.seen);
      expect(await standing.answer()).to.equal(undefined);
      const held = [await byClient(scene), await byRouter(scene)];
      await take(enrolled.id);
      await until('the one that stands ends', () => unrouted(router).includes(standing.seen.route.circuitId));
      for (const { seen, answer } of held) {
        answerRoute(router, seen);
        expect((await answer())?.[0]).to.be.a('number');
        await until('it is unrouted', () => unrouted(router).includes(seen.route.circuitId));
      }
    });

  for (const [what, take] of [
    ['deleted', () => controller.admin.delete(`${MANAGEMENT}/edge-routers/${enrolled.id}`)],
    ['disabled', () => patch(controller, `edge-routers/${enrolled.id}`, { disabled: true })],
  ] as const)
    it(`ends with the router, and so does what stands, when that is ${what}`, async () => {
      const standing = async () => valueIn((await askMetrics(controller.metricsUrl)).text, 'edge_circuits');
      await until('circuits of other routers are gone', async () => (await standing()) === 0);
      const scene = await AccessScene.open(controller, [enrolled.id]);
      await hosted(scene);
      const { seen, answer } = await byClient(scene);
      answerRoute(router, seen);
      expect(await answer()).to.equal(undefined);
      await byClient(scene);
      expect(await standing()).to.equal(1);
      await take();
      await router.cut();
      await until('none stands', async () => (await standing()) === 0);
    });

  it('stands no longer when its router comes back, which lost it while it was away and says nothing', async () => {
    const kept = await AccessScene.open(controller, [enrolled.id]);
    const lost = await AccessScene.open(controller, [enrolled.id]);
    const stands = async (scene: AccessScene) => {
      await hosted(scene);
      const [client, own] = [await byClient(scene), await byRouter(scene)];
      for (const { seen, answer } of [client, own]) {
        answerRoute(router, seen);
        expect(await answer()).to.equal(undefined);
      }
      return [client.seen.route.circuitId, own.seen.route.circuitId];
    };
    const [staying, ending] = [await stands(kept), await stands(lost)];
    router.close();
    await until('the router is away', async () => {
      const { isOnline } = await read<{ isOnline: boolean }>(controller, `edge-routers/${enrolled.id}`);
      return !isOnline;
    });
    for (const key of ['hostRouters', 'dialerRouters'] as const)
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/edge-router-policies/${lost.policies[key]}`), 200);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/service-policies/${lost.policies.ownDial}`), 200);
    router = await ScriptedRouter.online(controller.url, enrolled);
    await until('both circuits end', () => ending.every((id) => unrouted(router).includes(id)));
    const { rows } = await controller.database.query('SELECT service_id AS id FROM terminators WHERE router_id = $1', [
      enrolled.id,
    ]);
    expect(rows).to.deep.equal([{ id: kept.serviceId }]);
    expect(unrouted(router)).not.to.include.members(staying);
  });

  describe('and whose terminator is removed', () => {
    /** Announcements come in the order of commits: what came before a loss that the router hears of was heard too. */
    const isHeard = async () => {
      const canary = await AccessScene.open(controller, [enrolled.id]);
      await hosted(canary);
      const { seen, answer } = await byClient(canary);
      answerRoute(router, seen);
      await answer();
      const id = canary.dialers[0]?.id ?? '';
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/sessions/${id}`), 200);
      await until('the router hears of a session', () => endedAt(router).includes(id));
    };

    it('by an administrator gets no circuit', async () => {
      const scene = await AccessScene.open(controller, [enrolled.id]);
      const terminatorId = await hosted(scene);
      const { seen, answer } = await byClient(scene);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/terminators/${terminatorId}`), 200);
      await isHeard();
      answerRoute(router, seen);
      expect(await answer()).to.deep.equal([1, 'the terminator was removed']);
      await until('it is unrouted', () => unrouted(router).includes(seen.route.circuitId));
    });

    it('by its host, which has answered, gets its circuit: the host takes no more', async () => {
      const scene = await AccessScene.open(controller, [enrolled.id]);
      const terminatorId = await hosted(scene);
      const { seen, answer } = await byClient(scene);
      const sequence = router.sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, {
        terminatorIds: [terminatorId],
      });
      await router.reply(sequence);
      await isHeard();
      answerRoute(router, seen);
      expect(await answer()).to.equal(undefined);
      expect(unrouted(router)).not.to.include(seen.route.circuitId);
    });
  });
});
