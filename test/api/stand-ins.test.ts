/**
 * A controller that is gone: routers find another one in its place, under its id, so that what depends on it goes on.
 * Nobody is let in that would not be otherwise.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody } from '../../fabric/channel/frame.js';
import { Header, HelloHeader, encodeText, readText } from '../../fabric/channel/headers.js';
import { UpdateCtrlAddressesSchema } from '../../generated/fabric/control_pb.js';
import { STEADY_MS } from '../../domain/fabric/controller-list.js';
import { expectStatus } from '../support/client.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, routeAt, settled } from '../support/traffic.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { unique } from '../support/controller.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const GONE_MS = STEADY_MS + 20_000;

describe('a controller that is gone', function standIns() {
  this.timeout(120_000);
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let idOfOne: string;
  let known: EnrolledRouter;
  let router: ScriptedRouter;
  const open: ScriptedRouter[] = [];
  const start = (name: string) =>
    startLogged(database, { EDGE_NAME: name, EDGE_ADVERTISE: `${name}.example:1280`, EDGE_LOG_REQUESTS: 'none' });
  const withTwo = async () => ({ admin: await two.login(), anonymous: two.client() });

  before(async () => {
    database = await openTestDatabase();
    one = await start('one');
    two = await start('two');
    known = await newRouter(await withTwo());
    router = await online(known);
    idOfOne = await listed(router, 'tls:one.example:1280');
    await one.stop();
  });
  after(async () => {
    for (const each of open) each.close();
    await two.stop();
    await database.close();
  });

  const online = async (which: EnrolledRouter) => {
    const connected = await ScriptedRouter.online(two.url, which);
    open.push(connected);
    return connected;
  };
  const lists = (of: ScriptedRouter) =>
    of.received
      .filter(({ contentType }) => contentType === ContentType.UpdateCtrlAddresses)
      .map((frame) => readBody(UpdateCtrlAddressesSchema, frame));
  /** The id that is listed at an address, in the last list. */
  const listed = (of: ScriptedRouter, address: string) =>
    until(
      `${address} is listed`,
      () =>
        lists(of)
          .at(-1)
          ?.controllers.find(({ endpoints }) => endpoints[0]?.address === address)?.id,
      GONE_MS,
    );
  const knock = async (which: EnrolledRouter, more: Parameters<typeof ScriptedRouter.knock>[2] = []) => {
    const connected = await ScriptedRouter.knock(two.url, which, more);
    open.push(connected);
    return connected;
  };
  const helloOf = async (of: ScriptedRouter) => {
    const { headers } = await of.next(ContentType.Result);
    return { id: readText(headers, HelloHeader.ControllerId), secret: headers.get(HelloHeader.GroupSecret) };
  };
  const traffic = async (...routers: EnrolledRouter[]) => {
    const { admin, anonymous } = await withTwo();
    const newCaller: TestController['newCaller'] = async ({ roleAttributes = [] } = {}) => {
      const name = unique('caller');
      const { id } = await makeUser(admin, name, { roleAttributes });
      return { id, name, username: name, password: PASSWORD, client: await two.login(name, PASSWORD) };
    };
    const asController = { admin, anonymous, newCaller } as unknown as TestController;
    return new TrafficWorld(asController).prepare(routers.map(({ id }) => `@${id}`));
  };

  it('is first left out of the list, and then found at another one, under its own id', async () => {
    expect(await listed(router, 'tls:two.example:01280')).to.equal(idOfOne);
    const [before, moving, now] = lists(router).slice(-3);
    expect(before?.addresses).to.deep.equal(['tls:one.example:1280', 'tls:two.example:1280']);
    expect(moving?.addresses).to.deep.equal(['tls:two.example:1280']);
    expect(now?.addresses).to.deep.equal(['tls:two.example:1280', 'tls:two.example:01280']);
    expect((moving?.index ?? 0n) > (before?.index ?? 0n) && (now?.index ?? 0n) > (moving?.index ?? 0n)).to.equal(true);
  });

  it('is not what a router finds that comes for the first time', async () => {
    const first = await knock(await newRouter(await withTwo()));
    expect((await helloOf(first)).id).not.to.equal(idOfOne);
  });

  it('opens no second channel for a stranger, a disabled router, or one that has its channel already', async () => {
    const [other, disabled] = [await newRouter(await withTwo()), await newRouter(await withTwo())];
    await online(other);
    // The certificate of another router.
    const stranger = await knock({ ...other, id: known.id });
    await stranger.cut();
    const { admin } = await withTwo();
    expectStatus(await admin.patch(`${MANAGEMENT}/edge-routers/${disabled.id}`, { disabled: true }), 200);
    await (await knock(disabled)).cut();
    expect((await helloOf(await knock(other))).id).to.equal(idOfOne);
    await (await knock(other)).cut();
  });

  it('is stood in for: hosts and dialers go over that channel, and the router has its own besides', async () => {
    const world = await traffic(known);
    const line = await knock(known);
    const { id, secret } = await helloOf(line);
    expect(id).to.equal(idOfOne);
    const [host, dialer] = [await world.host(), await world.dialer()];
    expect((await bind(line, host)).terminatorId).not.to.equal('');
    // The router is asked over its own channel, and the dial is answered where it came from.
    const asked = dial(line, dialer);
    answerRoute(router, await routeAt(router, 0));
    expect((await answerTo(line, asked)).circuitId).not.to.equal('');
    expect((await answerTo(line, dial(line, host))).refusal).not.to.equal(undefined);
    await settled(line);
    expect(line.received.some(({ contentType }) => contentType === ContentType.Route)).to.equal(false);
    // After a loss the router shows the secret again.
    line.close();
    const again = await knock(known, [
      [HelloHeader.GroupSecret, secret ?? Buffer.alloc(0)],
      [Header.ConnectionId, encodeText('before-1')],
    ]);
    expect(await helloOf(again)).to.deep.equal({ id, secret });
    again.send(message(ContentType.Ping));
    await settled(again);
  });

  it('is stood in for only while the router itself is let in', async () => {
    const gone = await newRouter(await withTwo());
    const own = await online(gone);
    const line = await knock(gone);
    expect((await helloOf(line)).id).to.equal(idOfOne);
    const { admin } = await withTwo();
    expectStatus(await admin.delete(`${MANAGEMENT}/edge-routers/${gone.id}`), 200);
    await Promise.all([own.cut(), line.cut()]);
  });

  it('is found at its own address when it is back', async () => {
    const other = await newRouter(await withTwo());
    await online(other);
    const line = await knock(other);
    const { secret } = await helloOf(line);
    one = await start('one');
    try {
      expect(await listed(router, 'tls:one.example:1280')).to.equal(idOfOne);
      await line.cut();
      const [moving, now] = lists(router).slice(-2);
      expect(moving?.addresses).to.deep.equal(['tls:two.example:1280']);
      expect(now?.addresses).to.deep.equal(['tls:one.example:1280', 'tls:two.example:1280']);
      // The channel of the one that is back is none of ours any more.
      await (await knock(other, [[HelloHeader.GroupSecret, secret ?? Buffer.alloc(0)]])).cut();
    } finally {
      await one.stop();
    }
  });
});
