/**
 * A synchronous standby that is gone: PostgreSQL then confirms no change until it is back. Changes are refused
 * meanwhile, reads and logins go on, and a controller says that it is not ready.
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
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { PostgresServers } from '../support/postgres-servers.js';
import type { PostgresServer } from '../support/postgres-servers.js';

const IDENTITIES = `${MANAGEMENT}/identities`;
/** More than there are connections. */
const WRITERS = 30;

describe('a synchronous standby that is gone', function synchronousStandby() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let servers: PostgresServers;
  let standby: PostgresServer;
  let controller: ControllerProcess;
  let url: string;
  let admin: Client;
  const acknowledged: string[] = [];
  const refused = new Map<number, number>();
  const halt = { now: false };
  let writers: Promise<void>[];

  before(async () => {
    servers = new PostgresServers();
    const primary = await servers.primary();
    standby = await servers.standbyOf(primary);
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await primary.query('SELECT pg_reload_conf()');
    controller = shop.start(join(shop.place(), 'data'), {
      env: {
        DATABASE_URL: primary.url,
        EDGE_MASTER_KEY: newMasterKey(),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_LIMIT_HANDLER_TIMEOUT: '4s',
      },
    });
    url = await controller.ready();
    admin = await shop.login(url);
    writers = Array.from({ length: WRITERS }, async () => {
      const client = shop.client(url, admin.token);
      while (!halt.now) {
        const { status, data } = await client.post(IDENTITIES, {
          name: unique('standby'),
          type: 'User',
          isAdmin: false,
        });
        if (status === 201) acknowledged.push((data as { id: string }).id);
        else refused.set(status, (refused.get(status) ?? 0) + 1);
      }
    });
    await until('creates are acknowledged', () => acknowledged.length > 20);
    await standby.stop();
  });
  after(async () => {
    halt.now = true;
    await Promise.all(writers);
    await shop.end();
    await servers.end();
  });

  it('makes it not ready, with the reason', async () => {
    const answer = await until('it is not ready', async () => {
      const readyz = await admin.get('/readyz');
      return readyz.status === 503 && readyz;
    });
    expect(answer.json).to.deep.equal({ status: 'not ready', reason: 'changes wait for a standby of the database' });
    const { checks } = (await admin.get('/health-checks')).data as { checks: { id: string; healthy: boolean }[] };
    expect(checks.filter(({ healthy }) => !healthy).map(({ id }) => id))
      .to.include('writable')
      .and.not.include('database');
    await until('changes are refused', () => (refused.get(503) ?? 0) > WRITERS);
    expect([...refused.keys()]).to.deep.equal([503]);
    expect(
      controller
        .log()
        .filter(({ outage }) => outage === 'unconfirmed')
        .map(({ level }) => level),
    ).to.deep.equal(['error']);
  });

  it('stops no read and no login', async () => {
    for (let round = 0; round < 10; round += 1) {
      const client = await shop.login(url);
      expectStatus(await client.get(`${CLIENT}/services`), 200);
      expectStatus(await client.get(`${CLIENT}/current-api-session/service-updates`), 200);
      expectStatus(
        await client.get(`${IDENTITIES}?limit=50&filter=${encodeURIComponent('name contains "stand"')}`),
        200,
      );
      expectStatus(await client.get(`${IDENTITIES}/${acknowledged[0] ?? ''}`), 200);
    }
  });

  it('costs nothing that was acknowledged, and all heals when it is back', async () => {
    const before = acknowledged.length;
    await standby.start();
    await until('changes are acknowledged again', () => acknowledged.length > before + 20);
    await until('it is ready again', async () => (await admin.get('/readyz')).status === 200);
    halt.now = true;
    await Promise.all(writers);
    for (const id of acknowledged.slice(0, 50).concat(acknowledged.slice(-50)))
      expectStatus(await admin.get(`${IDENTITIES}/${id}`), 200);
    expect(controller.stderr()).to.equal('');
  });
});
