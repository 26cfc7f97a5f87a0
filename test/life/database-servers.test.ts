/** Several hosts in DATABASE_URL, and TLS to the database: real servers of the system's PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, within } from '../support/process.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { startSystemPostgres, systemBinaries } from './system-postgres.js';
import type { SystemPostgres } from './system-postgres.js';

const IDENTITIES = `${MANAGEMENT}/identities`;

/** A certificate authority, and a certificate of it for the name localhost. */
function makeCertificates(place: string): { root: string; other: string; files: Record<string, string> } {
  const openssl = (...args: string[]) => {
    execFileSync('openssl', args, { cwd: place, stdio: 'pipe' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  for (const name of ['root', 'other'])
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=database');
  writeFileSync(join(place, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    '-CAcreateserial',
    '-out',
    'server.crt',
    '-days',
    '2',
    '-extfile',
    'names',
  );
  const content = (name: string) => readFileSync(join(place, name), 'utf8');
  return {
    root: join(place, 'root.pem'),
    other: join(place, 'other.pem'),
    files: { 'server.key': content('server.key'), 'server.crt': content('server.crt') },
  };
}

describe('the servers of DATABASE_URL', function () {
  this.timeout(300_000);
  const binaries = systemBinaries();
  const shop = new ProcessShop();
  const servers: SystemPostgres[] = [];
  after(async () => {
    await shop.end();
    for (const server of servers) await server.stop();
  });

  const serve = async (settings: Record<string, string>, files: Record<string, string> = {}) => {
    const server = await startSystemPostgres(binaries, 'C.UTF-8', settings, files);
    servers.push(server);
    return server;
  };
  const start = (url: string, env: Record<string, string> = {}) =>
    shop.start(join(shop.place(), 'data'), {
      env: { DATABASE_URL: url, EDGE_MASTER_KEY: newMasterKey(), EDGE_ADMIN_PASSWORD: ADMIN.password, ...env },
    });

  it('takes the one that takes writes, past a dead one and a standby, and the standby once promoted', async () => {
    const primary = await serve({ 'synchronous_standby_names': '*', 'synchronous_commit': 'local' });
    const url = await primary.newDatabase('failover');
    const standby = await primary.startStandby();
    servers.push(standby);
    const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},localhost:${primary.port}`;
    const controller = start(
      url.replace(`127.0.0.1:${primary.port}`, hosts).replace(/$/, '?target_session_attrs=read-write'),
    );
    const admin = await shop.login(await controller.ready());
    const create = () => admin.post(IDENTITIES, { name: unique('failover'), type: 'User', isAdmin: false });
    for (let count = 0; count < 5; count += 1) expectStatus(await create(), 201);
    const count = async () => (await standby.query('SELECT count(*)::int AS n FROM identities', 'failover'))[0]?.['n'];
    await until('the standby has it all', async () => (await count()) === 6);
    await primary.stop();
    servers.splice(servers.indexOf(primary), 1);
    await until('creates are refused', async () => (await create()).status === 503);
    await standby.query('SELECT pg_promote()');
    await until('creates go on at the promoted server', async () => (await create()).status === 201, 20_000);
    await until('it is ready', async () => (await admin.get('/readyz')).status === 200);
    expectStatus(await admin.get(`${CLIENT}/current-api-session`), 200);
    const users = await standby.query(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'edge-controller%'
        ORDER BY 1`,
    );
    await until(
      'changes are heard from it',
      async () =>
        (await standby.query("SELECT FROM pg_stat_activity WHERE application_name = 'edge-controller changes'"))
          .length === 1,
    );
    expect(users[0]).to.deep.equal({ name: 'edge-controller' });
    expect((await controller.stop()).code).to.equal(0);
    expect(controller.stderr()).to.equal('');
  });

  it('speaks TLS as each sslmode of libpq means, and prints no warning', async () => {
    const { root, other, files } = makeCertificates(shop.place());
    const server = await serve({ ssl: 'on' }, files);
    const byAddress = await server.newDatabase('encrypted');
    const byName = byAddress.replace('127.0.0.1', 'localhost');
    const masterKey = newMasterKey();
    const cases: readonly [string, true | false | RegExp][] = [
      [`${byAddress}?sslmode=disable`, false],
      [`${byAddress}?sslmode=prefer`, true],
      [`${byAddress}?sslmode=require`, true],
      [`${byAddress}?sslmode=verify-ca&sslrootcert=${root}`, true],
      [`${byName}?sslmode=verify-full&sslrootcert=${root}`, true],
      [`${byAddress}?sslmode=verify-full&sslrootcert=${root}`, /certificate/],
      [`${byName}?sslmode=require&sslrootcert=${other}`, /certificate/],
      [`${byName}?sslmode=verify-full`, /certificate/],
      [`${byName}?sslrootcert=system`, /certificate/],
      [
        `${byName}?sslmode=verify-full&sslrootcert=/none.pem`,
        /^edge-controller: DATABASE_URL names a file in sslrootcert that cannot be read \(ENOENT\)\.$/m,
      ],
    ];
    for (const [url, wanted] of cases) {
      const controller = start(url, { EDGE_MASTER_KEY: masterKey });
      if (wanted instanceof RegExp) {
        expect((await within(`${url} is refused`, 30_000, controller.ended)).code, url).to.equal(1);
        expect(controller.stderr(), url)
          .to.match(wanted)
          .and.not.match(/\n {4}at |WARNING/);
        continue;
      }
      await controller.ready();
      const rows = await server.query(
        `SELECT bool_and(ssl) AS yes, bool_or(ssl) AS any FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
          WHERE usename = 'encrypted'`,
      );
      expect(rows, url).to.deep.equal([{ yes: wanted, any: wanted }]);
      expect((await controller.stop()).code, url).to.equal(0);
      expect(controller.stderr(), url).to.equal('');
    }
    const plain = await serve({});
    const preferred = start(`${await plain.newDatabase('plain')}?sslmode=prefer`);
    await preferred.ready();
    expect((await preferred.stop()).code).to.equal(0);
  });
});
