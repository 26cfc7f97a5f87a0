/** Routers that host and dial by themselves: refusals, and what becomes of it. With scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/content-types.js';
import { message, readBody } from '../../fabric/frame.js';
import { Header, TunnelHealthHeader, encodeBoolean, encodeText, readBoolean } from '../../fabric/headers.js';
import {
  RemoveTerminatorsRequestSchema,
  RouteSchema,
  TerminatorInvalidReason,
  ValidateTerminatorsV2RequestSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import {
  CreateTerminatorResult,
  TerminatorPrecedence,
  UpdateTunnelTerminatorRequestSchema,
} from '../../generated/fabric/edge_pb.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import {
  PUBLIC_KEY,
  answerRoute,
  answerTo,
  bind,
  connectCircuit,
  dial,
  routeAt,
  settled,
  unrouted,
} from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';
import {
  answered,
  connectByItself,
  dialByItself,
  dialed,
  host,
  patch,
  refusalIn,
  remove,
  tunnelService,
} from '../support/tunneler.js';
import type { TunnelService } from '../support/tunneler.js';

const KEY = new Map([[PUBLIC_KEY, Buffer.from('key')]]);
const NEVER = 3;
const START_OVER = 2;

describe('routers that host and dial by themselves', () => {
  let controller: TestController;
  let [own, strange]: (EnrolledRouter | undefined)[] = [];
  let [router, stranger]: (ScriptedRouter | undefined)[] = [];
  before(async () => {
    controller = await startTestController();
    own = await newRouter(controller, { isTunnelerEnabled: true });
    strange = await newRouter(controller, { isTunnelerEnabled: true });
    router = await ScriptedRouter.online(controller.url, own);
    stranger = await ScriptedRouter.online(controller.url, strange);
  });
  after(async () => {
    router?.close();
    stranger?.close();
    await controller.stop();
  });

  const its = () => router as ScriptedRouter;
  const theirs = () => stranger as ScriptedRouter;
  const service = (options: object = {}, routerId = own?.id ?? '') => tunnelService(controller, routerId, options);
  const stored = async (id: string) =>
    (
      await controller.database.query(
        `SELECT binding, service_id, router_id, host_id, session_id, instance_id, cost, precedence, is_system
        FROM terminators WHERE id = $1`,
        [id],
      )
    ).rows[0];
  const hosted = async ({ id: serviceId }: TunnelService, more = {}, by = its()) => {
    const { terminatorId, result, msg } = await host(by, { serviceId, ...more });
    expect([result, msg]).to.deep.equal([CreateTerminatorResult.SUCCESS, '']);
    return terminatorId;
  };
  const isGone = (id: string) => until('the terminator is gone', async () => (await stored(id)) === undefined);
  /** A client of a router, and its session for the service. */
  const client = async (
    { id: serviceId }: TunnelService,
    type: 'Bind' | 'Dial',
    routerId = own?.id ?? '',
  ): Promise<Shown> => {
    const word = unique('client');
    const caller = await controller.newCaller({ roleAttributes: [word] });
    const policy = (collection: string, roles: object) =>
      make(controller, collection, {
        name: unique('policy'),
        semantic: 'AnyOf',
        identityRoles: [`#${word}`],
        ...roles,
      });
    await policy('service-policies', { type, serviceRoles: [`@${serviceId}`] });
    await policy('edge-router-policies', { edgeRouterRoles: [`@${routerId}`] });
    const answer = await caller.client.post(`${CLIENT}/sessions`, { serviceId, type });
    const { id, token } = expectStatus(answer, 201).data as { id: string; token: string };
    return { id, sessionToken: token, apiSessionToken: caller.client.token ?? '', caller };
  };

  describe('a terminator is refused', () => {
    const refused = async (request: Parameters<typeof host>[1], from = its()) => {
      const { result, errorCode, retryHint, msg, terminatorId, startTime } = await host(from, {
        startTime: 7n,
        ...request,
      });
      expect([result, startTime]).to.deep.equal([CreateTerminatorResult.FAILED_OTHER, 7n]);
      if (request.address === undefined) expect(await stored(terminatorId)).to.equal(undefined);
      return [errorCode, retryHint, msg];
    };
    const invalidService = [6, NEVER, 'invalid service'];

    it('to a router without a tunneler, and while its identity is disabled', async () => {
      const made = await service();
      const plain = await newRouter(controller);
      const connected = await ScriptedRouter.online(controller.url, plain);
      const expected = [7, NEVER, 'tunneling not enabled'];
      expect(await refused({ serviceId: made.id }, connected)).to.deep.equal(expected);
      connected.close();
      const disabled = await newRouter(controller, { isTunnelerEnabled: true });
      await controller.admin.post(`${MANAGEMENT}/identities/${disabled.id}/disable`, { durationMinutes: 5 });
      const other = await ScriptedRouter.online(controller.url, disabled);
      expect(await refused({ serviceId: made.id }, other)).to.deep.equal(expected);
      other.close();
    });

    it('for a service that is none, and alike for one that is not granted', async () => {
      expect(await refused({ serviceId: 'none' })).to.deep.equal(invalidService);
      expect(await refused({ serviceId: '' })).to.deep.equal(invalidService);
      const made = await service();
      expect(await refused({ serviceId: made.id }, theirs())).to.deep.equal(invalidService);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      expect(await refused({ serviceId: made.id })).to.deep.equal(invalidService);
    });

    it('for a service that router policies do not allow over this router', async () => {
      const made = await service();
      await remove(controller, `service-edge-router-policies/${made.routerPolicy}`);
      expect(await refused({ serviceId: made.id })).to.deep.equal([5, START_OVER, 'invalid edge router for session']);
    });

    it('without an id, beyond bounds, with an id or instance of another host', async () => {
      const { id: serviceId } = await service();
      expect(await refused({ serviceId, address: '' })).to.deep.equal([8, NEVER, 'invalid address']);
      expect(await refused({ serviceId: 'none', address: 'x'.repeat(129) })).to.deep.equal([
        8,
        NEVER,
        'invalid address',
      ]);
      expect((await refused({ serviceId, cost: 65_536 })).slice(0, 2)).to.deep.equal([10, NEVER]);
      expect((await refused({ serviceId, instanceId: 'x'.repeat(513) })).slice(0, 2)).to.deep.equal([13, NEVER]);
      expect((await refused({ serviceId, peerData: { 1: Buffer.alloc(70_000) } })).slice(0, 2)).to.deep.equal([
        8,
        NEVER,
      ]);
      const other = await service({}, strange?.id);
      const address = await hosted(other, { instanceId: 'one' }, theirs());
      expect(await refused({ serviceId, address })).to.deep.equal([8, NEVER, 'another terminator has this id']);
      await patch(controller, `service-policies/${other.bindPolicy}`, { identityRoles: ['#all'], semantic: 'AnyOf' });
      await patch(controller, `service-edge-router-policies/${other.routerPolicy}`, {
        edgeRouterRoles: ['#all'],
        semantic: 'AnyOf',
      });
      expect((await refused({ serviceId: other.id, instanceId: 'one' })).slice(0, 2)).to.deep.equal([13, NEVER]);
    });

    it('and nothing of a client can be taken over', async () => {
      const made = await service();
      const { terminatorId: address } = await bind(its(), await client(made, 'Bind'));
      expect((await refused({ serviceId: made.id, address })).slice(0, 2)).to.deep.equal([8, NEVER]);
      const frame = await answered(
        its(),
        its().sendTyped(ContentType.UpdateTunnelTerminator, UpdateTunnelTerminatorRequestSchema, {
          terminatorId: address,
          updateCost: true,
          cost: 1,
        }),
        ContentType.UpdateTunnelTerminatorResponse,
      );
      expect(refusalIn(frame)).to.deep.equal([8, 'invalid terminator']);
    });
  });

  describe('a terminator', () => {
    it('is made of the identity of the router, once, and changes with what the router says', async () => {
      const made = await service();
      const request = {
        address: unique('made'),
        instanceId: 'left',
        cost: 3,
        precedence: TerminatorPrecedence.REQUIRED,
        startTime: 99n,
      };
      const answer = await host(its(), { serviceId: made.id, ...request });
      expect([answer.terminatorId, answer.startTime]).to.deep.equal([request.address, 99n]);
      expect(await stored(request.address)).to.deep.equal({
        binding: 'tunnel',
        service_id: made.id,
        router_id: own?.id,
        host_id: own?.id,
        session_id: null,
        instance_id: 'left',
        cost: 3,
        precedence: 'required',
        is_system: true,
      });
      await hosted(made, request);
      await hosted(made, { ...request, cost: 4 });
      expect((await stored(request.address))?.['cost']).to.equal(4);
      expect(await read(controller, `terminators/${request.address}`)).to.deep.include({
        binding: 'tunnel',
        identity: 'left',
        cost: 4,
      });
    });

    it('changes cost and precedence at its own router alone', async () => {
      const id = await hosted(await service());
      const change = async (from: ScriptedRouter, more: object) =>
        refusalIn(
          await answered(
            from,
            from.sendTyped(ContentType.UpdateTunnelTerminator, UpdateTunnelTerminatorRequestSchema, {
              terminatorId: id,
              ...more,
            }),
            ContentType.UpdateTunnelTerminatorResponse,
          ),
        );
      expect(await change(theirs(), { updateCost: true, cost: 9 })).to.deep.equal([8, 'invalid terminator']);
      expect((await change(its(), { updateCost: true, cost: 65_536 }))?.[0]).to.equal(10);
      expect(await change(its(), { updateCost: true, cost: 9 })).to.equal(undefined);
      expect(await change(its(), { updatePrecedence: true, precedence: TerminatorPrecedence.FAILED })).to.equal(
        undefined,
      );
      expect(await stored(id)).to.deep.include({ cost: 9, precedence: 'failed' });
    });

    it('is removed by its own router alone, in either form', async () => {
      const made = await service();
      const [first, second] = [await hosted(made), await hosted(made)];
      const removeMany = async (from: ScriptedRouter, terminatorIds: string[]) =>
        readBoolean(
          (
            await from.reply(
              from.sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, { terminatorIds }),
            )
          ).headers,
          Header.Success,
        );
      expect(await removeMany(theirs(), [first, second])).to.equal(true);
      expect([await stored(first), await stored(second)]).not.to.include(undefined);
      expect(await removeMany(its(), [first])).to.equal(true);
      const sequence = its().send(message(ContentType.RemoveTunnelTerminator, second));
      expect(refusalIn(await answered(its(), sequence, ContentType.RemoveTunnelTerminatorResponse))).to.equal(
        undefined,
      );
      expect([await stored(first), await stored(second)]).to.deep.equal([undefined, undefined]);
    });

    it('is not changed by what its router says of its health', async () => {
      const id = await hosted(await service());
      its().send(
        message(ContentType.TunnelHealthEvent, '', [
          [TunnelHealthHeader.TerminatorId, encodeText(id)],
          [TunnelHealthHeader.CheckPassed, encodeBoolean(false)],
        ]),
      );
      await settled(its());
      expect(await stored(id)).to.deep.include({ precedence: 'default', cost: 0 });
    });

    it('is asked about when its router comes again, and goes when that denies it', async () => {
      const mine = await newRouter(controller, { isTunnelerEnabled: true });
      const made = await service({}, mine.id);
      const before = await ScriptedRouter.online(controller.url, mine);
      const [kept, denied] = [await hosted(made, {}, before), await hosted(made, {}, before)];
      before.close();
      const after = await ScriptedRouter.online(controller.url, mine);
      const { terminators } = readBody(
        ValidateTerminatorsV2RequestSchema,
        await after.next(ContentType.ValidateTerminatorsV2),
      );
      expect(terminators.map(({ id, binding, address }) => [id, binding, address])).to.have.deep.members(
        [kept, denied].map((id) => [id, 'tunnel', id]),
      );
      after.sendTyped(ContentType.ValidateTerminatorsV2Response, ValidateTerminatorsV2ResponseSchema, {
        states: Object.fromEntries(
          terminators.map(({ id, marker }) => [
            id,
            { valid: id === kept, marker, reason: TerminatorInvalidReason.UNKNOWN_TERMINATOR },
          ]),
        ),
      });
      await isGone(denied);
      expect(await stored(kept)).not.to.equal(undefined);
      after.close();
    });
  });

  describe('a dial is refused', () => {
    const refused = async (serviceName: string, more = {}, from = its()) => {
      const answer = await dialed(from, dialByItself(from, { serviceName, ...more }));
      return 'refusal' in answer ? answer.refusal : undefined;
    };

    it('as the router deserves, in order', async () => {
      const made = await service();
      await hosted(made);
      const plain = await newRouter(controller);
      const connected = await ScriptedRouter.online(controller.url, plain);
      expect(await refused(made.name, {}, connected)).to.deep.equal([7, 'tunneling not enabled']);
      connected.close();
      const invalidService = [6, 'invalid service'];
      expect(await refused('none')).to.deep.equal(invalidService);
      expect(await refused(made.name, {}, theirs())).to.deep.equal(invalidService);
      await remove(controller, `service-policies/${made.dialPolicy}`);
      expect(await refused(made.name)).to.deep.equal(invalidService);
      const other = await service();
      await remove(controller, `service-edge-router-policies/${other.routerPolicy}`);
      expect(await refused(other.name)).to.deep.equal([5, 'invalid edge router for session']);
    });

    it('without a terminator, and without keys when the service wants encryption', async () => {
      const made = await service();
      expect(await refused(made.name)).to.deep.equal([1, `service ${made.id} has no terminators`]);
      const secret = await service({ encryptionRequired: true });
      await hosted(secret);
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
      const made = await service();
      const peerData = Object.fromEntries(Array.from({ length: 129 }, (_, key) => [key, Buffer.of(1)]));
      expect(await refused(made.name, { peerData })).to.deep.equal([1, 'too much peer data']);
    });

    it('when the policy is lost while it is on its way, and what was built is forgotten', async () => {
      const made = await service();
      await hosted(made);
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const sequence = dialByItself(its(), { serviceName: made.name });
      const seen = await routeAt(its(), before);
      const rest = await hosted(await service());
      await remove(controller, `service-policies/${made.dialPolicy}`);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      await until(
        'the controller has looked',
        async () => (await stored(seen.route.egress?.destination ?? '')) === undefined,
      );
      answerRoute(its(), seen);
      expect(await dialed(its(), sequence)).to.deep.equal({ refusal: [6, 'invalid service'] });
      await until('it is unrouted', () => unrouted(its()).includes(seen.route.circuitId));
      expect(await stored(rest)).not.to.equal(undefined);
    });
  });

  describe('a circuit', () => {
    it('of the router leads to a client that hosts, with what both gave', async () => {
      const made = await service();
      const { caller, ...shown } = await client(made, 'Bind');
      const { terminatorId } = await bind(its(), shown, { peerData: { [PUBLIC_KEY]: Buffer.from('host') } });
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      const circuit = await connectByItself(its(), { serviceName: made.name, peerData: Object.fromEntries(KEY) });
      const route = its().bodies(ContentType.Route, RouteSchema)[before];
      expect(route?.egress).to.deep.include({ binding: 'edge', destination: terminatorId });
      expect(Buffer.from(route?.egress?.peerData[PUBLIC_KEY] ?? []).toString()).to.equal('key');
      expect(Buffer.from(circuit.peerData[PUBLIC_KEY] ?? []).toString()).to.equal('host');
      expect(circuit.circuitId).to.equal(route?.circuitId);
      expect(circuit.address).to.equal(route?.forwards[0]?.srcAddress);
      expect(circuit.tags).to.deep.equal({ serviceId: made.id, clientId: own?.id, hostId: caller.id });
    });

    it('of a client leads to the router that hosts, which gives its key when it is dialed', async () => {
      const made = await service({ encryptionRequired: true });
      const terminatorId = await hosted(made);
      const shown = await client(made, 'Dial');
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
      expect(tags.get('hostId')).to.equal(own?.id);
    });

    it('is led to the asked instance', async () => {
      const made = await service();
      await hosted(made, { instanceId: 'one' });
      const two = await hosted(made, { instanceId: 'two' });
      const before = its().bodies(ContentType.Route, RouteSchema).length;
      await connectByItself(its(), { serviceName: made.name, terminatorInstanceId: 'two' });
      expect(its().bodies(ContentType.Route, RouteSchema)[before]?.egress?.destination).to.equal(two);
    });
  });

  describe('losing access', () => {
    /** A service that the router hosts, and circuits to it: its own and of a client. */
    const scene = async () => {
      const made = await service();
      const terminatorId = await hosted(made);
      const shown = await client(made, 'Dial');
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
      await isGone(lost.terminatorId);
      expect(await stored(kept.terminatorId)).not.to.equal(undefined);
      expect(unrouted(its())).not.to.include.members([kept.own, kept.foreign]);
    });

    it('to dial ends the circuits that the router dialed, and no others', async () => {
      const { made, terminatorId, own: mine, foreign } = await scene();
      await remove(controller, `service-policies/${made.dialPolicy}`);
      await areEnded(mine);
      expect(unrouted(its())).not.to.include(foreign);
      expect(await stored(terminatorId)).not.to.equal(undefined);
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
        await isGone(terminatorId);
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
        const made = await service({}, mine.id);
        const terminatorId = await hosted(made, {}, connected);
        const { circuitId } = await connectByItself(connected, { serviceName: made.name });
        await end(mine.id);
        await isGone(terminatorId);
        await until('the circuit ends', () => unrouted(connected).includes(circuitId));
        connected.close();
      });

    it('is seen when the router comes back, which lost it while it was away', async () => {
      const mine = await newRouter(controller, { isTunnelerEnabled: true });
      const [lost, kept] = [await service({}, mine.id), await service({}, mine.id)];
      const before = await ScriptedRouter.online(controller.url, mine);
      const [gone, stays] = [await hosted(lost, {}, before), await hosted(kept, {}, before)];
      before.close();
      await until('the router is away', async () => {
        const { isOnline } = await read<{ isOnline: boolean }>(controller, `edge-routers/${mine.id}`);
        return !isOnline;
      });
      await remove(controller, `service-policies/${lost.bindPolicy}`);
      const after = await ScriptedRouter.online(controller.url, mine);
      await isGone(gone);
      expect(await stored(stays)).not.to.equal(undefined);
      after.close();
    });

    it('does not touch what an administrator made', async () => {
      const made = await service();
      const id = await make(controller, 'terminators', {
        service: made.id,
        router: own?.id,
        binding: 'tunnel',
        address: 'tcp:localhost:1',
      });
      const terminatorId = await hosted(made);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      await isGone(terminatorId);
      expect(await stored(id)).not.to.equal(undefined);
    });
  });

  it('show as connected by their own identity while they are', async () => {
    const mine = await newRouter(controller, { isTunnelerEnabled: true });
    const status = async () =>
      (await read<{ edgeRouterConnectionStatus: string }>(controller, `identities/${mine.id}`))
        .edgeRouterConnectionStatus;
    expect(await status()).to.equal('offline');
    const connected = await ScriptedRouter.online(controller.url, mine);
    expect(await status()).to.equal('online');
    connected.close();
    await until('it shows as away', async () => (await status()) === 'offline');
  });
});
