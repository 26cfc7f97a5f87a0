/** Backups at an interval: one controller of several makes them, keeps some, and another takes over when it ends. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { verifySnapshot } from '../../db/maintenance/restore.js';
import { startLogged } from '../api/server-support.js';
import type { LoggedController } from '../api/server-support.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { openEvents } from '../support/event-source.js';
import { until } from '../support/poll.js';

const PATIENCE_MS = 60_000;

describe('scheduled backups', function scheduled() {
  this.timeout(600_000);
  let database: TestDatabase;
  let place: string;
  const running = new Map<string, LoggedController>();

  const start = async (name: string) => {
    const env = { EDGE_NAME: name, EDGE_DATA_DIR: join(place, name), EDGE_BACKUP_EVERY: '1s', EDGE_BACKUP_KEEP: '2' };
    const controller = await startLogged(database, { ...env, EDGE_LOG_REQUESTS: 'none' });
    running.set(name, controller);
    return controller;
  };
  const stop = async (name: string) => {
    await running.get(name)?.stop();
    running.delete(name);
  };
  const folder = (name: string) => join(place, name, 'snapshots');
  const scheduledOf = (name: string) =>
    existsSync(folder(name)) ? readdirSync(folder(name)).filter((file) => /^edge-scheduled-.*\.gz$/.test(file)) : [];
  const linesOf = (controller: LoggedController, message: RegExp) =>
    controller.log.filter(({ msg }) => message.test(String(msg)));
  const TAKEN = /^a snapshot of the database was taken$/;

  before(async () => {
    database = await openTestDatabase();
    place = mkdtempSync(join(tmpdir(), 'edge-schedule-'));
  });
  after(async () => {
    for (const name of [...running.keys()]) await stop(name);
    await database.close();
    rmSync(place, { recursive: true, force: true });
  });

  it('are made by one controller, which keeps as many as it should and nothing but its own', async () => {
    mkdirSync(folder('one'), { recursive: true, mode: 0o700 });
    const others = ['edge-2026-01-15T09-30-00.000Z.snapshot.gz', 'edge-scheduled-notes.txt'];
    for (const name of others) writeFileSync(join(folder('one'), name), 'kept');
    const one = await start('one');
    await until('it makes the first', () => linesOf(one, TAKEN).length > 0, PATIENCE_MS);
    const two = await start('two');
    const known = linesOf(one, TAKEN).length;
    await until('it makes more than it keeps', () => linesOf(one, TAKEN).length > known + 2, PATIENCE_MS);
    await until('earlier ones are removed', () => linesOf(one, /^earlier scheduled backups/).length > 0, PATIENCE_MS);
    expect(linesOf(two, TAKEN)).to.deep.equal([]);
    expect(existsSync(folder('two'))).to.equal(false);
    expect(readdirSync(folder('one'))).to.include.members(others);
  });

  it('keep no reader from events, though one controller has their lock all the time', async () => {
    const two = running.get('two');
    const { token } = (await two?.login()) ?? {};
    const source = await openEvents(two?.url ?? '', token, { query: 'until=now' });
    await source.over;
    expect(source.controls.map(({ reason }) => reason)).to.deep.equal(['caughtUp']);
  });

  it('are made by another one when that ends, and are whole', async () => {
    await stop('one');
    const left = scheduledOf('one');
    expect(left).to.have.length.within(1, 3);
    for (const file of left) expect((await verifySnapshot(join(folder('one'), file))).release).to.match(/^v\d/);
    const two = running.get('two');
    if (two === undefined) throw new Error('the second controller does not run');
    await until('the other one makes them', () => linesOf(two, TAKEN).length > 0, PATIENCE_MS);
    expect(scheduledOf('two')).to.have.length.greaterThan(0);
    await stop('two');
  });

  it('tell of their failure, and that they are tried again', async () => {
    mkdirSync(join(place, 'three'), { mode: 0o700 });
    writeFileSync(folder('three'), 'in its place');
    const three = await start('three');
    const FAILED = /^a scheduled backup failed; it is tried again/;
    await until('it fails', () => linesOf(three, FAILED).length > 1, PATIENCE_MS);
    expect(linesOf(three, FAILED).map(({ level }) => level)).to.include(50);
    rmSync(folder('three'));
    await until('it succeeds', () => linesOf(three, TAKEN).length > 0, PATIENCE_MS);
    await stop('three');
  });
});
