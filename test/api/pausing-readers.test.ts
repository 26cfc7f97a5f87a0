/** Clients whose whole answer is in the buffers of the system: they may pause, and are cut when they never read. */
import { expect } from 'chai';
import type { TLSSocket } from 'node:tls';
import { expectStatus } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT as C } from '../support/paths.js';
import { until } from '../support/poll.js';
import { getRequest, noticesTheEnd } from '../support/slow-reader.js';
import { dial, readToEnd, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** 1.7 MB, which Linux takes whole. */
const LARGE = '/docs/swagger-ui-bundle.js';
const KEEP_ALIVE_MS = 1_000;
const CLOSING = 'GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';

describe('a client that pauses before it reads an answer', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let size: number;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_LIMIT_KEEP_ALIVE: '1s', EDGE_LIMIT_STALL: '30s' });
    size = expectStatus(await controller.client().get(LARGE), 200).text.length;
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  /** A connection with an unread answer, for longer than keep-alive: another that began later has been closed. */
  async function pausedPastKeepAlive(): Promise<TLSSocket> {
    const socket = await dial(controller.url);
    socket.write(getRequest(LARGE));
    await until('the answer comes', () => socket.readableLength > 0);
    const other = await dial(controller.url);
    other.write(getRequest('/version'));
    await readToEnd(other);
    return socket;
  }

  it('gets all of it, and is answered when it has sent its next request meanwhile', async () => {
    const socket = await pausedPastKeepAlive();
    socket.write(CLOSING);
    const text = await readToEnd(socket);
    expect(text.length).to.be.greaterThan(size);
    expect(text.match(/HTTP\/1\.1 200 OK\r\n/g)).to.have.length(2);
  });

  it('has the time of keep-alive from when it has read all', async () => {
    const socket = await pausedPastKeepAlive();
    let bytes = 0;
    let readAt = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      readAt = performance.now();
    });
    let endedAt = 0;
    socket.once('end', () => {
      endedAt = performance.now();
    });
    await until('it is closed', () => endedAt > 0);
    expect(bytes).to.be.greaterThan(size);
    expect(endedAt - readAt).to.be.at.least(KEEP_ALIVE_MS * 0.9);
  });

  it('costs an idle connection nothing of what its answer announces: it is closed after that time', async () => {
    const socket = await dial(controller.url);
    socket.write(getRequest('/version'));
    let answeredAt = 0;
    socket.once('data', () => {
      answeredAt = performance.now();
    });
    const text = await readToEnd(socket);
    const idle = performance.now() - answeredAt;
    expect(text).to.match(/^keep-alive: timeout=1\r$/im);
    expect(idle).to.be.at.least(KEEP_ALIVE_MS * 0.9);
    // Long before the connections are looked at in turn, every 7.5 s.
    expect(idle).to.be.lessThan(KEEP_ALIVE_MS * 4);
  });
});

describe('clients that read nothing of an answer that the system has taken', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_LIMIT_KEEP_ALIVE: '1s', EDGE_LIMIT_STALL: '3s' });
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const cutLines = () => controller.log.filter(({ msg }) => msg === 'cut connections whose clients did not read');
  const cut = () => cutLines().reduce((sum, { connections }) => sum + Number(connections), 0);

  it('are cut after the time for that, with a line', async () => {
    const socket = await dial(controller.url);
    const since = performance.now();
    socket.write(getRequest(LARGE));
    await until('it is cut', () => cut() === 1);
    expect(performance.now() - since).to.be.at.least(3_000 * 0.9);
    expect(cutLines()).to.have.length(1);
    expect(cutLines()[0]).to.include({ level: 40, seconds: 3 }).and.not.have.property('err');
    await until('it notices', noticesTheEnd(socket));
  });

  it('are all gone when they are 300, and leave a few lines', async () => {
    const before = { lines: cutLines().length, cut: cut() };
    const sockets: TLSSocket[] = [];
    for (let begun = 0; begun < 300; begun += 20) {
      sockets.push(...(await Promise.all(Array.from({ length: 20 }, () => dial(controller.url)))));
    }
    // 0.5 MB each.
    for (const socket of sockets) socket.write(getRequest(`${C}/swagger.json`));
    await until('all are cut', () => cut() - before.cut === 300, 30_000);
    expect(cutLines().length - before.lines).to.be.at.most(10);
    const ends = sockets.map(noticesTheEnd);
    await until('all notice', () => ends.filter((isOver) => !isOver()).length === 0);
    expectStatus(await controller.client().get('/version'), 200);
    expect(controller.log.filter(({ level }) => level === 50)).to.deep.equal([]);
  });
});
