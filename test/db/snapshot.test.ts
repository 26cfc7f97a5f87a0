/** Snapshots: the file, what is refused of one, and that a restored database is what it was. Against PostgreSQL. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { withMaintenanceLane } from '../../db/postgres/maintenance-connection.js';
import { restoreInto, verifySnapshot } from '../../db/maintenance/restore.js';
import { takeSnapshot } from '../../db/maintenance/snapshot.js';
import { SnapshotError } from '../../db/maintenance/snapshot-format.js';
import { migrate, migrationNames } from '../../db/schema/migrate.js';
import { dumpSchema } from '../../scripts/dump-schema.js';
import { contentsOf } from '../support/contents.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { identityDraft, openApiSession, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const quiet = () => undefined;
const never = new AbortController().signal;
/** Texts that a copy may lose: what ends a line, what quotes, what is not ASCII, and what looks like nothing. */
const HARD = [
  '',
  'null',
  '"',
  "'",
  '\\',
  '\\n',
  'a\nb',
  'a\r\n\tb',
  '{a,"b"}',
  '[1]',
  'Größe 名前 🚪',
  '\u2028',
  '$1',
  '%s',
  '--',
];

describe('a snapshot', () => {
  let source: TestStores;
  let place: string;
  let file: string;
  before(async () => {
    place = mkdtempSync(join(tmpdir(), 'edge-snapshot-'));
    source = await openStoresForTest();
    const { stores } = source;
    await stores.network.create({ trustDomain: 'spiffe://test', masterKeyCheck: 'v2:check', advertise: 'localhost:1' });
    for (const [index, text] of HARD.entries())
      await stores.identities.create(
        `id-${index}`,
        identityDraft(`name ${index} ${text}`, {
          roleAttributes: ['a', 'b'].slice(0, index % 3),
          tags: { text, none: null },
        }),
        [],
      );
    // More than one fetch, and values at the edges of their types.
    await source.files.query(`INSERT INTO posture_checks (id, name, type_id, criteria, created_at, role_attributes)
      SELECT 'check-' || i, 'check ' || i, 'MAC',
        jsonb_build_object('n', (i || '.10')::numeric, 'big', 12345678901234567890.5),
        CASE i % 3 WHEN 0 THEN 'infinity' WHEN 1 THEN '0044-03-15 BC' ELSE now() END::timestamptz, ARRAY['x' || i % 7]
      FROM generate_series(1, 300) i`);
    await source.files.query(
      `INSERT INTO config_types (id, name, schema)
        VALUES ('json-null', 'json null', 'null'), ('sql-null', 'sql null', NULL)`,
    );
    file = await take('whole');
  });
  after(async () => {
    await source.close();
    rmSync(place, { recursive: true, force: true });
  });

  const take = async (name: string, signal = never) => {
    const at = join(place, `${name}.snapshot.gz`);
    await withMaintenanceLane(source.files.connection, signal, (lane) =>
      takeSnapshot(lane, { file: at, release: '1.2.3', onProgress: quiet }),
    );
    return at;
  };
  const restore = async (from: string, { connection }: TestDatabase) =>
    restoreInto(await verifySnapshot(from), { connection, file: from, onProgress: quiet });
  const linesOf = (at: string) => gunzipSync(readFileSync(at)).toString().trimEnd().split('\n');
  /** A file of these lines with a checksum that fits. */
  const forged = (name: string, lines: readonly string[]) => {
    const text = lines
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join('');
    const rows = lines.filter((line) => line.startsWith('[')).length;
    const end = { rows, sha256: createHash('sha256').update(text).digest('hex') };
    const at = join(place, `${name}.snapshot.gz`);
    writeFileSync(at, gzipSync(`${text}${JSON.stringify(end)}\n`));
    return at;
  };
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(SnapshotError);
    return (error as Error).message;
  };

  describe('is refused before anything is written', () => {
    let target: TestDatabase;
    before(async () => {
      target = await openTestDatabase({ isEmpty: true });
    });
    after(() => target.close());
    afterEach(async () => {
      const { rows } = await target.query(
        "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
      );
      expect(rows, 'tables in the database').to.deep.equal([]);
    });
    const damage = (name: string, change: (bytes: Buffer) => Buffer) => {
      const at = join(place, `${name}.damaged`);
      writeFileSync(at, change(Buffer.from(readFileSync(file))));
      return at;
    };

    const truncations = [0, 1, 10, 100, 1000];
    for (const missing of truncations)
      it(`when ${missing === 0 ? 'all' : `the last ${missing}`} of its bytes are missing`, async () => {
        const at = damage(`cut-${missing}`, (bytes) => (missing === 0 ? Buffer.alloc(0) : bytes.subarray(0, -missing)));
        expect(await refusal(restore(at, target))).to.match(/is damaged, or is none: it ends too early|no gzip/);
      });

    it('when a byte of it was changed, wherever', async () => {
      const { size } = statSync(file);
      for (const share of [0, 0.1, 0.25, 0.5, 0.75, 0.9]) {
        const at = damage('flipped', (bytes) => {
          const index = Math.floor(share * size);
          bytes.writeUInt8(bytes.readUInt8(index) ^ 0xff, index);
          return bytes;
        });
        expect(await refusal(restore(at, target)), String(share)).to.match(/is damaged, or is none/);
      }
    });

    it('when a line was taken out, exchanged or added', async () => {
      const lines = linesOf(file);
      const [first = '', second = '', ...others] = lines;
      for (const changed of [
        [first, ...others],
        [second, first, ...others],
        [...lines, '[]'],
        lines.slice(0, -1),
        ['{}', ...others],
      ]) {
        const at = join(place, 'changed.snapshot.gz');
        writeFileSync(at, gzipSync(`${changed.join('\n')}\n`));
        expect(await refusal(restore(at, target))).to.match(/is damaged, or is none/);
      }
    });

    it('when it is another file, or none', async () => {
      const at = join(place, 'other');
      writeFileSync(at, 'PGDMP');
      expect(await refusal(restore(at, target))).to.match(/is damaged, or is none: it is no gzip/);
      writeFileSync(at, gzipSync('hello\n'));
      expect(await refusal(restore(at, target))).to.match(/is damaged, or is none/);
      // In many thousand pieces, all of one line: to look at it once is enough.
      writeFileSync(at, gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'), { level: 1 }));
      expect(await refusal(restore(at, target))).to.match(/is damaged, or is none: it ends too early/);
      expect(await refusal(restore(join(place, 'nothing'), target))).to.match(/cannot be read \(ENOENT\)/);
    });

    it('when a newer release took it, by its form or by its migrations', async () => {
      const [first = '', ...others] = linesOf(file);
      const header = JSON.parse(first) as { migrations: object[] };
      const with_ = (changes: object) => forged('newer', [JSON.stringify({ ...header, ...changes }), ...others]);
      expect(await refusal(restore(with_({ formatVersion: 2 }), target))).to.match(/newer release \(1\.2\.3\)/);
      const migrations = [...header.migrations, { name: '9999-later', sha256: 'x' }];
      expect(await refusal(restore(with_({ migrations }), target))).to.match(/newer release .*9999-later/);
    });

    it('when its schema was made in other steps', async () => {
      const [first = '', ...others] = linesOf(file);
      const header = JSON.parse(first) as { migrations: { name: string; sha256: string }[] };
      const [one, ...rest] = header.migrations;
      for (const migrations of [[{ ...one, sha256: 'x' }, ...rest], rest, []]) {
        const at = forged('foreign', [JSON.stringify({ ...header, migrations }), ...others]);
        expect(await refusal(restore(at, target))).to.match(/by another program than this one/);
      }
    });
  });

  it('is refused for a database that is not empty, which stays as it is', async () => {
    const target = await openStoresForTest();
    await target.stores.identities.create('there', identityDraft('there'), []);
    const before = await contentsOf(target.files);
    expect(await refusal(restore(file, target.files))).to.match(/The database is not empty/);
    expect(await contentsOf(target.files)).to.deep.equal(before);
    await target.close();
    const foreign = await openTestDatabase({ isEmpty: true });
    await foreign.query('CREATE TABLE theirs (id int)');
    expect(await refusal(restore(file, foreign))).to.match(/The database is not empty/);
    expect((await foreign.query("SELECT FROM pg_tables WHERE schemaname = 'public'")).rows).to.have.length(1);
    await foreign.close();
  });

  it('that breaks a reference, or has rows that no table takes, leaves nothing of itself', async () => {
    const target = await openTestDatabase({ isEmpty: true });
    const lines = linesOf(file);
    const isOfIdentity = (line: string) => line.startsWith('["id-0",');
    const twice = (line: string) =>
      line.startsWith('{"table":"usernames"') ? [line, '["x","id-0"]', '["x","id-1"]'] : [line];
    const cases: readonly (readonly [string[], RegExp])[] = [
      [lines.flatMap(twice), /two of its rows are the same/],
      [lines.map((line) => (isOfIdentity(line) ? line.replace('"User"', '"Nobody"') : line)), /refer to is not in it/],
      [lines.map((line) => (isOfIdentity(line) ? '["id-0"]' : line)), /rows of identities cannot be stored/],
      [lines.map((line) => line.replace('{"table":"identities"', '{"table":"pg_authid"')), /table pg_authid/],
      [lines.map((line) => line.replace('{"name":"is_admin"', '{"name":"is_king"')), /other columns/],
      [lines.map((line) => line.replace('{"sequence":"entity_count_slots"', '{"sequence":"x"')), /the sequence x/],
    ];
    for (const [changed, message] of cases) {
      expect(changed).not.to.deep.equal(lines);
      const error: unknown = await restore(forged('broken', changed), target).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect((error as Error | undefined)?.message).to.match(message);
      expect((await target.query('SELECT FROM identities')).rows).to.deep.equal([]);
    }
    // A restore that was cut short is no reason to refuse the next one.
    await restore(file, target);
    expect((await target.query('SELECT FROM identities')).rows).to.have.length(HARD.length);
    await target.close();
  });

  it('is readable by its owner only, and alone in its place', () => {
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(place).filter((name) => name.includes('partial'))).to.deep.equal([]);
  });

  it('that fails leaves no file', async () => {
    await source.files.query('BEGIN; LOCK TABLE services IN ACCESS EXCLUSIVE MODE');
    const abort = new AbortController();
    const failing = take('aborted', abort.signal);
    abort.abort();
    await failing.then(
      () => expect.fail('it was taken'),
      () => undefined,
    );
    await source.files.query('ROLLBACK');
    expect(readdirSync(place).filter((name) => name.startsWith('aborted'))).to.deep.equal([]);
  });

  it('gives the same content in a new database, with its schema, its counts and its sequences', async () => {
    const target = await openTestDatabase({ isEmpty: true });
    const { rows } = await restore(file, target);
    const [before, after] = [await contentsOf(source.files), await contentsOf(target)];
    // Numbers of transactions mean nothing elsewhere, and each database has its own times of migration.
    const without = (table: string, text = '') =>
      table.startsWith('schema_migrations')
        ? ''
        : text.replaceAll(/"(?:(?:moved|content|routing)_by|xid)": "?\w+"?|"timeline_id": "[\w-]+"/g, '');
    for (const table of Object.keys(before))
      expect(without(table, after[table]), table).to.equal(without(table, before[table]));
    expect(rows).to.be.greaterThan(300 + HARD.length);
    const timelines = [source.files, target].map((database) => database.query('SELECT timeline_id FROM network'));
    const [old, own] = (await Promise.all(timelines)).map((found) => String(found.rows[0]?.['timeline_id']));
    expect(own, 'routers must not take what is counted from now on for what they know').not.to.equal(old);
    const schemaOf = (database: TestDatabase) => dumpSchema((sql) => database.query(sql));
    expect(await schemaOf(target)).to.equal(await schemaOf(source.files));
    const sequence = 'SELECT last_value, is_called FROM role_attribute_count_slots';
    expect((await target.query(sequence)).rows).to.deep.equal((await source.files.query(sequence)).rows);
    const exact = "SELECT count(*)::int AS n FROM config_types WHERE schema = 'null'";
    expect((await target.query(exact)).rows).to.deep.equal([{ n: 1 }]);
    // Triggers and references work again.
    await target.query("INSERT INTO identity_types (id, name) VALUES ('New', 'New')");
    const total = "SELECT sum(total)::int AS n FROM entity_counts WHERE kind = 'identity_types'";
    expect((await target.query(total)).rows).to.deep.equal([{ n: 2 }]);
    const broken = await target.query("UPDATE identities SET type_id = 'nope'").catch((error: unknown) => error);
    expect(broken).to.have.property('constraint', 'identities_type_fkey');
    await target.close();
  });

  it('of an earlier release is brought to the schema of this one', async () => {
    const [old, target] = [await openTestDatabase({ isEmpty: true }), await openTestDatabase({ isEmpty: true })];
    const wanted = migrationNames.slice(0, -1);
    await migrate(old.connection, wanted);
    await old.query(`INSERT INTO network (trust_domain, master_key_check, advertise) VALUES ('t', 'v2:x', 'a');
      INSERT INTO identity_types (id, name) VALUES ('User', 'User')`);
    const at = join(place, 'old.snapshot.gz');
    await withMaintenanceLane(old.connection, never, (lane) =>
      takeSnapshot(lane, { file: at, release: '0.9', onProgress: quiet }),
    );
    const [first = '', ...others] = linesOf(at);
    const header = JSON.parse(first) as { migrations: { name: string }[] };
    const migrations = header.migrations.filter(({ name }) => wanted.includes(name));
    await restore(forged('earlier', [JSON.stringify({ ...header, migrations }), ...others]), target);
    expect((await target.query('SELECT name FROM schema_migrations ORDER BY id')).rows).to.deep.equal(
      migrationNames.map((name) => ({ name })),
    );
    expect((await target.query('SELECT id FROM identity_types')).rows).to.deep.equal([{ id: 'User' }]);
    await Promise.all([old.close(), target.close()]);
  });

  it('counts its client sessions as shared with routers: they may have been since it was taken', async () => {
    await openApiSession(source.stores, 'id-0', 'shared-later');
    const taken = await take('with-session');
    await source.files.query("DELETE FROM api_sessions WHERE id = 'shared-later'");
    const target = await openTestDatabase({ isEmpty: true });
    await restore(taken, target);
    const { rows } = await target.query('SELECT id, is_shared_with_routers AS shared FROM api_sessions');
    expect(rows).to.deep.equal([{ id: 'shared-later', shared: true }]);
    await target.close();
  });
});
