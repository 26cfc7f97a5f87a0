/** The life of API sessions: idle ones, the cache that forgets them, and two controllers that share a database. */
import { expect } from 'chai';
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { HEARD_MS, until } from '../support/poll.js';
import { INVALID_SESSION } from '../support/challenges.js';
import { expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';
import { session } from './session-support.js';

/** Longer than a busy machine may keep a request waiting. */
const LIFE_S = 3;

describe(`API sessions that live ${LIFE_S} seconds`, () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController({ EDGE_API_SESSION_TIMEOUT: `${LIFE_S}s` });
  });
  after(() => controller.stop());

  const idleFor = (id: string, seconds: number) =>
    until('the session has been idle', async () => {
      const { rows } = await controller.database.query(
        'SELECT last_activity_at < now() - make_interval(secs => $2) AS idle FROM api_sessions WHERE id = $1',
        [id, seconds],
      );
      return rows.length === 0 || rows[0]?.['idle'] === true;
    });

  it('end when they are idle for it, and are swept', async () => {
    const client = await controller.login(ADMIN.username, ADMIN.password);
    const { id, expirationSeconds } = session(await client.get(`${C}/current-api-session`));
    expect(expirationSeconds).to.equal(LIFE_S);
    await idleFor(id, LIFE_S + 0.05);
    expectUnauthorized(await client.get(`${C}/current-api-session`), INVALID_SESSION);
    expectUnauthorized(await client.get(`${M}/identities`), INVALID_SESSION);
    await until(
      'the session is swept',
      async () => (await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [id])).rows.length === 0,
    );
  });

  it('live on with every use, and say so', async () => {
    const client = await controller.login(ADMIN.username, ADMIN.password);
    const first = session(await client.get(`${C}/current-api-session`));
    const end = Date.now() + LIFE_S * 1500;
    let last = first;
    await until('a life and a half of a session', async () => {
      const next = session(await client.get(`${C}/current-api-session`));
      expect(Date.parse(next.cachedLastActivityAt)).to.be.at.least(Date.parse(last.cachedLastActivityAt));
      expect(Date.parse(next.expiresAt)).to.equal(Date.parse(next.cachedLastActivityAt) + LIFE_S * 1000);
      last = next;
      return Date.now() > end;
    });
    expect(Date.parse(last.expiresAt)).to.be.at.least(Date.parse(first.expiresAt) + LIFE_S * 400);
    await until('the database knows of the activity', async () => {
      const { rows } = await controller.database.query(
        'SELECT last_activity_at > $2 AS known FROM api_sessions WHERE id = $1',
        [first.id, first.expiresAt],
      );
      return rows[0]?.['known'] === true;
    });
  });
});

describe('activity that is not written yet', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  it('is written when the controller stops', async () => {
    const controller = await startLogged(database, { EDGE_NAME: 'stopping' });
    const client = await controller.login();
    const { id } = session(await client.get(`${C}/current-api-session`));
    const isNoted = async () => {
      const sql = 'SELECT last_activity_at > created_at AS noted FROM api_sessions WHERE id = $1';
      return (await database.query(sql, [id])).rows[0]?.['noted'];
    };
    expect(await isNoted()).to.equal(false);
    await controller.stop();
    expect(await isNoted()).to.equal(true);
  });
});

describe('API sessions on two controllers', () => {
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  before(async () => {
    database = await openTestDatabase();
    one = await startLogged(database, { EDGE_NAME: 'one' });
    two = await startLogged(database, { EDGE_NAME: 'two' });
  });
  after(async () => {
    await one.stop();
    await two.stop();
    await database.close();
  });

  /** A session that both have in memory. */
  const shared = async (isAdmin = false) => {
    const admin = await one.login();
    const name = unique('shared');
    const { id } = await makeUser(admin, name, { isAdmin });
    const onOne = await one.login(name, PASSWORD);
    const onTwo = two.client(onOne.token);
    const current = session(await onTwo.get(`${C}/current-api-session`));
    return { admin, id, name, onOne, onTwo, sessionId: current.id };
  };
  const refusedSoon = (client: Client, deadlineMs = HEARD_MS) =>
    until(
      'the other controller refuses',
      async () => (await client.get(`${C}/current-identity`)).status === 401,
      deadlineMs,
    );

  it("accept each other's sessions and show each other", async () => {
    const { onTwo } = await shared(true);
    const { data } = expectStatus(await onTwo.get(`${C}/controllers`), 200);
    expect(
      (data as { name: string; isOnline: boolean }[]).map(({ name, isOnline }) => [name, isOnline]).sort(),
    ).to.deep.equal([
      ['one', true],
      ['two', true],
    ]);
  });

  it('refuse soon a session that was deleted through the other', async () => {
    const { admin, onTwo, sessionId } = await shared();
    expectStatus(await admin.delete(`${M}/api-sessions/${sessionId}`), 200);
    await refusedSoon(onTwo);
  });

  it('refuse soon a session that its owner ended through the other', async () => {
    const { onOne, onTwo } = await shared();
    expectStatus(await onOne.delete(`${C}/current-api-session`), 200);
    await refusedSoon(onTwo);
  });

  it('refuse soon the sessions of an identity that was disabled or deleted through the other', async () => {
    const disabled = await shared();
    expectStatus(await disabled.admin.post(`${M}/identities/${disabled.id}/disable`, { durationMinutes: 5 }), 200);
    await refusedSoon(disabled.onTwo);
    const deleted = await shared();
    expectStatus(await deleted.admin.delete(`${M}/identities/${deleted.id}`), 200);
    await refusedSoon(deleted.onTwo);
  });

  it('do not believe what is in memory while they cannot hear each other', async () => {
    const { onTwo, sessionId } = await shared();
    await database.query('ALTER TABLE api_sessions DISABLE TRIGGER api_sessions_tell_gone');
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid()`,
    );
    await database.query('DELETE FROM api_sessions WHERE id = $1', [sessionId]);
    await database.query('ALTER TABLE api_sessions ENABLE TRIGGER api_sessions_tell_gone');
    await refusedSoon(onTwo, 30_000);
  });
});

describe('the cache of API sessions', () => {
  it('is bounded, and a session that fell out of it is still good', async () => {
    const controller = await startTestController({ EDGE_LIMIT_CACHED_SESSIONS: '10' });
    const clients: Client[] = [];
    try {
      for (let i = 0; i < 15; i += 1) {
        const answer = expectStatus(await controller.anonymous.post(`${C}/authenticate?method=password`, ADMIN), 200);
        clients.push(createClient(controller.url, session(answer).token));
      }
      for (const client of [...clients, ...clients]) expectStatus(await client.get(`${C}/current-identity`), 200);
      const [first] = clients;
      expectStatus(
        await controller.admin.delete(`${M}/api-sessions/${session(await first!.get(`${C}/current-api-session`)).id}`),
        200,
      );
      expectUnauthorized(await first!.get(`${C}/current-identity`), INVALID_SESSION);
    } finally {
      clients.forEach((client) => {
        client.close();
      });
      await controller.stop();
    }
  });
});
