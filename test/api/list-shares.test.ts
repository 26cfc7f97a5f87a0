/**
 * Lists share the database fairly: those of one identity wait for each other, slow readers hold little, abandoned ones
 * end.
 */
import { expect } from 'chai';
import pg from 'pg';
import type { TLSSocket } from 'node:tls';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';
import { until } from '../support/poll.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { dial } from './server-support.js';

/** One that takes a connection of the lists. */
const LIST = `${M}/configs?filter=${encodeURIComponent('name contains "intercept"')}`;

describe('lists share the database', () => {
  let controller: TestController;
  let holder: pg.Client;
  const sockets: TLSSocket[] = [];
  const begin = async (env: Readonly<Record<string, string>> = {}) => {
    controller = await startTestController({ EDGE_DATABASE_POOL_SIZE: '20', ...env });
    holder = new pg.Client(controller.database.connection);
    await holder.connect();
  };
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await holder.end();
    await controller.stop();
  });

  /** Lists of configs wait until `release`. */
  const hold = async () => {
    await holder.query('BEGIN; LOCK TABLE configs IN ACCESS EXCLUSIVE MODE');
  };
  const release = () => holder.query('ROLLBACK');
  const count = async (where: string) => {
    const {
      rows: [row],
    } = await controller.database.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND ${where}`,
    );
    return Number(row?.['n']);
  };
  const held = () => count("wait_event_type = 'Lock'");
  const open = async (path: string) => {
    const socket = await dial(controller.url);
    sockets.push(socket);
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nzt-session: ${controller.admin.token ?? ''}\r\n\r\n`);
    return socket;
  };

  it('and end in it when the answer was a timeout', async () => {
    await begin({ EDGE_LIMIT_HANDLER_TIMEOUT: '3s' });
    await hold();
    expectFault(await controller.admin.get(LIST), 503, 'TIMEOUT');
    await until('the statement is gone', async () => (await held()) === 0);
    await release();
    expectStatus(await controller.admin.get(LIST), 200);
  });

  it('and end in it when the client went', async () => {
    await begin();
    await hold();
    const socket = await open(LIST);
    await until('the list waits', async () => (await held()) === 1);
    socket.destroy();
    await until('the statement is gone', async () => (await held()) === 0);
    await release();
    expectStatus(await controller.admin.get(LIST), 200);
  });

  it('in turn: some of an identity are read, some wait, and more are refused', async () => {
    await begin({ EDGE_LIMIT_LISTS_PER_IDENTITY: '2', EDGE_LIMIT_LIST_QUEUE: '3' });
    const other = await controller.newCaller({ isAdmin: true });
    await hold();
    const read = [controller.admin.get(LIST), controller.admin.get(LIST)];
    await until('two are read', async () => (await held()) === 2);
    read.push(...Array.from({ length: 4 }, () => controller.admin.get(LIST)));
    const refused = await Promise.race(read);
    expectFault(refused, 429, 'RATE_LIMITED');
    expect(refused.headers['retry-after']).to.equal('1');
    expect(await held()).to.equal(2);
    expectStatus(await other.client.get(`${M}/identities?filter=${encodeURIComponent(`name contains "x"`)}`), 200);
    await release();
    expect((await Promise.all(read)).map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 200, 429]);
  });

  it('without refusing what a console asks for at once', async () => {
    await begin();
    const answers = await Promise.all(Array.from({ length: 40 }, () => controller.admin.get(LIST)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  it('and leave it to others when readers of lists without limit stand still', async () => {
    await begin();
    const { id: type } = (await controller.database.query('SELECT id FROM config_types LIMIT 1')).rows[0] ?? {};
    await controller.database.query(
      `INSERT INTO configs (id, name, config_type_id, data, tags)
      SELECT 'still' || i, 'still' || i, $1, jsonb_build_object('text', repeat('x', 4000)), '{}'
      FROM generate_series(1, 3000) i`,
      [type],
    );
    const all = `${M}/configs?limit=-1`;
    for (let reader = 0; reader < 24; reader += 1) await open(all);
    const streaming = () => count("state = 'idle in transaction' AND pid <> pg_backend_pid()");
    await until('lists are being read', async () => (await streaming()) === 2);
    const refused = expectFault(await controller.admin.get(all), 429, 'RATE_LIMITED');
    expect(refused.cause?.['message']).to.match(/limit and offset/);
    expectStatus(await controller.admin.get(`${M}/configs?limit=500`), 200);
    expectStatus(await controller.admin.get(LIST), 200);
    const other = await controller.newCaller({ isAdmin: true });
    expect((expectStatus(await other.client.get(all), 200).data as unknown[]).length).to.be.greaterThan(2_999);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until('the connections are back', async () => (await streaming()) === 0);
    expectStatus(await controller.admin.get(all), 200);
    expectStatus(await controller.anonymous.get(`${C}/version`), 200);
  });
});
