/** What the embedded server refuses to start on, with what sentence. Against the real binaries. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { EmbeddedDatabaseError } from '../../db/embedded/error.js';
import { startEmbeddedPostgres } from '../../db/embedded/supervisor.js';
import { collectingLog, failureOf, query, Workshop } from './embedded-support.js';

describe('embedded PostgreSQL: what it refuses', function () {
  this.timeout(600_000);
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  /** A data directory with a cluster that is not running. */
  async function stopped(): Promise<{ dataDir: string; cluster: string }> {
    const dataDir = workshop.dataDir();
    await (await workshop.start(dataDir)).stop();
    return { dataDir, cluster: path.join(dataDir, 'postgres') };
  }

  it('refuses a second controller on the same data directory, and leaves the first alone', async () => {
    const dataDir = workshop.dataDir();
    const { connection } = await workshop.start(dataDir);
    const same = await failureOf(workshop.start(dataDir));
    expect(same).to.be.instanceOf(EmbeddedDatabaseError);
    expect(same.message).to.include(dataDir).and.include(`in use by another controller (process ${process.pid})`);
    const other = await (await workshop.controller(dataDir)).result();
    expect(other.error).to.include('in use by another controller');
    expect(await query(connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('lets exactly one of two simultaneous starters win', async () => {
    const dataDir = workshop.dataDir();
    const both = await Promise.all([workshop.controller(dataDir), workshop.controller(dataDir)]);
    const errors = (await Promise.all(both.map((controller) => controller.result()))).map(({ error }) => error);
    expect(errors.filter((error) => error === undefined)).to.have.length(1);
    expect(errors.find((error) => error !== undefined)).to.include('in use by another controller');
  });

  it('names both versions when another PostgreSQL made the cluster', async () => {
    const { dataDir, cluster } = await stopped();
    writeFileSync(path.join(cluster, 'PG_VERSION'), '15\n');
    const { message } = await failureOf(workshop.start(dataDir));
    expect(message).to.include('made by PostgreSQL 15').and.include('runs PostgreSQL 18').and.include('DATABASE_URL');
  });

  it('tells of missing control files and keeps the rest', async () => {
    const { dataDir, cluster } = await stopped();
    const control = path.join(cluster, 'global', 'pg_control');
    renameSync(control, `${control}.away`);
    const before = readdirSync(cluster, { recursive: true }).sort();
    const { message } = await failureOf(workshop.start(dataDir));
    expect(message)
      .to.include('damaged')
      .and.include('pg_control')
      .and.include('Restore')
      .and.include('database system is shut down');
    expect(readdirSync(cluster, { recursive: true }).sort()).to.deep.equal(before);

    renameSync(`${control}.away`, control);
    expect((await workshop.start(dataDir)).created).to.equal(false);
  });

  it('tells of an unreadable version', async () => {
    const { dataDir, cluster } = await stopped();
    rmSync(path.join(cluster, 'PG_VERSION'));
    expect((await failureOf(workshop.start(dataDir))).message).to.include('PG_VERSION cannot be read');
    writeFileSync(path.join(cluster, 'PG_VERSION'), '\0\0');
    expect((await failureOf(workshop.start(dataDir))).message).to.include('PG_VERSION holds no version');
  });

  it('quotes the log when the server itself finds damage', async () => {
    const { dataDir, cluster } = await stopped();
    const control = path.join(cluster, 'global', 'pg_control');
    writeFileSync(control, Buffer.alloc(readFileSync(control).length));
    const failure = await failureOf(workshop.start(dataDir));
    expect(failure).to.be.instanceOf(EmbeddedDatabaseError);
    expect(failure.message)
      .to.include('did not start')
      .and.match(/FATAL: .*(version|checksum|database files)/);
    expect(existsSync(control)).to.equal(true);
  });

  it('does not make an empty database for the key of an existing controller', async () => {
    const dataDir = workshop.dataDir();
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(path.join(dataDir, 'master.key'), 'key');
    const { message } = await failureOf(workshop.start(dataDir));
    expect(message).to.include('missing').and.include('master.key').and.include('Restore').and.include('begin again');
    expect(existsSync(path.join(dataDir, 'postgres'))).to.equal(false);
  });

  it('does not take a cluster on a disk that is not mounted for none', async () => {
    const dataDir = workshop.dataDir();
    mkdirSync(dataDir, { mode: 0o700 });
    symlinkSync('/nowhere/at/all', path.join(dataDir, 'postgres'));
    expect((await failureOf(workshop.start(dataDir))).message)
      .to.include('cannot be read')
      .and.include('Mount or restore');
  });

  it('tells of a missing database instead of making an empty one', async () => {
    const dataDir = workshop.dataDir();
    const database = await workshop.start(dataDir);
    await query({ ...database.connection, database: 'postgres' }, 'DROP DATABASE edge WITH (FORCE)');
    await database.stop();
    expect((await failureOf(workshop.start(dataDir))).message).to.include('database "edge" does not exist');
  });

  it('frees the data directory after a failed start', async () => {
    const dataDir = workshop.dataDir();
    const failure = await failureOf(
      startEmbeddedPostgres({ dataDir, log: collectingLog(), settings: { shared_buffers: 'plenty' } }),
    );
    expect(failure.message).to.include('did not start').and.include('invalid value for parameter "shared_buffers"');
    await workshop.start(dataDir);
  });

  it('lets no setting open the server to the network', async () => {
    const dataDir = workshop.dataDir();
    const database = await startEmbeddedPostgres({
      dataDir,
      log: collectingLog(),
      settings: { listen_addresses: '*', work_mem: '8MB' },
    });
    const [row] = await query(
      database.connection,
      `SELECT current_setting('listen_addresses') AS listen, current_setting('work_mem') AS memory`,
    );
    await database.stop();
    expect(row).to.deep.equal({ listen: '', memory: '8MB' });
  });

  it('refuses what is not the name of a setting', async () => {
    const settings = { 'jit=on -c fsync': 'off' };
    expect(
      (await failureOf(startEmbeddedPostgres({ dataDir: workshop.dataDir(), log: collectingLog(), settings }))).message,
    ).to.include('not the name of a PostgreSQL setting');
  });
});
