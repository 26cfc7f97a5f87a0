/** The embedded server starts, stops, is supervised and survives crashes. Against the real binaries. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { clusterProcesses } from '../../db/embedded/processes.js';
import { collectingLog, isAlive, query, serverPid, until, Workshop } from './embedded-support.js';

describe('embedded PostgreSQL: its life', function () {
  this.timeout(600_000);
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  it('makes a cluster at the first start and finds its data at the second', async () => {
    const dataDir = workshop.dataDir();
    const first = await workshop.start(dataDir);
    expect(first.created).to.equal(true);
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
    await query(first.connection, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    await first.stop();
    expect(clusterProcesses(path.join(dataDir, 'postgres'))).to.deep.equal([]);

    const second = await workshop.start(dataDir);
    expect(second.created).to.equal(false);
    expect(await query(second.connection, 'SELECT n FROM kept')).to.deep.equal([{ n: 7 }]);
  });

  it('runs with safe settings, knows Unicode and sorts by code point', async () => {
    const { connection } = await workshop.start(workshop.dataDir());
    const [row] = await query(
      connection,
      `SELECT current_setting('listen_addresses') AS listen, current_setting('fsync') AS fsync,
      current_setting('jit') AS jit, current_setting('timezone') AS zone,
      current_setting('server_encoding') AS encoding,
      current_database() AS db, current_user AS who, upper('é') AS upper, 'a' > 'B' AS by_code_point,
      current_setting('data_checksums') AS checksums`,
    );
    expect(row).to.deep.equal({
      listen: '',
      fsync: 'on',
      jit: 'off',
      zone: 'UTC',
      encoding: 'UTF8',
      db: 'edge',
      who: 'edge',
      upper: 'É',
      by_code_point: true,
      checksums: 'on',
    });
    await query(connection, 'CREATE EXTENSION pg_trgm');
  });

  it('lets nobody else reach the socket', async () => {
    const dataDir = workshop.dataDir();
    const { connection } = await workshop.start(dataDir);
    expect(connection.host).to.equal(path.join(dataDir, 'postgres'));
    expect(statSync(connection.host).mode & 0o077).to.equal(0);
    expect(statSync(path.join(connection.host, '.s.PGSQL.5432')).mode & 0o077).to.equal(0);
  });

  it('copes with a path that is long and has odd characters', async () => {
    const dataDir = path.join(workshop.place(), `it's, "my" data \\ ü`, 'long '.repeat(30));
    const before = readdirSync(os.tmpdir());
    const database = await workshop.start(dataDir);
    expect(Buffer.byteLength(database.connection.host)).to.be.lessThan(100);
    expect(statSync(path.dirname(database.connection.host)).mode & 0o777).to.equal(0o700);
    expect(await query(database.connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await database.stop();
    expect(
      readdirSync(os.tmpdir()).filter((name) => /^edge-[0-9a-f]{16}/.test(name) && !before.includes(name)),
    ).to.deep.equal([]);
  });

  it('starts a killed server again and tells its listeners', async () => {
    const dataDir = workshop.dataDir();
    const log = collectingLog();
    const database = await workshop.start(dataDir, log);
    await query(database.connection, 'CREATE TABLE kept AS SELECT 7 AS n');
    let restarts = 0;
    database.onRestart(() => {
      throw new Error('a bad listener');
    });
    database.onRestart(() => {
      restarts += 1;
    });
    for (const round of [1, 2]) {
      process.kill(serverPid(dataDir), 'SIGKILL');
      await until(`restart ${round}`, () => restarts === round);
      expect(await query(database.connection, 'SELECT n FROM kept')).to.deep.equal([{ n: 7 }]);
    }
    expect(log.messages.join('\n')).to.include('ended by itself');
    await database.stop();
    expect(clusterProcesses(path.join(dataDir, 'postgres'))).to.deep.equal([]);
  });

  it('ends backends that outlive a killed server and hold its memory', async () => {
    const dataDir = workshop.dataDir();
    const database = await workshop.start(dataDir);
    let restarts = 0;
    database.onRestart(() => {
      restarts += 1;
    });
    // A backend that computes does not notice that its postmaster has died.
    const busy = new pg.Client({ ...database.connection });
    busy.on('error', () => undefined);
    await busy.connect();
    const backend = (await busy.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
    const computing = busy.query('DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$').then(
      () => 'done',
      () => 'cut off',
    );
    await until(
      'the backend computes',
      async () =>
        (await query(database.connection, `SELECT 1 FROM pg_stat_activity WHERE pid = ${backend} AND state = 'active'`))
          .length === 1,
    );

    process.kill(serverPid(dataDir), 'SIGKILL');
    await until('the restart', () => restarts === 1);
    expect(isAlive(backend)).to.equal(false);
    expect(await computing).to.equal('cut off');
    await busy.end().catch(() => undefined);
    expect(await query(database.connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('stops while a restart is under way', async () => {
    const dataDir = workshop.dataDir();
    const log = collectingLog();
    const database = await workshop.start(dataDir, log);
    process.kill(serverPid(dataDir), 'SIGKILL');
    await until('the supervisor noticed', () => log.messages.some((message) => message.includes('ended by itself')));
    await database.stop();
    expect(clusterProcesses(path.join(dataDir, 'postgres'))).to.deep.equal([]);
  });

  it('replaces the server that a killed controller left, and supervises the new one', async () => {
    const dataDir = workshop.dataDir();
    const dead = await workshop.controller(dataDir);
    const { connection } = await dead.result();
    if (!connection) throw new Error('the first controller did not start');
    await query(connection, 'CREATE TABLE kept AS SELECT 7 AS n');
    const orphan = serverPid(dataDir);
    process.kill(dead.pid, 'SIGKILL');
    await dead.ended();
    expect(isAlive(orphan)).to.equal(true);

    const database = await workshop.start(dataDir);
    expect(database.created).to.equal(false);
    expect(isAlive(orphan)).to.equal(false);
    expect(await query(database.connection, 'SELECT n FROM kept')).to.deep.equal([{ n: 7 }]);

    let restarts = 0;
    database.onRestart(() => {
      restarts += 1;
    });
    process.kill(serverPid(dataDir), 'SIGKILL');
    await until('the restart', () => restarts === 1);
    await database.stop();
    expect(clusterProcesses(path.join(dataDir, 'postgres'))).to.deep.equal([]);
  });

  it('survives a Ctrl-C that goes to the whole process group', async () => {
    const dataDir = workshop.dataDir();
    const controller = await workshop.controller(dataDir);
    const { connection } = await controller.result();
    if (!connection) throw new Error('the controller did not start');
    const pid = serverPid(dataDir);
    process.kill(-controller.pid, 'SIGINT');
    expect(await query(connection, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    expect(serverPid(dataDir)).to.equal(pid);
    controller.say('stop');
    await until('the server ended', () => !isAlive(pid));
  });

  it('takes the server along when the controller exits without stopping it', async () => {
    const dataDir = workshop.dataDir();
    const controller = await workshop.controller(dataDir);
    expect((await controller.result()).error).to.equal(undefined);
    const pid = serverPid(dataDir);
    controller.say('exit');
    await until('the server ended', () => !isAlive(pid));
  });

  it('starts although the pids of its files belong to another program now', async () => {
    const dataDir = workshop.dataDir();
    await (await workshop.start(dataDir)).stop();
    const cluster = path.join(dataDir, 'postgres');
    const { uid, gid } = statSync(cluster);
    const bystander = await workshop.bystander({ uid, gid });
    for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(path.join(cluster, file), `${bystander}\n${cluster}\n1700000000\n5432\n.\n\n  123456  1\nready\n`, {
        mode: 0o600,
      });
    }
    await workshop.start(dataDir);
    expect(isAlive(bystander)).to.equal(true);
  });

  it('makes a new cluster after a first start that was killed half way', async () => {
    const dataDir = workshop.dataDir();
    const killed = await workshop.controller(dataDir);
    await until('initdb has begun', () => existsSync(path.join(dataDir, 'postgres.new', 'PG_VERSION')));
    process.kill(killed.pid, 'SIGKILL');
    await killed.ended();
    expect(existsSync(path.join(dataDir, 'postgres'))).to.equal(false);

    const database = await workshop.start(dataDir);
    expect(database.created).to.equal(true);
    expect(readdirSync(dataDir)).not.to.include('postgres.new');
  });

  it('bounds its log file', async () => {
    const dataDir = workshop.dataDir();
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(path.join(dataDir, 'postgres.log'), 'x'.repeat(9 * 1024 * 1024));
    await workshop.start(dataDir);
    expect(statSync(path.join(dataDir, 'postgres.log')).size).to.be.lessThan(100_000);
    expect(statSync(path.join(dataDir, 'postgres.log.1')).size).to.equal(9 * 1024 * 1024);
    expect(readFileSync(path.join(dataDir, 'postgres.log'), 'utf8')).to.include('ready to accept connections');
  });
});
