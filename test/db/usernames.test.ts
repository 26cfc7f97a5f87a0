/**
 * A username is one identity's, whether it logs in with it or waits for a first password: also when many ask at the
 * same time.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../domain/auth/tokens.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

describe('a username', () => {
  let database: TestDatabase;
  let pool: pg.Pool; // connections of their own, so that statements really run at the same time
  before(async () => {
    database = await openTestDatabase();
    pool = new pg.Pool({ ...database.connection, max: 8 });
    await database.query("INSERT INTO identity_types (id, name) VALUES ('User', 'User')");
    await database.query(`INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed,
      updb_allowed,
      updb_min_password_length, updb_require_mixed_case, updb_require_number_char, updb_require_special_char,
      updb_max_attempts, updb_lockout_minutes, require_totp)
      VALUES ('default', 'Default', true, true, true, true, 5, false, false, false, 0, 0, false)`);
  });
  after(async () => {
    await pool.end();
    await database.close();
  });

  const identity = async () => {
    const id = newId();
    await pool.query(
      "INSERT INTO identities (id, name, type_id, auth_policy_id, is_admin) VALUES ($1, $1, 'User', 'default', false)",
      [id],
    );
    return id;
  };
  const authenticator = (identityId: string, username: string) =>
    pool.query(
      "INSERT INTO authenticators (id, identity_id, method, username, password_hash) VALUES ($1, $2, 'updb', $3, 'h')",
      [newId(), identityId, username],
    );
  const enrollment = (identityId: string, username: string) =>
    pool.query(
      `INSERT INTO enrollments (id, identity_id, method, username, token, jwt, expires_at)
        VALUES ($1, $2, 'updb', $3, $4, '', now())`,
      [newId(), identityId, username, randomUUID()],
    );
  const holdersOf = async (username: string) =>
    (
      await database.query(
        `SELECT DISTINCT identity_id FROM (
    SELECT username, identity_id FROM authenticators UNION ALL SELECT username, identity_id FROM enrollments) held
    WHERE username = $1`,
        [username],
      )
    ).rows.map((row) => String(row['identity_id']));
  const claims = async (username: string) =>
    (await database.query('SELECT identity_id FROM usernames WHERE username = $1', [username])).rows.map((row) =>
      String(row['identity_id']),
    );
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error as { constraint?: string }).constraint ?? String(error),
    );

  it('is held by authenticator and enrollment of one identity together, and free when both are gone', async () => {
    const [one, two] = [await identity(), await identity()];
    await authenticator(one, 'both');
    await enrollment(one, 'both');
    await database.query("DELETE FROM authenticators WHERE username = 'both'");
    expect(await outcome(authenticator(two, 'both'))).to.equal('authenticators_username_fkey');
    await database.query("UPDATE enrollments SET username = 'other' WHERE username = 'both'");
    await authenticator(two, 'both');
    expect([await claims('both'), await claims('other')]).to.deep.equal([[two], [one]]);
    await database.query('DELETE FROM identities WHERE id = ANY($1)', [[one, two]]);
    expect([await claims('both'), await claims('other')]).to.deep.equal([[], []]);
  });

  it('is that of one identity, whoever asks at the same time and in whatever way', async () => {
    for (let round = 0; round < 10; round += 1) {
      const username = `race ${round}`;
      const identities = await Promise.all(Array.from({ length: 8 }, identity));
      const outcomes = await Promise.all(
        identities.map((id, index) => outcome((index % 2 === 0 ? authenticator : enrollment)(id, username))),
      );
      expect(outcomes.filter((one) => one === 'done')).to.have.length(1);
      for (const one of outcomes) expect(one).to.match(/^done$|_username_(key|fkey)$/);
      expect(await holdersOf(username)).to.deep.equal(await claims(username));
    }
  });

  it('goes from enrollment to authenticator without a gap, and to others when it is given up', async () => {
    for (let round = 0; round < 10; round += 1) {
      const username = `handed on ${round}`;
      const [owner, ...others] = (await Promise.all(Array.from({ length: 6 }, identity))) as [string, ...string[]];
      await enrollment(owner, username);
      const use = pool.query(
        `WITH used AS (DELETE FROM enrollments WHERE username = $3 RETURNING identity_id)
        INSERT INTO authenticators (id, identity_id, method, username, password_hash) SELECT $1, $2, 'updb', $3, 'h'
        FROM used`,
        [newId(), owner, username],
      );
      const outcomes = await Promise.all([...others.map((id) => outcome(authenticator(id, username))), outcome(use)]);
      expect(outcomes.at(-1)).to.equal('done');
      expect(await holdersOf(username)).to.deep.equal([owner]);
      const again = await Promise.all([
        outcome(pool.query('DELETE FROM authenticators WHERE username = $1', [username])),
        outcome(enrollment(owner, username)),
        ...others.map((id) => outcome(enrollment(id, username))),
      ]);
      expect(again[0]).to.equal('done');
      expect(await holdersOf(username)).to.deep.equal(await claims(username));
    }
  });
});
