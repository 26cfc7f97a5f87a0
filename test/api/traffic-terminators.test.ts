/** Terminators that routers make for hosting clients. Against a whole controller, with scripted routers. */
import { expect } from 'chai';
import { HOSTED_BOUNDS } from '../../domain/fabric/terminator.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { ErrorHeader, Header, readBoolean, readInt32, readUint32 } from '../../fabric/channel/headers.js';
import {
  RemoveTerminatorsRequestSchema,
  TerminatorInvalidReason,
  ValidateTerminatorsV2RequestSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import {
  CreateTerminatorResult,
  RemoveTerminatorRequestSchema,
  TerminatorPrecedence,
  UpdateTerminatorRequestSchema,
} from '../../generated/fabric/edge_pb.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, read } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { PUBLIC_KEY, TrafficWorld, bind } from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';

describe('terminators of routers', () => {
  let controller: TestController;
  let [own, strange]: (EnrolledRouter | undefined)[] = [];
  let router: ScriptedRouter;
  let stranger: ScriptedRouter;
  let world: TrafficWorld;
  let host: Shown;
  before(async () => {
    controller = await startTestController();
    own = await newRouter(controller);
    strange = await newRouter(controller);
    world = await new TrafficWorld(controller).prepare([`@${own.id}`]);
    router = await ScriptedRouter.online(controller.url, own);
    stranger = await ScriptedRouter.online(controller.url, strange);
    host = await world.host();
  });
  after(async () => {
    router.close();
    stranger.close();
    await controller.stop();
  });

  const stored = async (id: string) =>
    (
      await controller.database.query(
        `SELECT service_id, router_id, host_id, session_id, instance_id, cost, precedence FROM terminators
        WHERE id = $1`,
        [id],
      )
    ).rows[0];
  const made = async (more: Parameters<typeof bind>[2] = {}, shown: Shown = host) => {
    const address = more.address ?? unique('made');
    expect(await bind(router, shown, { ...more, address })).to.deep.include({
      terminatorId: address,
      result: CreateTerminatorResult.SUCCESS,
    });
    return address;
  };
  const replyTo = (to: ScriptedRouter, sequence: number, type: number): Promise<Frame> =>
    to.next(type, ({ headers }) => readInt32(headers, Header.ReplyFor) === sequence);

  it('are made of a session, and shown to administrators and dialers', async () => {
    const id = await made({
      cost: 12,
      precedence: TerminatorPrecedence.REQUIRED,
      instanceId: 'left',
      instanceSecret: Buffer.from('secret'),
      peerData: { [PUBLIC_KEY]: Buffer.from('key') },
    });
    expect(await stored(id)).to.deep.equal({
      service_id: world.serviceId,
      router_id: own?.id,
      host_id: host.caller.id,
      session_id: host.id,
      instance_id: 'left',
      cost: 12,
      precedence: 'required',
    });
    expect(await read(controller, `terminators/${id}`)).to.deep.include({
      binding: 'edge',
      address: id,
      identity: 'left',
      cost: 12,
      precedence: 'required',
      routerId: own?.id,
    });
    const listed = await host.caller.client.get(`${CLIENT}/services/${world.serviceId}/terminators`);
    expect(itemsOf(expectStatus(listed, 200)).map((item) => item.id)).to.include(id);
  });

  it('are made once, however often the router repeats it, and change with what it says', async () => {
    const id = await made({ cost: 1 });
    await made({ address: id, cost: 1 });
    expect(await stored(id)).to.deep.include({ cost: 1 });
    await made({ address: id, cost: 2 });
    expect(await stored(id)).to.deep.include({ cost: 2 });
    const client = await controller.login(host.caller.username, host.caller.password);
    const again = await world.sessionOf({ ...host.caller, client }, 'Bind');
    await made({ address: id, cost: 2 }, again);
    expect(await stored(id)).to.deep.include({ session_id: again.id });
  });

  it('have cost and precedence of their identity for the service when they name none', async () => {
    const { caller } = await world.host();
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, {
        defaultHostingCost: 33,
        defaultHostingPrecedence: 'failed',
      }),
      200,
    );
    const shown = await world.sessionOf(caller, 'Bind');
    expect(await stored(await made({}, shown))).to.deep.include({ cost: 33, precedence: 'failed' });
    const named = await made({ cost: 4, precedence: TerminatorPrecedence.REQUIRED }, shown);
    expect(await stored(named)).to.deep.include({ cost: 4, precedence: 'required' });
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/identities/${caller.id}`, {
        serviceHostingCosts: { [world.serviceId]: 44 },
        serviceHostingPrecedences: { [world.serviceId]: 'required' },
      }),
      200,
    );
    expect(await stored(await made({}, shown))).to.deep.include({ cost: 44, precedence: 'required' });
  });

  describe('are refused', () => {
    const refusal = async (from: ScriptedRouter, shown: Pick<Shown, 'sessionToken' | 'apiSessionToken'>, more = {}) => {
      const address = unique('refused');
      const answer = await bind(from, shown, { address, ...more });
      const { result, errorCode, retryHint, terminatorId } = answer;
      if (!('address' in more)) expect(await stored(terminatorId)).to.equal(undefined);
      expect(result).to.equal(CreateTerminatorResult.FAILED_OTHER);
      return [errorCode, retryHint, answer.msg];
    };
    const START_OVER = 2;
    const NEVER = 3;

    it('for an API session that is none, or over', async () => {
      const expected = [2, START_OVER, 'invalid api session'];
      for (const apiSessionToken of ['', 'nonsense', '00000000-0000-4000-8000-000000000000'])
        expect(await refusal(router, { ...host, apiSessionToken })).to.deep.equal(expected);
      const over = await world.host();
      await over.caller.client.delete(`${CLIENT}/current-api-session`);
      expect(await refusal(router, over)).to.deep.equal(expected);
    });

    it('for a session that is none, that is over, or of another API session', async () => {
      const expected = [3, START_OVER, 'invalid session'];
      const other = await world.host();
      for (const sessionToken of ['', 'nonsense', world.serviceId, other.sessionToken])
        expect(await refusal(router, { ...host, sessionToken })).to.deep.equal(expected);
      await other.caller.client.delete(`${CLIENT}/sessions/${other.id}`);
      expect(await refusal(router, other)).to.deep.equal(expected);
    });

    it('for a session that dials', async () => {
      expect(await refusal(router, await world.dialer())).to.deep.equal([4, START_OVER, 'incorrect session type']);
    });

    it('over a router that policies do not allow', async () => {
      expect(await refusal(stranger, host)).to.deep.equal([5, START_OVER, 'invalid edge router for session']);
    });

    it('without an id, with an id or instance of another host, and beyond bounds', async () => {
      const other = await world.host();
      const id = await made({ instanceId: 'taken' });
      expect((await refusal(router, host, { address: '' })).slice(0, 2)).to.deep.equal([8, NEVER]);
      expect((await refusal(router, host, { address: 'x'.repeat(129) })).slice(0, 2)).to.deep.equal([8, NEVER]);
      expect((await refusal(router, other, { address: id, instanceId: 'x' })).slice(0, 2)).to.deep.equal([8, NEVER]);
      expect((await refusal(router, other, { instanceId: 'taken' })).slice(0, 2)).to.deep.equal([13, NEVER]);
      expect((await refusal(router, host, { cost: 65_536 })).slice(0, 2)).to.deep.equal([10, NEVER]);
      expect((await refusal(router, host, { instanceId: 'x'.repeat(513) })).slice(0, 2)).to.deep.equal([13, NEVER]);
      const peerData = { 1003: Buffer.alloc(4_097) };
      expect((await refusal(router, host, { peerData })).slice(0, 2)).to.deep.equal([8, NEVER]);
      const keys = Array.from({ length: 129 }, (_, index) => [2_000 + index, Buffer.alloc(0)] as const);
      const many = await refusal(router, host, { peerData: Object.fromEntries(keys) });
      expect(many.slice(0, 2), 'empty values under many keys').to.deep.equal([8, NEVER]);
    });

    it('beyond a hundred of one session, never to be asked for again; one that it has may be repeated', async () => {
      const many = await world.host();
      const ids: string[] = [];
      for (let index = 0; index < HOSTED_BOUNDS.session; index += 1) {
        const { result, terminatorId } = await bind(router, many);
        expect(result).to.equal(CreateTerminatorResult.SUCCESS);
        ids.push(terminatorId);
      }
      const tooMany = [8, NEVER, 'too many terminators of this session, host or router'];
      expect(await refusal(router, many)).to.deep.equal(tooMany);
      for (const cost of [0, 3])
        expect((await bind(router, many, { address: ids[0] ?? '', cost })).result).to.equal(
          CreateTerminatorResult.SUCCESS,
        );
      expect(await refusal(router, many)).to.deep.equal(tooMany);
    });

    it('with texts that the database cannot hold', async () => {
      expect(await refusal(router, { ...host, sessionToken: 'a\0b' })).to.deep.equal([
        3,
        START_OVER,
        'invalid session',
      ]);
      expect(await refusal(router, host, { address: 'a\0b' })).to.deep.equal([8, NEVER, 'invalid address']);
      expect((await refusal(router, host, { instanceId: 'a\0b' })).slice(0, 2)).to.deep.equal([13, NEVER]);
    });
  });

  it('change cost and precedence at their own router, for their own host', async () => {
    const id = await made({ cost: 1 });
    const update = async (from: ScriptedRouter, shown: Shown, more: object, type: number) => {
      const { sessionToken, apiSessionToken } = shown;
      const body = { terminatorId: id, sessionToken, apiSessionToken, ...more };
      return replyTo(from, from.sendTyped(ContentType.UpdateEdgeTerminator, UpdateTerminatorRequestSchema, body), type);
    };
    await update(router, host, { updateCost: true, cost: 7, precedence: 2 }, ContentType.UpdateEdgeTerminatorResponse);
    expect(await stored(id)).to.deep.include({ cost: 7, precedence: 'default' });
    const failed = { updatePrecedence: true, cost: 9, precedence: TerminatorPrecedence.FAILED };
    await update(router, host, failed, ContentType.UpdateEdgeTerminatorResponse);
    expect(await stored(id)).to.deep.include({ cost: 7, precedence: 'failed' });
    const codeOf = async (from: ScriptedRouter, shown: Shown, more: object) =>
      readUint32((await update(from, shown, more, ContentType.Error)).headers, ErrorHeader.Code);
    const changes = { updateCost: true, cost: 8 };
    expect(await codeOf(router, await world.host(), changes)).to.equal(8);
    expect(await codeOf(stranger, host, changes)).to.equal(5);
    expect(await codeOf(router, await world.dialer(), changes)).to.equal(4);
    expect(await codeOf(router, host, { updateCost: true, cost: 65_536 })).to.equal(10);
    expect(await codeOf(router, host, { ...changes, terminatorId: 'a\0b' })).to.equal(8);
    expect(await stored(id)).to.deep.include({ cost: 7, precedence: 'failed' });
  });

  it('are removed by their own router alone, one or many, known or not', async () => {
    const ids = [await made(), await made(), await made()];
    const remove = async (from: ScriptedRouter, terminatorIds: string[]) => {
      const sent = from.sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, { terminatorIds });
      expect(readBoolean((await from.reply(sent)).headers, Header.Success)).to.equal(true);
    };
    const left = async () => {
      const found: boolean[] = [];
      for (const id of ids) found.push((await stored(id)) !== undefined);
      return found;
    };
    await remove(stranger, ids);
    expect(await left()).to.deep.equal([true, true, true]);
    await remove(router, [ids[0] ?? '', 'unknown', 'un\0known']);
    expect(await left()).to.deep.equal([false, true, true]);
    for (const from of [stranger, router]) {
      const body = { terminatorId: ids[1] ?? '' };
      const sent = from.sendTyped(ContentType.RemoveEdgeTerminator, RemoveTerminatorRequestSchema, body);
      await replyTo(from, sent, ContentType.RemoveEdgeTerminatorResponse);
    }
    expect(await left()).to.deep.equal([false, false, true]);
  });

  it('are gone when the router takes one back before it has heard that it was made', async () => {
    for (let round = 0; round < 10; round += 1) {
      const address = unique('short');
      const making = bind(router, host, { address });
      const removal = { terminatorIds: [address] };
      const sent = router.sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, removal);
      await Promise.all([making, router.reply(sent)]);
      expect(await stored(address)).to.equal(undefined);
    }
  });

  it('are asked about when their router comes again: those that it denies go, all others stay', async () => {
    const again = await newRouter(controller);
    const other = await new TrafficWorld(controller).prepare([`@${again.id}`]);
    const shown = await other.host();
    const first = await ScriptedRouter.online(controller.url, again);
    const [kept, denied, doubtful, remade] = await Promise.all(
      [1, 2, 3, 4].map(async () => (await bind(first, shown)).terminatorId),
    );
    first.close();
    await until('the router is gone', async () => {
      const { isOnline } = await read<{ isOnline: boolean }>(controller, `edge-routers/${again.id}`);
      return !isOnline;
    });
    const second = await ScriptedRouter.online(controller.url, again);
    const asked = readBody(ValidateTerminatorsV2RequestSchema, await second.next(ContentType.ValidateTerminatorsV2));
    expect(asked.terminators.map(({ id, binding, address }) => [id, binding, address])).to.have.deep.members(
      [kept, denied, doubtful, remade].map((id) => [id, 'edge', id]),
    );
    expect(asked).to.deep.include({ fixInvalid: true, postCreate: false });
    await bind(second, shown, { address: remade ?? '' });
    const markerOf = (id = '') => asked.terminators.find((each) => each.id === id)?.marker ?? 0n;
    const gone = { valid: false, reason: TerminatorInvalidReason.UNKNOWN_TERMINATOR };
    second.sendTyped(ContentType.ValidateTerminatorsV2Response, ValidateTerminatorsV2ResponseSchema, {
      states: {
        [kept ?? '']: { valid: true, marker: markerOf(kept) },
        [doubtful ?? '']: { ...gone, marker: markerOf(doubtful) + 1000n },
        [remade ?? '']: { ...gone, marker: markerOf(remade) },
        [denied ?? '']: { ...gone, marker: markerOf(denied) },
        unknown: { ...gone, marker: 1n },
      },
    });
    await until('the denied one is gone', async () => (await stored(denied ?? '')) === undefined);
    for (const id of [kept, doubtful, remade]) expect(await stored(id ?? ''), id).not.to.equal(undefined);
    second.close();
  });

  it('end with their session', async () => {
    const shown = await world.host();
    const id = await made({}, shown);
    expectStatus(await shown.caller.client.delete(`${CLIENT}/sessions/${shown.id}`), 200);
    expect(await stored(id)).to.equal(undefined);
  });

  it('cut a router that sends what is no message', async () => {
    const broken = await ScriptedRouter.online(controller.url, await newRouter(controller));
    broken.send({ contentType: ContentType.CreateTerminatorV2, headers: new Map(), body: Buffer.from([0xff]) });
    await broken.cut();
    expect(await stored(await made())).not.to.equal(undefined);
  });
});
