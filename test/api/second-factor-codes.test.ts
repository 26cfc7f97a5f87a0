/**
 * The codes of a second factor, TOTP and recovery: each is worth something once, and guesses are few. On two
 * controllers that share a database.
 */
import { expect } from 'chai';
import type pg from 'pg';
import { expectStatus } from '../support/client.js';
import { entityOf } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { MFA, codeAt } from '../support/totp.js';
import type { LoggedController } from './server-support.js';
import {
  CODES,
  GIVE,
  withCode,
  wrongCode,
  refusedCode,
  statuses,
  inParallel,
  useSecondFactor,
} from './second-factor-support.js';

describe('a second factor', function secondFactor() {
  this.timeout(300_000);
  const factor = useSecondFactor();
  const { login, newSubject, begin, unspend, enroll, isFull } = factor;
  let two: LoggedController;
  let pool: pg.Pool;
  before(() => {
    ({ two, pool } = factor.started());
  });

  describe('code', () => {
    it('is accepted once, and none of an earlier step after it', async () => {
      const { name, secret } = await enroll();
      const code = codeAt(secret, 1);
      expectStatus(await (await login(name)).post(GIVE, { code }), 200);
      const client = await login(name);
      refusedCode(await client.post(GIVE, { code }));
      refusedCode(await client.post(GIVE, { code: codeAt(secret) }));
      expect(await isFull(client)).to.equal(false);
    });

    it('is accepted once also when two controllers get it in the same instant', async () => {
      const { name, secret, id } = await enroll();
      const clients = [await login(name), await login(name, two), await login(name), await login(name, two)];
      for (let round = 0; round < 5; round += 1) {
        await pool.query("UPDATE mfas SET last_step = 0, failed_at = '{}' WHERE identity_id = $1", [id]);
        const code = codeAt(secret);
        const answers = await Promise.all(clients.map((client) => client.post(GIVE, { code })));
        expect([statuses(answers, 200), statuses(answers, 401)]).to.deep.equal([1, 3]);
      }
    });

    it('is spent by the enrollment that it verified', async () => {
      const { client, name } = await newSubject();
      const { secret } = await begin(client);
      const code = codeAt(secret);
      expectStatus(await client.post(`${MFA}/verify`, { code }), 200);
      refusedCode(await (await login(name)).post(GIVE, { code }));
    });

    it('is refused from two steps away, as no number, and as that of another identity', async () => {
      const { name, secret } = await enroll();
      const other = await enroll();
      const client = await login(name);
      for (const code of [codeAt(secret, -3), codeAt(secret, 3), '', 'abc', ` ${codeAt(secret)}`, codeAt(other.secret)])
        refusedCode(await client.post(GIVE, { code }));
      expectStatus(await client.post(GIVE, {}), 400);
    });

    it('is refused after ten wrong ones, right or not, from every session that owes one', async () => {
      const { name, id, client, secret } = await enroll();
      const guessers = [await login(name), await login(name, two)];
      const code = wrongCode(secret);
      const answers = await inParallel(40, guessers, { code });
      expect([statuses(answers, 401), statuses(answers, 429)]).to.deep.equal([10, 30]);
      for (const given of [codeAt(secret), code]) {
        const answer = await (await login(name)).post(GIVE, { code: given });
        expect(expectFault(answer, 429, 'RATE_LIMITED').cause).to.equal(undefined);
        expect(Number(answer.headers['retry-after'])).to.be.within(1, 300);
      }
      // It has given a code, so it is not one of a password alone.
      expectStatus(await client.get(CODES, withCode(codeAt(secret))), 200);
      await unspend(id);
      const over = "UPDATE mfas SET blocked_until = now() - interval '1 second' WHERE identity_id = $1";
      await pool.query(over, [id]);
      expectStatus(await (await login(name)).post(GIVE, { code: codeAt(secret) }), 200);
    });

    it('does not keep its owner out for whoever has the password: recovery codes go on', async () => {
      const { name, secret, recoveryCodes } = await enroll();
      for (let round = 0; round < 3; round += 1) {
        const guesser = await login(name, two);
        for (let n = 0; n < 12; n += 1) await guesser.post(GIVE, { code: wrongCode(secret) });
        const owner = await login(name);
        expectFault(await owner.post(GIVE, { code: codeAt(secret) }), 429, 'RATE_LIMITED');
        expectStatus(await owner.post(GIVE, { code: recoveryCodes[round] }), 200);
        expect(await isFull(owner)).to.equal(true);
      }
    });

    it('in the form of a recovery code blocks the session that guesses, and no other', async () => {
      const { name, recoveryCodes, secret } = await enroll();
      const guesser = await login(name);
      for (let n = 0; n < 10; n += 1) refusedCode(await guesser.post(GIVE, { code: 'A'.repeat(16) }));
      for (const code of [recoveryCodes[0], codeAt(secret), 'A'.repeat(16)])
        expectFault(await guesser.post(GIVE, { code }), 429, 'RATE_LIMITED');
      expectStatus(await (await login(name, two)).post(GIVE, { code: codeAt(secret) }), 200);
    });

    it('that is wrong blocks a session that has given one, and no other', async () => {
      const { name, client, secret } = await enroll();
      const code = wrongCode(secret);
      const guesses = Array.from({ length: 30 }, () => client.get(CODES, withCode(code)));
      const answers = await Promise.all(guesses);
      expect([statuses(answers, 401), statuses(answers, 429)]).to.deep.equal([10, 20]);
      expectFault(await client.get(CODES, withCode(codeAt(secret))), 429, 'RATE_LIMITED');
      expectStatus(await (await login(name, two)).post(GIVE, { code: codeAt(secret) }), 200);
    });

    it('that was right and used does not count as wrong', async () => {
      const { name, secret } = await enroll();
      const code = codeAt(secret, 1);
      expectStatus(await (await login(name)).post(GIVE, { code }), 200);
      for (let n = 0; n < 20; n += 1) refusedCode(await (await login(name)).post(GIVE, { code }));
      const client = await login(name);
      for (let n = 0; n < 12; n += 1) refusedCode(await client.post(GIVE, { code }));
      refusedCode(await client.post(GIVE, { code: wrongCode(secret) }));
    });

    it('that is wrong counts for five minutes, and a right one takes no guess back', async () => {
      const { name, id, secret } = await enroll();
      const client = await login(name);
      const code = wrongCode(secret);
      for (let n = 0; n < 9; n += 1) refusedCode(await client.post(GIVE, { code }));
      const aged = "[1:5] = array_fill(now() - interval '301 seconds', ARRAY[5])";
      await pool.query(`UPDATE mfas SET failed_at${aged} WHERE identity_id = $1`, [id]);
      await pool.query(`UPDATE api_sessions SET wrong_codes${aged} WHERE cardinality(wrong_codes) = 9`);
      expectStatus(await client.post(GIVE, { code: codeAt(secret) }), 200);
      for (let n = 0; n < 6; n += 1) refusedCode(await client.post(GIVE, { code }));
      expectFault(await client.post(GIVE, { code }), 429, 'RATE_LIMITED');
    });
  });

  describe('recovery code', () => {
    it('is good for one of 50 tries in parallel, on two controllers, and is gone from the view then', async () => {
      const { name, id, client, secret, recoveryCodes } = await enroll();
      const [code = ''] = recoveryCodes;
      const clients = [await login(name), await login(name, two)];
      const answers = await inParallel(50, clients, { code });
      expect(statuses(answers, 200)).to.equal(1);
      // All tries wait for one row: on a busy machine one may be told that the database is busy.
      expect([401, 429, 503].reduce((sum, status) => sum + statuses(answers, status), 0)).to.equal(49);
      await pool.query('UPDATE mfas SET blocked_until = NULL WHERE identity_id = $1', [id]);
      const { recoveryCodes: left } = entityOf(expectStatus(await client.get(CODES, withCode(codeAt(secret))), 200));
      expect(left).to.deep.equal(recoveryCodes.slice(1));
    });

    it('has 80 bits, and none of them or the secret is in the database as it is', async () => {
      const { id, secret, recoveryCodes } = await enroll();
      expect(secret).to.match(/^[A-Z2-7]{32}$/);
      expect(recoveryCodes).to.have.length(20);
      for (const code of recoveryCodes) expect(code).to.match(/^[A-Z2-7]{16}$/);
      const { rows } = await pool.query<{ text: string }>(
        "SELECT encode(sealed_secret, 'escape') || array_to_string(sealed_codes, ',') AS text FROM mfas " +
          'WHERE identity_id = $1',
        [id],
      );
      for (const hidden of [secret, ...recoveryCodes]) {
        expect(rows[0]?.text).to.not.include(hidden);
        expect(rows[0]?.text).to.not.include(Buffer.from(hidden).toString('hex'));
      }
    });

    it('is shown and replaced for a TOTP code alone', async () => {
      const { client, id, secret, recoveryCodes } = await enroll();
      const [code = ''] = recoveryCodes;
      refusedCode(await client.get(CODES));
      refusedCode(await client.get(CODES, withCode(code)));
      refusedCode(await client.get(CODES, withCode(wrongCode(secret))));
      refusedCode(await client.post(CODES, { code }));
      const made = entityOf(expectStatus(await client.post(CODES, { code: codeAt(secret) }), 200));
      const fresh = made['recoveryCodes'] as string[];
      expect(fresh)
        .to.have.length(20)
        .and.not.include.any.members([...recoveryCodes]);
      await unspend(id);
      const shown = entityOf(expectStatus(await client.get(CODES, withCode(codeAt(secret))), 200));
      expect(shown['recoveryCodes']).to.deep.equal(fresh);
      refusedCode(await client.post(GIVE, { code }));
      expectStatus(await client.post(GIVE, { code: fresh[0] }), 200);
    });
  });
});
