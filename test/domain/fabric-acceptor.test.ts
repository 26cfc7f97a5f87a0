/** Who gives way when more connections knock than may be checked: real connections, a bound of three. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import { Acceptor } from '../../fabric/channel/acceptor.js';
import { LIMITS } from '../../fabric/channel/limits.js';
import { StandIns } from '../../fabric/channel/stand-ins.js';
import { ChannelRegistry } from '../../fabric/channel/registry.js';
import type { AcceptorOptions } from '../../fabric/channel/acceptor.js';
import { until } from '../support/poll.js';

const NO_STAND_INS = {
  standIns: new StandIns(() => []),
  onStandIn: () => undefined,
  onStandInClose: () => undefined,
};

describe('the acceptor of routers', () => {
  const reasons: unknown[] = [];
  const sockets: Socket[] = [];
  let server: Server;
  let acceptor: Acceptor;
  before(async () => {
    const sink = {
      write: (line: string) => {
        reasons.push((JSON.parse(line) as { reason?: string }).reason);
      },
    };
    const refusals = { log: pino({}, sink), noteFailure: () => undefined };
    acceptor = new Acceptor({
      // No connection of this suite gets so far that a database is asked.
      routers: {} as AcceptorOptions['routers'],
      refusals,
      lines: refusals,
      ownId: () => 'c1',
      registry: new ChannelRegistry(1_000),
      table: new Map(),
      limits: { ...LIMITS, hellos: 3, helloMs: 120_000 },
      verifications: new YieldQueue({ waiting: 1 }),
      verify: () => {
        throw new Error('no connection gets so far');
      },
      ...NO_STAND_INS,
      onOpen: () => undefined,
      onClose: () => undefined,
    });
    server = createServer((socket) => {
      acceptor.accept({ socket, certificates: [Buffer.of(1)], address: '192.0.2.1' });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const knock = async (): Promise<{ isCut: () => boolean; socket: Socket }> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let isCut = false;
    socket.resume().on('close', () => {
      isCut = true;
    });
    await once(socket, 'connect');
    return { isCut: () => isCut, socket };
  };

  it('cuts the one that has been silent longest, and keeps the others', async () => {
    const first = await knock();
    const others = [await knock(), await knock()];
    const last = await knock();
    await until('the first is cut', first.isCut);
    expect([...others, last].map(({ isCut }) => isCut())).to.deep.equal([false, false, false]);
    await until('the log says why', () => reasons.length > 0);
    expect(reasons).to.deep.equal(['it said no hello, and others wanted its place']);
    // A freed place is open to every caller.
    others[0]?.socket.destroy();
    await until('it is gone', () => reasons.length > 1);
    const further = await knock();
    expect([others[1], last, further].map((each) => each?.isCut())).to.deep.equal([false, false, false]);
    acceptor.close();
    await until('all are cut when it closes', () => [others[1], last, further].every((each) => each?.isCut()));
  });
});
