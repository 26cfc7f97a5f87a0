/** Services that routers host by themselves: refusals, and the life of a terminator. With scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody } from '../../fabric/channel/frame.js';
import { Header, TunnelHealthHeader, encodeBoolean, encodeText, readBoolean } from '../../fabric/channel/headers.js';
import {
  RemoveTerminatorsRequestSchema,
  TerminatorInvalidReason,
  ValidateTerminatorsV2RequestSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import {
  CreateTerminatorResult,
  TerminatorPrecedence,
  UpdateTunnelTerminatorRequestSchema,
} from '../../generated/fabric/edge_pb.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { bind, settled } from '../support/traffic.js';
import { TunnelWorld } from '../support/tunnel-world.js';
import { answered, host, patch, refusalIn, remove } from '../support/tunneler.js';

const NEVER = 3;
const START_OVER = 2;

describe('services that routers host by themselves', () => {
  let world: TunnelWorld;
  let controller: TestController;
  before(async () => {
    world = await TunnelWorld.open();
    ({ controller } = world);
  });
  after(() => world.close());

  const its = () => world.router;

  describe('a terminator is refused', () => {
    const refused = async (request: Parameters<typeof host>[1], from = its()) => {
      const { result, errorCode, retryHint, msg, terminatorId, startTime } = await host(from, {
        startTime: 7n,
        ...request,
      });
      expect([result, startTime]).to.deep.equal([CreateTerminatorResult.FAILED_OTHER, 7n]);
      if (request.address === undefined) expect(await world.stored(terminatorId)).to.equal(undefined);
      return [errorCode, retryHint, msg];
    };
    const invalidService = [6, NEVER, 'invalid service'];

    it('to a router without a tunneler, and while its identity is disabled', async () => {
      const made = await world.service();
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
      for (const serviceId of ['none', '', 'n\0ne']) expect(await refused({ serviceId })).to.deep.equal(invalidService);
      const made = await world.service();
      expect(await refused({ serviceId: made.id }, world.stranger)).to.deep.equal(invalidService);
      await remove(controller, `service-policies/${made.bindPolicy}`);
      expect(await refused({ serviceId: made.id })).to.deep.equal(invalidService);
    });

    it('for a service that router policies do not allow over this router', async () => {
      const made = await world.service();
      await remove(controller, `service-edge-router-policies/${made.routerPolicy}`);
      expect(await refused({ serviceId: made.id })).to.deep.equal([5, START_OVER, 'invalid edge router for session']);
    });

    it('without an id, beyond bounds, with an id or instance of another host', async () => {
      const { id: serviceId } = await world.service();
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
      const other = await world.service({}, world.strange.id);
      const address = await world.hosted(other, { instanceId: 'one' }, world.stranger);
      expect(await refused({ serviceId, address })).to.deep.equal([8, NEVER, 'another terminator has this id']);
      await patch(controller, `service-policies/${other.bindPolicy}`, { identityRoles: ['#all'], semantic: 'AnyOf' });
      await patch(controller, `service-edge-router-policies/${other.routerPolicy}`, {
        edgeRouterRoles: ['#all'],
        semantic: 'AnyOf',
      });
      expect((await refused({ serviceId: other.id, instanceId: 'one' })).slice(0, 2)).to.deep.equal([13, NEVER]);
    });

    it('and nothing of a client can be taken over', async () => {
      const made = await world.service();
      const { terminatorId: address } = await bind(its(), await world.client(made, 'Bind'));
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
      const made = await world.service();
      const request = {
        address: unique('made'),
        instanceId: 'left',
        cost: 3,
        precedence: TerminatorPrecedence.REQUIRED,
        startTime: 99n,
      };
      const answer = await host(its(), { serviceId: made.id, ...request });
      expect([answer.terminatorId, answer.startTime]).to.deep.equal([request.address, 99n]);
      expect(await world.stored(request.address)).to.deep.equal({
        binding: 'tunnel',
        service_id: made.id,
        router_id: world.own.id,
        host_id: world.own.id,
        session_id: null,
        instance_id: 'left',
        cost: 3,
        precedence: 'required',
        is_system: true,
      });
      await world.hosted(made, request);
      await world.hosted(made, { ...request, cost: 4 });
      expect((await world.stored(request.address))?.['cost']).to.equal(4);
      expect(await read(controller, `terminators/${request.address}`)).to.deep.include({
        binding: 'tunnel',
        identity: 'left',
        cost: 4,
      });
    });

    it('changes cost and precedence at its own router alone', async () => {
      const id = await world.hosted(await world.service());
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
      expect(await change(world.stranger, { updateCost: true, cost: 9 })).to.deep.equal([8, 'invalid terminator']);
      expect((await change(its(), { updateCost: true, cost: 65_536 }))?.[0]).to.equal(10);
      expect(await change(its(), { updateCost: true, terminatorId: 'a\0b' })).to.deep.equal([8, 'invalid terminator']);
      expect(await change(its(), { updateCost: true, cost: 9 })).to.equal(undefined);
      expect(await change(its(), { updatePrecedence: true, precedence: TerminatorPrecedence.FAILED })).to.equal(
        undefined,
      );
      expect(await world.stored(id)).to.deep.include({ cost: 9, precedence: 'failed' });
    });

    it('is removed by its own router alone, in either form', async () => {
      const made = await world.service();
      const [first, second] = [await world.hosted(made), await world.hosted(made)];
      const removeMany = async (from: ScriptedRouter, terminatorIds: string[]) =>
        readBoolean(
          (
            await from.reply(
              from.sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, { terminatorIds }),
            )
          ).headers,
          Header.Success,
        );
      expect(await removeMany(world.stranger, [first, second])).to.equal(true);
      expect([await world.stored(first), await world.stored(second)]).not.to.include(undefined);
      expect(await removeMany(its(), [first])).to.equal(true);
      const sequence = its().send(message(ContentType.RemoveTunnelTerminator, second));
      expect(refusalIn(await answered(its(), sequence, ContentType.RemoveTunnelTerminatorResponse))).to.equal(
        undefined,
      );
      expect([await world.stored(first), await world.stored(second)]).to.deep.equal([undefined, undefined]);
    });

    it('is not changed by what its router says of its health', async () => {
      const id = await world.hosted(await world.service());
      its().send(
        message(ContentType.TunnelHealthEvent, '', [
          [TunnelHealthHeader.TerminatorId, encodeText(id)],
          [TunnelHealthHeader.CheckPassed, encodeBoolean(false)],
        ]),
      );
      await settled(its());
      expect(await world.stored(id)).to.deep.include({ precedence: 'default', cost: 0 });
    });

    it('is asked about when its router comes again, and goes when that denies it', async () => {
      const mine = await newRouter(controller, { isTunnelerEnabled: true });
      const made = await world.service({}, mine.id);
      const before = await ScriptedRouter.online(controller.url, mine);
      const [kept, denied] = [await world.hosted(made, {}, before), await world.hosted(made, {}, before)];
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
      await world.isGone(denied);
      expect(await world.stored(kept)).not.to.equal(undefined);
      after.close();
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
