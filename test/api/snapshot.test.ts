/** Snapshots over HTTPS: who may take one, when it is refused, and what there is of it afterwards. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { MAINTENANCE_LOCK } from '../../db/postgres/advisory-locks.js';
import { verifySnapshot } from '../../db/maintenance/restore.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault } from '../support/expect.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';

const SNAPSHOT = `${MANAGEMENT}/database/snapshot`;

describe('a snapshot of the database', () => {
  let controller: TestController;
  let place: string;
  before(async () => {
    controller = await startTestController();
    place = join(controller.dataDir, 'snapshots');
  });
  after(() => controller.stop());
  afterEach(() => {
    rmSync(place, { recursive: true, force: true });
  });

  const filesIn = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);

  it('is for administrators alone, and others make no file', async () => {
    const { client } = await controller.newCaller({ permissions: ['admin_readonly', 'ops'] });
    expectStatus(await client.post(SNAPSHOT), 401);
    expectStatus(await controller.anonymous.post(SNAPSHOT), 401);
    expect(filesIn(place)).to.deep.equal([]);
  });

  it('is refused while other work is under way, on whichever controller', async () => {
    await controller.database.query('SELECT pg_advisory_lock($1)', [MAINTENANCE_LOCK]);
    const refused = await controller.admin.post(SNAPSHOT);
    const { cause } = expectFault(refused, 429, 'RATE_LIMITED');
    expect(refused.headers['retry-after']).to.equal('5');
    expect(cause).to.equal(undefined);
    expect(filesIn(place)).to.deep.equal([]);
    await controller.database.query('SELECT pg_advisory_unlock($1)', [MAINTENANCE_LOCK]);
    expectStatus(await controller.admin.post(SNAPSHOT), 200);
  });

  it('of several that are asked for at once, one or more are taken and the others refused', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => controller.admin.post(SNAPSHOT)));
    const taken = answers.filter(({ status }) => status === 200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).to.deep.equal([]);
    expect(taken).not.to.deep.equal([]);
    expect(filesIn(place)).to.have.length(taken.length);
  });

  it('is refused when its place cannot be used, without a word of where that is', async () => {
    writeFileSync(place, 'no directory');
    const answer = await controller.admin.post(SNAPSHOT);
    const { message, cause } = expectFault(answer, 503, 'UNAVAILABLE');
    expect(message).to.equal('The snapshot cannot be written, see cause');
    expect(cause).to.have.property('message').that.is.a('string');
    expect(answer.text).not.to.include(controller.dataDir);
  });

  it('is one file, whole, readable by its owner only, and each call makes another', async () => {
    expect(expectStatus(await controller.admin.post(SNAPSHOT), 200).data).to.deep.equal({});
    expectStatus(await controller.admin.post(SNAPSHOT), 200);
    const names = filesIn(place);
    expect(names).to.have.length(2);
    for (const name of names) {
      expect(name).to.match(/^edge-[\dTZ.-]+\.snapshot\.gz$/);
      expect(statSync(join(place, name)).mode & 0o777).to.equal(0o600);
      expect(await verifySnapshot(join(place, name))).to.include({ formatVersion: 1 });
    }
    expect(statSync(place).mode & 0o777).to.equal(0o700);
  });

  it('is taken while others write, and holds what was committed before it', async () => {
    let isOver = false;
    const write = async () => {
      while (!isOver) await makeIdentity(controller, { name: unique('busy') });
    };
    const writers = [write(), write()];
    expectStatus(await controller.admin.post(SNAPSHOT), 200);
    isOver = true;
    await Promise.all(writers);
    const [name = ''] = filesIn(place);
    expect(await verifySnapshot(join(place, name))).to.have.property('trustDomain');
  });

  it('that a killed controller did not finish is removed by the next one', async () => {
    mkdirSync(place, { mode: 0o700 });
    const left = join(place, 'edge-2026-01-01T00-00-00.000Z.snapshot.gz.partial');
    const whole = join(place, 'edge-2026-01-01T00-00-00.000Z.snapshot.gz');
    writeFileSync(left, 'half');
    writeFileSync(whole, 'whole');
    const env = { EDGE_NAME: 'next', EDGE_DATA_DIR: controller.dataDir, EDGE_MASTER_KEY: '' };
    const next = await startLogged(controller.database, env);
    try {
      await until('the rest to be removed', () => !existsSync(left));
      expect(existsSync(whole)).to.equal(true);
      writeFileSync(left, 'half');
      // The removal may still hold the lock.
      await until('a snapshot', async () => (await controller.admin.post(SNAPSHOT)).status === 200);
      expect(filesIn(place).filter((name) => name.endsWith('.partial'))).to.deep.equal([]);
    } finally {
      await next.stop();
    }
  });
});
