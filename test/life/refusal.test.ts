/** Starts that cannot succeed: one sentence that says what to do, exit code 1, no stack, nothing left running. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { keepLeastKnown } from '../../db/schema/compatibility.js';
import { dumpSchema } from '../../scripts/dump-schema.js';
import { ADMIN } from '../support/controller.js';
import { adminQuery, openTestDatabase } from '../support/database.js';
import { IS_ROOT, ProcessShop, nobody, otherUser, serverProcesses, within } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { NO_OTHER_USER, itUnless } from '../support/unless.js';

describe('a start that cannot succeed', function () {
  this.timeout(600_000);
  let shop: ProcessShop;
  let closers: (() => Promise<unknown>)[];
  beforeEach(() => {
    shop = new ProcessShop();
    closers = [];
  });
  afterEach(async () => {
    await shop.end();
    for (const close of closers) await close();
  });

  /** @param sentence  all of stderr but the program's name */
  const expectRefusal = async (controller: ControllerProcess, sentence: RegExp | string) => {
    expect(await within('it ends', 25_000, controller.ended)).to.deep.equal({ code: 1, signal: null });
    const text = controller.stderr();
    expect(text)
      .to.match(/^edge-controller: /)
      .and.not.match(/\n {4}at /);
    const message = text.slice('edge-controller: '.length).trimEnd();
    expect(message).not.to.include('\n');
    if (typeof sentence === 'string') expect(message).to.equal(sentence);
    else expect(message).to.match(sentence);
    expect(serverProcesses(controller.dataDir)).to.deep.equal([]);
  };
  const dataDir = () => join(shop.place(), 'data');
  const external = (url: string) => ({
    DATABASE_URL: url,
    EDGE_DATABASE_START_PATIENCE: '0s',
    EDGE_MASTER_KEY: newMasterKey(),
    EDGE_ADMIN_PASSWORD: ADMIN.password,
  });
  const emptyDatabase = async () => {
    const database = await openTestDatabase({ isEmpty: true });
    closers.push(() => database.close());
    return database;
  };
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    closers.push(
      () =>
        new Promise((resolve) => {
          server.close(resolve);
        }),
    );
    return (server.address() as AddressInfo).port;
  };

  it('because the port is in use', async () => {
    const address = `127.0.0.1:${await listen(createServer())}`;
    await expectRefusal(
      shop.start(dataDir(), { env: { EDGE_LISTEN: address } }),
      `${address} is in use by another program. Stop it, or set EDGE_LISTEN to another address.`,
    );
  });

  it('because the address is not of this machine', async () => {
    await expectRefusal(
      shop.start(dataDir(), { env: { EDGE_LISTEN: '192.0.2.1:1280' } }),
      /^It cannot listen on 192\.0\.2\.1:1280 \(.*EADDRNOTAVAIL.*\): set EDGE_LISTEN/,
    );
  });

  it('because the configuration file is not there, or is a directory', async () => {
    const missing = join(shop.place(), 'none.yml');
    await expectRefusal(
      shop.start(dataDir(), { args: ['-c', missing] }),
      /^The configuration file cannot be read: ENOENT.*none\.yml/,
    );
    await expectRefusal(
      shop.start(dataDir(), { env: { EDGE_CONFIG: shop.place() } }),
      /^The configuration file cannot be read: EISDIR/,
    );
  });

  it('because an option is unknown', async () => {
    const controller = shop.start(dataDir(), { args: ['--port', '1'] });
    expect(await within('it ends', 25_000, controller.ended)).to.deep.equal({ code: 2, signal: null });
    expect(controller.stderr()).to.match(/^edge-controller: unknown option '--port'\n/);
  });

  it('because a file stands where the data directory should be', async () => {
    const file = join(shop.place(), 'file');
    writeFileSync(file, '');
    await expectRefusal(
      shop.start(join(file, 'data')),
      /^The data directory \S+ cannot be used: ENOTDIR.*Set EDGE_DATA_DIR/,
    );
    await expectRefusal(
      shop.start(file),
      /^The data directory \S+ cannot be used: \S+file is not a directory\. Set EDGE_DATA_DIR/,
    );
  });

  it('because the data directory is not writable', async function () {
    const other = nobody();
    // Root may write everywhere: it needs another user to be refused. An ordinary user is refused by its own directory.
    if (IS_ROOT && other === undefined) throw new Error('this system has no user nobody to try it with');
    const place = shop.place();
    chmodSync(place, 0o755);
    const directory = join(place, 'data');
    mkdirSync(directory, { mode: 0o500 });
    if (IS_ROOT && other !== undefined)
      [place, directory].forEach((path) => {
        chownSync(path, other.uid, other.gid);
      });
    const refused = shop.start(directory, IS_ROOT && other !== undefined ? { owner: other } : {});
    await expectRefusal(refused, /cannot be locked \(EACCES.*Make it writable for the user of the controller\.$/);
  });

  itUnless(NO_OTHER_USER, 'because the data directory is not of the user who starts', async () => {
    const other = otherUser();
    const directory = dataDir();
    mkdirSync(directory, { mode: 0o700 });
    chownSync(directory, other.uid, other.gid);
    const victim = join(shop.place(), 'victim');
    writeFileSync(victim, 'secret', { mode: 0o600 });
    for (const name of ['postgres.log', 'master.key', 'admin-password']) symlinkSync(victim, join(directory, name));
    await expectRefusal(
      shop.start(directory),
      `The data directory ${directory} cannot be used: it belongs to the user with id ${other.uid}, ` +
        'but the controller runs as root. ' +
        'Start the controller as its owner, or hand the directory over with all that is in it: ' +
        `chown -R root '${directory}'. Or set EDGE_DATA_DIR to another directory.`,
    );
    chownSync(directory, 0, 0);
    await expectRefusal(
      shop.start(directory),
      /postgres\.log is a link or no file at all, .*Put a plain file of root in its place, or move it away\.$/,
    );
    rmSync(join(directory, 'postgres.log'));
    // A link to a key is refused as well: EDGE_MASTER_KEY_FILE is for a key that is kept elsewhere.
    const database = await emptyDatabase();
    const env = { DATABASE_URL: database.url, EDGE_ADMIN_PASSWORD: ADMIN.password };
    await expectRefusal(
      shop.start(directory, { env }),
      /^The file \S+master\.key cannot be read: \S+ is a link or no file at all.*EDGE_MASTER_KEY_FILE/,
    );
    expect(readFileSync(victim, 'utf8')).to.equal('secret');
    expect(statSync(victim)).to.include({ uid: 0, mode: 0o100600 });
  });

  it('because no master key is set for a database elsewhere, until one is allowed on this disk', async () => {
    const [directory, database] = [dataDir(), await emptyDatabase()];
    const env = { DATABASE_URL: database.url, EDGE_ADMIN_PASSWORD: ADMIN.password };
    await expectRefusal(
      shop.start(directory, { env }),
      /^No master key is set .*openssl rand -base64 32.*EDGE_MASTER_KEY on .*_KEY_LOCAL=true .*\S+master\.key\.$/,
    );
    expect(existsSync(directory)).to.equal(false);
    const tables = "SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    expect((await database.query(tables)).rows, 'what it made in the database').to.deep.equal([]);
    const allowed = shop.start(directory, { env: { ...env, EDGE_MASTER_KEY_LOCAL: 'true' } });
    await allowed.ready();
    await allowed.stop();
    const later = shop.start(directory, { env });
    await later.ready();
    await later.stop();
  });

  it('because the database was used by a newer release', async () => {
    const database = await emptyDatabase();
    const env = external(database.url);
    const first = shop.start(dataDir(), { env });
    await first.ready();
    await first.stop();
    await database.query(
      "INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('9999-from-the-future', 9, now());" +
        keepLeastKnown('9999-from-the-future'),
    );
    await expectRefusal(
      shop.start(dataDir(), { env }),
      'The database was used by a newer release (it has 9999-from-the-future). ' +
        'Start that release or a later one, or restore a backup made before the upgrade.',
    );
  });

  it('because the database was made before the first release, and changes nothing of it', async () => {
    const database = await emptyDatabase();
    // As those revisions left it: the table of knex with their names, and tables of the same names.
    await database.query(`
      CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255), batch integer,
        migration_time timestamptz);
      CREATE TABLE schema_migrations_lock (index serial PRIMARY KEY, is_locked integer);
      INSERT INTO schema_migrations_lock (is_locked) VALUES (0);
      INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('0001-base', 1, '2026-11-01'),
        ('0002-access', 1, '2026-11-01'), ('0003-certificates', 2, '2026-11-02');
      CREATE TABLE identities (id text PRIMARY KEY, name text);
      INSERT INTO identities VALUES ('1', 'kept')`);
    const contents = async () => ({
      schema: await dumpSchema((sql) => database.query(sql)),
      migrations: (await database.query('SELECT * FROM schema_migrations ORDER BY id')).rows,
      lock: (await database.query('SELECT * FROM schema_migrations_lock')).rows,
      identities: (await database.query('SELECT * FROM identities')).rows,
    });
    const before = await contents();
    await expectRefusal(
      shop.start(dataDir(), { env: external(database.url) }),
      'The database was made by a revision before the first release and cannot be brought forward; nothing of it was ' +
        'changed. Start with a new one (an empty database for DATABASE_URL, or another EDGE_DATA_DIR). ' +
        'To keep what it has, start that revision on it and read it out through its API.',
    );
    expect(await contents()).to.deep.equal(before);
  });

  const limitedRole = async (database: { url: string; query(text: string): Promise<unknown> }) => {
    const role = `limited_${process.pid}_${Date.now()}`;
    await adminQuery(`CREATE ROLE ${role} LOGIN`);
    closers.push(() => adminQuery(`DROP ROLE ${role}`));
    return database.url.replace(/\/\/[^@]*@/, `//${role}@`);
  };

  it('because the role may not create pg_trgm, until an administrator has', async () => {
    const database = await emptyDatabase();
    const url = await limitedRole(database);
    await expectRefusal(
      shop.start(dataDir(), { env: external(url) }),
      'The database lacks the extension pg_trgm and this role may not create it. ' +
        'Ask its administrator to run: CREATE EXTENSION pg_trgm; then start again.',
    );
    await database.query('CREATE EXTENSION pg_trgm');
    await expectRefusal(
      shop.start(dataDir(), { env: external(url) }),
      /^The role of DATABASE_URL may not make .*\(.*permission denied for schema public.*GRANT CREATE ON SCHEMA public/,
    );
    const role = /\/\/([^@]+)@/.exec(url)?.[1] ?? '';
    await database.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
    const served = shop.start(dataDir(), { env: external(url) });
    await served.ready();
    await served.stop();
  });

  it('because pg_trgm is in a schema where it is not found, until it is moved or that schema is searched', async () => {
    const database = await emptyDatabase();
    await database.query('CREATE SCHEMA extensions');
    await database.query('CREATE EXTENSION pg_trgm SCHEMA extensions');
    await expectRefusal(
      shop.start(dataDir(), { env: external(database.url) }),
      'The extension pg_trgm is in the schema extensions, where it is not found. ' +
        'Ask its owner to run: ALTER EXTENSION pg_trgm SET SCHEMA public; then start again. ' +
        '(Or add that schema to the search_path of the role.)',
    );
    const searching = shop.start(dataDir(), {
      env: external(`${database.url}&options=${encodeURIComponent('-c search_path=public,extensions')}`),
    });
    await searching.ready();
    await searching.stop();
  });

  it('because a statement of a migration fails, without its hundreds of lines', async () => {
    const database = await emptyDatabase();
    await database.query('CREATE TABLE identities (id int)');
    await expectRefusal(
      shop.start(dataDir(), { env: external(database.url) }),
      'The database cannot be brought to the schema of this release ' +
        '(relation "identities" already exists, SQLSTATE 42P07, migration 0001-schema). Nothing was changed.',
    );
  });

  it('because the database has another encoding than UTF8', async () => {
    const database = await emptyDatabase();
    const name = `edge_latin_${process.pid}`;
    await adminQuery(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
    closers.push(() => adminQuery(`DROP DATABASE ${name} WITH (FORCE)`));
    const url = database.url.replace(/\/edge_[0-9a-f]+\?/, `/${name}?`);
    await expectRefusal(
      shop.start(dataDir(), { env: external(url) }),
      /^The database has the encoding LATIN1, but UTF8 is needed: /,
    );
  });

  it('because the database cannot be reached, does not exist or never answers; the password is not shown', async () => {
    // Nothing listens there, and no system hands it out.
    const port = 1;
    for (const host of ['127.0.0.1', 'localhost']) {
      const refused = shop.start(dataDir(), { env: external(`postgresql://edge:s3cr3t-word@${host}:${port}/edge`) });
      await expectRefusal(
        refused,
        /^The database .* at \S+ \(edge\) cannot be reached: .*ECONNREFUSED.*\. Start it, or correct DATABASE_URL\.$/,
      );
      expect(refused.stderr() + refused.stdout()).not.to.include('s3cr3t-word');
    }
    const database = await emptyDatabase();
    await expectRefusal(
      shop.start(dataDir(), { env: external(database.url.replace(/\/edge_[0-9a-f]+\?/, '/nowhere?')) }),
      /^The database .* at \S+ \(nowhere\) cannot be used: the database does not exist \(3D000\)\. Correct user/,
    );
    const mute = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined).resume();
      }),
    );
    await expectRefusal(
      shop.start(dataDir(), { env: external(`postgresql://edge:s3cr3t-word@127.0.0.1:${mute}/edge`) }),
      /^The database of DATABASE_URL at \S+ \(edge\) cannot be used: .*does not answer in time/,
    );
    const misread = shop.start(dataDir(), { env: external('postgresql://edge:s3cr3t#word@127.0.0.1:1/edge') });
    expect((await within('it ends', 25_000, misread.ended)).code).to.equal(1);
    expect(misread.stderr()).to.match(
      /^edge-controller: .* has a fault:\n {2}environment variable DATABASE_URL: has an @, .*Percent-encode/,
    );
    expect(misread.stderr() + misread.stdout()).not.to.match(/s3cr3t|word@/);
  });
});
