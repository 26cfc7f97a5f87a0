/** Lists too long to hold: what their readers may cost, and that all of a list comes whatever its size. */
import { once } from 'node:events';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { getRequest, noticesTheEnd, readSteadily } from '../support/slow-reader.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { amount } from '../support/unless.js';
import { dial, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const COUNT = amount(28, 40);
/** Of the tags of each identity: all are 28 MB at least, more than the kernel's buffers and than is held as text. */
const TAG_BYTES = 1_000_000;
const FILTER = `filter=${encodeURIComponent('name contains "long-"')}`;
const UNLIMITED = `${M}/identities?limit=-1&${FILTER}`;

describe('a long list', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_API_MAX_LIMIT: String(COUNT - 5),
      EDGE_LIMIT_READER_PATIENCE: '1s',
    });
    admin = await controller.login();
    for (let i = 0; i < COUNT; i += 1)
      expectStatus(await admin.post(`${M}/identities`, { name: `long-${i}`, type: 'User', isAdmin: false }), 201);
    await fill();
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });
  /**
   * With characters of one, two and three bytes and pairs of surrogates, so that pieces end between and within them.
   */
  const fill = () =>
    database.query(
      `UPDATE identities SET tags = jsonb_build_object('t', repeat('aé€😀z', $1::int / 11))
         WHERE name LIKE 'long-%'`,
      [TAG_BYTES],
    );
  const errors = () => controller.log.filter(({ level }) => level === 50);
  const said = (text: string) => controller.log.filter(({ msg }) => msg === text);
  const expectAll = (data: unknown, count: number) => {
    const items = data as { id: string; tags: { t: string } }[];
    expect(new Set(items.map(({ id }) => id)).size).to.equal(count);
    const whole = 'aé€😀z'.repeat(Math.floor(TAG_BYTES / 11));
    for (const { tags } of items) expect(tags.t === whole).to.equal(true);
  };

  it('comes whole without limit, and gives its connection of the database back', async () => {
    const answer = expectStatus(await admin.get(UNLIMITED), 200);
    expectAll(answer.data, COUNT);
    expect(answer.meta.pagination?.totalCount).to.equal(COUNT);
    await database.connectionsAreFree();
  });

  it('with a limit comes whole too, in pieces when it is too large to hold', async () => {
    const large = expectStatus(await admin.get(`${M}/identities?limit=${COUNT - 5}&${FILTER}`), 200);
    expect(large.headers).to.not.have.property('content-length');
    expectAll(large.data, COUNT - 5);
    expect(large.meta.pagination).to.deep.equal({ limit: COUNT - 5, offset: 0, totalCount: COUNT });
    for (const limit of [1, 2, 15, 16]) {
      const small = expectStatus(await admin.get(`${M}/identities?limit=${limit}&${FILTER}`), 200);
      expect(Number(small.headers['content-length'])).to.equal(Buffer.byteLength(small.text));
      expectAll(small.data, limit);
    }
  });

  it('whose reader stops is cut, its connection of the database is given back, and the log has a warning', async () => {
    const socket = await dial(controller.url);
    socket.write(getRequest(UNLIMITED, admin.token));
    await until('the list is being read', async () => (await database.waitingTransactions()) > 0);
    await database.connectionsAreFree();
    await until('the connection is cut', noticesTheEnd(socket));
    const lines = said('the reader was too slow and was cut');
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.include({ level: 40, operation: 'listIdentities' }).and.not.have.property('err');
    expect(errors()).to.deep.equal([]);
  });

  it('whose reader goes away gives its connection of the database back, and is no failure', async () => {
    const socket = await dial(controller.url);
    socket.write(getRequest(UNLIMITED, admin.token));
    await once(socket, 'readable');
    await until('the list is being read', async () => (await database.waitingTransactions()) > 0);
    socket.destroy();
    await database.connectionsAreFree();
    await until('the log has it', () => said('the reader went away').length === 1);
    expect(errors()).to.deep.equal([]);
  });

  it('whose reader is slow and steady comes whole', async () => {
    const size = Buffer.byteLength(expectStatus(await admin.get(UNLIMITED), 200).text);
    const socket = await dial(controller.url);
    socket.write(getRequest(UNLIMITED, admin.token));
    expect(await readSteadily(socket, { size: 400_000, restMs: 20, total: size })).to.be.at.least(size);
    socket.destroy();
    await database.connectionsAreFree();
  });

  it('that breaks its spec before its first byte gives its connection of the database back', async () => {
    const before = errors().length;
    await database.query("UPDATE identities SET tags = '\"no object\"' WHERE name = 'long-0'");
    try {
      const answers: number[] = [];
      // More often than there are connections of the database.
      for (let i = 0; i < 6; i += 1) answers.push((await admin.get(`${UNLIMITED}&sort=createdAt`)).status);
      expect(answers).to.deep.equal(Array.from({ length: 6 }, () => 500));
      await database.connectionsAreFree();
      expect(errors()).to.have.lengthOf(before + 6);
    } finally {
      await fill();
    }
  });
});
