/** The doctor: each thing is broken, and has to be named with what mends it; nothing is changed by looking. */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { examine } from '../../commands/doctor/examine.js';
import type { Finding } from '../../server/maintenance/finding.js';
import { examineRuntime } from '../../server/maintenance/examine-runtime.js';
import { keepLeastKnown, leastKnown } from '../../db/schema/compatibility.js';
import { migrationNames } from '../../db/schema/migrate.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { runMain } from '../api/server-support.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { nobody } from '../support/process.js';
import { NO_OTHER_USER, NO_ROOT, itUnless } from '../support/unless.js';

type Env = Readonly<Record<string, string>>;

const SUPPORTED = 'v24.1.0';

describe('the doctor', function doctor() {
  this.timeout(300_000);
  let controller: TestController;
  let place: string;
  let env: Env;

  before(async () => {
    const listen = `127.0.0.1:${await freePort()}`;
    controller = await startTestController({ EDGE_LISTEN: listen });
    place = mkdtempSync(join(tmpdir(), 'edge-doctor-'));
    env = { DATABASE_URL: controller.database.url, EDGE_DATA_DIR: controller.dataDir, EDGE_LISTEN: listen };
  });
  after(async () => {
    await controller.stop();
    rmSync(place, { recursive: true, force: true });
  });

  it('warns of a line of Node.js that gets no fixes any more, and of no other', () => {
    const levelOf = (version: string, day: string) => examineRuntime(version, new Date(day)).level;
    for (const [version, day, level] of [
      ['v20.20.0', '2026-04-30T12:00:00Z', 'ok'],
      ['v20.20.0', '2026-05-01T00:00:00Z', 'warning'],
      ['v22.1.0', '2026-11-23', 'ok'],
      ['v24.1.0', '2026-11-23', 'ok'],
      ['v25.0.0', '2026-11-23', 'warning'],
      ['v99.0.0', '2026-11-23', 'ok'],
    ] as const)
      expect(levelOf(version, day), `${version} ${day}`).to.equal(level);
    const { message, fix } = examineRuntime('v20.20.0', new Date('2026-11-23'));
    expect(message).to.include('2026-04-30');
    expect(fix).to.include('Node.js 24');
  });

  const look = (more: Env = {}, file?: string): Promise<Finding[]> =>
    examine({ runtime: SUPPORTED, config: readConfig({ env: { ...env, ...more }, file }), file, isThorough: false });
  const wrong = (findings: readonly Finding[], level = 'fault') =>
    findings
      .filter((finding) => finding.level === level)
      .map(({ check, message, fix }) => `${check}: ${message} → ${fix ?? ''}`);
  /** Exactly this is wrong. */
  const expectFaults = async (patterns: readonly RegExp[], more: Env = {}, level = 'fault') => {
    const found = wrong(await look(more), level);
    for (const pattern of patterns)
      expect(
        found.filter((text) => pattern.test(text)),
        found.join('\n'),
      ).to.have.length(1);
    expect(found, found.join('\n')).to.have.length(patterns.length);
  };
  const expectFault = (pattern: RegExp, more: Env = {}, level = 'fault') => expectFaults([pattern], more, level);
  const query = (text: string, values?: unknown[]) => controller.database.query(text, values);
  /** Breaks, looks, mends. */
  const broken = async (change: string, back: string, ...patterns: RegExp[]) => {
    await query(change);
    await expectFaults(patterns).finally(() => query(back));
  };
  const json = async (more: Env, ...args: string[]) => {
    const { output, ended } = runMain(['doctor', '--json', ...args], { ...env, ...more });
    const code = await ended;
    return { code, ...(JSON.parse(output.stdout) as { ok: boolean; findings: Finding[] }), stderr: output.stderr };
  };

  it('finds nothing wrong beside a running controller, and ends with 0', async () => {
    const { code, ok, findings, stderr } = await json({}, '--all');
    expect({ code, ok, stderr }, JSON.stringify(wrong(findings))).to.deep.equal({ code: 0, ok: true, stderr: '' });
    const checks = new Set(findings.map(({ check }) => check));
    for (const name of ['configuration', 'data directory', 'permissions', 'master key', 'disk', 'open files'])
      expect(checks, name).to.include(name);
    for (const name of ['database', 'extension', 'clock', 'locks', 'certificates', 'schema', 'sealed keys', 'ports'])
      expect(checks, name).to.include(name);
    expect(findings.find(({ check }) => check === 'ports')?.message).to.include('is taken by this controller');
  });

  it('names every fault of the configuration, ends with 1, and looks no further', async () => {
    const { code, ok, findings } = await json({ EDGE_DOCS: 'maybe', EDGE_WORKERS: '-1' });
    expect([code, ok]).to.deep.equal([1, false]);
    expect(wrong(findings).map((text) => text.split(':').slice(0, 2).join(':'))).to.have.members([
      'configuration: environment variable EDGE_DOCS',
      'configuration: environment variable EDGE_WORKERS',
    ]);
    expect(findings.at(-1)?.level).to.equal('skipped');
    const { findings: unread } = await json({ EDGE_CONFIG: join(place, 'none.yml') });
    expect(wrong(unread).join()).to.match(/^configuration: The configuration file cannot be read: ENOENT/);
  });

  it('the data directory: missing, a dead link, open to others; and leaves it as it is', async () => {
    const EDGE_MASTER_KEY = readFileSync(join(controller.dataDir, 'master.key'), 'utf8').trim();
    const missing = join(place, 'missing');
    const noted = wrong(await look({ EDGE_DATA_DIR: missing, EDGE_MASTER_KEY }), 'warning').join();
    expect(noted).to.match(/^data directory: \S+ does not exist\. → Set EDGE_DATA_DIR/);
    expect(existsSync(missing)).to.equal(false);
    const embedded = wrong(await look({ EDGE_DATA_DIR: missing, DATABASE_URL: '' })).join('\n');
    expect(embedded).to.match(/^data directory: \S+ does not exist\./);
    symlinkSync(missing, join(place, 'link'));
    expect(wrong(await look({ EDGE_DATA_DIR: join(place, 'link') })).join('\n')).to.match(
      /^data directory: \S+ is a link that leads nowhere\./,
    );
    chmodSync(controller.dataDir, 0o755);
    try {
      await expectFault(/^data directory: \S+ is open to other users \(mode 755\)\. → chmod 700 /);
      expect(statSync(controller.dataDir).mode & 0o777).to.equal(0o755);
    } finally {
      chmodSync(controller.dataDir, 0o700);
    }
  });

  itUnless(NO_OTHER_USER, 'the data directory: the owner', async () => {
    const directory = join(place, 'of-nobody');
    mkdirSync(directory, { mode: 0o700 });
    cpSync(join(controller.dataDir, 'master.key'), join(directory, 'master.key'));
    const { uid = 0, gid = 0 } = nobody() ?? {};
    chownSync(directory, uid, gid);
    const found = wrong(await look({ EDGE_DATA_DIR: directory })).join('\n');
    expect(found).to.match(/^data directory: \S+ cannot be used: it belongs to the user with id \d+.*→ Start/);
  });

  itUnless(NO_ROOT, 'the disk', async () => {
    const disk = mountSmallDisk(16);
    try {
      const directory = join(disk.directory, 'data');
      mkdirSync(directory, { mode: 0o700 });
      cpSync(join(controller.dataDir, 'master.key'), join(directory, 'master.key'));
      const fault = /^disk: Only \d+ MiB are free on the disk of \S+\. → Free space/;
      await expectFault(fault, { EDGE_DATA_DIR: directory });
    } finally {
      disk.end();
    }
  });

  it('permissions: of the key, and of a file of settings with a secret', async () => {
    const key = join(controller.dataDir, 'master.key');
    chmodSync(key, 0o644);
    try {
      await expectFault(/^permissions: \S+master\.key is open to other users \(mode 644\)\. → chmod 600 /);
    } finally {
      chmodSync(key, 0o600);
    }
    const file = join(place, 'settings.yml');
    writeFileSync(file, 'admin: { password: a secret }\n', { mode: 0o644 });
    expect(wrong(await look({}, file)).join()).to.match(/^permissions: \S+settings\.yml is open to other users/);
    writeFileSync(file, 'listen: 127.0.0.1:1280\n');
    expect(wrong(await look({}, file))).to.deep.equal([]);
    const note = join(controller.dataDir, 'admin-password');
    writeFileSync(note, 'pw', { mode: 0o600 });
    await expectFault(/^permissions: The password of the first administrator still stands in /, {}, 'warning').finally(
      () => rmSync(note),
    );
  });

  it('the master key: none, not one, another one', async () => {
    await expectFault(/^master key: .* not the one that this database .* → Set EDGE_MASTER_KEY/, {
      EDGE_MASTER_KEY: newMasterKey(),
    });
    const fault = /^master key: EDGE_MASTER_KEY cannot be used: .*32 bytes.*\. → Set/;
    await expectFault(fault, { EDGE_MASTER_KEY: 'abcd' });
    await expectFault(/^master key: \S+ cannot be used: ENOENT/, { EDGE_MASTER_KEY_FILE: join(place, 'no-key') });
    const key = join(controller.dataDir, 'master.key');
    const text = readFileSync(key);
    rmSync(key);
    try {
      await expectFault(/^master key: \S+ does not exist\. → Put it back/);
    } finally {
      writeFileSync(key, text, { mode: 0o600 });
    }
  });

  it('what is sealed: a key that does not open', async () => {
    const flip = `UPDATE pki_entities SET sealed_key = set_byte(sealed_key, 30, get_byte(sealed_key, 30) # 1)
      WHERE purpose = 'root'`;
    await broken(flip, flip, /^sealed keys: The key root of generation 1 does not open\. → Restore it\./);
  });

  it('the database: away, another release, without its extension', async () => {
    const port = await freePort();
    const away = wrong(await look({ DATABASE_URL: `postgresql://edge@127.0.0.1:${port}/edge` })).join('\n');
    expect(away).to.match(/^database: The database of DATABASE_URL .*connection refused.* → Start it, or correct/);
    await broken(
      `INSERT INTO schema_migrations (name, batch, migration_time) VALUES ('9999-later', 9, now());
        ${keepLeastKnown('9999-later')}`,
      `DELETE FROM schema_migrations WHERE name = '9999-later'; ${keepLeastKnown(leastKnown(migrationNames))}`,
      /^database: The database was used by a newer release \(it has 9999-later\)\. → Start that release/,
    );
    const empty = await openTestDatabase({ isEmpty: true });
    try {
      const found = await look({ DATABASE_URL: empty.url });
      expect(wrong(found).join()).to.match(/^schema: The database is empty/);
      expect(wrong(found, 'warning').join()).to.match(/extension: The extension pg_trgm is not there yet/);
    } finally {
      await empty.close();
    }
    await broken(
      'CREATE SCHEMA aside; ALTER EXTENSION pg_trgm SET SCHEMA aside',
      'ALTER EXTENSION pg_trgm SET SCHEMA public; DROP SCHEMA aside',
      /^extension: The extension pg_trgm is in the schema aside, where it is not found\. → Ask its owner/m,
    );
  });

  it('the schema: a constraint, a trigger, a step of an earlier release', async () => {
    await broken(
      'ALTER TABLE services ALTER COLUMN name DROP NOT NULL, DISABLE TRIGGER services_counted_in',
      'ALTER TABLE services ALTER COLUMN name SET NOT NULL, ENABLE TRIGGER services_counted_in',
      /^schema: Not as this release made it: TABLE services\. → Undo that change/,
      /^schema: The trigger \S+ of services is switched off\. → Start the controller, then/,
    );
    const { rows } = await query(
      'DELETE FROM schema_migrations WHERE id = (SELECT max(id) FROM schema_migrations) RETURNING *',
    );
    const [{ id, name, batch, migration_time: at } = {}] = rows;
    await expectFaults(
      [
        /^schema: The schema is of an earlier release: it lacks \S+\. → Make a backup/,
        /^ports: \S+ is taken, and the database/,
      ],
      {},
      'warning',
    ).finally(() =>
      query('INSERT INTO schema_migrations (id, name, batch, migration_time) VALUES ($1, $2, $3, $4)', [
        id,
        name,
        batch,
        at,
      ]),
    );
  });

  it('certificates: ended, about to end, not begun', async () => {
    const { rows } = await query('SELECT purpose, not_before, not_after FROM pki_entities');
    const back = async () => {
      for (const { purpose, not_before: from, not_after: to } of rows)
        await query('UPDATE pki_entities SET not_before = $2, not_after = $3 WHERE purpose = $1', [purpose, from, to]);
    };
    try {
      await query(`UPDATE pki_entities SET not_after = now() + interval '1 day' * array_position(
        ARRAY['server', 'root', 'intermediate'], purpose) - interval '2 days 1 hour'`);
      await expectFaults([
        /^certificates: The server certificate ended on \S+\. → Start .*edge-controller renew server/,
        /^certificates: The root certificate ended on \S+\. → Correct the clock/,
      ]);
      await expectFault(/^certificates: The intermediate certificate ends on /, {}, 'warning');
      await back();
      await query("UPDATE pki_entities SET not_before = now() + interval '1 day' WHERE purpose = 'intermediate'");
      await expectFault(/^certificates: The intermediate certificate begins on \S+ only\. → Look at the clock/);
    } finally {
      await back();
    }
  });

  it('the clock', async () => {
    const ahead = 'const now = Date.now; Date.now = () => now() + 45_000;';
    const { code, findings } = await json({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}`,
    });
    expect(code).to.equal(1);
    const fault = /^clock: This clock and that of the database are 4\d\.\d s apart\. → /;
    expect(wrong(findings).join('\n')).to.match(fault);
  });

  it('locks that others wait for', async () => {
    const [holder, waiter] = [
      new pg.Client(controller.database.connection),
      new pg.Client(controller.database.connection),
    ];
    try {
      for (const client of [holder, waiter]) {
        client.on('error', () => undefined);
        await client.connect();
      }
      await holder.query('BEGIN; LOCK TABLE cas IN ACCESS EXCLUSIVE MODE');
      const waiting = waiter.query('SELECT FROM cas').catch(() => undefined);
      const found = await until(
        'the doctor sees it',
        async () => wrong(await look(), 'warning').find((text) => text.startsWith('locks: ')),
        30_000,
      );
      expect(found).to.match(/^locks: \d+ statements have waited for more than 2 s for what process (\d+) .*\(\1\);$/);
      await holder.query('ROLLBACK');
      await waiting;
    } finally {
      await holder.end();
      await waiter.end();
    }
  });

  it('ports: another program, and an address of another machine', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await expectFault(/^ports: \S+ is in use by another program\. → Stop that one, or set EDGE_LISTEN/, {
        EDGE_LISTEN: address,
      });
    } finally {
      server.close();
    }
    await expectFault(/^ports: It cannot listen on 192\.0\.2\.1:1280: .*EADDRNOTAVAIL.* → Set EDGE_LISTEN/, {
      EDGE_LISTEN: '192.0.2.1:1280',
    });
  });

  it('the embedded database: a lock that cannot be read, a cluster that is gone or damaged', async () => {
    const directory = join(place, 'embedded');
    mkdirSync(directory, { mode: 0o700 });
    const on: Env = { EDGE_DATA_DIR: directory, DATABASE_URL: '', EDGE_LISTEN: '127.0.0.1:0' };
    const all = async () => wrong(await look(on)).join('\n');
    expect(await all())
      .to.match(/^database: There is no network in /m)
      .and.match(/^master key: \S+ does not exist/m);
    cpSync(join(controller.dataDir, 'master.key'), join(directory, 'master.key'));
    expect(await all()).to.match(/^database: \S+postgres is missing, though .* → Restore/);
    mkdirSync(join(directory, 'postgres'), { mode: 0o700 });
    writeFileSync(join(directory, 'postgres/PG_VERSION'), 'none');
    expect(await all()).to.match(/^database: The database cluster in \S+ is damaged: .*PG_VERSION/);
    writeFileSync(join(directory, 'controller.lock.7'), '');
    expect(await all()).to.match(/^lock: The lock \S+controller\.lock\.7 cannot be read/m);
  });
});
