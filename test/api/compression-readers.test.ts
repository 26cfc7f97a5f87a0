/** Readers of long compressed lists that stop or go away: they cost no more than those of lists as they are. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { noticesTheEnd } from '../support/slow-reader.js';
import { dial, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const COUNT = 40;
/** Of each identity, in hashes of 32 characters: compressed, more is left than the kernel's buffers hold. */
const HASHES = 30_000;
const PATH = `${M}/identities?limit=-1&filter=${encodeURIComponent('name contains "reader-"')}`;

describe('a long compressed list', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, { EDGE_API_MAX_LIMIT: '5', EDGE_LIMIT_READER_PATIENCE: '1s' });
    admin = await controller.login();
    for (let i = 0; i < COUNT; i += 1)
      expectStatus(await admin.post(`${M}/identities`, { name: `reader-${i}`, type: 'User', isAdmin: false }), 201);
    await database.query(
      `UPDATE identities SET tags = jsonb_build_object('t',
        (SELECT string_agg(md5(identities.id || n), '') FROM generate_series(1, $1::int) AS n))
        WHERE name LIKE 'reader-%'`,
      [HASHES],
    );
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const ask = async (coding: string) => {
    const socket = await dial(controller.url);
    socket.write(
      `GET ${PATH} HTTP/1.1\r\nhost: localhost\r\nzt-session: ${admin.token ?? ''}\r\n` +
        `accept-encoding: ${coding}\r\n\r\n`,
    );
    return socket;
  };
  const errors = () => controller.log.filter(({ level }) => level === 50);

  for (const coding of ['gzip', 'br']) {
    it(`whose reader stops is cut, and its connection of the database is given back: ${coding}`, async () => {
      const said = () => controller.log.filter(({ msg }) => msg === 'the reader was too slow and was cut').length;
      const before = said();
      const socket = await ask(coding);
      await until('the log says so', () => said() > before, 20_000);
      await database.connectionsAreFree();
      await until('it notices', noticesTheEnd(socket));
      expect(errors()).to.deep.equal([]);
    });

    it(`whose reader goes away gives it back too, and is no failure: ${coding}`, async () => {
      const socket = await ask(coding);
      await until('it has begun', () => socket.readableLength > 0, 20_000);
      socket.destroy();
      await database.connectionsAreFree();
      expect(errors()).to.deep.equal([]);
      expectStatus(await admin.get('/version'), 200);
    });
  }

  it('comes whole to one who reads', async () => {
    const answer = expectStatus(await admin.get(PATH, { headers: { 'accept-encoding': 'gzip' } }), 200);
    expect(answer.headers['content-encoding']).to.equal('gzip');
    expect(answer.data).to.have.lengthOf(COUNT);
    expect(answer.text.length).to.be.greaterThan(COUNT * HASHES * 32);
  });
});
