/** Circuits of routers that host and dial by themselves, and what losing access ends. With scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { RouteSchema } from '../../generated/fabric/control_pb.js';
import type { TestController } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import {
  PUBLIC_KEY,
  answerRoute,
  answerTo,
  bind,
  connectCircuit,
  dial,
  routeAt,
  unrouted,
} from '../support/traffic.js';
import { TunnelWorld } from '../support/tunnel-world.js';
import { connectByItself, dialByItself, dialed, patch, remove } from '../support/tunneler.js';
import type { TunnelService } from '../support/tunneler.js';

const KEY = new Map([[PUBLIC_KEY, Buffer.from('key')]]);

describe('circuits of routers that host and dial by themselves', () => {
  let world: TunnelWorld;
  let controller: TestController;
  before(async () => {
    world = await TunnelWorld.open();
    ({ controller } = world);
  });
  after(() => world.close());

  const its = () => world.router;

  describe('a dial is refused', () => {
    const refused = async (serviceName: string, more = {}, from = its()) => {
      const answer = await dialed(from, dialByItself(from, { serviceName, ...more }));
      return 'refusal' in answer ? answer.refusal : undefined;
    };

    it('as the router deserves, in order', async () => {
      const made = await world.service();
      await world.hosted(made);
      const plain = await newRouter(controller);
      const connected = await ScriptedRouter.online(controller.url, plain);
      expect(await refused(made.name, {}, connected)).to.deep.equal([7, 'tunneling not enabled']);
      connected.close();
      const invalidService = [6, 'invalid service'];
      for (const name of ['none', 'n\0ne']) expect(await refused(name)).to.deep.equal(invalidService);
      expect(await refused(made.name, {}, world.stranger)).to.deep.equal(invalidService);
      await remove(controller, `service-policies/${made.dialPolicy}`);
      expect(await refused(made.name)).to.deep.equal(invalidService);
      const other = await world.service();
      await remove(controller, `service-edge-router-policies/${other.routerPolicy}`);
      expect(await refused(other.name)).to.deep.equal([5, 'invalid edge router for session']);
    });

    it('without a terminator, and without keys when the service wants encryption', async () => {
      const made = await world.service();
      expect(await refused(made.name)).to.deep.equal([1, `service ${made.id} has no terminators`]);
      const secret = await world.service({ encryptionRequired: true });
      await world.hosted(secret);
      expect((await refused(secret.name))?.[0]).to.equal(11);
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const sequence = dialByItself(its(), { serviceName: secret.name, peerData: Object.fromEntries(KEY) });
      const seen = await routeAt(its(), before);
      answerRoute(its(), seen);
      const answer = await dialed(its(), sequence);
      expect('refusal' in answer && answer.refusal[0]).to.equal(11);
      await until('it is unrouted', () => unrouted(its()).includes(seen.route.circuitId));
    });

    it('with more peer data than a client could send', async () => {
      const made = await world.service();
      const peerData = Object.fromEntries(Array.from({ length: 129 }, (_, key) => [key, Buffer.of(1)]));
      expect(await refused(made.name, { peerData })).to.deep.equal([1, 'too much peer data']);
    });

    it('when the policy is lost while it is on its way, and what was built is forgotten', async () => {
      const made = await world.service();
      await world.hosted(made);
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const sequence = dialByItself(its(), { serviceName: made.name });
      const seen = await routeAt(its(), before);
      const rest = await world.hosted(await world.service());
      await remove(controller, `service-policies/${made.dialPolicy}`);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      await until(
        'the controller has looked',
        async () => (await world.stored(seen.route.egress?.destination ?? '')) === undefined,
      );
      answerRoute(its(), seen);
      expect(await dialed(its(), sequence)).to.deep.equal({ refusal: [6, 'invalid service'] });
      await until('it is unrouted', () => unrouted(its()).includes(seen.route.circuitId));
      expect(await world.stored(rest)).not.to.equal(undefined);
    });
  });

  describe('a circuit', () => {
    it('of the router leads to a client that hosts, with what both gave', async () => {
      const made = await world.service();
      const { caller, ...shown } = await world.client(made, 'Bind');
      const { terminatorId } = await bind(its(), shown, { peerData: { [PUBLIC_KEY]: Buffer.from('host') } });
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const circuit = await connectByItself(its(), { serviceName: made.name, peerData: Object.fromEntries(KEY) });
      const route = its().bodies(ContentType.Route, RouteSchema)[before];
      expect(route?.egress).to.deep.include({ binding: 'edge', destination: terminatorId });
      expect(Buffer.from(route?.egress?.peerData[PUBLIC_KEY] ?? []).toString()).to.equal('key');
      expect(Buffer.from(circuit.peerData[PUBLIC_KEY] ?? []).toString()).to.equal('host');
      expect(circuit.circuitId).to.equal(route?.circuitId);
      expect(circuit.address).to.equal(route?.forwards[0]?.srcAddress);
      expect(circuit.tags).to.deep.equal({ serviceId: made.id, clientId: world.own.id, hostId: caller.id });
    });

    it('of a client leads to the router that hosts, which gives its key when it is dialed', async () => {
      const made = await world.service({ encryptionRequired: true });
      const terminatorId = await world.hosted(made);
      const shown = await world.client(made, 'Dial');
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const sequence = dial(its(), shown, { peerData: KEY });
      const seen = await routeAt(its(), before);
      expect(seen.route.egress).to.deep.include({ binding: 'tunnel', destination: terminatorId });
      answerRoute(its(), seen, {
        headers: [
          [PUBLIC_KEY, Buffer.from('runtime')],
          [1110, Buffer.from('local')],
        ],
      });
      const { peerData, tags, refusal } = await answerTo(its(), sequence);
      expect(refusal).to.equal(undefined);
      expect([...peerData.keys()]).to.deep.equal([PUBLIC_KEY]);
      expect(Buffer.from(peerData.get(PUBLIC_KEY) ?? []).toString()).to.equal('runtime');
      expect(tags.get('hostId')).to.equal(world.own.id);
    });

    it('is led to the asked instance', async () => {
      const made = await world.service();
      await world.hosted(made, { instanceId: 'one' });
      const two = await world.hosted(made, { instanceId: 'two' });
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      await connectByItself(its(), { serviceName: made.name, terminatorInstanceId: 'two' });
      expect(its().bodies(ContentType.Route, RouteSchema)[before]?.egress?.destination).to.equal(two);
    });
  });

  describe('losing access', () => {
    /** A service that the router hosts, and circuits to it: its own and of a client. */
    const scene = async () => {
      const made = await world.service();
      const terminatorId = await world.hosted(made);
      const shown = await world.client(made, 'Dial');
      const ownCircuit = await connectByItself(its(), { serviceName: made.name });
      const { circuitId } = await connectCircuit(its(), shown);
      return { made, terminatorId, shown, own: ownCircuit.circuitId, foreign: circuitId };
    };
    const areEnded = (...ids: string[]) =>
      until('the circuits end', () => ids.every((id) => unrouted(its()).includes(id)));

    it('to host ends the terminator and the circuits to it, whoever dialed, and nothing else', async () => {
      const [lost, kept] = [await scene(), await scene()];
      await remove(controller, `service-policies/${lost.made.bindPolicy}`);
      await areEnded(lost.own, lost.foreign);
      await world.isGone(lost.terminatorId);
      expect(await world.stored(kept.terminatorId)).not.to.equal(undefined);
      expect(unrouted(its())).not.to.include.members([kept.own, kept.foreign]);
    });

    it('to dial ends the circuits that the router dialed, and no others', async () => {
      const { made, terminatorId, own: mine, foreign } = await scene();
      await remove(controller, `service-policies/${made.dialPolicy}`);
      await areEnded(mine);
      expect(unrouted(its())).not.to.include(foreign);
      expect(await world.stored(terminatorId)).not.to.equal(undefined);
    });

    const ends: readonly (readonly [string, (made: TunnelService) => Promise<unknown>])[] = [
      ['the service is deleted', ({ id }) => remove(controller, `services/${id}`)],
      [
        'its router policy is deleted',
        ({ routerPolicy }) => remove(controller, `service-edge-router-policies/${routerPolicy}`),
      ],
      [
        'its policies are narrowed',
        async ({ bindPolicy, dialPolicy }) => {
          for (const id of [bindPolicy, dialPolicy])
            await patch(controller, `service-policies/${id}`, { serviceRoles: ['#none'], semantic: 'AnyOf' });
        },
      ],
    ];
    for (const [what, end] of ends)
      it(`ends all of it when ${what}`, async () => {
        const { made, terminatorId, own: mine, foreign } = await scene();
        await end(made);
        await areEnded(mine, foreign);
        await world.isGone(terminatorId);
      });

    const alone: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
      [
        'the identity is disabled',
        (id) => controller.admin.post(`${MANAGEMENT}/identities/${id}/disable`, { durationMinutes: 5 }),
      ],
      ['the tunneler is switched off', (id) => patch(controller, `edge-routers/${id}`, { isTunnelerEnabled: false })],
    ];
    for (const [what, end] of alone)
      it(`ends what the router uses when ${what}`, async () => {
        const mine = await newRouter(controller, { isTunnelerEnabled: true });
        const connected = await ScriptedRouter.online(controller.url, mine);
        const made = await world.service({}, mine.id);
        const terminatorId = await world.hosted(made, {}, connected);
        const { circuitId } = await connectByItself(connected, { serviceName: made.name });
        await end(mine.id);
        await world.isGone(terminatorId);
        await until('the circuit ends', () => unrouted(connected).includes(circuitId));
        connected.close();
      });

    it('is seen when the router comes back, which lost it while it was away', async () => {
      const mine = await newRouter(controller, { isTunnelerEnabled: true });
      const [lost, kept] = [await world.service({}, mine.id), await world.service({}, mine.id)];
      const before = await ScriptedRouter.online(controller.url, mine);
      const [gone, stays] = [await world.hosted(lost, {}, before), await world.hosted(kept, {}, before)];
      before.close();
      await until('the router is away', async () => {
        const { isOnline } = await read<{ isOnline: boolean }>(controller, `edge-routers/${mine.id}`);
        return !isOnline;
      });
      await remove(controller, `service-policies/${lost.bindPolicy}`);
      const after = await ScriptedRouter.online(controller.url, mine);
      await world.isGone(gone);
      expect(await world.stored(stays)).not.to.equal(undefined);
      after.close();
    });

    it('does not touch what an administrator made', async () => {
      const made = await world.service();
      const id = await make(controller, 'terminators', {
        service: made.id,
        router: world.own.id,
        binding: 'tunnel',
        address: 'tcp:localhost:1',
      });
      const terminatorId = await world.hosted(made);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      await world.isGone(terminatorId);
      expect(await world.stored(id)).not.to.equal(undefined);
    });
  });
});
