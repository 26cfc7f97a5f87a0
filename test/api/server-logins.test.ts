/** Failed logins: all alike to who tries, and counted by an auth policy with a lockout. */
import { expect } from 'chai';
import pg from 'pg';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { authPolicy } from '../support/auth-policy.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { INVALID_SESSION } from '../support/challenges.js';
import { expectFault, expectUnauthorized } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { make } from '../support/entities.js';
import { until } from '../support/poll.js';
import { recordStatements } from '../support/statements.js';

describe('logins', () => {
  let controller: TestController;
  let anonymous: Client;
  let admin: Client;
  before(async () => {
    controller = await startTestController({}, {});
    ({ anonymous, admin } = controller);
  });
  after(() => controller.stop());
  const login = (body: object) => anonymous.post(`${C}/authenticate?method=password`, body);

  const withoutId = (answer: Answer) => answer.text.replace(/"requestId":"[^"]*"/, '');
  const notAlike = (headers: Answer['headers']) =>
    Object.keys(headers)
      .filter((name) => name !== 'date')
      .sort();

  describe('a failed login', () => {
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
      // Work, not time: the controller is in this process, and another one may hold both up.
      const workOf = async (body: object) => {
        const before = process.cpuUsage();
        expectStatus(await login(body), 403);
        const { user, system } = process.cpuUsage(before);
        return user + system;
      };
      const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
      const known: number[] = [];
      const unknown: number[] = [];
      for (let i = 0; i < 10; i += 1) {
        known.push(await workOf({ username, password: 'wrong password' }));
        unknown.push(await workOf({ username: `${username}-nobody`, password: 'wrong password' }));
      }
      expect(median(known) / median(unknown)).to.be.within(0.5, 2);
    });

    it('is 403 for every primary method', async () => {
      for (const method of ['password', 'cert', 'ext-jwt']) {
        expectFault(
          await anonymous.post(`${C}/authenticate?method=${method}`, {
            username: 'nobody at all',
            password: 'wrong password',
          }),
          403,
          'INVALID_AUTH',
        );
      }
    });

    it('says what is missing when username or password is', async () => {
      for (const body of [{}, { username: 'admin' }, { password: 'long enough' }, { username: null, password: null }]) {
        const error = expectFault(await login(body), 400, 'COULD_NOT_VALIDATE');
        expect(error.cause).to.deep.equal({ code: 'UNHANDLED', message: 'username and password fields are required' });
      }
    });

    it('takes a username as it is: no case, blanks or Unicode forms are made alike', async () => {
      for (const username of ['ADMIN', ' admin', 'admin ', 'ａdmin'])
        expectFault(await login({ username, password: ADMIN.password }), 403, 'INVALID_AUTH');
    });
  });

  describe('the statements of a refused login', () => {
    /** Their texts: those outside a transaction, then those of the one about guesses from its begin to its end. */
    const statementsOf = async (body: object): Promise<string[]> => {
      const recorded = recordStatements(/authenticators|auth_policies|^BEGIN|^COMMIT|^ROLLBACK/);
      try {
        expectFault(await login(body), 403, 'INVALID_AUTH');
      } finally {
        recorded.stop();
      }
      const { sent } = recorded;
      const begin = sent.findIndex(({ text }) => text.startsWith('BEGIN; SET LOCAL synchronous_commit = off'));
      const within = sent.slice(begin).filter(({ connection }) => connection === sent[begin]?.connection);
      const end = within.findIndex(({ text }) => /^(COMMIT|ROLLBACK)/.test(text));
      const outside = sent.filter((each) => !within.includes(each) && /authenticators|auth_policies/.test(each.text));
      return [...outside, ...within.slice(0, end + 1)].map(({ text }) =>
        text.replaceAll(/\s+/g, ' ').replace(/edge.actor = '.*'/, 'edge.actor'),
      );
    };
    const policy = async (rules: object) => make(controller, 'auth-policies', authPolicy(rules));
    const PASSWORDS_BOUNDED = { updb: { maxAttempts: 100, lockoutDurationMinutes: 0 } };

    it('are the same for every reason, to the commit', async () => {
      const caller = await controller.newCaller();
      const subject = { username: caller.username, password: 'wrong password' };
      const assign = async (rules: object) =>
        expectStatus(await admin.patch(`${M}/identities/${caller.id}`, { authPolicyId: await policy(rules) }), 200);
      const seen: Record<string, string[]> = {};
      seen['unknown'] = await statementsOf({ username: unique('nobody'), password: 'wrong password' });
      seen['unbounded'] = await statementsOf(subject);
      await assign(PASSWORDS_BOUNDED);
      seen['counted'] = await statementsOf(subject);
      await assign({ updb: { allowed: false, maxAttempts: 100 } });
      seen['no passwords, wrong'] = await statementsOf(subject);
      seen['no passwords, right'] = await statementsOf({ ...subject, password: caller.password });
      await assign(PASSWORDS_BOUNDED);
      expectStatus(await admin.post(`${M}/identities/${caller.id}/disable`, { durationMinutes: 0 }), 200);
      seen['disabled, wrong'] = await statementsOf(subject);
      seen['disabled, right'] = await statementsOf({ ...subject, password: caller.password });
      expect(seen['unknown']).to.have.length(5);
      expect(seen['unknown']?.[1]).to.match(/^BEGIN/);
      expect(seen['unknown']?.at(-1)).to.equal('COMMIT');
      for (const [reason, texts] of Object.entries(seen)) expect(texts, reason).to.deep.equal(seen['unknown']);
    });

    it('lock nothing for unknown names, of which a flood may come', async () => {
      const { id, username } = await controller.newCaller();
      expectStatus(await admin.patch(`${M}/identities/${id}`, { authPolicyId: await policy(PASSWORDS_BOUNDED) }), 200);
      const lock = new pg.Client(controller.database.connection);
      await lock.connect();
      try {
        await lock.query('BEGIN');
        await lock.query('SELECT FROM authenticators FOR UPDATE');
        await lock.query('SELECT FROM identities FOR UPDATE');
        const guesses = Array.from({ length: 20 }, () =>
          login({ username: unique('nobody'), password: 'wrong password' }),
        );
        for (const answer of await Promise.all(guesses)) expectFault(answer, 403, 'INVALID_AUTH');
      } finally {
        await lock.query('COMMIT');
        await lock.end();
      }
      expectFault(await login({ username, password: 'wrong password' }), 403, 'INVALID_AUTH');
    });
  });

  describe('more logins than may wait', () => {
    it('are refused before anything is asked of the database, whoever they are for', async () => {
      const small = await startTestController({
        EDGE_LIMIT_PASSWORD_CONCURRENCY: '1',
        EDGE_LIMIT_PASSWORD_QUEUE: '0',
      });
      const attempt = (username: string, password: string) =>
        small.anonymous.post(`${C}/authenticate?method=password`, { username, password });
      const lock = new pg.Client(small.database.connection);
      await lock.connect();
      try {
        // No statement about authenticators gets an answer: the first login waits for its own.
        await lock.query('BEGIN; LOCK TABLE authenticators, auth_policies IN ACCESS EXCLUSIVE MODE');
        const first = attempt(ADMIN.username, ADMIN.password);
        await until(
          'the first login asks',
          async () => {
            const { rows } = await small.database.query(
              "SELECT count(*)::int AS total FROM pg_locks WHERE NOT granted AND locktype = 'relation'",
            );
            return rows[0]?.['total'] !== 0;
          },
          20_000,
        );
        const [known, unknown] = [
          await attempt(ADMIN.username, 'wrong password'),
          await attempt('nobody at all', 'wrong password'),
        ];
        for (const answer of [known, unknown]) {
          expectFault(answer, 429, 'SERVER_TOO_MANY_REQUESTS');
          expect(answer.headers['retry-after']).to.equal('1');
          expect(withoutId(answer)).to.equal(withoutId(known));
          expect(notAlike(answer.headers)).to.deep.equal(notAlike(known.headers));
        }
        await lock.query('COMMIT');
        expectStatus(await first, 200);
        expectFault(await attempt(ADMIN.username, 'wrong password'), 403, 'INVALID_AUTH');
      } finally {
        await lock.end();
        await small.stop();
      }
    });
  });

  describe('an auth policy with a lockout', () => {
    const attempts = 3;
    const lockable = async (lockoutMinutes = 0) => {
      const caller = await controller.newCaller();
      const policy = `lock-${caller.id}`;
      await controller.database.query(
        `INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed, updb_allowed,
        updb_min_password_length,
        updb_require_mixed_case, updb_require_number_char, updb_require_special_char, updb_max_attempts,
        updb_lockout_minutes, require_totp)
        VALUES ($1, $1, true, true, true, true, 5, false, false, false, ${attempts}, ${lockoutMinutes}, false)`,
        [policy],
      );
      expectStatus(await admin.patch(`${M}/identities/${caller.id}`, { authPolicyId: policy }), 200);
      const fail = async () => {
        expectFault(await login({ username: caller.username, password: 'wrong password' }), 403, 'INVALID_AUTH');
      };
      const succeed = () => login({ username: caller.username, password: caller.password });
      const isDisabled = async () =>
        (expectStatus(await admin.get(`${M}/identities/${caller.id}`), 200).data as { disabled: boolean }).disabled;
      return { ...caller, fail, succeed, isDisabled };
    };

    it('disables the identity exactly at that attempt, and ends its sessions', async () => {
      const { fail, succeed, isDisabled, client } = await lockable();
      for (let i = 1; i < attempts; i += 1) await fail();
      expect(await isDisabled()).to.equal(false);
      expectStatus(await client.get(`${C}/current-identity`), 200);
      await fail();
      expect(await isDisabled()).to.equal(true);
      expectUnauthorized(await client.get(`${C}/current-identity`), INVALID_SESSION);
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
      const { disabledUntil } = expectStatus(await admin.get(`${M}/identities/${id}`), 200).data as {
        disabledUntil: string;
      };
      expect(Date.parse(disabledUntil)).to.be.within(Date.now() + 290_000, Date.now() + 310_000);
      expectFault(await succeed(), 403, 'INVALID_AUTH');
      await controller.database.query(
        `UPDATE identities SET disabled_until = now() - interval '1 second' WHERE id = $1`,
        [id],
      );
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
