/** Circuits: what routers are told for a dial, and what the dialer hears. Against a whole controller. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message } from '../../fabric/channel/frame.js';
import {
  PeerDataKey,
  RouteResultHeader,
  encodeBoolean,
  encodeText,
  encodeUint32,
} from '../../fabric/channel/headers.js';
import { CircuitConfirmationSchema, DestType, FaultSubject, UnrouteSchema } from '../../generated/fabric/control_pb.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { askMetrics, valueIn } from '../support/metrics.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import {
  PUBLIC_KEY,
  TrafficWorld,
  answerRoute,
  answerTo,
  bind,
  connectCircuit,
  dial,
  fault,
  routeAt,
  settled,
  unrouted,
} from '../support/traffic.js';
import type { DialOptions, Shown } from '../support/traffic.js';

const REROUTE = 99_969_996;
const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

describe('circuits', () => {
  let controller: TestController;
  let [own, strange]: (EnrolledRouter | undefined)[] = [];
  let router: ScriptedRouter;
  let stranger: ScriptedRouter;
  before(async () => {
    controller = await startTestController({ EDGE_METRICS_LISTEN: '127.0.0.1:0' });
  });
  beforeEach(async () => {
    // New ones: a router that comes again and again has to wait.
    [own, strange] = [await newRouter(controller), await newRouter(controller)];
    router = await ScriptedRouter.online(controller.url, own);
    stranger = await ScriptedRouter.online(controller.url, strange);
  });
  afterEach(async () => {
    for (const each of [router, stranger]) {
      each.close();
      await until('the router is gone', async () => {
        const { data } = await controller.admin.get(`${MANAGEMENT}/edge-routers/${each.id}`);
        return !(data as { isOnline: boolean }).isOnline;
      });
    }
  });
  after(() => controller.stop());

  interface Scene {
    readonly world: TrafficWorld;
    readonly host: Shown;
    readonly dialer: Shown;
  }
  const scene = async (service: object = {}): Promise<Scene> => {
    const world = await new TrafficWorld(controller).prepare([`@${own?.id ?? ''}`], service);
    return { world, host: await world.host(), dialer: await world.dialer() };
  };
  /** @returns id of a terminator of the host */
  const hosted = async ({ host }: Scene, more: Parameters<typeof bind>[2] = {}) =>
    (await bind(router, host, more)).terminatorId;
  const isStored = async (id: string) =>
    (await controller.database.query('SELECT id FROM terminators WHERE id = $1', [id])).rows.length === 1;
  const refused = async (shown: Pick<Shown, 'sessionToken' | 'apiSessionToken'>, options: DialOptions = {}) =>
    (await answerTo(router, dial(router, shown, options))).refusal;

  it('are counted, and so are dials that fail and the routers', async () => {
    const [made, empty] = [await scene(), await scene()];
    await hosted(made);
    const values = async () => {
      const { text } = await askMetrics(controller.metricsUrl);
      const of = (name: string) => valueIn(text, `edge_${name}`) ?? 0;
      const [standing, created, failed] = [of('circuits'), of('circuits_created_total'), of('circuits_failed_total')];
      return { standing, created, failed, routers: [of('routers_connected'), of('routers_in_sync')] };
    };
    const before = await values();
    await connectCircuit(router, made.dialer);
    expect(await refused(empty.dialer)).not.to.equal(undefined);
    await until('both routers are in sync', async () => (await values()).routers.join(' ') === '2 2');
    expect(await values()).to.deep.equal({
      standing: before.standing + 1,
      created: before.created + 1,
      failed: before.failed + 1,
      routers: [2, 2],
    });
  });

  it('lead from the dialer to the terminator of the service, with what each gives to the other', async () => {
    const made = await scene();
    const terminator = await hosted(made, {
      peerData: { [PUBLIC_KEY]: Buffer.from('host key'), [PeerDataKey.AppData]: Buffer.from('stored') },
    });
    const sent = new Map([
      [PUBLIC_KEY, Buffer.from('dialer key')],
      [PeerDataKey.DialerIdentityName, Buffer.from('somebody else')],
    ]);
    const sequence = dial(router, made.dialer, { peerData: sent });
    const seen = await routeAt(router, 0);
    const { route } = seen;
    const tags = { serviceId: made.world.serviceId, clientId: made.dialer.caller.id, hostId: made.host.caller.id };
    expect(route.circuitId).to.match(/^[\w-]{20,}$/);
    expect(route).to.deep.include({ attempt: 0, tags, timeout: 10_000_000_000n });
    expect(route.egress).to.deep.include({ binding: 'edge', destination: terminator });
    expect(text(route.egress?.peerData[PUBLIC_KEY])).to.equal('dialer key');
    const { id, name } = await read<{ name: string }>(controller, `identities/${made.dialer.caller.id}`);
    expect(text(route.egress?.peerData[PeerDataKey.DialerIdentityId])).to.equal(id);
    expect(text(route.egress?.peerData[PeerDataKey.DialerIdentityName])).to.equal(name);
    const [forth, back] = route.forwards;
    expect(route.forwards.length).to.equal(2);
    expect(forth).to.deep.include({ dstAddress: route.egress?.address, dstType: DestType.END });
    expect(back).to.deep.include({
      srcAddress: route.egress?.address,
      dstAddress: forth?.srcAddress,
      dstType: DestType.START,
    });
    answerRoute(router, seen, {
      headers: [
        [PeerDataKey.AppData, encodeText('of the result')],
        [RouteResultHeader.TerminatorLocalAddress, encodeText('10.0.0.1:1')],
        [5, encodeText('12345678')],
      ],
    });
    const answer = await answerTo(router, sequence);
    expect(answer.refusal).to.equal(undefined);
    expect(answer).to.deep.include({ circuitId: route.circuitId, ingressId: forth?.srcAddress });
    expect(Object.fromEntries(answer.tags)).to.deep.equal(tags);
    expect([...answer.peerData].map(([key, value]) => [key, text(value)])).to.have.deep.members([
      [PUBLIC_KEY, 'host key'],
      [PeerDataKey.AppData, 'of the result'],
    ]);
  });

  describe('are refused', () => {
    it('as the tokens deserve, in order', async () => {
      const made = await scene();
      await hosted(made);
      const { host, dialer } = made;
      const other = await made.world.dialer();
      for (const [shown, refusal] of [
        [{ ...dialer, apiSessionToken: 'nonsense' }, [2, 'invalid api session']],
        [{ ...dialer, apiSessionToken: 'nonsense', sessionToken: 'nonsense' }, [2, 'invalid api session']],
        [{ ...dialer, sessionToken: '' }, [3, 'invalid session']],
        [{ ...dialer, sessionToken: made.world.serviceId }, [3, 'invalid session']],
        [{ ...dialer, sessionToken: other.sessionToken }, [3, 'invalid session']],
        [host, [4, 'incorrect session type']],
      ] as const)
        expect(await refused(shown)).to.deep.equal(refusal);
      const sequence = dial(stranger, dialer);
      expect((await answerTo(stranger, sequence)).refusal).to.deep.equal([5, 'invalid edge router for session']);
      expect(router.received.some(({ contentType }) => contentType === ContentType.Route)).to.equal(false);
    });

    it('when the session has lost its grant', async () => {
      const made = await scene();
      await hosted(made);
      await controller.database.query("DELETE FROM service_policies WHERE type = 'Dial'");
      expect(await refused(made.dialer)).to.deep.equal([3, 'invalid session']);
    });

    it('without a terminator, without one of the asked instance, and with none that is online', async () => {
      const made = await scene();
      const { serviceId } = made.world;
      expect(await refused(made.dialer)).to.deep.equal([1, `service ${serviceId} has no terminators`]);
      await hosted(made, { instanceId: 'left' });
      const none = (instance: string) => [
        1,
        `service ${serviceId} has no online terminators for instanceId ${instance}`,
      ];
      expect(await refused(made.dialer)).to.deep.equal(none(''));
      for (const instance of ['right', 'l\0ft'])
        expect(await refused(made.dialer, { instanceId: instance })).to.deep.equal(
          none(instance.replace('\0', '\uFFFD')),
        );
      await connectCircuit(router, made.dialer, { instanceId: 'left' });
    });

    it('when the service wants encryption and either end has no key', async () => {
      const made = await scene({ encryptionRequired: true });
      const wanted = 'encryption required on service';
      await hosted(made);
      expect(await refused(made.dialer)).to.deep.equal([11, `${wanted}, initiator did not send public header`]);
      const sequence = dial(router, made.dialer, { peerData: new Map([[PUBLIC_KEY, Buffer.alloc(32)]]) });
      const seen = await routeAt(router, 0);
      answerRoute(router, seen);
      const { refusal } = await answerTo(router, sequence);
      expect(refusal).to.deep.equal([11, `${wanted}, terminator did not send public header`]);
      await until('it is unrouted', () => unrouted(router).includes(seen.route.circuitId));
    });
  });

  it('go to another terminator when one is refused, which then costs more', async () => {
    const made = await scene();
    const [cheap, dear] = [await hosted(made, { cost: 1 }), await hosted(made, { cost: 5 })];
    const sequence = dial(router, made.dialer);
    const first = await routeAt(router, 0);
    expect(first.route.egress?.destination).to.equal(cheap);
    answerRoute(router, first, { failure: [4, 'connection refused'] });
    const second = await routeAt(router, 1);
    expect(second.route).to.deep.include({ attempt: 1, circuitId: first.route.circuitId });
    expect(second.route.egress?.destination).to.equal(dear);
    answerRoute(router, second);
    expect((await answerTo(router, sequence)).refusal).to.equal(undefined);
    expect((await connectCircuit(router, made.dialer)).route.egress?.destination).to.equal(dear);
    expect(await isStored(cheap)).to.equal(true);
  });

  it('delete terminators that their router does not know, and try the next, however many', async () => {
    const made = await scene();
    const gone = [await hosted(made), await hosted(made), await hosted(made)];
    const alive = await hosted(made, { cost: 9 });
    const sequence = dial(router, made.dialer);
    for (let attempt = 0; attempt < gone.length; attempt += 1)
      answerRoute(router, await routeAt(router, attempt), { failure: [1, 'invalid terminator'] });
    const last = await routeAt(router, gone.length);
    expect(last.route.egress?.destination).to.equal(alive);
    answerRoute(router, last);
    expect((await answerTo(router, sequence)).refusal).to.equal(undefined);
    for (const id of gone) expect(await isStored(id)).to.equal(false);
  });

  it('are given up after two attempts, with what the routers said, and forgotten by them', async () => {
    const made = await scene();
    await hosted(made);
    const sequence = dial(router, made.dialer);
    for (const attempt of [0, 1])
      answerRoute(router, await routeAt(router, attempt), { failure: [3, `too slow ${attempt}`] });
    const { refusal } = await answerTo(router, sequence);
    const { circuitId } = (await routeAt(router, 0)).route;
    const said = [0, 1].map((attempt) => `error creating route for router r/${own?.id ?? ''}: too slow ${attempt}`);
    expect(refusal).to.deep.equal([
      1,
      `exceeded maximum [2] retries creating circuit [c/${circuitId}] (${said.join('; ')})`,
    ]);
    await until('it is unrouted', () => unrouted(router).includes(circuitId));
  });

  it('return to the same terminator by its token when the service is sticky', async () => {
    const made = await scene({ terminatorStrategy: 'sticky' });
    await hosted(made, { cost: 1 });
    const dear = await hosted(made, { cost: 500 });
    const stickTo = new Map([[PeerDataKey.StickinessToken, encodeText(dear)]]);
    const { route, peerData } = await connectCircuit(router, made.dialer, { peerData: stickTo });
    expect(route.egress?.destination).to.equal(dear);
    expect(text(peerData.get(PeerDataKey.StickinessToken))).to.equal(dear);
  });

  it('end with a fault of either end, once, and only for a router of their own', async () => {
    const made = await scene();
    await hosted(made);
    for (const subject of [FaultSubject.INGRESS, FaultSubject.EGRESS]) {
      const { circuitId } = await connectCircuit(router, made.dialer);
      fault(stranger, subject, circuitId);
      await settled(stranger);
      expect(unrouted(router)).not.to.include(circuitId);
      fault(router, subject, circuitId);
      fault(router, subject, circuitId);
      await settled(router);
      expect(unrouted(router).filter((id) => id === circuitId)).to.deep.equal([circuitId]);
      expect(unrouted(stranger)).to.deep.equal([]);
    }
    expect(router.bodies(ContentType.Unroute, UnrouteSchema).every(({ now }) => !now)).to.equal(true);
  });

  it('count for their terminator while they stand', async () => {
    const made = await scene();
    const [one, two] = [await hosted(made, { cost: 10 }), await hosted(made, { cost: 13 })];
    const first = await connectCircuit(router, made.dialer);
    const second = await connectCircuit(router, made.dialer);
    const third = await connectCircuit(router, made.dialer);
    expect([first, second, third].map(({ route }) => route.egress?.destination)).to.deep.equal([one, one, two]);
    for (const { circuitId } of [first, second]) fault(router, FaultSubject.INGRESS, circuitId);
    await settled(router);
    expect((await connectCircuit(router, made.dialer)).route.egress?.destination).to.equal(one);
  });

  it('are led another way when a router cannot forward, and unknown ones are taken from it', async () => {
    const made = await scene();
    await hosted(made);
    const { circuitId } = await connectCircuit(router, made.dialer);
    fault(router, FaultSubject.FORWARD, `unknown ${circuitId}`);
    await until('the unknown one is unrouted', () => unrouted(router).includes('unknown'));
    const seen = await routeAt(router, 1);
    expect(seen.route).to.deep.include({ circuitId, attempt: REROUTE });
    expect(seen.route.egress).to.equal(undefined);
    answerRoute(router, seen);
    await settled(router);
    expect(unrouted(router)).to.deep.equal(['unknown']);
    fault(router, FaultSubject.UNKNOWN_OWNER_FORWARD, `another ${circuitId}`);
    for (const index of [2, 3]) answerRoute(router, await routeAt(router, index), { failure: [0, 'no'] });
    await until('it is given up', () => unrouted(router).includes(circuitId));
    expect(unrouted(router)).to.deep.equal(['unknown', circuitId]);
  });

  it('are led another way once when two faults are told before the router has answered, and stay', async () => {
    const made = await scene();
    await hosted(made);
    const { circuitId } = await connectCircuit(router, made.dialer);
    fault(router, FaultSubject.FORWARD, circuitId);
    fault(router, FaultSubject.FORWARD, circuitId);
    const seen = await routeAt(router, 1);
    await settled(router);
    const asked = router.received.filter(({ contentType }) => contentType === ContentType.Route).length - 1;
    for (let index = 1; index <= asked; index += 1) answerRoute(router, await routeAt(router, index));
    await settled(router);
    await settled(router);
    expect(unrouted(router)).to.deep.equal([]);
    expect([seen.route.circuitId, asked]).to.deep.equal([circuitId, 1]);
    fault(router, FaultSubject.FORWARD, circuitId);
    answerRoute(router, await routeAt(router, asked + 1));
    await settled(router);
    expect(unrouted(router)).to.deep.equal([]);
  });

  it('that end while they are led another way are taken from those that were told', async () => {
    const made = await scene();
    await hosted(made);
    const { circuitId } = await connectCircuit(router, made.dialer);
    fault(router, FaultSubject.FORWARD, circuitId);
    const seen = await routeAt(router, 1);
    fault(router, FaultSubject.INGRESS, circuitId);
    await settled(router);
    answerRoute(router, seen);
    await until('the new path is unrouted', () => unrouted(router).filter((id) => id === circuitId).length === 2);
  });

  it('that are idle for longer than their service allows are ended, unknown ones too', async () => {
    const made = await scene({ maxIdleTimeMillis: 60_000 });
    await hosted(made);
    const { circuitId } = await connectCircuit(router, made.dialer);
    const confirm = async (from: ScriptedRouter, idleMs: bigint) => {
      const idle = { [circuitId]: idleMs * 1_000_000n, unknown: 1n };
      from.sendTyped(ContentType.CircuitConfirmation, CircuitConfirmationSchema, {
        circuitIds: Object.keys(idle),
        idleTimes: idle,
      });
      await settled(from);
    };
    await confirm(router, 60_000n);
    expect(unrouted(router)).to.deep.equal(['unknown']);
    await confirm(stranger, 60_001n);
    expect(unrouted(stranger)).to.have.members([circuitId, 'unknown']);
    await confirm(router, 60_001n);
    expect(unrouted(router)).to.include(circuitId);
  });

  it('that a router builds too late are taken from it', async () => {
    const late = message(ContentType.RouteResult, 'forgotten', [
      [RouteResultHeader.Attempt, encodeUint32(1)],
      [RouteResultHeader.Success, encodeBoolean(true)],
    ]);
    router.send(late);
    await until('it is unrouted', () => unrouted(router).includes('forgotten'));
    const failed = message(ContentType.RouteResult, 'failed', [[RouteResultHeader.Attempt, encodeUint32(0)]]);
    router.send(failed);
    await settled(router);
    expect(unrouted(router)).to.deep.equal(['forgotten']);
  });

  it('are not waited for by other messages of the router', async () => {
    const made = await scene();
    await hosted(made);
    const sequences = Array.from({ length: 80 }, () => dial(router, made.dialer));
    await routeAt(router, 20);
    await settled(router);
    const other = await connectOther(made);
    expect(other).to.equal(true);
    for (let index = 0; index < sequences.length; index += 1) answerRoute(router, await routeAt(router, index));
    for (const sequence of sequences) expect((await answerTo(router, sequence)).refusal).to.equal(undefined);
  });
  /** A host comes while dials hang. */
  const connectOther = async (made: Scene) => isStored(await hosted(made, { address: unique('meanwhile') }));
});
