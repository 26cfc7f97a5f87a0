/**
 * A router whose hosts make and drop terminators in a loop: each request is answered, and neither its other clients nor
 * other routers wait for them. With scripted routers.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody } from '../../fabric/channel/frame.js';
import { ResultHeader, Header, readBoolean, readInt32 } from '../../fabric/channel/headers.js';
import { RemoveTerminatorsRequestSchema } from '../../generated/fabric/control_pb.js';
import {
  CreateTerminatorResult,
  CreateTerminatorV2RequestSchema,
  CreateTerminatorV2ResponseSchema,
} from '../../generated/fabric/edge_pb.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, routeAt } from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';

const MANY = 6_000;

describe('a router whose hosts make and drop terminators in a loop', () => {
  let controller: TestController;
  let [router, stranger]: ScriptedRouter[] = [];
  let [host, dialer, elsewhere]: Shown[] = [];
  before(async () => {
    controller = await startTestController();
    const [own, strange] = [await newRouter(controller), await newRouter(controller)];
    router = await ScriptedRouter.online(controller.url, own);
    stranger = await ScriptedRouter.online(controller.url, strange);
    const world = await new TrafficWorld(controller).prepare([`@${own.id}`, `@${strange.id}`]);
    [host, dialer, elsewhere] = [await world.host(), await world.dialer(), await world.host()];
    await bind(its(), host);
  });
  after(async () => {
    for (const each of [router, stranger]) each?.close();
    await controller.stop();
  });
  const its = () => router as ScriptedRouter;

  const make = (index: number) =>
    its().sendTyped(ContentType.CreateTerminatorV2, CreateTerminatorV2RequestSchema, {
      address: `flood-${index}`,
      sessionToken: 'of a session that is gone',
      apiSessionToken: host?.apiSessionToken ?? '',
    });
  const answers = () =>
    its()
      .received.filter(({ contentType }) => contentType === ContentType.CreateTerminatorV2Response)
      .map((frame) => readBody(CreateTerminatorV2ResponseSchema, frame))
      .filter(({ terminatorId }) => terminatorId.startsWith('flood-'));

  it('has an answer to each request, and a dial that comes after them is not behind them', async () => {
    for (let index = 0; index < MANY; index += 1) make(index);
    const sequence = dial(its(), dialer as Shown);
    const other = bind(stranger as ScriptedRouter, elsewhere as Shown);
    const seen = await routeAt(its(), 0);
    const before = answers().length;
    answerRoute(its(), seen);
    expect((await answerTo(its(), sequence)).refusal).to.equal(undefined);
    expect(before).to.be.below(MANY);
    expect((await other).result).to.equal(CreateTerminatorResult.SUCCESS);
    await until('each is answered', () => its().received.length >= MANY && answers().length === MANY, 60_000);
    const results = answers().map(({ result }) => result);
    expect(new Set(results)).to.deep.equal(
      new Set([CreateTerminatorResult.FAILED_BUSY, CreateTerminatorResult.FAILED_OTHER]),
    );
    const { msg, errorCode } = await bind(its(), { ...(host as Shown), sessionToken: 'x' });
    expect([msg, errorCode]).to.deep.equal(['invalid session', 3]);
  });

  it('has an answer to each terminator that it takes back, of those that never were too', async () => {
    const sequences = Array.from({ length: 1_500 }, (_, index) =>
      its().sendTyped(ContentType.RemoveTerminators, RemoveTerminatorsRequestSchema, {
        terminatorIds: [`never-${index}`, 'x'.repeat(200)],
      }),
    );
    const wanted = new Set(sequences);
    const replies = () =>
      its().received.filter(
        ({ contentType, headers }) =>
          contentType === ContentType.Result && wanted.has(readInt32(headers, Header.ReplyFor) ?? NaN),
      );
    await until('each is answered', () => replies().length === sequences.length, 20_000);
    expect(replies().every(({ headers }) => readBoolean(headers, Header.Success))).to.equal(true);
    expect(replies().some(({ headers }) => headers.has(ResultHeader.ErrorCode))).to.equal(false);
  });
});
