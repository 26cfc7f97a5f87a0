/**
 * A failover behind a name: a controller never reads from a server that takes no writes, however it came to reach it.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PostgresServers } from '../support/postgres-servers.js';
import type { Forwarder, PostgresServer } from '../support/postgres-servers.js';

describe('a former primary that comes back as a standby at its address', function standby() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let servers: PostgresServers;
  let former: PostgresServer;
  let next: PostgresServer;
  let name: Forwarder;
  let one: ControllerProcess;
  let onOne: Client;
  let stranger: Client;
  let url: string;

  before(async () => {
    servers = new PostgresServers();
    former = await servers.primary();
    next = await servers.standbyOf(former);
    name = await servers.forwarder(former.port);
    const env = { EDGE_MASTER_KEY: newMasterKey(), EDGE_ADMIN_PASSWORD: ADMIN.password };
    one = shop.start(join(shop.place(), 'data'), {
      env: { ...env, EDGE_NAME: 'one', DATABASE_URL: former.url.replace(/:\d+\//, `:${name.port}/`) },
    });
    url = await one.ready();
    onOne = await shop.login(url);
    stranger = shop.client(url);
    expectStatus(await onOne.get(`${C}/current-api-session`), 200);

    // The failover, before the name moves. What the former primary receives it does not show: it lags for good.
    await former.stop();
    await next.promote();
    former.demote();
    await former.start();
    const two = shop.start(join(shop.place(), 'data'), { env: { ...env, EDGE_NAME: 'two', DATABASE_URL: next.url } });
    const onTwo = shop.client(await two.ready(), onOne.token);
    expectStatus(await onTwo.delete(`${C}/current-api-session`), 200);
  });
  after(async () => {
    await shop.end();
    await servers.end();
  });

  const stateLines = () => one.log().filter(({ level }) => level !== 'info');

  it('is never believed: each request that needs the database gets 503, known sessions too', async () => {
    expect(await former.query('SELECT pg_is_in_recovery() AS on')).to.deep.equal([{ on: true }]);
    const end = Date.now() + 4_000;
    await until('several looks of the watchdog', async () => {
      for (const answer of [
        await onOne.get(`${C}/current-api-session`),
        await onOne.get(`${M}/identities`),
        await onOne.get(`${M}/identities?limit=-1`),
        await onOne.post(`${M}/identities`, { name: unique('lost'), type: 'User', isAdmin: false }),
        await stranger.post(`${M}/authenticate?method=password`, { ...ADMIN }),
      ])
        expect(answer.status, answer.text).to.equal(503);
      expect((await stranger.get('/readyz')).status).to.equal(503);
      return Date.now() > end;
    });
    expect(
      stateLines().filter(({ outage }) => outage === 'readOnly'),
      'one line says so',
    ).to.have.length(1);
    expect(
      stateLines().filter(({ err }) => err !== undefined),
      'no stack',
    ).to.deep.equal([]);
  });

  it('is left for the next primary once the name points there; a session that ended stays ended', async () => {
    name.pointTo(next.port);
    await until('it is ready again', async () => (await stranger.get('/readyz')).status === 200);
    expect((await onOne.get(`${C}/current-api-session`)).status).to.equal(401);
    const admin = await shop.login(url);
    const { id } = expectStatus(
      await admin.post(`${M}/identities`, { name: unique('after'), type: 'User', isAdmin: false }),
      201,
    ).data as { id: string };
    expectStatus(await admin.get(`${M}/identities/${id}`), 200);
  });

  it('is like a primary that is closed to writes: noticed within seconds, healed when it opens', async () => {
    const admin = await shop.login(url);
    await next.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await next.query('SELECT pg_reload_conf()');
    await until('it says that it is not ready', async () => (await stranger.get('/readyz')).status === 503);
    // What a connection may do is settled when its server has read the setting, each at its own time.
    await until('no list is read', async () => (await admin.get(`${M}/identities`)).status === 503);
    await next.query('ALTER SYSTEM RESET default_transaction_read_only');
    await next.query('SELECT pg_reload_conf()');
    await until('it is ready again', async () => (await stranger.get('/readyz')).status === 200);
    expectStatus(await admin.get(`${M}/identities`), 200);
  });
});
