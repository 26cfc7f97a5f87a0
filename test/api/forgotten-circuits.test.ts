/** Circuits over a router that comes back: it is asked which it still has, and those that it has forgotten end. */
import { create, toBinary } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import { InspectRequestSchema, InspectResponseSchema } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { read } from '../support/entities.js';
import { FABRIC } from '../support/paths.js';
import { until } from '../support/poll.js';
import { newRouter, ScriptedRouter } from '../support/scripted-router.js';
import { TrafficWorld, bind, connectCircuit, settled, unrouted } from '../support/traffic.js';

const ASKED = 'router-circuits';

describe('circuits over a router that comes back', function forgotten() {
  this.timeout(60_000);
  let controller: TestController;
  before(async () => {
    controller = await startReachable();
  });
  after(() => controller.stop());

  const listed = async (): Promise<string[]> => {
    const answer = expectStatus(await controller.admin.get(`${FABRIC}/circuits?limit=500`), 200);
    return (answer.data as { id: string }[]).map(({ id }) => id);
  };
  const answerAsked = async (router: ScriptedRouter, value: string) => {
    const request = await router.next(ContentType.InspectRequest);
    expect(readBody(InspectRequestSchema, request).requestedValues).to.deep.equal([ASKED]);
    const body = create(InspectResponseSchema, { success: true, values: [{ name: ASKED, value }] });
    const headers: [number, Uint8Array][] = [[Header.ReplyFor, encodeInt32(request.sequence)]];
    router.send(message(ContentType.InspectResponse, toBinary(InspectResponseSchema, body), headers));
    await settled(router);
  };
  const away = async (router: ScriptedRouter) => {
    router.close();
    await until('the router is away', async () => {
      const { isOnline } = await read<{ isOnline: boolean }>(controller, `edge-routers/${router.id}`);
      return !isOnline;
    });
  };
  /** A router with two circuits; it goes, and comes back. */
  const comeBack = async () => {
    const enrolled = await newRouter(controller);
    const router = await ScriptedRouter.online(controller.routersUrl, enrolled);
    const world = await new TrafficWorld(controller).prepare([`@${enrolled.id}`]);
    await bind(router, await world.host());
    const [kept, gone] = [
      await connectCircuit(router, await world.dialer()),
      await connectCircuit(router, await world.dialer()),
    ].map(({ circuitId }) => circuitId);
    await until('both are listed', async () => {
      const ids = await listed();
      return [kept, gone].every((id) => ids.includes(id ?? ''));
    });
    await away(router);
    const back = await ScriptedRouter.online(controller.routersUrl, enrolled);
    return { back, world, kept: kept ?? '', gone: gone ?? '' };
  };

  it('end when it has forgotten them, and stand when it has not', async () => {
    const { back, world, kept, gone } = await comeBack();
    // One that came after the router did is not asked about.
    const late = await connectCircuit(back, await world.dialer());
    await answerAsked(back, JSON.stringify({ circuits: { [kept]: { circuitId: kept } } }));
    await until('the forgotten one is gone', async () => !(await listed()).includes(gone));
    await until('the late one is listed', async () => (await listed()).includes(late.circuitId));
    expect(await listed()).to.include(kept);
    back.close();
  });

  for (const value of ['not known here', '[]', '{"circuits":null}', '{"circuits":[]}', '{}'])
    it(`stand when it says nothing of them: ${value}`, async () => {
      const { back, kept, gone } = await comeBack();
      await answerAsked(back, value);
      // The answer is worked on in a turn or two of the event loop.
      for (let times = 0; times < 5; times += 1) await settled(back);
      expect(unrouted(back)).to.deep.equal([]);
      expect(await listed()).to.include.members([kept, gone]);
      back.close();
    });

  it('are not asked about when none stood', async () => {
    const enrolled = await newRouter(controller);
    const router = await ScriptedRouter.online(controller.routersUrl, enrolled);
    await away(router);
    const back = await ScriptedRouter.online(controller.routersUrl, enrolled);
    await settled(back);
    expect(back.received.some(({ contentType }) => contentType === ContentType.InspectRequest)).to.equal(false);
    back.close();
  });
});
