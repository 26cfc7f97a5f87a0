/** Connection limits of the database: the pool works with what it gets, and a start that does not fit says so. */
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { ADMIN, unique } from '../support/controller.js';
import { entityOf } from '../support/entities.js';
import { until } from '../support/poll.js';
import { ProcessShop, within } from '../support/process.js';
import { MANAGEMENT } from '../support/paths.js';
import { startSystemPostgres, systemBinaries } from './system-postgres.js';
import type { SystemPostgres } from './system-postgres.js';

const IDENTITIES = `${MANAGEMENT}/identities`;

describe('a connection limit of the database', function () {
  this.timeout(300_000);
  const binaries = systemBinaries();
  const shop = new ProcessShop();
  let server: SystemPostgres;
  before(async () => {
    server = await startSystemPostgres(binaries, 'C.UTF-8');
  });
  after(async () => {
    await shop.end();
    await (server as SystemPostgres | undefined)?.stop();
  });

  const start = (url: string, env: Record<string, string> = {}) =>
    shop.start(join(shop.place(), 'data'), {
      env: {
        DATABASE_URL: url,
        EDGE_MASTER_KEY: newMasterKey(),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_PATIENCE: '10s',
        ...env,
      },
    });
  const connectionsOf = async (role: string) =>
    (await server.query(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = '${role}'`))[0]?.[
      'n'
    ] as number;

  it('makes callers wait for the connections that there are; the pool grows when the limit is raised', async () => {
    const url = await server.newDatabase('limited');
    await server.query('ALTER ROLE limited CONNECTION LIMIT 8');
    const controller = start(url);
    const admin = await shop.login(await controller.ready());
    const fits = controller
      .log()
      .filter((line) => 'wanted' in line)
      .map(({ level, wanted, free }) => ({ level, wanted, free }));
    expect(fits).to.deep.equal([
      { level: 'info', wanted: 26, free: 8 },
      { level: 'warn', wanted: 26, free: 8 },
    ]);
    const services = '/edge/management/v1/services';
    const hosted = entityOf(await admin.post(services, { name: unique('hosted'), encryptionRequired: true })).id;
    const seen = new Map<number, number>();
    const halt = { now: false };
    const streams = Array.from({ length: 24 }, async () => {
      const client = shop.client(await controller.ready(), admin.token);
      const draft = { name: unique('limited'), type: 'User', isAdmin: false, serviceHostingCosts: { [hosted]: 1 } };
      const { id } = entityOf(await client.post(IDENTITIES, draft));
      while (!halt.now) {
        // A change of several statements, which shares no commit and so no connection.
        const answers = await Promise.all([
          client.put(`${IDENTITIES}/${id}`, draft),
          client.get(`${IDENTITIES}?limit=1`),
        ]);
        for (const { status } of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    });
    await until('many changes and lists were acknowledged', () => (seen.get(200) ?? 0) > 600, 60_000);
    expect(await connectionsOf('limited')).to.be.at.most(8);
    expect((await admin.get('/readyz')).status).to.equal(200);
    await server.query('ALTER ROLE limited CONNECTION LIMIT 60');
    await until('the pool has grown', async () => (await connectionsOf('limited')) > 12, 30_000);
    halt.now = true;
    await Promise.all(streams);
    expect([...seen.keys()]).to.deep.equal([200]);
    const limited = controller.log().filter(({ msg }) => msg.startsWith('the pool works with fewer connections'));
    expect(limited.map(({ level, configured }) => ({ level, configured }))).to.deep.equal([
      { level: 'warn', configured: 20 },
    ]);
    expect((await controller.stop()).code).to.equal(0);
    expect(controller.stderr()).to.equal('');
  });

  it('below what a controller needs makes it wait at the start, and end with the numbers', async () => {
    const url = await server.newDatabase('crowded');
    await server.query('ALTER ROLE crowded CONNECTION LIMIT 12');
    const others = Array.from({ length: 7 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(others.map((client) => client.connect()));
    const refused = start(url, { EDGE_DATABASE_START_PATIENCE: '0s' });
    expect((await within('it ends', 25_000, refused.ended)).code).to.equal(1);
    expect(refused.stderr()).to.match(
      /^edge-controller: The database has room for 5 more .* 7 are .*26 are opened \(a pool of 20 and 6 more\): raise /,
    );
    const workers = start(url, { EDGE_DATABASE_START_PATIENCE: '0s', EDGE_WORKERS: '2', EDGE_DATABASE_POOL_SIZE: '4' });
    expect((await within('it ends', 25_000, workers.ended)).code).to.equal(1);
    expect(workers.stderr()).to.match(
      /but 14 are needed to work and up to 20 are opened \(2 processes, each a pool of 4 and 6 more\)/,
    );

    const waiting = start(url, { EDGE_DATABASE_POOL_SIZE: '4' });
    await until(
      'it waits',
      () => waiting.log().some(({ outage, msg }) => outage === 'connectionLimit' && msg.startsWith('the start waits')),
      20_000,
    );
    await Promise.all(others.map((client) => client.end()));
    await waiting.ready();
    expect(
      waiting
        .log()
        .filter(({ level }) => level === 'warn' || level === 'error')
        .map(({ outage }) => outage),
    ).to.deep.equal(['connectionLimit']);
    expect((await waiting.stop()).code).to.equal(0);
  });
});
