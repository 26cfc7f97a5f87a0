/**
 * Standbys that answer long reads: what was written before is always seen, one that lags, is lost or is promoted is
 * left and comes back, and nothing that decides who may do what is read there.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { examine } from '../../commands/doctor/examine.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import type { Finding } from '../../server/maintenance/finding.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { askMetrics, valueIn } from '../support/metrics.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PostgresServers } from '../support/postgres-servers.js';
import type { PostgresServer } from '../support/postgres-servers.js';

/** Long: more than the short pages, which are no list for a standby. */
const LONG = 'limit=200';

describe('standbys that answer long reads', function replicas() {
  this.timeout(600_000);
  const shop = new ProcessShop();
  let servers: PostgresServers;
  let primary: PostgresServer;
  let standby: PostgresServer;
  let one: ControllerProcess;
  let admin: Client;
  let other: Client;
  let url: string;
  let otherUrl: string;
  let metrics: string;
  const masterKey = newMasterKey();

  before(async () => {
    servers = new PostgresServers();
    primary = await servers.primary();
    standby = await servers.standbyOf(primary);
    const env = {
      EDGE_MASTER_KEY: masterKey,
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      DATABASE_URL: primary.url,
      EDGE_DATABASE_REPLICAS: standby.url,
      EDGE_METRICS_LISTEN: '127.0.0.1:0',
      EDGE_METRICS_TLS: 'off',
    };
    one = shop.start(join(shop.place(), 'data'), { env: { ...env, EDGE_NAME: 'one' } });
    url = await one.ready();
    admin = await shop.login(url);
    const two = shop.start(join(shop.place(), 'data'), { env: { ...env, EDGE_NAME: 'two' } });
    otherUrl = await two.ready();
    other = shop.client(otherUrl, admin.token);
    metrics = `http://${String(one.log().find(({ msg }) => msg === 'metrics are served')?.['address'])}/metrics`;
    await becomes(1);
  });
  after(async () => {
    await shop.end();
    await servers.end();
  });

  const value = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    valueIn((await askMetrics(metrics)).text, name, labels) ?? 0;
  const becomes = (up: number) =>
    until(`the standby is ${up === 1 ? '' : 'not '}used`, async () => (await value('edge_db_replica_up')) === up);
  const answered = (from: 'replica' | 'primary') => value('edge_db_replica_reads_total', { from });
  const create = async (client: Client) => {
    const name = unique('replica');
    expectStatus(await client.post(`${M}/identities`, { name, type: 'User', isAdmin: false }), 201);
    return name;
  };
  const namesSeen = async (client: Client, query = LONG) => {
    const { data } = expectStatus(
      await client.get(`${M}/identities?${query}&sort=${encodeURIComponent('createdAt desc')}`),
      200,
    );
    return (data as { name: string }[]).map(({ name }) => name);
  };
  const delayReplay = async (time: string) => {
    await standby.query(`ALTER SYSTEM SET recovery_min_apply_delay = '${time}'`);
    await standby.query('SELECT pg_reload_conf()');
  };
  const examined = (replicas: string): Promise<Finding[]> => {
    const env = {
      EDGE_MASTER_KEY: masterKey,
      EDGE_DATA_DIR: one.dataDir,
      EDGE_LISTEN: new URL(url).host,
      DATABASE_URL: primary.url,
      EDGE_DATABASE_REPLICAS: replicas,
    };
    const config = readConfig({ env });
    return examine({ config, file: undefined, runtime: process.version, isThorough: false });
  };
  /** Level and message of the doctor's findings about replicas. */
  const doctorSays = async (replicas = standby.url) =>
    (await examined(replicas))
      .filter(({ check }) => check === 'replicas')
      .map(({ level, message }) => `${level}: ${message}`);
  const expectSeen = async () => {
    const name = await create(admin);
    expect(await namesSeen(admin)).to.include(name);
    return name;
  };

  it('are asked for long lists, the audit, explanations and lists without limit, and say so in metrics', async () => {
    const { id } = expectStatus(await admin.get(`${C}/current-identity`), 200).data as { id: string };
    const name = unique('replica-service');
    const made = expectStatus(await admin.post(`${M}/services`, { name, encryptionRequired: true }), 201);
    const { id: serviceId } = made.data as { id: string };
    for (const path of [
      `identities?${LONG}`,
      'identities?limit=-1',
      `identities?filter=${encodeURIComponent('name contains "adm"')}`,
      `audit?${LONG}`,
      `identities/${id}/explain/${serviceId}`,
    ]) {
      const [before, beside] = [await answered('replica'), await answered('primary')];
      expectStatus(await admin.get(`${M}/${path}`), 200);
      expect(await answered('replica'), path).to.be.greaterThan(before);
      expect(await answered('primary'), path).to.equal(beside);
    }
    expect(await value('edge_db_statement_duration_seconds_count', { connection: 'replica' })).to.be.greaterThan(0);
  });

  it('are looked at by the doctor, which names those that cannot be used', async () => {
    const place = (server: PostgresServer) => new URL(server.url).host;
    const nobody = `postgresql://edge:secret@127.0.0.1:${await freePort()}/edge`;
    const stranger = await servers.primary();
    const ofStranger = await servers.standbyOf(stranger);
    const said = await doctorSays([standby, primary, ofStranger].map(({ url: each }) => each).join() + `,${nobody}`);
    expect(said).to.have.lengthOf(4);
    const [good = '', writes, foreign, lost] = said;
    expect(good)
      .to.match(/^(ok|warning): The replica .* keeps up/)
      .and.include(place(standby));
    expect(writes)
      .to.match(/^warning: The server .* takes writes/)
      .and.include(place(primary));
    expect(foreign)
      .to.match(/^fault: The replica .* is a standby of another database/)
      .and.include(place(ofStranger));
    expect(lost)
      .to.match(/^warning: The replica .* does not answer \(.*ECONNREFUSED/)
      .and.not.include('secret');
  });

  it('that cannot be used as they are written hide nothing else from the doctor', async () => {
    const findings = await examined(`${standby.url}?sslmode=verify-full&sslrootcert=/does/not/exist`);
    const [fault, ...others] = findings.filter(({ check }) => check === 'replicas');
    expect([fault?.level, others]).to.deep.equal(['fault', []]);
    expect(fault?.message).to.include('EDGE_DATABASE_REPLICAS');
    expect(findings.map(({ check }) => check)).to.include.members(['clock', 'certificates', 'schema']);
  });

  it('are not asked for sessions, logins, authenticators, enrollments, revocations, nor by clients', async () => {
    const before = [await answered('replica'), await answered('primary')];
    for (const path of [
      'api-sessions',
      'sessions',
      'authenticators',
      'enrollments',
      'revocations',
      'cas',
      'auth-policies',
    ])
      expectStatus(await admin.get(`${M}/${path}?${LONG}`), 200);
    for (const path of ['services', 'sessions', 'current-identity/authenticators'])
      expectStatus(await admin.get(`${C}/${path}?${LONG}`), 200);
    await shop.login(url);
    expect([await answered('replica'), await answered('primary')]).to.deep.equal(before);
  });

  it('show a caller what it has written, on whichever controller', async () => {
    const before = await answered('replica');
    await delayReplay('30ms');
    // On a busy machine it may be left for a second by the first of them.
    for (let round = 0; round < 40 || (round < 1_000 && (await answered('replica')) === before); round += 1) {
      const name = await create(round % 2 === 0 ? admin : other);
      expect(await namesSeen(admin), `round ${round}`).to.include(name);
    }
    expect(await answered('replica'), 'it was waited for').to.be.greaterThan(before);
    await delayReplay('0');
  });

  it('are left while they lag, and used again once they have caught up', async () => {
    await standby.query('SELECT pg_wal_replay_pause()');
    const session = await shop.login(url);
    const began = Date.now();
    await expectSeen();
    expect(Date.now() - began, 'one read waits for it, shortly').to.be.lessThan(2_000);
    await becomes(0);
    const [before, beside] = [await answered('replica'), await answered('primary')];
    expect((await doctorSays()).join()).to.match(/^warning: The replica .* is \d+ KiB of changes behind\.$/);
    for (let round = 0; round < 10; round += 1) await expectSeen();
    expect([await answered('replica'), (await answered('primary')) - beside]).to.deep.equal([before, 10]);
    expectStatus(await session.delete(`${C}/current-api-session`), 200);
    for (const client of [session, shop.client(otherUrl, session.token)])
      expect((await client.get(`${M}/identities?${LONG}`)).status, 'an ended session').to.equal(401);
    await standby.query('SELECT pg_wal_replay_resume()');
    await becomes(1);
    await expectSeen();
    expect(await answered('replica')).to.be.greaterThan(before);
  });

  it('are left when they hang or are gone, without a failed read, and used again when they are back', async () => {
    for (const [leave, come] of [
      [
        () => {
          standby.signal('SIGSTOP');
        },
        () => {
          standby.signal('SIGCONT');
        },
      ],
      [() => standby.crash(), () => standby.start()],
    ] as const) {
      await becomes(1);
      await leave();
      for (let round = 0; round < 20; round += 1) await expectSeen();
      await becomes(0);
      await come();
      await becomes(1);
      await expectSeen();
    }
    const states = one.log().filter(({ replica }) => replica !== undefined);
    expect(states.map(({ state }) => state)).to.include.members(['behind', 'lost']);
    expect(JSON.stringify(states)).not.to.include('secret');
  });

  it('are never believed once they take writes', async () => {
    await becomes(1);
    await standby.promote();
    for (let round = 0; round < 10; round += 1) await expectSeen();
    await becomes(0);
    expect(await standby.query('SELECT count(*)::int AS n FROM identities')).to.have.lengthOf(1);
    expect(one.stderr()).to.equal('');
    expect(
      one.log().filter(({ level, replica }) => level === 'error' || (level === 'warn' && replica === undefined)),
    ).to.deep.equal([]);
  });
});
