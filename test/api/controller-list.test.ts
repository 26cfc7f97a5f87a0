/**
 * What routers are told of the controllers: at each connect, when it changes and when they ask. All controllers of a
 * database tell the same.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody } from '../../fabric/channel/frame.js';
import { HelloHeader, readText } from '../../fabric/channel/headers.js';
import { UpdateCtrlAddressesSchema } from '../../generated/fabric/control_pb.js';
import type { UpdateCtrlAddresses } from '../../generated/fabric/control_pb.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { make, read } from '../support/entities.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, enroll, newRouter } from '../support/scripted-router.js';
import { unique } from '../support/controller.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

describe('the controllers, as routers are told of them', function controllers() {
  this.timeout(60_000);
  let database: TestDatabase;
  const running = new Set<LoggedController>();
  const open: ScriptedRouter[] = [];
  before(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const router of open.splice(0)) router.close();
    for (const controller of running) await stop(controller);
    await database.query('DELETE FROM controllers');
    await database.query('DELETE FROM controller_addresses');
  });
  after(() => database.close());

  const start = async (address: string, env: Readonly<Record<string, string>> = {}) => {
    const controller = await startLogged(database, { EDGE_ADVERTISE: address, EDGE_LOG_REQUESTS: 'none', ...env });
    running.add(controller);
    return controller;
  };
  const stop = async (controller: LoggedController) => {
    running.delete(controller);
    await controller.stop();
  };
  const asClient = async (controller: LoggedController) => ({
    admin: await controller.login(),
    anonymous: controller.client(),
  });
  const connect = async (controller: LoggedController, more?: Parameters<typeof ScriptedRouter.knock>[2]) => {
    const known = await newRouter(await asClient(controller));
    const router = await ScriptedRouter.knock(controller.url, known, more);
    open.push(router);
    return router;
  };
  const idIn = async (router: ScriptedRouter) =>
    readText((await router.next(ContentType.Result)).headers, HelloHeader.ControllerId);
  const listsOf = (router: ScriptedRouter) => router.bodies(ContentType.UpdateCtrlAddresses, UpdateCtrlAddressesSchema);
  const listOf = async (router: ScriptedRouter) =>
    readBody(UpdateCtrlAddressesSchema, await router.next(ContentType.UpdateCtrlAddresses));
  const addressesOf = ({ controllers: listed }: UpdateCtrlAddresses) =>
    listed.map(({ endpoints }) => endpoints.map(({ address }) => address));
  const told = (router: ScriptedRouter, ...addresses: string[]) =>
    until(`it is told of ${addresses.join(', ')}`, () => {
      const list = listsOf(router).at(-1);
      const isSo = list !== undefined && addressesOf(list).flat().join() === addresses.join();
      return isSo ? list : undefined;
    });

  it('are the first that it hears of: the id of the hello, and the address of its enrollment', async () => {
    const controller = await start('one.example:1280', { EDGE_CONTROL_ADVERTISE: 'routers.example:6262' });
    const router = await connect(controller);
    const id = await idIn(router);
    const list = await listOf(router);
    const { enrollmentJwt } = await read<{ enrollmentJwt: string }>(
      await asClient(controller),
      `edge-routers/${(await newEdgeRouter(controller)).id}`,
    );
    const { ctrls } = JSON.parse(Buffer.from(enrollmentJwt.split('.')[1] ?? '', 'base64url').toString()) as {
      ctrls: string[];
    };
    expect(ctrls).to.deep.equal(['tls:routers.example:6262']);
    expect(list).to.deep.include({ addresses: ctrls, isLeader: true });
    expect(list.controllers.map((each) => each.id)).to.deep.equal([id]);
    expect(addressesOf(list)).to.deep.equal([ctrls]);
    expect(list.index > 0n).to.equal(true);
    await router.next(ContentType.ServerHello);
    const kinds = router.received.map(({ contentType }) => contentType);
    expect(kinds.slice(0, 3)).to.deep.equal([
      ContentType.Result,
      ContentType.UpdateCtrlAddresses,
      ContentType.ServerHello,
    ]);
  });

  const newEdgeRouter = async (controller: LoggedController) => ({
    id: await make(await asClient(controller), 'edge-routers', { name: unique('outstanding') }),
  });

  it('are told to routers without edge, too, and again to whoever asks', async () => {
    const controller = await start('one.example:1280');
    const client = await asClient(controller);
    const id = await make(client, 'transit-routers', { name: unique('transit') });
    const router = await ScriptedRouter.connect(controller.url, {
      id,
      ...(await enroll(client, id, [], 'transit-routers')),
    });
    open.push(router);
    const first = await listOf(router);
    router.send(message(ContentType.RequestClusterMembers));
    await until('it is told again', () => listsOf(router).length === 2);
    expect(listsOf(router)).to.deep.equal([first, first]);
  });

  it('are told to a router of the next release, whose capabilities take eight bytes', async () => {
    const controller = await start('one.example:1280');
    const router = await connect(controller, [[HelloHeader.Capabilities, Buffer.from('4000000000000076', 'hex')]]);
    expect(addressesOf(await listOf(router))).to.deep.equal([['tls:one.example:1280']]);
  });

  it('are all that live, each with the id of its own hello, and the same list everywhere', async () => {
    const one = await start('one.example:1280', { EDGE_NAME: 'one' });
    const here = await connect(one);
    const before = await told(here, 'tls:one.example:1280');
    const two = await start('two.example:1280', { EDGE_NAME: 'two' });
    const after = await told(here, 'tls:one.example:1280', 'tls:two.example:1280');
    expect(after.index > before.index).to.equal(true);
    const there = await connect(two);
    expect(await listOf(there)).to.deep.equal(after);
    expect(after.controllers.map(({ id }) => id)).to.deep.equal([await idIn(here), await idIn(there)]);
  });

  it('are one behind one address, with one id', async () => {
    const one = await start('shared.example:1280', { EDGE_NAME: 'one' });
    const two = await start('shared.example:1280', { EDGE_NAME: 'two' });
    const [here, there] = [await connect(one), await connect(two)];
    expect(await idIn(here)).to.equal(await idIn(there));
    expect(await listOf(here)).to.deep.equal(await listOf(there));
    await told(here, 'tls:shared.example:1280');
  });

  it('are the same after a start under another name: nothing is told that is not new', async () => {
    const first = await start('one.example:1280', { EDGE_NAME: 'container-1' });
    const before = await connect(first);
    const [id, list] = [await idIn(before), await listOf(before)];
    await stop(first);
    const after = await connect(await start('one.example:1280', { EDGE_NAME: 'container-2' }));
    expect([await idIn(after), await listOf(after)]).to.deep.equal([id, list]);
    // What earlier releases said in the hello: routers that are connected at an upgrade know no other.
    const { rows } = await database.query("SELECT id FROM controllers WHERE name = 'container-1'");
    expect(id).to.equal(rows[0]?.['id']);
  });

  it('are known by the same id at another address, when the name is the same', async () => {
    const first = await start('one.example:1280', { EDGE_NAME: 'moves' });
    const before = await connect(first);
    const id = await idIn(before);
    await stop(first);
    const after = await connect(await start('two.example:1280', { EDGE_NAME: 'moves' }));
    expect(await idIn(after)).to.equal(id);
    expect((await listOf(after)).controllers.map((each) => each.id)).to.include(id);
  });
});
