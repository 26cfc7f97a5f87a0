/**
 * The controller on a PostgreSQL of the operator's: the system's own server, TCP, a role with a password, no superuser.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { startSystemPostgres, systemBinaries } from './system-postgres.js';
import type { SystemPostgres } from './system-postgres.js';

const NAMES = ['Łódź', 'łódka', 'ÉCOLE', 'école', 'straße', 'Ωmega', 'ωmikron', '数据', 'plain'];

async function namesOf(client: Client, filter: string): Promise<string[]> {
  const answer = expectStatus(
    await client.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent(filter)}&sort=name&limit=50`),
    200,
  );
  const names = (answer.data as { name: string }[]).map(({ name }) => name);
  expect(answer.meta.pagination?.totalCount, filter).to.equal(names.length);
  return names.sort();
}

/** The main job: log in, create, filter, list, end the session. */
async function mainJob(shop: ProcessShop, databaseUrl: string): Promise<void> {
  const env = { DATABASE_URL: databaseUrl, EDGE_MASTER_KEY: newMasterKey(), EDGE_ADMIN_PASSWORD: ADMIN.password };
  const first = shop.start(join(shop.place(), 'data'), { env });
  const admin = await shop.login(await first.ready());
  for (const name of NAMES) {
    expectStatus(
      await admin.post(`${MANAGEMENT}/identities`, { name, type: 'User', isAdmin: false, roleAttributes: ['worker'] }),
      201,
    );
  }
  expect(await namesOf(admin, 'name icontains "łÓD"')).to.deep.equal(['Łódź', 'łódka']);
  expect(await namesOf(admin, 'name icontains "éCoLe"')).to.deep.equal(['ÉCOLE', 'école'].sort());
  expect(await namesOf(admin, 'name icontains "ΩM"')).to.deep.equal(['Ωmega', 'ωmikron'].sort());
  expect(await namesOf(admin, 'name contains "数"')).to.deep.equal(['数据']);
  expect(await namesOf(admin, 'name contains "ÉC"')).to.deep.equal(['ÉCOLE']);
  expect(await namesOf(admin, 'anyOf(roleAttributes) = "worker"')).to.deep.equal([...NAMES].sort());
  // By code point, whatever the locale of the server.
  const list = expectStatus(await admin.get(`${MANAGEMENT}/identities?sort=name&limit=50`), 200);
  const sorted = [...NAMES, 'Default Admin'].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect((list.data as { name: string }[]).map(({ name }) => name)).to.deep.equal(sorted);

  const second = shop.start(join(shop.place(), 'data'), { env: { ...env, EDGE_NAME: 'second' } });
  const elsewhere = shop.client(await second.ready(), admin.token);
  expectStatus(await elsewhere.get(`${MANAGEMENT}/identities`), 200);
  expectStatus(await admin.delete(`${CLIENT}/current-api-session`), 200);
  await until(
    'the session is gone on the other controller',
    async () => (await elsewhere.get(`${MANAGEMENT}/identities`)).status === 401,
  );
  expect((await first.stop()).code).to.equal(0);
  expect((await second.stop()).code).to.equal(0);
  expect(first.stderr() + second.stderr()).to.equal('');
}

describe('on the PostgreSQL of the system', function () {
  this.timeout(600_000);
  const given = process.env['EDGE_TEST_SYSTEM_DATABASE_URL'];
  const shop = new ProcessShop();
  let server: SystemPostgres | undefined;
  afterEach(async () => {
    await shop.end();
    await server?.stop();
    server = undefined;
  });

  for (const locale of ['C.UTF-8', 'C']) {
    it(`does its main job, cluster of the locale ${locale}`, async () => {
      server = await startSystemPostgres(systemBinaries(), locale);
      console.log(`      PostgreSQL ${server.version}`);
      await mainJob(shop, await server.newDatabase('controller'));
    });
  }

  it('keeps its own session settings beside those in the URL', async () => {
    server = await startSystemPostgres(systemBinaries(), 'C.UTF-8');
    const options = encodeURIComponent('-c timezone=Asia/Tokyo -c work_mem=8MB');
    const url = `${await server.newDatabase('controller')}?application_name=mine&options=${options}`;
    const controller = shop.start(join(shop.place(), 'data'), {
      env: { DATABASE_URL: url, EDGE_MASTER_KEY: newMasterKey(), EDGE_ADMIN_PASSWORD: ADMIN.password },
    });
    const admin = await shop.login(await controller.ready());
    const [{ createdAt }] = expectStatus(await admin.get(`${MANAGEMENT}/identities`), 200).data as [
      { createdAt: string },
    ];
    expect(Math.abs(Date.now() - Date.parse(createdAt))).to.be.lessThan(60_000);
    expect((await controller.stop()).code).to.equal(0);
  });

  if (given !== undefined) {
    it('does its main job on the database that EDGE_TEST_SYSTEM_DATABASE_URL names', () => mainJob(shop, given));
  }
});
