/**
 * Events while two controllers are written to and one is killed: readers that connect again at random, to either, get
 * each record of the table once, all of them in the same order, and each entity's in the order of its changes. A
 * webhook, which the killed one delivered to, gets each at least once, in that order too. EDGE_TEST_SEED repeats a
 * run's choices (not its timing).
 */
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { openEvents } from '../support/event-source.js';
import type { EventData } from '../support/event-source.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import { randomly, seedOfRun } from '../support/random.js';
import { openReceiver } from '../support/webhook-receiver.js';
import type { Receiver } from '../support/webhook-receiver.js';

const seed = seedOfRun();
const READERS = 3;

describe(`events of two controllers, one of them killed (EDGE_TEST_SEED=${seed})`, function () {
  this.timeout(600_000);
  const random = randomly(seed);
  const shop = new ProcessShop();
  const masterKey = newMasterKey();
  let database: TestDatabase;
  let receiver: Receiver;
  before(async () => {
    receiver = await openReceiver();
    database = await openTestDatabase();
  });
  after(async () => {
    await shop.end();
    await receiver.close();
    await database.close();
  });

  const start = async (name: string) => {
    const controller = shop.start(join(shop.place(), 'data'), {
      env: {
        DATABASE_URL: database.url,
        EDGE_NAME: name,
        EDGE_MASTER_KEY: masterKey,
        EDGE_ADMIN_USERNAME: ADMIN.username,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_POOL_SIZE: '4',
        EDGE_LOG_REQUESTS: 'none',
        EDGE_OUTGOING_ALLOW: '127.0.0.1',
      },
    });
    return { controller, url: await controller.ready() };
  };

  it('reach every reader once and in one order', async () => {
    const victim = await start('one');
    const admin = await shop.login(victim.url);
    const hook = { name: 'target', url: receiver.url, kinds: ['service.*'] };
    const made = expectStatus(await admin.post(`${MANAGEMENT}/webhooks`, hook), 201);
    receiver.secret = (made.data as { secret: string }).secret;
    await until('the first one delivers', async () => {
      const { rows } = await database.query('SELECT FROM webhook_progress WHERE leased_by IS NOT NULL');
      return rows.length > 0;
    });
    const controllers = [victim, await start('two')];
    const live = controllers.map(({ url }) => url);
    const anyUrl = () => live[random(live.length)] ?? '';
    const token = admin.token ?? '';
    const halt = { writers: false, readers: false };
    const answered: string[] = [];

    /** Makes, renames and deletes; what fails because its controller is gone is left as it is. */
    const write = async (client: Client, word: string) => {
      for (let i = 0; !halt.writers; i += 1) {
        const answer = await client
          .post(`${MANAGEMENT}/services`, { name: `${word}-${i}`, encryptionRequired: true })
          .catch(() => undefined);
        if (answer?.status !== 201) return;
        const { id } = answer.data as { id: string };
        answered.push(id);
        const path = `${MANAGEMENT}/services/${id}`;
        await client.patch(path, { name: `${word}-${i}-renamed` }).catch(() => undefined);
        if (i % 2 === 0) await client.delete(path).catch(() => undefined);
      }
    };
    /** A transaction that has its numbers early and commits late, again and again. */
    const writeLate = async () => {
      const client = new pg.Client(database.connection);
      await client.connect();
      for (let i = 0; !halt.writers; i += 1) {
        await client.query('BEGIN');
        await client.query('INSERT INTO services (id, name, encryption_required) VALUES ($1, $1, true)', [`late-${i}`]);
        await client.query('SELECT pg_sleep($1)', [(50 + random(250)) / 1000]);
        await client.query(i % 4 === 3 ? 'ROLLBACK' : 'COMMIT');
      }
      await client.end();
    };
    /** Reads a while, goes away, and goes on at either controller. */
    const read = async (events: EventData[], lastEventId: string) => {
      let last = lastEventId;
      while (!halt.readers) {
        const source = await openEvents(anyUrl(), token, { lastEventId: last }).catch(() => undefined);
        if (source?.status !== 200) {
          source?.close();
          continue;
        }
        const leaveAt = Date.now() + 30 + random(500);
        await until('it is time to go', () => source.isOver() || halt.readers || Date.now() > leaveAt);
        source.close();
        // What came after the reader had gone is not taken into account, as its last id is not.
        last = source.lastId();
        events.push(...source.events);
        expect(source.controls.filter(({ event }) => event === 'reset')).to.deep.equal([]);
      }
    };

    const first = await openEvents(anyUrl(), token);
    await until('it begins', () => first.lastId() !== '');
    first.close();
    const { rows: start0 } = await database.query('SELECT coalesce(max(seq), 0) AS seq FROM audit_records');
    const before = Number(start0[0]?.['seq']);
    const logs = Array.from({ length: READERS }, (): EventData[] => []);
    const reading = logs.map((events) => read(events, first.lastId()));
    const writing = [
      writeLate(),
      ...controllers.flatMap(({ url }, at) => [0, 1].map((i) => write(shop.client(url, token), `w${at}${i}`))),
    ];
    await until('much was written', () => answered.length > 60);
    live.shift();
    controllers[0]?.controller.kill('SIGKILL');
    await controllers[0]?.controller.ended;
    const atKill = answered.length;
    await until('more was written', () => answered.length > atKill + 30);
    halt.writers = true;
    await Promise.all(writing);
    // What the killed controller had sent may be committed a little later.
    await until('nothing is being committed', async () => {
      const { rows } = await database.query(
        `SELECT count(*)::int AS open FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`,
      );
      return rows[0]?.['open'] === 0;
    });
    const { rows } = await database.query('SELECT seq FROM audit_records WHERE seq > $1 ORDER BY seq', [before]);
    const written = rows.map(({ seq }) => Number(seq));
    const last = await openEvents(anyUrl(), token, { query: 'until=now', lastEventId: first.lastId() });
    await last.over;
    const all = last.events.filter(({ auditId }) => Number(auditId) > before);
    const numbers = all.map(({ auditId }) => Number(auditId));
    expect([...numbers].sort((a, b) => a - b)).to.deep.equal(written);
    const since = (events: readonly EventData[]) =>
      events.filter(({ auditId }) => Number(auditId) > before).map(({ id }) => id);
    await until('all readers have as many', () => logs.every((events) => since(events).length >= all.length));
    halt.readers = true;
    await Promise.all(reading);
    for (const events of logs) expect(since(events).slice(0, all.length)).to.deep.equal(since(all));
    const wanted = since(all.filter(({ kind }) => kind.startsWith('service.')));
    const arrived = () => [...new Set(receiver.deliveries.map(({ id }) => id))];
    await until('the webhook has all', () => arrived().length >= wanted.length, 60_000);
    expect(arrived().slice(0, wanted.length)).to.deep.equal(wanted);
    expect(receiver.deliveries.every(({ isSigned }) => isSigned)).to.equal(true);
    const entities = new Map<string, EventData[]>();
    for (const event of all) entities.set(event.entityId, [...(entities.get(event.entityId) ?? []), event]);
    for (const id of answered) {
      const changes = entities.get(id) ?? [];
      expect(changes[0]?.kind, id).to.equal('service.created');
      const seqs = changes.map(({ auditId }) => Number(auditId));
      expect(seqs).to.deep.equal([...seqs].sort((a, b) => a - b));
    }
    // Late transactions did come out of the order of their numbers: else nothing was tried.
    expect(numbers.some((seq, at) => at > 0 && seq < (numbers[at - 1] ?? 0))).to.equal(true);
    expectStatus(await shop.client(anyUrl(), token).get(`${MANAGEMENT}/version`), 200);
  });
});
