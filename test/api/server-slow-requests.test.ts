/** A slow request leaves a line that says where its time went. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { RequestClock } from '../../db/postgres/request-clock.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { MANAGEMENT as M } from '../support/paths.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

describe('a slow request', () => {
  let database: TestDatabase;
  let controller: LoggedController;
  let admin: Client;
  before(async () => {
    database = await openTestDatabase();
    controller = await startLogged(database, {
      EDGE_LOG_SLOW: '300ms',
      EDGE_LOG_REQUESTS: 'none',
      EDGE_DATABASE_POOL_SIZE: '8',
      EDGE_DATABASE_PATIENCE: '20s',
      EDGE_LIMIT_HANDLER_TIMEOUT: '20s',
    });
    admin = await controller.login();
  });
  after(async () => {
    await controller.stop();
    await database.close();
  });

  const waiting = (least: number) =>
    until('statements wait for the lock', async () => {
      await database.query('SELECT pg_stat_clear_snapshot()');
      const {
        rows: [row],
      } = await database.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'
          AND datname = current_database()`,
      );
      return Number(row?.['n']) >= least;
    });
  /** Holds a lock on `table` for a time after so many requests wait for it. */
  const behindLock = async (
    table: string,
    heldMs: number,
    least: number,
    send: () => Promise<Answer>[],
  ): Promise<Answer[]> => {
    await database.query('BEGIN');
    await database.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    try {
      const answers = send();
      await waiting(least);
      await database.query('SELECT pg_sleep($1)', [heldMs / 1000]);
      await database.query('ROLLBACK');
      return await Promise.all(answers);
    } finally {
      await database.query('ROLLBACK');
    }
  };
  const lineOf = (answer: Answer) =>
    until(
      'its line',
      () =>
        controller.log.find(
          ({ msg, requestId }) => msg === 'slow request' && requestId === answer.headers['x-request-id'],
        ) as Record<string, number> | undefined,
    );

  it('has the time in the database, for reads as for changes', async () => {
    const [list, made] = (await behindLock('services', 600, 2, () => [
      admin.get(`${M}/services?sort=createdAt`),
      admin.post(`${M}/services`, { name: `service ${randomUUID()}`, encryptionRequired: true }),
    ])) as [Answer, Answer];
    const read = await lineOf(expectStatus(list, 200));
    expect(read).to.include({ level: 40, operation: 'listServices', status: 200, method: 'GET', address: '127.0.0.1' });
    for (const line of [read, await lineOf(expectStatus(made, 201))]) {
      expect(line['databaseMs']).to.be.at.least(300);
      expect(Number(line['databaseMs']) + Number(line['poolMs']) + Number(line['otherMs'])).to.be.closeTo(
        Number(line['ms']),
        0.5,
      );
    }
    expect(
      controller.log.some(({ msg }) => msg === 'request'),
      'other lines',
    ).to.equal(false);
  });

  it('has the time it waited for a connection apart', async () => {
    const post = () => admin.post(`${M}/services`, { name: `service ${randomUUID()}`, encryptionRequired: true });
    const answers = await behindLock('services', 900, 2, () => Array.from({ length: 6 }, post));
    const lines = await Promise.all(answers.map((answer) => lineOf(expectStatus(answer, 201))));
    const waited = lines.filter(({ poolMs = 0 }) => poolMs >= 300);
    expect(waited.length, JSON.stringify(lines)).to.be.at.least(2);
    expect(lines.filter(({ databaseMs = 0 }) => databaseMs >= 300).length).to.be.at.least(1);
  });

  it('that waits for its session has that in the database', async () => {
    const stranger = controller.client(randomUUID());
    const [answer] = (await behindLock('api_sessions', 600, 1, () => [stranger.get(`${M}/services`)])) as [Answer];
    expect((await lineOf(expectStatus(answer, 401)))['databaseMs']).to.be.at.least(300);
  });

  it('that is not slow leaves no such line', async () => {
    const answer = expectStatus(await admin.get(`${M}/summary`), 200);
    const [later] = (await behindLock('services', 400, 1, () => [admin.get(`${M}/services`)])) as [Answer];
    await lineOf(expectStatus(later, 200));
    const ofQuick = controller.log.filter(
      ({ msg, requestId, ms }) =>
        msg === 'slow request' && requestId === answer.headers['x-request-id'] && Number(ms) < 300,
    );
    expect(ofQuick).to.deep.equal([]);
  });

  it('leaves none when the setting is 0', async () => {
    const off = await startLogged(database, { EDGE_LOG_SLOW: '0s' });
    try {
      const client = await off.login();
      const [answer] = (await behindLock('services', 400, 1, () => [client.get(`${M}/services?sort=createdAt`)])) as [
        Answer,
      ];
      const { headers } = expectStatus(answer, 200);
      await until('its other line, which comes later', () =>
        off.log.some(({ msg, requestId }) => msg === 'request' && requestId === headers['x-request-id']),
      );
      expect(off.log.filter(({ msg }) => msg === 'slow request')).to.deep.equal([]);
    } finally {
      await off.stop();
    }
  });

  it('counts statements at the same time once, and a wait only while none runs', async () => {
    const clock = new RequestClock();
    const spin = (ms: number) => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };
    clock.enter('pool');
    spin(20);
    clock.enter('database');
    clock.enter('database');
    spin(20);
    clock.leave('database');
    spin(20);
    clock.leave('pool');
    clock.leave('database');
    spin(20);
    const { ms, databaseMs, poolMs, otherMs } = clock.read();
    expect(poolMs).to.be.at.least(20);
    expect(databaseMs).to.be.at.least(40);
    expect(otherMs).to.be.at.least(20);
    expect(poolMs + databaseMs + otherMs).to.be.closeTo(ms, 0.5);
  });
});
