/** Clients that read slowly or not at all: what they may cost, and for how long. */
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expectStatus } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { getRequest, noticesTheEnd, readSteadily } from '../support/slow-reader.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { childEnv, dial, readToEnd, runMain, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** 1.7 MB. */
const LARGE = '/docs/swagger-ui-bundle.js';
/** More than the kernel's buffers on both sides hold. */
const OVERFLOWING = getRequest(LARGE).repeat(8);

describe('a client that does not read', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_LIMIT_STALL: '1s', EDGE_LIMIT_HANDLER_TIMEOUT: '20s' });
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const cutLines = () => controller.log.filter(({ msg }) => msg === 'cut connections whose clients did not read');
  const cuts = () => cutLines().length;

  it('is cut, and the log says so in a line without a stack', async () => {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => dial(controller.url)));
    sockets.forEach((socket) => {
      socket.write(OVERFLOWING);
    });
    const cut = () => cutLines().reduce((sum, { connections }) => sum + Number(connections), 0);
    await until('all are cut', () => cut() >= 5);
    expect(cut()).to.equal(5);
    for (const line of cutLines()) expect(line).to.include({ level: 40, seconds: 1 }).and.not.have.property('err');
    await Promise.all(sockets.map((socket) => until('it notices', noticesTheEnd(socket))));
    expect(controller.log.filter(({ level }) => level === 50)).to.deep.equal([]);
  });

  it('is cut also when it goes on sending', async () => {
    const socket = await dial(controller.url);
    socket.write(OVERFLOWING);
    await until('the connection is cut', noticesTheEnd(socket));
  });

  it('is cut without an answer to what it has not read when it sends more at once than is held', async () => {
    const { token } = expectStatus(await (await controller.login()).get(`${M}/current-api-session`), 200).data as {
      token: string;
    };
    await database.query('BEGIN');
    await database.query('LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
    const socket = await dial(controller.url);
    const answers = readToEnd(socket);
    socket.write(getRequest(`${M}/services`, token) + getRequest(LARGE).repeat(2_000));
    expect(await answers).to.equal('');
    await database.query('ROLLBACK');
  });

  it('is left alone while it reads slowly and steadily, and gets all', async () => {
    const size = 3 * expectStatus(await controller.client().get(LARGE), 200).text.length;
    const before = cuts();
    const socket = await dial(controller.url);
    socket.write(getRequest(LARGE).repeat(3));
    // For several times as long as the limit.
    expect(await readSteadily(socket, { size: 48_000, restMs: 20, total: size })).to.be.at.least(size);
    expect(cuts()).to.equal(before);
    socket.destroy();
  });

  it('is not taken for one that waits for work to be done', async () => {
    const client = await controller.login();
    await database.query('BEGIN');
    await database.query('LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
    const answer = client.get(`${M}/services`);
    // Another connection is cut meanwhile: so the limit has passed.
    const other = await dial(controller.url);
    other.write(OVERFLOWING);
    await until('the other is cut', noticesTheEnd(other));
    await database.query('ROLLBACK');
    expectStatus(await answer, 200);
  });

  it('is served again on a connection that it has read to the end', async () => {
    const client = controller.client();
    for (const path of [LARGE, '/docs/swagger-ui.css', `${C}/swagger.json`, `${M}/swagger.json`]) {
      const [first, second] = [expectStatus(await client.get(path), 200), expectStatus(await client.get(path), 200)];
      expect(Buffer.byteLength(first.text), path).to.equal(Number(first.headers['content-length']));
      expect(second.text === first.text, path).to.equal(true);
    }
    const head = await client.send('HEAD', LARGE);
    expect([head.status, head.text, Number(head.headers['content-length']) > 1_000_000]).to.deep.equal([200, '', true]);
    expectStatus(await client.get('/version'), 200);
  });
});

describe('a hundred clients that do not read', () => {
  it('cost the process little more than their connections', async () => {
    const database = await openTestDatabase();
    const dir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
    const child = runMain(['start'], childEnv(join(dir, 'data'), database));
    const sockets: TLSSocket[] = [];
    try {
      const url = await until('it is ready', () => /"url":"(https:[^"]+)"/.exec(child.output.stdout)?.[1], 30_000);
      const first = await dial(url);
      sockets.push(first);
      first.write(getRequest(LARGE));
      await until('the file is read', () => first.readableLength > 0);
      const before = residentMiB(child.process.pid);
      for (let i = 0; i < 100; i += 1) sockets.push(await dial(url));
      sockets.forEach((socket) => {
        socket.write(getRequest(LARGE));
      });
      await until('all are answered', () => sockets.every(({ readableLength }) => readableLength > 0));
      expect(residentMiB(child.process.pid) - before).to.be.lessThan(80); // 30 here; 140 when each has the whole file
    } finally {
      sockets.forEach((socket) => {
        socket.destroy();
      });
      child.process.kill('SIGKILL');
      await child.ended;
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

function residentMiB(pid = 0): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
