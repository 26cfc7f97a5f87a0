/** Validations over the WebSocket of the fabric API: what routers say of themselves, beside what is known of them. */
import { expect } from 'chai';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { WebSocket } from 'ws';
import { ContentType } from '../../fabric/channel/content-types.js';
import { FrameReader, encodeFrame, message, readBody, typedMessage } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import {
  InspectResponseSchema,
  TerminatorInvalidReason,
  ValidateTerminatorsV2RequestSchema,
  ValidateTerminatorsV2ResponseSchema,
} from '../../generated/fabric/control_pb.js';
import {
  ComponentDetailsSchema,
  RouterTerminatorDetailsSchema,
  TerminatorDetailSchema,
  TerminatorState,
  ValidateModelsRequestSchema,
  ValidateRoutersResponseSchema,
  ValidateTerminatorsRequestSchema,
} from '../../generated/fabric/management_pb.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { FABRIC, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

const LIMITS = { headers: 4_096, body: 1 << 20 };
const [TERMINATORS, SDK, MODELS, CONNECTIONS, TUNNEL, DIALERS] = [10_100, 10_106, 10_109, 10_112, 10_115, 10_122];

describe('validations of the fabric', function fabricValidations() {
  this.timeout(60_000);
  let controller: TestController;
  let socket: WebSocket;
  let router: ScriptedRouter;
  let away: EnrolledRouter;
  let service: string;
  const frames: Frame[] = [];

  before(async () => {
    controller = await startReachable();
    router = await ScriptedRouter.online(controller.routersUrl, await newRouter(controller));
    away = await newRouter(controller);
    service = await made('services', { name: unique('of-fabric') });
    const { username, password } = ADMIN;
    const login = await controller.anonymous.post(`${MANAGEMENT}/authenticate?method=password`, { username, password });
    const { token } = expectStatus(login, 200).data as { token: string };
    const url = `${controller.url.replace('https:', 'wss:')}${FABRIC}/ws-api`;
    socket = new WebSocket(url, { rejectUnauthorized: false, headers: { 'zt-session': token } });
    socket.on('message', (bytes: Buffer) => {
      const reader = new FrameReader(LIMITS);
      reader.push(bytes);
      const frame = reader.next();
      if (frame !== undefined) frames.push({ ...frame, body: Buffer.from(frame.body) });
    });
    await until('it is open', () => socket.readyState === WebSocket.OPEN);
  });
  after(async () => {
    socket.terminate();
    router.close();
    await controller.stop();
  });
  afterEach(() => {
    frames.length = 0;
  });

  const made = async (collection: string, body: object): Promise<string> =>
    (expectStatus(await controller.admin.post(`${FABRIC}/${collection}`, body), 201).data as { id: string }).id;
  const terminator = (at: string, binding: string) =>
    made('terminators', { service, router: at, binding, address: unique('address') });

  /** @returns the first answer */
  async function ask(type: number, body: Uint8Array): Promise<{ success: boolean; message: string; count: number }> {
    socket.send(Buffer.concat(encodeFrame(frames.length + 1, message(type, body))));
    const { body: answer } = await found(type + 1);
    const { success, message: reason, routerCount } = fromBinary(ValidateRoutersResponseSchema, answer);
    return { success, message: reason, count: Number(routerCount) };
  }
  const found = (type: number): Promise<Frame> =>
    until<Frame>(`a frame of type ${type}`, () => frames.find(({ contentType }) => contentType === type));
  const findings = (type: number, count: number): Promise<Frame[]> =>
    until<Frame[]>(`${count} findings`, () => {
      const all = frames.filter(({ contentType }) => contentType === type + 2);
      return all.length === count ? all : undefined;
    });
  const ofTerminators = (wanted: object) =>
    toBinary(ValidateTerminatorsRequestSchema, create(ValidateTerminatorsRequestSchema, wanted));
  const ofRouters = (...ids: string[]) => {
    const filter = ids.map((id) => `id = "${id}"`).join(' or ');
    return toBinary(ValidateModelsRequestSchema, create(ValidateModelsRequestSchema, { filter }));
  };

  /** The next question of a kind that came since; `nth` counts those that came before. */
  const asked = (contentType: number, nth = 0, name = ''): Promise<Frame> =>
    until<Frame>('the router is asked', () =>
      router.received.filter((one) => one.contentType === contentType && Buffer.from(one.body).includes(name)).at(nth),
    );
  const replyFor = ({ sequence }: Frame) => [[Header.ReplyFor, encodeInt32(sequence)]] as const;
  /** Answers the inspections for a value, one after another. */
  async function inspected(name: string, ...values: readonly object[]): Promise<void> {
    for (const [nth, value] of values.entries()) {
      const body = create(InspectResponseSchema, { success: true, values: [{ name, value: JSON.stringify(value) }] });
      const request = await asked(ContentType.InspectRequest, nth, name);
      router.send(message(ContentType.InspectResponse, toBinary(InspectResponseSchema, body), [...replyFor(request)]));
    }
  }

  it('are refused where they cannot be done, with the reason', async () => {
    const refused: readonly (readonly [type: number, body: Uint8Array, reason: string])[] = [
      [TERMINATORS, ofTerminators({ filter: 'name = bad x' }), ''],
      [TERMINATORS, ofTerminators({ fixInvalid: true }), 'none is removed'],
      [TERMINATORS, ofTerminators({ identityFilter: 'true' }), 'not counted'],
      [TERMINATORS, ofTerminators({ expectedPerHost: 1 }), 'not counted'],
      [TERMINATORS, Buffer.from([0x0a, 0x7f]), 'cannot be read'],
      [SDK, Buffer.from([0x0a, 0x7f]), 'cannot be read'],
      [MODELS, Buffer.from([0x0a, 0x7f]), 'cannot be read'],
    ];
    for (const [type, body, reason] of refused) {
      const answer = await ask(type, body);
      expect(answer.success).to.equal(false);
      expect(answer.message).to.not.equal('');
      expect(answer.message).to.include(reason);
      frames.length = 0;
    }
  });

  it('ask a router for each terminator that is stored for it, and remove none', async () => {
    const [good, bad, unanswered, elsewhere] = [
      await terminator(router.id, 'transport'),
      await terminator(router.id, 'transport'),
      await terminator(router.id, 'transport'),
      await terminator(away.id, 'transport'),
    ];
    const before = router.received.filter(
      ({ contentType }) => contentType === ContentType.ValidateTerminatorsV2,
    ).length;
    const [answer] = await Promise.all([
      ask(TERMINATORS, ofTerminators({ filter: `service = "${service}"` })),
      asked(ContentType.ValidateTerminatorsV2, before).then((request) => {
        const { terminators, fixInvalid } = readBody(ValidateTerminatorsV2RequestSchema, request);
        expect(fixInvalid).to.equal(false);
        expect(terminators.map(({ id }) => id)).to.have.members([good, bad, unanswered]);
        const states = {
          [good]: { valid: true, detail: 'here' },
          [bad]: { valid: false, reason: TerminatorInvalidReason.UNKNOWN_TERMINATOR, detail: 'never heard of' },
        };
        const body = create(ValidateTerminatorsV2ResponseSchema, { states });
        const reply = typedMessage(
          ContentType.ValidateTerminatorsV2Response,
          ValidateTerminatorsV2ResponseSchema,
          body,
        );
        router.send({ ...reply, headers: new Map(replyFor(request)) });
      }),
    ]);
    expect(answer).to.deep.equal({ success: true, message: '', count: 4 });
    const details = (await findings(TERMINATORS, 4)).map(({ body }) => fromBinary(TerminatorDetailSchema, body));
    const stateOf = (id: string) => details.find(({ terminatorId }) => terminatorId === id)?.state;
    expect([good, bad, unanswered, elsewhere].map(stateOf)).to.deep.equal([
      TerminatorState.VALID,
      TerminatorState.UNKNOWN_TERMINATOR,
      TerminatorState.UNKNOWN,
      TerminatorState.UNKNOWN,
    ]);
    const there = await controller.admin.get(`${FABRIC}/terminators/${bad}`);
    expectStatus(there, 200);
  });

  for (const [kind, type, value, binding] of [
    ['SDKs', SDK, 'sdk-terminators', 'edge'],
    ['themselves', TUNNEL, 'ert-terminators', 'tunnel'],
  ] as const)
    it(`compare terminators that routers have for ${kind}`, async () => {
      const [both, onlyHere] = [await terminator(router.id, binding), await terminator(router.id, binding)];
      const held = {
        entries: [
          { id: both, state: 'established', createTime: 'then' },
          { id: 'unknown', state: 'established' },
          { id: 'going', state: 'deleting' },
        ],
      };
      const [answer] = await Promise.all([ask(type, ofRouters(router.id, away.id)), inspected(value, held, held)]);
      expect(answer.count).to.equal(2);
      const all = (await findings(type, 2)).map(({ body }) => fromBinary(RouterTerminatorDetailsSchema, body));
      const mine = all.find(({ routerId }) => routerId === router.id);
      expect(mine?.validateSuccess).to.equal(true);
      expect(Object.fromEntries((mine?.details ?? []).map((one) => [one.terminatorId, one.isValid]))).to.deep.equal({
        [both]: true,
        [onlyHere]: false,
        unknown: false,
        going: true,
      });
      expect(all.find(({ routerId }) => routerId === away.id)).to.include({ validateSuccess: false });
    });

  it('compare connected identities with those that were reported', async () => {
    const identity = await make(controller, 'identities', { name: unique('somebody'), type: 'User', isAdmin: false });
    const value = {
      identity_connections: {
        [identity]: { connections: [{ closed: false }] },
        closed: { connections: [{ closed: true }] },
        none: { connections: null },
      },
    };
    const [answer] = await Promise.all([
      ask(CONNECTIONS, ofRouters(router.id, away.id)),
      inspected('identity-connection-statuses', value, value),
    ]);
    expect(answer.count).to.equal(2);
    const all = (await findings(CONNECTIONS, 2)).map(({ body }) => fromBinary(ComponentDetailsSchema, body));
    const errorsOf = (id: string) => all.find(({ componentId }) => componentId === id)?.errors;
    expect(errorsOf(router.id)).to.deep.equal([`${identity} is connected, and not reported`]);
    expect(errorsOf(away.id)).to.deep.equal(['it is not connected']);
  });

  it('say of a router that was told nothing that its model is not known', async () => {
    expect((await ask(MODELS, ofRouters(away.id))).count).to.equal(1);
    const [finding] = await findings(MODELS, 1);
    const details = fromBinary(ComponentDetailsSchema, finding?.body ?? new Uint8Array());
    expect(details).to.include({ componentType: 'router', componentId: away.id, validateSuccess: false });
  });

  it('have nothing to say of controllers that dial routers', async () => {
    expect(await ask(DIALERS, new Uint8Array())).to.deep.equal({ success: true, message: '', count: 0 });
  });
});
