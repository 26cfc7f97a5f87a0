/** First starts of the real command: what they make, what they print once, and what a later start may not change. */
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, existsSync, chmodSync } from 'node:fs';
import { X509Certificate, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { createKeyRing, newMasterKey, parseMasterKey } from '../../domain/pki/master-key.js';
import { issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { keyPairOf } from '../../domain/pki/keys.js';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { ProcessShop, isAlive, serverPid, serverProcesses, within } from '../support/process.js';
import type { ControllerProcess, Exit, LogLine } from '../support/process.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const STOPPED: Exit = { code: 0, signal: null };
const DAY_MS = 86_400_000;

const bitsOf = (file: string): number => statSync(file).mode & 0o777;

/** The moments of a first start on an embedded database, in order. */
const MOMENTS: Readonly<Record<string, (dataDir: string, controller: ControllerProcess) => boolean>> = {
  'the directory is locked': (dataDir) =>
    existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('controller.lock.')),
  'a cluster is in the making': (dataDir) => existsSync(join(dataDir, 'postgres.new', 'PG_VERSION')),
  'the cluster is in its place': (dataDir) => existsSync(join(dataDir, 'postgres')),
  'the server answers': (_, controller) => controller.log().some(({ msg }) => msg === 'embedded PostgreSQL is ready'),
  'the schema is made': (_, controller) =>
    controller.log().some(({ msg }) => msg === 'database schema brought up to date'),
  'the keys are made': (_, controller) => controller.log().some(({ msg }) => msg.startsWith('new network')),
};

/** What a network is made of; equal before and after a start that changed nothing. */
async function networkOf(database: TestDatabase): Promise<Record<string, unknown>[]> {
  const { rows } = await database.query(`SELECT (SELECT json_agg(n) FROM network n) AS network,
    (SELECT json_agg(json_build_array(purpose, generation, fingerprint) ORDER BY purpose, generation)
    FROM pki_entities) AS pki,
    (SELECT json_agg(json_build_array(id, name, is_default_admin) ORDER BY id) FROM identities) AS identities,
    (SELECT json_agg(password_hash ORDER BY id) FROM authenticators) AS passwords,
    (SELECT json_agg(name ORDER BY name) FROM controllers) AS controllers`);
  return rows;
}

describe('a first start', function () {
  this.timeout(120_000);
  let shop: ProcessShop;
  beforeEach(() => {
    shop = new ProcessShop();
  });
  afterEach(() => shop.end());

  it('makes a private data directory and tells the new password once, on stderr only', async () => {
    const dataDir = join(shop.place(), 'made', 'on the way', 'data');
    const first = shop.start(dataDir, { env: { EDGE_LOG_LEVEL: 'debug' } });
    const url = await first.ready();
    await until('the notice is printed', () => first.stderr().includes('This is shown once'));
    const password = /password {2}(\S+)/.exec(first.stderr())?.[1] ?? '';
    expect(password).to.have.length.of.at.least(20);
    expect(first.stderr().split(password)).to.have.length(2);
    expect(readFileSync(join(dataDir, 'admin-password'), 'utf8')).to.equal(`${password}\n`);
    await shop.login(url, password);
    expect(bitsOf(dataDir)).to.equal(0o700);
    expect(readdirSync(dataDir)).to.include.members(['master.key', 'admin-password', 'postgres', 'postgres.log']);
    for (const name of ['master.key', 'admin-password', 'postgres.log'])
      expect(bitsOf(join(dataDir, name)), name).to.equal(0o600);
    expect(bitsOf(join(dataDir, 'postgres'))).to.equal(0o700);
    expect(await first.stop()).to.deep.equal(STOPPED);
    expect(first.stdout()).not.to.include(password);
    expect(first.stdout()).not.to.include(readFileSync(join(dataDir, 'master.key'), 'utf8').trim());

    const second = shop.start(dataDir);
    await shop.login(await second.ready(), password);
    expect(await second.stop()).to.deep.equal(STOPPED);
    expect(second.stderr()).to.equal('');
    expect(second.stdout()).not.to.include(password);
  });

  it('uses a given password, and neither prints nor keeps it', async () => {
    const dataDir = join(shop.place(), 'data');
    const controller = shop.start(dataDir, {
      env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_ADMIN_USERNAME: 'the boss' },
    });
    await shop.login(await controller.ready(), ADMIN.password, 'the boss');
    await controller.stop();
    expect(controller.stderr()).to.equal('');
    expect(controller.stdout()).not.to.include(ADMIN.password);
    expect(existsSync(join(dataDir, 'admin-password'))).to.equal(false);
  });

  it('does not take a password that is set later, and says so once', async () => {
    const dataDir = join(shop.place(), 'data');
    const warnings = ({ log }: { log: () => readonly LogLine[] }) =>
      log()
        .filter(({ level }) => level === 'warn')
        .map(({ msg }) => msg);
    for (const workers of ['1', '2']) {
      const first = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_WORKERS: workers } });
      await first.ready();
      await first.stop();
      expect(warnings(first)).to.deep.equal([]);
    }
    const shared = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: 'another one', EDGE_WORKERS: '2' } });
    await shared.ready();
    await shared.stop();
    expect(warnings(shared)).to.have.length(1);
    const second = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: 'another one' } });
    const url = await second.ready();
    await shop.login(url, ADMIN.password);
    const answer = await shop
      .client(url)
      .post(`${MANAGEMENT}/authenticate?method=password`, { username: 'admin', password: 'another one' });
    expect(answer.status).to.equal(403);
    expect(warnings(second)).to.deep.equal([
      'EDGE_ADMIN_PASSWORD is not the password of the default administrator: it is used at the first start only. ' +
        'Change the password with PATCH /edge/management/v1/current-identity/authenticators/{id}, ' +
        'and remove the setting',
    ]);
    expect(second.stdout()).not.to.include('another one');
  });

  it('closes an open data directory that is empty, and leaves one with files of others as it is', async () => {
    const place = shop.place();
    const [empty, foreign] = [join(place, 'empty'), join(place, 'foreign')];
    for (const directory of [empty, foreign]) {
      mkdirSync(directory);
      chmodSync(directory, 0o755);
    }
    writeFileSync(join(foreign, 'thesis.txt'), 'ours');
    await shop.start(empty).ready();
    expect(bitsOf(empty)).to.equal(0o700);

    const refused = shop.start(foreign);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(
      /^edge-controller: The data directory \S+foreign is open to other users and holds files that are not the controller's\. .*chmod 700.*\n$/,
    );
    expect(bitsOf(foreign)).to.equal(0o755);
    expect(readdirSync(foreign)).to.deep.equal(['thesis.txt']);
  });

  it('that was killed at any moment is completed by the next one', async () => {
    for (const [moment, hasCome] of Object.entries(MOMENTS)) {
      const dataDir = join(shop.place(), 'data');
      const env = { EDGE_ADMIN_PASSWORD: ADMIN.password };
      const killed = shop.start(dataDir, { env });
      await until(moment, () => hasCome(dataDir, killed));
      killed.kill('SIGKILL');
      await killed.ended;
      const next = shop.start(dataDir, { env });
      const url = await next.ready().catch((error: unknown) => {
        throw new Error(`killed when ${moment}: ${(error as Error).message}`);
      });
      const admin = await shop.login(url);
      expect(
        expectStatus(await admin.get(`${MANAGEMENT}/identities`), 200).meta.pagination?.totalCount,
        `killed when ${moment}`,
      ).to.equal(1);
      await next.stop();
      expect(serverProcesses(dataDir)).to.deep.equal([]);
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends on ${signal} while it is under way, leaving nothing running and nothing broken`, async () => {
      // Before node runs our code, a signal ends it as it ends any process: the first moment is the lock's.
      for (const [moment, hasCome] of Object.entries(MOMENTS).filter(
        (_, index) => index % 2 === (signal === 'SIGTERM' ? 0 : 1),
      )) {
        const dataDir = join(shop.place(), 'data');
        const env = { EDGE_ADMIN_PASSWORD: ADMIN.password };
        const stopped = shop.start(dataDir, { env });
        await until(moment, () => hasCome(dataDir, stopped));
        stopped.kill(signal);
        expect(
          await within('it ends', 20_000, stopped.ended),
          `${signal} when ${moment}: ${stopped.stderr()}`,
        ).to.deep.equal(STOPPED);
        expect(stopped.stderr()).to.equal('');
        expect(stopped.log().at(-1)?.msg).to.equal('stopped');
        expect(serverProcesses(dataDir)).to.deep.equal([]);
        const next = shop.start(dataDir, { env });
        await shop.login(await next.ready());
        await next.stop();
      }
    });
  }
});

describe('a start on a data directory in use', function () {
  this.timeout(60_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('is refused in one sentence while the first controller goes on', async () => {
    const dataDir = join(shop.place(), 'data');
    const first = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password } });
    const url = await first.ready();
    const admin = await shop.login(url);
    const second = shop.start(dataDir);
    expect(await second.ended).to.deep.equal({ code: 1, signal: null });
    expect(second.stderr()).to.equal(
      `edge-controller: The data directory ${dataDir} is in use by another controller (process ${first.pid}). ` +
        'Stop that one first, or give this one a data directory of its own; several controllers can only share a ' +
        'database through DATABASE_URL.\n',
    );
    expectStatus(await admin.post(`${MANAGEMENT}/identities`, { name: 'after', type: 'User', isAdmin: false }), 201);
  });

  it('two at once: one serves, the other is refused', async () => {
    const dataDir = join(shop.place(), 'data');
    const both = [shop.start(dataDir), shop.start(dataDir)];
    const outcomes = await Promise.all(
      both.map(async (controller) =>
        Promise.race([controller.ready().catch(() => 'ended'), controller.ended.then(() => 'ended')]),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'ended')).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome.startsWith('https://'))).to.have.length(1);
  });
});

describe('SIGINT', function () {
  this.timeout(60_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('twice ends the controller and its server in good order', async () => {
    const dataDir = join(shop.place(), 'data');
    const controller = shop.start(dataDir);
    await controller.ready();
    const server = serverPid(dataDir) ?? 0;
    expect(server).to.be.greaterThan(0);
    controller.kill('SIGINT');
    controller.kill('SIGINT');
    expect(await within('it ends', 10_000, controller.ended)).to.deep.equal(STOPPED);
    expect(isAlive(server)).to.equal(false);
    expect(controller.log().filter(({ msg }) => msg === 'stopped')).to.have.length(1);
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).to.match(/database system is shut down\s*$/);
  });
});

describe('a stop while a client dawdles', function () {
  this.timeout(60_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('waits for the request, and no more once it is told again', async () => {
    const controller = shop.start(join(shop.place(), 'data'));
    const { hostname, port } = new URL(await controller.ready());
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(
      'POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nhost: x\r\ncontent-type: ' +
        'application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{',
    );
    await once(socket, 'data'); // 100: it is being read
    controller.kill('SIGINT');
    const since = performance.now();
    await until('it stops', () => controller.log().some(({ msg }) => msg === 'stopping'));
    // npm passes Ctrl-C on a second time within moments: that counts once.
    controller.kill('SIGINT');
    await until('a second has passed', () => performance.now() - since > 1_000);
    expect(isAlive(controller.pid)).to.equal(true);
    controller.kill('SIGINT');
    expect(await within('it ends', 5_000, controller.ended)).to.deep.equal(STOPPED);
    expect(controller.log().map(({ msg }) => msg)).to.include('stopping at once');
    socket.destroy();
  });
});

describe('controllers that share an external database', function () {
  this.timeout(120_000);
  let shop: ProcessShop;
  let database: TestDatabase;
  const masterKey = newMasterKey();
  beforeEach(async () => {
    shop = new ProcessShop();
    database = await openTestDatabase({ isEmpty: true });
  });
  afterEach(async () => {
    await shop.end();
    await database.close();
  });

  const start = (name: string, env: Readonly<Record<string, string>> = {}) =>
    shop.start(join(shop.place(), 'data'), {
      env: {
        DATABASE_URL: database.url,
        EDGE_NAME: name,
        EDGE_MASTER_KEY: masterKey,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_POOL_SIZE: '4',
        ...env,
      },
    });
  const made = async (name = 'one') => {
    const controller = start(name);
    await controller.ready();
    await controller.stop();
    return networkOf(database);
  };

  it('may both start first: one network, one administrator, one set of types, and both serve', async () => {
    const [one, two] = [start('one'), start('two')];
    const urls = await Promise.all([one.ready(), two.ready()]);
    const {
      rows: [counts],
    } = await database.query(`SELECT (SELECT count(*)::int FROM network) AS networks,
      (SELECT count(*)::int FROM identities) AS identities, (SELECT count(*)::int
      FROM authenticators) AS authenticators,
      (SELECT count(*)::int FROM pki_entities) AS keys, (SELECT count(*)::int FROM identity_types) AS "identityTypes",
      (SELECT count(DISTINCT name)::int = count(*)::int FROM config_types) AS "typesAreDistinct",
      (SELECT count(*)::int FROM controllers) AS controllers`);
    expect(counts).to.deep.equal({
      networks: 1,
      identities: 1,
      authenticators: 1,
      keys: 3,
      identityTypes: 5,
      typesAreDistinct: true,
      controllers: 2,
    });
    const admin = await shop.login(urls[0]);
    expectStatus(await admin.post(`${MANAGEMENT}/identities`, { name: 'shared', type: 'User', isAdmin: false }), 201);
    // The session made on one counts on the other.
    const elsewhere = shop.client(urls[1], admin.token);
    const list = expectStatus(
      await elsewhere.get(`${MANAGEMENT}/identities?filter=${encodeURIComponent('name="shared"')}`),
      200,
    );
    expect(list.data).to.have.length(1);
    expectStatus(await shop.client(urls[1], admin.token).delete(`${CLIENT}/current-api-session`), 200);
    await until(
      'the session is gone on the first',
      async () => (await admin.get(`${CLIENT}/current-api-session`)).status === 401,
    );
  });

  it('need no data directory when key and password are given', async () => {
    const directory = shop.place();
    const controller = shop.start(join(directory, 'data'), {
      env: { DATABASE_URL: database.url, EDGE_MASTER_KEY: masterKey, EDGE_ADMIN_PASSWORD: ADMIN.password },
    });
    await controller.ready();
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('with another master key are refused, and nothing changes', async () => {
    const before = await made();
    const refused = start('two', { EDGE_MASTER_KEY: newMasterKey(), EDGE_ADVERTISE: 'elsewhere.example:1' });
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.equal(
      'edge-controller: The master key is not the one that this database was made with, so its keys cannot be ' +
        'opened. ' +
        'Set EDGE_MASTER_KEY (or EDGE_MASTER_KEY_FILE, or master.key in the data directory) to the original key.\n',
    );
    expect(await networkOf(database)).to.deep.equal(before);
  });

  it('without the master key of an existing network are refused, and make none', async () => {
    const before = await made();
    const dataDir = join(shop.place(), 'data');
    const refused = shop.start(dataDir, { env: { DATABASE_URL: database.url } });
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.equal(
      `edge-controller: The master key of this network is missing: ${join(dataDir, 'master.key')} does not exist. ` +
        `Put it back, or set EDGE_MASTER_KEY.\n`,
    );
    expect(existsSync(join(dataDir, 'master.key'))).to.equal(false);
    expect(await networkOf(database)).to.deep.equal(before);
  });

  it('with a key that is none are refused without showing it', async () => {
    const refused = start('one', { EDGE_MASTER_KEY: 'c2VjcmV0IGJ1dCB0b28gc2hvcnQ' });
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr())
      .to.match(/^edge-controller: The master key cannot be used: .*\n$/)
      .and.not.include('c2VjcmV0');
    expect(
      (
        await database.query(
          `SELECT to_regclass('network') IS NULL OR NOT EXISTS (SELECT FROM pg_class WHERE relname = 'network'
            AND reltuples > 0) AS none`,
        )
      ).rows,
    ).to.deep.equal([{ none: true }]);
  });

  it('do not rename an existing trust domain', async () => {
    const before = await made();
    const refused = start('one', { EDGE_TRUST_DOMAIN: 'other.example' });
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.match(
      /^edge-controller: The trust domain of this network is \S+ and cannot be changed: remove EDGE_TRUST_DOMAIN\.\n$/,
    );
    expect(await networkOf(database)).to.deep.equal(before);
  });

  it('go on where a controller died between taking the migration lock and migrating', async () => {
    await database.query(`CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255), batch integer,
      migration_time timestamptz);
      CREATE TABLE schema_migrations_lock (index serial PRIMARY KEY, is_locked integer);
      INSERT INTO schema_migrations_lock (is_locked) VALUES (1)`);
    await shop.login(await start('one').ready());
  });

  const serverCertificate = async () => {
    const {
      rows: [row],
    } = await database.query(
      "SELECT cert_pem AS pem, generation FROM pki_entities WHERE purpose = 'server' ORDER BY generation DESC LIMIT 1",
    );
    const certificate = new X509Certificate(String(row?.['pem']));
    return {
      certificate,
      generation: Number(row?.['generation']),
      publicKey: certificate.publicKey.export({ type: 'spki', format: 'pem' }),
    };
  };

  it('reissue the certificate with the same key for a new advertised address, and enroll there', async () => {
    await made();
    const old = await serverCertificate();
    const moved = start('one', { EDGE_ADVERTISE: 'ctrl.moved.example:8443' });
    const admin = await shop.login(await moved.ready());
    const fresh = await serverCertificate();
    expect(fresh.generation).to.equal(old.generation + 1);
    expect(fresh.publicKey).to.equal(old.publicKey);
    expect(fresh.certificate.fingerprint).not.to.equal(old.certificate.fingerprint);
    expect(fresh.certificate.checkHost('ctrl.moved.example')).to.equal('ctrl.moved.example');

    const created = expectStatus(
      await admin.post(`${MANAGEMENT}/identities`, {
        name: 'enrolls',
        type: 'Device',
        isAdmin: false,
        enrollment: { ott: true },
      }),
      201,
    );
    const { id } = created.data as { id: string };
    const detail = expectStatus(await admin.get(`${MANAGEMENT}/identities/${id}`), 200).data as {
      enrollment: { ott: { jwt: string } };
    };
    const [header = '', payload = ''] = detail.enrollment.ott.jwt.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    expect(read(payload)['iss']).to.equal('https://ctrl.moved.example:8443');
    expect(read(payload)['ctrls']).to.deep.equal(['tls:ctrl.moved.example:8443']);
    expect(read(header)['kid']).to.equal(fresh.certificate.fingerprint.replaceAll(':', '').toLowerCase());
    expect((await database.query('SELECT advertise FROM network')).rows).to.deep.equal([
      { advertise: 'ctrl.moved.example:8443' },
    ]);

    // The same settings again: nothing to do.
    await moved.stop();
    await start('one', { EDGE_ADVERTISE: 'ctrl.moved.example:8443' }).ready();
    expect((await serverCertificate()).generation).to.equal(fresh.generation);
  });

  it('renew at start a server certificate that is due, with the same key', async () => {
    await made();
    const old = await serverCertificate();
    const ring = createKeyRing(parseMasterKey(masterKey), []);
    const { rows } = await database.query(
      `SELECT DISTINCT ON (purpose) purpose, generation, sealed_key AS "sealedKey", cert_pem AS "certPem"
        FROM pki_entities ORDER BY purpose, generation DESC`,
    );
    const open = (purpose: string) => {
      const row = rows.find((candidate) => candidate['purpose'] === purpose);
      return {
        certPem: String(row?.['certPem']),
        privateKeyPem: ring
          .open(row?.['sealedKey'] as Buffer, `pki:${purpose}:${Number(row?.['generation'])}`)
          .toString(),
      };
    };
    // As if it had been issued long ago for the same names.
    const aged = await issueServerCertificate(await openIssuer(open('intermediate')), {
      now: new Date(Date.now() - 90 * DAY_MS),
      lifetimeSeconds: 100 * 86_400,
      commonName: 'one',
      keys: keyPairOf(open('server').privateKeyPem),
      names: { dns: ['localhost'], ip: ['127.0.0.1', '::1'] },
      uri: (old.certificate.subjectAltName ?? '').match(/URI:([^,\s]+)/)?.[1] ?? '',
    });
    await database.query(
      `INSERT INTO pki_entities (purpose, generation, sealed_key, cert_pem, fingerprint, not_before, not_after)
      VALUES ('server', $1, $2, $3, $4, $5, $6)`,
      [
        old.generation + 1,
        ring.seal(open('server').privateKeyPem, `pki:server:${old.generation + 1}`),
        aged.certPem,
        aged.fingerprint,
        aged.notBefore,
        aged.notAfter,
      ],
    );

    const controller = start('one');
    await controller.ready();
    const fresh = await serverCertificate();
    expect(fresh.generation).to.equal(old.generation + 2);
    expect(fresh.publicKey).to.equal(old.publicKey);
    expect(createPublicKey(open('server').privateKeyPem).export({ type: 'spki', format: 'pem' })).to.equal(
      old.publicKey,
    );
    expect(Date.parse(fresh.certificate.validTo)).to.be.greaterThan(Date.now() + 100 * DAY_MS);
    expect(controller.log().map(({ msg }) => msg)).to.include('server certificate reissued');
  });
});

describe('an embedded network whose master key file is lost', function () {
  this.timeout(60_000);
  const shop = new ProcessShop();
  after(() => shop.end());

  it('is refused with the place where the key belongs, and served again once it is back', async () => {
    const dataDir = join(shop.place(), 'data');
    const first = shop.start(dataDir);
    await first.ready();
    await first.stop();
    const file = join(dataDir, 'master.key');
    const key = readFileSync(file);
    rmSync(file);
    const refused = shop.start(dataDir);
    expect(await refused.ended).to.deep.equal({ code: 1, signal: null });
    expect(refused.stderr()).to.equal(
      `edge-controller: The master key of this network is missing: ${file} does not exist. Put it back, ` +
        `or set EDGE_MASTER_KEY.\n`,
    );
    expect(existsSync(file)).to.equal(false);
    expect(serverProcesses(dataDir)).to.deep.equal([]);
    writeFileSync(file, key, { mode: 0o600 });
    await shop.start(dataDir).ready();
  });
});
