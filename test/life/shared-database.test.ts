/** Controllers of the real command on one external database: first starts, master keys, addresses and certificates. */
import { readdirSync, existsSync } from 'node:fs';
import { X509Certificate, createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { createKeyRing, newMasterKey, parseMasterKey } from '../../domain/pki/master-key.js';
import { issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { keyPairOf } from '../../domain/pki/keys.js';
import { expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import { dial } from '../api/server-support.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const DAY_MS = 86_400_000;

/** Fingerprint of the certificate that a new connection is shown. */
async function servedBy(url: string): Promise<string> {
  const socket = await dial(url);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

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

describe('controllers that share an external database', function () {
  this.timeout(300_000);
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

  const envOf = (name: string) => ({
    DATABASE_URL: database.url,
    EDGE_NAME: name,
    EDGE_MASTER_KEY: masterKey,
    EDGE_ADMIN_PASSWORD: ADMIN.password,
    EDGE_DATABASE_POOL_SIZE: '4',
  });
  const start = (name: string, env: Readonly<Record<string, string>> = {}) =>
    shop.start(join(shop.place(), 'data'), { env: { ...envOf(name), ...env } });
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
        'Set EDGE_MASTER_KEY (or EDGE_MASTER_KEY_FILE, or master.key in the data directory) to the key that this ' +
        'network was last started with.\n',
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
    // Routers are told of the new name of the key before it is used: for ten seconds it has the one of before.
    const names = [old, fresh].map(({ certificate }) => certificate.fingerprint.replaceAll(':', '').toLowerCase());
    expect(names).to.include(read(header)['kid']);
    expect((await database.query('SELECT advertise FROM network')).rows).to.deep.equal([
      { advertise: 'ctrl.moved.example:8443' },
    ]);

    // The same settings again: nothing to do.
    await moved.stop();
    await start('one', { EDGE_ADVERTISE: 'ctrl.moved.example:8443' }).ready();
    expect((await serverCertificate()).generation).to.equal(fresh.generation);
  });

  const named = async (...hosts: readonly string[]) => {
    const { certificate } = await serverCertificate();
    return hosts.filter((host) => certificate.checkHost(host) !== undefined);
  };
  /** Addresses of its own, for clients and for routers; it looks at its keys all the time. */
  const envAt = (name: string) => ({
    ...envOf(name),
    EDGE_ADVERTISE: `${name}.example:1280`,
    EDGE_CONTROL_ADVERTISE: `routers.${name}.example:6262`,
    EDGE_TLS_NAMES: `other.${name}.example`,
    EDGE_TLS_RENEWAL_CHECK: '0.2s',
  });
  const startAt = (name: string) => start(name, envAt(name));
  const namesOf = (name: string) => [`${name}.example`, `routers.${name}.example`, `other.${name}.example`];

  it('with addresses of their own show one certificate with the names of all, and none takes it back', async () => {
    const one = startAt('one');
    const first = await one.ready();
    expect(await named(...namesOf('one'))).to.have.length(3);
    const two = startAt('two');
    const second = await two.ready();
    expect(await named(...namesOf('one'), ...namesOf('two'))).to.have.length(6);
    const { generation, certificate } = await serverCertificate();
    for (const url of [first, second])
      await until(`${url} shows it`, async () => (await servedBy(url)) === certificate.fingerprint256);
    // Each has looked at its keys again, many times.
    const looked = async () => {
      const sql = `SELECT min(last_seen_at) AS at FROM server_names WHERE name LIKE '%.example'`;
      return ((await database.query(sql)).rows[0]?.['at'] as Date).getTime();
    };
    const since = await looked();
    await until('each has looked at its keys again', async () => (await looked()) > since + 1_000);
    expect((await serverCertificate()).generation).to.equal(generation);
  });

  it('keep the names of one that left for a day, and nothing is issued to take them out', async () => {
    for (const name of ['one', 'two']) {
      const controller = startAt(name);
      await controller.ready();
      await controller.stop();
    }
    const { generation } = await serverCertificate();
    const renew = async () => {
      const child = shop.start(join(shop.place(), 'data'), { args: ['renew', 'server'], env: envAt('one') });
      expect(await child.ended, child.stderr()).to.deep.equal({ code: 0, signal: null });
    };
    await renew();
    expect(await named(...namesOf('one'), ...namesOf('two')), 'within the day').to.have.length(6);
    await database.query("UPDATE server_names SET last_seen_at = now() - interval '25 hours'");
    const one = startAt('one');
    await one.ready();
    expect((await serverCertificate()).generation, 'nothing is missing').to.equal(generation + 1);
    expect(await named(...namesOf('two'))).to.have.length(3);
    await renew();
    expect(await named(...namesOf('one'), ...namesOf('two')), 'later').to.deep.equal(namesOf('one'));
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
    const aged = await issueServerCertificate(openIssuer(open('intermediate')), {
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
