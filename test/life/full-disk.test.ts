/** The disk of the embedded database is full: changes are refused, reads go on, and space is all that is needed. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { runningConnection } from '../../db/embedded/supervisor.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import { ProcessShop, isAlive } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { mountSmallDisk } from '../support/small-disk.js';
import type { SmallDisk } from '../support/small-disk.js';

const DISK_MIB = 320;
const HEAL_MS = 30_000;
/** In base64 three pages that nothing compresses: every create needs space of its own. */
const BULK_BYTES = 16_384;

/** The one place for what a client gets while there is no space. */
function expectNoSpace(answer: Answer): void {
  expect(answer.status, answer.text).to.equal(503);
  expect(answer.error?.code).to.equal('UNAVAILABLE');
  expect(answer.error?.requestId).to.be.a('string').with.length.greaterThan(0);
  expect(answer.headers['retry-after']).to.equal('1');
}

describe('a full disk of the embedded database', function fullDisk() {
  this.timeout(300_000);
  const shop = new ProcessShop();
  const acknowledged = new Map<string, string>();
  let disk: SmallDisk;
  let dataDir: string;
  let controller: ControllerProcess;
  let admin: Client;
  let anonymous: Client;

  before(async () => {
    disk = mountSmallDisk(DISK_MIB);
    dataDir = join(disk.directory, 'data');
    controller = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password } });
    const url = await controller.ready();
    admin = await shop.login(url);
    anonymous = shop.client(url);
    for (let i = 0; i < 5; i += 1) expectStatus(await create(), 201);
  });
  after(async () => {
    await shop.end();
    disk?.end();
  });
  afterEach(() => {
    disk.free();
  });

  const create = async (): Promise<Answer> => {
    const name = unique('full');
    const appData = { bulk: randomBytes(BULK_BYTES).toString('base64') };
    const answer = await admin.post(`${M}/identities`, { name, type: 'User', isAdmin: false, appData });
    if (answer.status === 201) acknowledged.set(name, (answer.data as { id: string }).id);
    return answer;
  };

  const query = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client(runningConnection(dataDir));
    client.on('error', () => undefined);
    await client.connect();
    try {
      for (const sql of statements) await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const expectReads = async (): Promise<void> => {
    const [id = ''] = [...acknowledged.values()].slice(-1);
    expectStatus(await admin.get(`${C}/current-api-session`), 200);
    expectStatus(await admin.get(`${M}/identities/${id}`), 200);
    expectStatus(await admin.get(`${M}/identities?limit=5`), 200);
    expectStatus(await anonymous.get('/livez'), 200);
  };

  /** Nothing but space was needed: the same process, the same sessions, and everything that was acknowledged. */
  const expectHealed = async (): Promise<void> => {
    await until('creates are acknowledged again', async () => (await create()).status === 201, HEAL_MS);
    await until('it is ready', async () => (await anonymous.get('/readyz')).status === 200, HEAL_MS);
    for (let i = 0; i < 5; i += 1) expectStatus(await create(), 201);
    for (const [name, id] of acknowledged) {
      expect(expectStatus(await admin.get(`${M}/identities/${id}`), 200).data).to.include({ id, name });
    }
    expect(isAlive(controller.pid)).to.equal(true);
    expect(controller.stderr()).to.equal('');
  };

  it('changes are refused in the envelope, reads go on, and everything heals once there is space', async () => {
    // A new segment of the log, so that what is refused below does not need the next one.
    await query('SELECT pg_switch_wal()', 'CHECKPOINT', 'CREATE TABLE log_segment (id int)', 'DROP TABLE log_segment');
    disk.fill();
    expect(disk.freeBytes()).to.equal(0);
    await until('a create is refused', async () => (await create()).status === 503);
    for (let i = 0; i < 20; i += 1) {
      expectNoSpace(await create());
      await expectReads();
    }
    const readyz = await anonymous.get('/readyz');
    expect([readyz.status, readyz.json]).to.deep.equal([
      503,
      { status: 'not ready', reason: 'the disk of the database is full' },
    ]);
    // The state ends when there is space again, not when requests end.
    const end = Date.now() + 3_000;
    await until('some looks', async () => {
      expect((await anonymous.get('/readyz')).status).to.equal(503);
      return Date.now() > end;
    });
    disk.free();
    await expectHealed();
  });

  it('without space for its log the server stops; it is started until it runs, and all is well', async () => {
    disk.fill();
    const nextSegment = () => query("SELECT pg_logical_emit_message(false, 'full', 'full')", 'SELECT pg_switch_wal()');
    await until(
      'the server ends for want of space',
      async () => {
        // Once more after each recovery: it may find space in the segment that it was in.
        await nextSegment().catch(() => undefined);
        disk.fill();
        return controller.log().some(({ msg }) => /ended by itself/.test(msg));
      },
      2 * HEAL_MS,
    );
    for (let i = 0; i < 20; i += 1) {
      disk.fill();
      expectNoSpace(await create());
      expectStatus(await anonymous.get('/livez'), 200);
    }
    disk.free();
    await expectHealed();
    expectStatus(await admin.get(`${C}/current-api-session`), 200);
  });

  it('stops and starts in good order afterwards', async () => {
    expect(await controller.stop()).to.deep.equal({ code: 0, signal: null });
    const again = shop.start(dataDir, { env: { EDGE_ADMIN_PASSWORD: ADMIN.password } });
    const reader = shop.client(await again.ready(), admin.token);
    for (const id of acknowledged.values()) expectStatus(await reader.get(`${M}/identities/${id}`), 200);
    expect(await again.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
