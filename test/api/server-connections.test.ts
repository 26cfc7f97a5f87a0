/** How many connections there may be, in all and of one address, and what the log says of it. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectStatus } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { dial, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const FULL = 'too many connections; more are refused';
const FREE = 'connections are accepted again';

describe('connections', () => {
  let database: TestDatabase;
  const controllers: LoggedController[] = [];
  const sockets: Socket[] = [];
  before(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    sockets.splice(0).forEach((socket) => {
      socket.destroy();
    });
    for (const controller of controllers.splice(0)) await controller.stop();
  });
  after(() => database.close());

  const start = async (env: Readonly<Record<string, string>>) => {
    const controller = await startLogged(database, env);
    controllers.push(controller);
    return controller;
  };
  const open = async (url: string, localAddress = '127.0.0.1') => {
    sockets.push(await dial(url, { localAddress } as object));
  };
  const isRefused = (url: string, localAddress?: string) =>
    open(url, localAddress).then(
      () => false,
      () => true,
    );
  const closeAll = () => {
    sockets.splice(0).forEach((socket) => {
      socket.destroy();
    });
  };
  const said = ({ log }: LoggedController, text: string) => log.filter(({ msg }) => msg === text);

  it('beyond the bound are refused, and the log says so once until there is room again', async () => {
    const controller = await start({ EDGE_LIMIT_CONNECTIONS: '4' });
    for (let round = 1; round <= 2; round += 1) {
      for (let i = 0; i < 4; i += 1) await open(controller.url);
      for (let i = 0; i < 3; i += 1) expect(await isRefused(controller.url)).to.equal(true);
      expect(said(controller, FULL)).to.have.lengthOf(round);
      expect(said(controller, FULL).at(-1)).to.include({ level: 40, setting: 'limits.connections', limit: 4 });
      closeAll();
      await until('there is room', () => said(controller, FREE).length === round);
      expect(said(controller, FREE).at(-1)).to.include({ level: 30, setting: 'limits.connections', refused: 3 });
    }
    expectStatus(await controller.client().get('/version'), 200);
  });

  it('are counted as one when one takes the place of another that is being cut', async () => {
    const controller = await start({ EDGE_LIMIT_CONNECTIONS: '1', EDGE_PROXY_PROTOCOL_FROM: '127.0.0.1' });
    const port = Number(new URL(controller.url).port);
    const dialRaw = async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      for (let turn = 0; turn < 3; turn += 1) await nextTurn(); // the server, in this process, accepts it meanwhile
      return socket;
    };
    let last = await dialRaw();
    for (let round = 0; round < 5; round += 1) {
      // Both are waiting when the server looks: it reads what is no header, cuts the one and accepts the other.
      const end = once(last, 'close');
      last.write('this is no header of the PROXY protocol');
      last = await dialRaw();
      await end;
      await until(
        'it was told of the header',
        () => controller.log.filter(({ balancer }) => balancer !== undefined).length > round,
      );
    }
    expect(said(controller, FULL)).to.deep.equal([]);
    await dialRaw();
    await until('one more is refused', () => said(controller, FULL).length === 1);
  });

  it('of one address are bounded, so that others find a place', async () => {
    const controller = await start({ EDGE_LIMIT_CONNECTIONS_PER_ADDRESS: '3' });
    for (let i = 0; i < 3; i += 1) await open(controller.url);
    for (let i = 0; i < 2; i += 1) expect(await isRefused(controller.url)).to.equal(true);
    for (let i = 0; i < 3; i += 1) expect(await isRefused(controller.url, '127.0.0.2')).to.equal(false);
    expect(said(controller, FULL)).to.have.lengthOf(1);
    expect(said(controller, FULL)[0]).to.include({
      setting: 'limits.connectionsPerAddress',
      network: '127.0.0.1',
      limit: 3,
    });
    closeAll();
    await until('there is room', () => said(controller, FREE).length === 1);
    expectStatus(await controller.client().get('/version'), 200);
  });

  it('of one address do not run into the bound when they come one after another', async () => {
    const controller = await start({ EDGE_LIMIT_CONNECTIONS_PER_ADDRESS: '2' });
    for (let i = 0; i < 10; i += 1) {
      await until('there is a place', async () => !(await isRefused(controller.url)));
      closeAll();
    }
  });
});
