/** Through a pooler: in session mode everything works, in transaction mode the start is refused. */
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { FEED_NAME } from '../../server/changes/change-feed.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { HEARD_MS, until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import { CLIENT, MANAGEMENT as M } from '../support/paths.js';
import { PostgresServers } from '../support/postgres-servers.js';
import type { PostgresServer } from '../support/postgres-servers.js';

describe('through PgBouncer', function poolers() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let servers: PostgresServers;
  let server: PostgresServer;
  before(async () => {
    servers = new PostgresServers();
    server = await servers.primary();
  });
  after(async () => {
    await shop.end();
    await servers.end();
  });

  const start = (url: string, name: string) =>
    shop.start(join(shop.place(), 'data'), {
      env: { DATABASE_URL: url, EDGE_MASTER_KEY: KEY, EDGE_NAME: name, EDGE_ADMIN_PASSWORD: ADMIN.password },
    });
  const KEY = newMasterKey();

  it('in session mode, with the settings it comes with: two controllers work and hear each other', async () => {
    const url = await servers.pooler(server, 'session');
    const [one, two] = [start(url, 'one'), start(server.url, 'two')];
    const admin = await shop.login(await one.ready());
    const elsewhere = shop.client(await two.ready(), admin.token);
    for (let i = 0; i < 20; i += 1) {
      const body = { name: unique('pooled'), type: 'User', isAdmin: false };
      expectStatus(await admin.post(`${M}/identities`, body), 201);
    }
    expectStatus(await elsewhere.get(`${M}/identities?limit=5`), 200);
    expectStatus(await admin.delete(`${CLIENT}/current-api-session`), 200);
    await until(
      'the session is refused by the other',
      async () => (await elsewhere.get(`${M}/identities`)).status === 401,
      HEARD_MS,
    );
    expect(one.log().filter(({ level }) => level !== 'info')).to.deep.equal([]);
    // What the feed set on its connection stays there, as on every other.
    const names = await server.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity WHERE datname = 'edge'`,
    );
    expect(names.filter(({ name }) => name === FEED_NAME)).to.have.length(2);
    await one.stop();
    await two.stop();
  });

  it('in transaction mode: refused at the start, with what to do', async () => {
    const url = await servers.pooler(server, 'transaction');
    for (let round = 0; round < 3; round += 1) {
      const controller = start(url, 'pooled');
      expect((await controller.ended).code).to.equal(1);
      expect(controller.stderr()).to.match(
        /^edge-controller: DATABASE_URL leads through a pooler in transaction mode.*session mode[^\n]*\n$/,
      );
    }
  });
});
