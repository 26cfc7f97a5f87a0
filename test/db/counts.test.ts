/** The totals of the tables and the access epoch, which triggers keep. Against PostgreSQL. */
import { expect } from 'chai';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

const TYPE = "INSERT INTO identity_types (id, name) VALUES ('User', 'User')";
const POLICY = `INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed, updb_allowed,
  updb_min_password_length,
  updb_require_mixed_case, updb_require_number_char, updb_require_special_char, updb_max_attempts,
  updb_lockout_minutes, require_totp)
  VALUES ('default', 'Default', true, true, true, true, 5, false, false, false, 0, 0, false)`;
const IDENTITY =
  "INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id) VALUES ($1, $1, 'User', false, 'default')";
const ENROLLMENT = `INSERT INTO enrollments (id, method, identity_id, token, jwt, expires_at)
    VALUES ($1, 'ott', $1, gen_random_uuid(), '', now())`;

describe('maintained totals', () => {
  let database: TestDatabase;
  const connect = () => database.connect();
  before(async () => {
    database = await openTestDatabase();
    await database.query(TYPE);
    await database.query(POLICY);
  });
  after(() => database.close());

  const maintained = async (kind: string) =>
    Number(
      (await database.query('SELECT coalesce(sum(total), 0) AS n FROM entity_counts WHERE kind = $1', [kind]))
        .rows[0]?.['n'],
    );
  const counted = async (kind: string) =>
    Number((await database.query(`SELECT count(*) AS n FROM ${kind}`)).rows[0]?.['n']);
  const expectRight = async () => {
    for (const kind of ['identities', 'enrollments', 'identity_types', 'auth_policies'])
      expect(await maintained(kind), kind).to.equal(await counted(kind));
  };

  it('are kept for every entity table', async () => {
    const { rows } = await database.query(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      AND a.attname = 'is_system'
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
        AND (SELECT count(*) FROM pg_trigger g WHERE g.tgrelid = c.oid
        AND g.tgname IN (c.relname || '_counted_in', c.relname || '_counted_out')) <> 2`);
    expect(rows).to.deep.equal([]);
  });

  it('follow inserts and deletes of many rows, cascades, and rollbacks', async () => {
    const client = await connect();
    for (const id of ['a', 'b', 'c']) {
      await client.query(IDENTITY, [id]);
      await client.query(ENROLLMENT, [id]);
    }
    await expectRight();
    await client.query('BEGIN');
    await client.query("DELETE FROM identities WHERE id IN ('a', 'b')");
    expect(
      (await client.query<{ n: string }>("SELECT sum(total) AS n FROM entity_counts WHERE kind = 'enrollments'"))
        .rows[0]?.n,
    ).to.equal('1');
    expect(await maintained('enrollments')).to.equal(3);
    await client.query('ROLLBACK');
    await expectRight();
    await client.query('DELETE FROM identities');
    expect([await maintained('identities'), await maintained('enrollments')]).to.deep.equal([0, 0]);
  });

  it('never make one writer wait for another', async () => {
    const writers = await Promise.all(Array.from({ length: 6 }, connect));
    for (const [index, writer] of writers.entries()) {
      await writer.query("SET lock_timeout = '2s'");
      await writer.query('BEGIN');
      await writer.query(IDENTITY, [`w${index}`]);
    }
    for (const [index, writer] of writers.entries()) await writer.query(ENROLLMENT, [`w${index}`]);
    for (const writer of writers.slice(0, 3)) await writer.query('COMMIT');
    for (const writer of writers.slice(3)) await writer.query('ROLLBACK');
    await expectRight();
  });

  it('need no more slots than writers at the same time', async () => {
    const client = await connect();
    const slots = async () =>
      Number(
        (await database.query("SELECT count(*) AS n FROM entity_counts WHERE kind = 'identities'")).rows[0]?.['n'],
      );
    const before = await slots();
    for (let index = 0; index < 20; index += 1) await client.query(IDENTITY, [`s${index}`]);
    expect(await slots()).to.equal(before);
    await expectRight();
  });

  it('are right after a crowd of creates and cascading deletes', async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, connect));
    await Promise.all(
      writers.map(async (writer, index) => {
        for (let round = 0; round < 15; round += 1) {
          const id = `crowd-${index}-${round}`;
          await writer.query(IDENTITY, [id]);
          await writer.query(ENROLLMENT, [id]);
          if (round % 3 > 0) await writer.query('DELETE FROM identities WHERE id = $1', [id]);
        }
      }),
    );
    await expectRight();
  });
});

describe('the access epoch', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
    await database.query(TYPE);
    await database.query(POLICY);
  });
  after(() => database.close());

  const epoch = async () =>
    (await database.query("SELECT epoch FROM model_epochs WHERE name = 'access'")).rows[0]?.['epoch'];
  const moves = async (by: number, sql: string) => {
    const before = Number(await epoch());
    await database.query(sql);
    expect(Number(await epoch()) - before, sql).to.equal(by);
  };

  it('moves once per transaction with what decides access, and with nothing else', async () => {
    const service = (id: string) =>
      `INSERT INTO services (id, name, encryption_required) VALUES ('${id}', '${id}', false)`;
    await moves(1, service('s1'));
    await moves(1, `BEGIN; ${service('s2')}; ${service('s3')}; UPDATE services SET name = 'x' WHERE id = 's2'; COMMIT`);
    await moves(0, "UPDATE services SET name = 'y' WHERE id = 'none'");
    await moves(
      0,
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id)
        VALUES ('i', 'i', 'User', false, 'default')`,
    );
    await moves(0, "UPDATE identities SET name = 'j', role_attributes = '{}' WHERE id = 'i'");
    await moves(1, "UPDATE identities SET role_attributes = '{a}' WHERE id = 'i'");
    await moves(
      1,
      `INSERT INTO service_policies (id, name, type, semantic, identity_roles)
        VALUES ('p', 'p', 'Dial', 'AnyOf', '{@i}')`,
    );
    await moves(1, "DELETE FROM identities WHERE id = 'i'");
    await moves(1, 'DELETE FROM services');
  });

  it('holds nobody up before the commit', async () => {
    const [first, second] = [await database.connect(), await database.connect()];
    await second.query("SET lock_timeout = '2s'");
    await first.query('BEGIN');
    await first.query("INSERT INTO services (id, name, encryption_required) VALUES ('f', 'f', false)");
    await second.query("INSERT INTO services (id, name, encryption_required) VALUES ('g', 'g', false)");
    await first.query('COMMIT');
  });
});
