/** Who is let in: tokens, their life and their end, on one controller and on two that share a database. */
import { expect } from 'chai';
import { createClient, expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { C, M, expectFault, sendRaw, startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const NO_SESSION = 'zt-session realm="zt-session" error="missing" error_description="no matching token was provided",'
  + 'Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"';
const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';
const BAD_BEARER = 'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"';
const UNKNOWN_TOKEN = '11111111-2222-4333-8444-555555555555';

interface CurrentSession { id: string; token: string; identityId: string; cachedLastActivityAt: string; lastActivityAt: string; expiresAt: string; expirationSeconds: number }
const session = (answer: Answer) => expectStatus(answer, 200).data as CurrentSession;

function expectRefused(answer: Answer, challenge: string | undefined): void {
  const error = expectFault(answer, 401, 'UNAUTHORIZED');
  expect(answer.headers['www-authenticate']).to.equal(challenge);
  if (challenge !== NO_SESSION) expect(error.cause).to.equal(undefined);
}

describe('API sessions', () => {
  let controller: TestController;
  let anonymous: Client;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    ({ anonymous, admin } = controller);
  });
  after(() => controller.stop());

  const login = (body: object, path = C) => anonymous.post(`${path}/authenticate?method=password`, body);

  describe('a request without a usable token', () => {
    it('is told both ways to authenticate, in one header line', async () => {
      const answer = await anonymous.get(`${C}/current-identity`);
      expectRefused(answer, NO_SESSION);
      expect(answer.error?.cause).to.deep.equal({ code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' });
      const raw = await sendRaw(controller.url, `GET ${C}/current-identity HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect(raw.head.match(/^www-authenticate:/gim)).to.have.lengthOf(1);
    });

    it('is refused with an unknown or a malformed token', async () => {
      for (const token of [UNKNOWN_TOKEN, 'x', 'a b', 'x'.repeat(10_000), `${admin.token ?? ''} `.repeat(2).trim(), (admin.token ?? '').toUpperCase()]) {
        expectRefused(await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': token } }), INVALID_SESSION);
      }
    });

    it('is refused with an empty token as if there were none', async () => {
      expectRefused(await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': '' } }), NO_SESSION);
    });

    it('is told what is wrong with a bearer token', async () => {
      const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL3gifQ.c2ln';
      for (const [authorization, challenge] of [
        ['Basic YWRtaW46YWRtaW4=', NO_SESSION], [`Bearer ${jwt}`, NO_SESSION], ['Bearer', NO_SESSION], ['Bearer nonsense', BAD_BEARER],
        [`bearer ${UNKNOWN_TOKEN}`, BAD_BEARER], [`Bearer ${admin.token ?? ''}`, BAD_BEARER], ['Bearer a.b', BAD_BEARER],
      ] as const) {
        const answer = await anonymous.get(`${C}/current-identity`, { headers: { authorization } });
        expect(answer.status, authorization).to.equal(401);
        expect(answer.headers['www-authenticate'], authorization).to.equal(challenge);
      }
    });

    it('is let in by a session beside an unusable Authorization', async () => {
      for (const authorization of ['Bearer nonsense', 'Basic eDp5']) {
        expectStatus(await admin.get(`${C}/current-identity`, { headers: { authorization } }), 200);
      }
    });

    it('never sees whether the entity that it asks for exists', async () => {
      const known = await anonymous.get(`${M}/identity-types/User`);
      const unknown = await anonymous.get(`${M}/identity-types/nope`);
      expectRefused(known, NO_SESSION);
      expectRefused(unknown, NO_SESSION);
    });
  });

  describe('a token', () => {
    it('opens both APIs, in either header, whatever the case of its name', async () => {
      const token = admin.token ?? '';
      for (const path of [C, M]) {
        for (const header of ['zt-session', 'svc-session', 'ZT-Session', 'SVC-SESSION']) {
          expectStatus(await anonymous.get(`${path}/current-identity`, { headers: { [header]: token } }), 200);
        }
      }
    });

    it('of a login on the management API opens the client API too', async () => {
      const made = session(await login(ADMIN, M));
      expectStatus(await anonymous.get(`${C}/current-identity`, { headers: { 'zt-session': made.token } }), 200);
    });

    it('comes in header and body, with the time it has', async () => {
      const before = Date.now();
      const answer = await login(ADMIN);
      const made = session(answer);
      expect(answer.headers['zt-session']).to.equal(made.token);
      expect(made.token).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(answer.headers['expiration-seconds']).to.equal('1800');
      expect(made.expirationSeconds).to.equal(1800);
      expect(answer.headers['expires-at']).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC$/);
      const expiresAt = Date.parse(String(answer.headers['expires-at']).replace(' +0000 UTC', 'Z').replace(' ', 'T'));
      expect(expiresAt).to.equal(Date.parse(made.expiresAt));
      expect(expiresAt).to.be.within(before + 1_795_000, Date.now() + 1_805_000);
    });

    it('is in no answer but its owner\'s', async () => {
      const { client } = await controller.newCaller();
      const { id } = session(await client.get(`${C}/current-api-session`));
      for (const path of [`${M}/api-sessions/${id}`, `${M}/api-sessions?limit=500`]) {
        expect(expectStatus(await admin.get(path), 200).text).not.to.contain(client.token);
      }
      expect(session(await client.get(`${C}/current-api-session`)).token).to.equal(client.token);
    });

    it('is stored as a hash only', async () => {
      const { rows } = await controller.database.query('SELECT t::text AS row, token_hash AS hash FROM api_sessions t');
      expect(rows.length).to.be.greaterThan(0);
      for (const { row, hash } of rows) {
        expect(String(row)).not.to.contain(admin.token);
        expect((hash as Buffer).toString('latin1')).not.to.contain(admin.token);
      }
    });

    it('is found by no SQL in it', async () => {
      expectRefused(await anonymous.get(`${M}/identities`, { headers: { 'zt-session': "' OR ''='" } }), INVALID_SESSION);
    });
  });

  describe('a session ends at once', () => {
    const expectEnded = async (client: Client) => {
      for (const path of [`${C}/current-identity`, `${M}/current-identity`, `${C}/current-api-session`]) expectRefused(await client.get(path), INVALID_SESSION);
    };

    it('when its owner logs out, and no other session does', async () => {
      const caller = await controller.newCaller();
      const other = await controller.login(caller.username, caller.password);
      expectStatus(await caller.client.delete(`${C}/current-api-session`), 200);
      await expectEnded(caller.client);
      expectStatus(await other.get(`${C}/current-identity`), 200);
    });

    it('when an administrator deletes it', async () => {
      const { client } = await controller.newCaller();
      const { id } = session(await client.get(`${C}/current-api-session`));
      expectStatus(await admin.delete(`${M}/api-sessions/${id}`), 200);
      await expectEnded(client);
      expectFault(await admin.delete(`${M}/api-sessions/${id}`), 404, 'NOT_FOUND');
    });

    it('when its identity is deleted', async () => {
      const { id, client, username, password } = await controller.newCaller();
      expectStatus(await admin.delete(`${M}/identities/${id}`), 200);
      await expectEnded(client);
      expectFault(await login({ username, password }), 403, 'INVALID_AUTH');
    });

    it('when its identity is disabled, and comes not back when it is enabled', async () => {
      const { id, client, username, password } = await controller.newCaller();
      expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 10 }), 200);
      await expectEnded(client);
      expectFault(await login({ username, password }), 403, 'INVALID_AUTH');
      expectStatus(await admin.post(`${M}/identities/${id}/enable`), 200);
      await expectEnded(client);
      expectStatus(await login({ username, password }), 200);
    });

    it('also in the middle of a stream of its requests', async () => {
      const { id, client } = await controller.newCaller();
      const stream = Array.from({ length: 40 }, () => client.get(`${C}/current-identity`));
      const removed = admin.delete(`${M}/identities/${id}`);
      for (const { status } of await Promise.all(stream)) expect(status).to.be.oneOf([200, 401, 404]);
      expectStatus(await removed, 200);
      await expectEnded(client);
    });
  });

  describe('the right of an administrator', () => {
    it('is needed: others get 401 without a challenge and without a cause', async () => {
      const { client } = await controller.newCaller();
      for (const [method, path] of [['GET', 'identities'], ['POST', 'identities'], ['DELETE', 'services/x'], ['GET', 'api-sessions'], ['POST', 'service-policies']] as const) {
        expectRefused(await client.send(method, `${M}/${path}`), undefined);
      }
    });

    it('is needed to delete an API session, which answers 403 to others and leaves the session', async () => {
      const { client } = await controller.newCaller();
      const victim = await controller.newCaller();
      const { id } = session(await victim.client.get(`${C}/current-api-session`));
      const answer = await client.delete(`${M}/api-sessions/${id}`);
      expectFault(answer, 403, 'UNAUTHORIZED');
      expect(answer.headers['www-authenticate']).to.equal(undefined);
      expectRefused(await anonymous.delete(`${M}/api-sessions/${id}`), NO_SESSION);
      expectStatus(await victim.client.get(`${C}/current-identity`), 200);
    });

    it('goes and comes at once, in the sessions that are open', async () => {
      const { id, client } = await controller.newCaller({ isAdmin: true });
      expectStatus(await client.get(`${M}/identities`), 200);
      expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: false }), 200);
      expectRefused(await client.get(`${M}/identities`), undefined);
      expectStatus(await client.get(`${C}/current-identity`), 200);
      expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: true }), 200);
      expectStatus(await client.get(`${M}/identities`), 200);
    });

    it('cannot be given to oneself', async () => {
      const { id, client } = await controller.newCaller();
      expectRefused(await client.patch(`${M}/identities/${id}`, { isAdmin: true }), undefined);
      expectRefused(await client.get(`${M}/identities`), undefined);
    });
  });

  it('are not looked at by public operations: a bad token does no harm there', async () => {
    for (const headers of [{ 'zt-session': UNKNOWN_TOKEN }, { 'zt-session': 'x'.repeat(5000) }, { authorization: 'Bearer nonsense' }]) {
      for (const path of [`${C}/version`, `${M}/specs`, `${C}/protocols`, `${C}/enumerated-capabilities`, `${C}/network-jwts`, '/.well-known/est/cacerts']) {
        expectStatus(await anonymous.get(path, { headers }), 200);
      }
      expectStatus(await anonymous.post(`${C}/authenticate?method=password`, ADMIN, { headers }), 200);
    }
  });

  describe('a failed login', () => {
    const withoutId = (answer: Answer) => answer.text.replace(/"requestId":"[^"]*"/, '');
    const notAlike = (headers: Answer['headers']) => Object.keys(headers).filter((name) => name !== 'date').sort();

    it('looks the same for an unknown user, a wrong password and a disabled identity', async () => {
      const { id, username, password } = await controller.newCaller();
      const wrong = await login({ username, password: 'wrong password' });
      const unknown = await login({ username: `${username}-nobody`, password });
      expectStatus(await admin.post(`${M}/identities/${id}/disable`, { durationMinutes: 0 }), 200);
      const disabled = await login({ username, password });
      for (const answer of [wrong, unknown, disabled]) {
        expectFault(answer, 403, 'INVALID_AUTH');
        expect(answer.error?.cause).to.equal(undefined);
        expect(answer.headers['www-authenticate']).to.equal(undefined);
        expect(answer.headers['zt-session']).to.equal(undefined);
        expect(withoutId(answer)).to.equal(withoutId(wrong));
        expect(notAlike(answer.headers)).to.deep.equal(notAlike(wrong.headers));
      }
    });

    it('takes as long for an unknown user as for a wrong password', async () => {
      const { username } = await controller.newCaller();
      const timed = async (body: object) => {
        const started = performance.now();
        expectStatus(await login(body), 403);
        return performance.now() - started;
      };
      const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
      const known: number[] = [];
      const unknown: number[] = [];
      for (let i = 0; i < 10; i += 1) {
        known.push(await timed({ username, password: 'wrong password' }));
        unknown.push(await timed({ username: `${username}-nobody`, password: 'wrong password' }));
      }
      expect(median(known) / median(unknown)).to.be.within(0.5, 2);
    });

    it('is 403 for every primary method', async () => {
      for (const method of ['password', 'cert', 'ext-jwt']) {
        expectFault(await anonymous.post(`${C}/authenticate?method=${method}`, { username: 'nobody at all', password: 'wrong password' }), 403, 'INVALID_AUTH');
      }
    });

    it('says what is missing when username or password is', async () => {
      for (const body of [{}, { username: 'admin' }, { password: 'long enough' }, { username: null, password: null }]) {
        const error = expectFault(await login(body), 400, 'COULD_NOT_VALIDATE');
        expect(error.cause).to.deep.equal({ code: 'UNHANDLED', message: 'username and password fields are required' });
      }
    });

    it('takes a username as it is: no case, blanks or Unicode forms are made alike', async () => {
      for (const username of ['ADMIN', ' admin', 'admin ', 'ａdmin']) expectFault(await login({ username, password: ADMIN.password }), 403, 'INVALID_AUTH');
    });
  });

  describe('an auth policy with a lockout', () => {
    const attempts = 3;
    const lockable = async (lockoutMinutes = 0) => {
      const caller = await controller.newCaller();
      const policy = `lock-${caller.id}`;
      await controller.database.query(`INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed, updb_allowed, updb_min_password_length,
        updb_require_mixed_case, updb_require_number_char, updb_require_special_char, updb_max_attempts, updb_lockout_minutes, require_totp)
        VALUES ($1, $1, true, true, true, true, 5, false, false, false, ${attempts}, ${lockoutMinutes}, false)`, [policy]);
      expectStatus(await admin.patch(`${M}/identities/${caller.id}`, { authPolicyId: policy }), 200);
      const fail = async () => { expectFault(await login({ username: caller.username, password: 'wrong password' }), 403, 'INVALID_AUTH'); };
      const succeed = () => login({ username: caller.username, password: caller.password });
      const isDisabled = async () => (expectStatus(await admin.get(`${M}/identities/${caller.id}`), 200).data as { disabled: boolean }).disabled;
      return { ...caller, fail, succeed, isDisabled };
    };

    it('disables the identity exactly at that attempt, and ends its sessions', async () => {
      const { fail, succeed, isDisabled, client } = await lockable();
      for (let i = 1; i < attempts; i += 1) await fail();
      expect(await isDisabled()).to.equal(false);
      expectStatus(await client.get(`${C}/current-identity`), 200);
      await fail();
      expect(await isDisabled()).to.equal(true);
      expectRefused(await client.get(`${C}/current-identity`), INVALID_SESSION);
      expectFault(await succeed(), 403, 'INVALID_AUTH');
    });

    it('counts only attempts in a row', async () => {
      const { fail, succeed, isDisabled } = await lockable();
      for (let round = 0; round < 3; round += 1) {
        for (let i = 1; i < attempts; i += 1) await fail();
        expectStatus(await succeed(), 200);
      }
      expect(await isDisabled()).to.equal(false);
    });

    it('gives as many attempts again once the identity is enabled', async () => {
      const { id, fail, succeed, isDisabled } = await lockable();
      for (let i = 0; i < attempts; i += 1) await fail();
      expectStatus(await admin.post(`${M}/identities/${id}/enable`), 200);
      for (let i = 1; i < attempts; i += 1) await fail();
      expect(await isDisabled()).to.equal(false);
      expectStatus(await succeed(), 200);
    });

    it('ends by itself after its duration', async () => {
      const { id, fail, succeed } = await lockable(5);
      for (let i = 0; i < attempts; i += 1) await fail();
      const { disabledUntil } = expectStatus(await admin.get(`${M}/identities/${id}`), 200).data as { disabledUntil: string };
      expect(Date.parse(disabledUntil)).to.be.within(Date.now() + 290_000, Date.now() + 310_000);
      expectFault(await succeed(), 403, 'INVALID_AUTH');
      await controller.database.query(`UPDATE identities SET disabled_until = now() - interval '1 second' WHERE id = $1`, [id]);
      expectStatus(await succeed(), 200);
    });

    it('does not count attempts for others, nor those of unknown users', async () => {
      const { fail, username, isDisabled } = await lockable();
      const other = await lockable();
      for (let i = 1; i < attempts; i += 1) await fail();
      await other.fail();
      expectFault(await login({ username: `${username}-nobody`, password: 'wrong password' }), 403, 'INVALID_AUTH');
      expect(await isDisabled()).to.equal(false);
      expect(await other.isDisabled()).to.equal(false);
    });
  });
});

describe('API sessions that live one second', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController({ EDGE_API_SESSION_TIMEOUT: '1s' }); });
  after(() => controller.stop());

  const idleFor = (id: string, seconds: number) => until('the session has been idle', async () => {
    const { rows } = await controller.database.query('SELECT last_activity_at < now() - make_interval(secs => $2) AS idle FROM api_sessions WHERE id = $1', [id, seconds]);
    return rows.length === 0 || rows[0]?.['idle'] === true;
  });

  it('end when they are idle for it, and are swept', async () => {
    const client = await controller.login(ADMIN.username, ADMIN.password);
    const { id, expirationSeconds } = session(await client.get(`${C}/current-api-session`));
    expect(expirationSeconds).to.equal(1);
    await idleFor(id, 1.05);
    expectRefused(await client.get(`${C}/current-api-session`), INVALID_SESSION);
    expectRefused(await client.get(`${M}/identities`), INVALID_SESSION);
    await until('the session is swept', async () => (await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [id])).rows.length === 0);
  });

  it('live on with every use, and say so', async () => {
    const client = await controller.login(ADMIN.username, ADMIN.password);
    const first = session(await client.get(`${C}/current-api-session`));
    const end = Date.now() + 2500;
    let last = first;
    await until('two and a half lives of a session', async () => {
      const next = session(await client.get(`${C}/current-api-session`));
      expect(Date.parse(next.cachedLastActivityAt)).to.be.at.least(Date.parse(last.cachedLastActivityAt));
      expect(Date.parse(next.expiresAt)).to.equal(Date.parse(next.cachedLastActivityAt) + 1000);
      last = next;
      return Date.now() > end;
    });
    expect(Date.parse(last.expiresAt)).to.be.at.least(Date.parse(first.expiresAt) + 1500);
    await until('the database knows of the activity', async () => {
      const { rows } = await controller.database.query('SELECT last_activity_at > $2 AS known FROM api_sessions WHERE id = $1', [first.id, first.expiresAt]);
      return rows[0]?.['known'] === true;
    });
  });
});

describe('two controllers on one database', () => {
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
    const name = `shared-${Math.random().toString(36).slice(2)}`;
    const { id } = expectStatus(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin }), 201).data as { id: string };
    expectStatus(await admin.post(`${M}/authenticators`, { identityId: id, method: 'updb', username: name, password: 'pass word 1' }), 201);
    const onOne = await one.login(name, 'pass word 1');
    const onTwo = two.client(onOne.token);
    const current = session(await onTwo.get(`${C}/current-api-session`));
    return { admin, id, name, onOne, onTwo, sessionId: current.id };
  };
  const refusedSoon = (client: Client, path = `${C}/current-identity`, deadlineMs = 500) =>
    until('the other controller refuses', async () => (await client.get(path)).status === 401, deadlineMs);

  it('accept each other\'s sessions and show each other', async () => {
    const { onTwo } = await shared(true);
    const { data } = expectStatus(await onTwo.get(`${C}/controllers`), 200);
    expect((data as { name: string; isOnline: boolean }[]).map(({ name, isOnline }) => [name, isOnline]).sort()).to.deep.equal([['one', true], ['two', true]]);
  });

  it('refuse within half a second a session that was deleted through the other', async () => {
    const { admin, onTwo, sessionId } = await shared();
    expectStatus(await admin.delete(`${M}/api-sessions/${sessionId}`), 200);
    await refusedSoon(onTwo);
  });

  it('refuse within half a second a session that its owner ended through the other', async () => {
    const { onOne, onTwo } = await shared();
    expectStatus(await onOne.delete(`${C}/current-api-session`), 200);
    await refusedSoon(onTwo);
  });

  it('refuse within half a second the sessions of an identity that was disabled or deleted through the other', async () => {
    const disabled = await shared();
    expectStatus(await disabled.admin.post(`${M}/identities/${disabled.id}/disable`, { durationMinutes: 5 }), 200);
    await refusedSoon(disabled.onTwo);
    const deleted = await shared();
    expectStatus(await deleted.admin.delete(`${M}/identities/${deleted.id}`), 200);
    await refusedSoon(deleted.onTwo);
  });

  it('take an administrator\'s right away within half a second', async () => {
    const { admin, id, onTwo } = await shared(true);
    expectStatus(await onTwo.get(`${M}/identities`), 200);
    expectStatus(await admin.patch(`${M}/identities/${id}`, { isAdmin: false }), 200);
    await refusedSoon(onTwo, `${M}/identities`);
    expectStatus(await onTwo.get(`${C}/current-identity`), 200);
  });

  it('do not believe what is in memory while they cannot hear each other', async () => {
    const { onTwo, sessionId } = await shared();
    await database.query('ALTER TABLE api_sessions DISABLE TRIGGER api_sessions_tell_gone');
    await database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
    await database.query('DELETE FROM api_sessions WHERE id = $1', [sessionId]);
    await database.query('ALTER TABLE api_sessions ENABLE TRIGGER api_sessions_tell_gone');
    await refusedSoon(onTwo, `${C}/current-identity`, 5000);
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
      expectStatus(await controller.admin.delete(`${M}/api-sessions/${session(await first!.get(`${C}/current-api-session`)).id}`), 200);
      expectRefused(await first!.get(`${C}/current-identity`), INVALID_SESSION);
    } finally {
      clients.forEach((client) => { client.close(); });
      await controller.stop();
    }
  });
});
