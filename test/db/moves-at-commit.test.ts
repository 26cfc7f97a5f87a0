/**
 * One place moves the epochs and counts that all changes share, in one order: what the catalog says of it, and that
 * changes that touch them in opposite orders never wait for each other in a circle. Against PostgreSQL.
 */
import { expect } from 'chai';
import type pg from 'pg';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';

/** What a trigger may note. None is a part of another one: they are found in one text. */
const MOVES = ['access', 'content', 'grants', 'narrowing', 'routing', 'presence'];

/** By table that transactions of all kinds write: the only functions that may name it. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  model_epochs: ['move_noted'],
  narrowed_services: ['move_noted', 'narrow_noted'],
  role_attribute_counts: ['add_role_attribute', 'take_role_attribute'],
  role_attribute_epochs: ['move_role_attribute_epoch'],
  entity_counts: ['count_entities'],
};

/** Who calls those that lock rows of these tables. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  add_role_attribute: ['count_new_attributes', 'count_noted_attributes'],
  take_role_attribute: ['count_noted_attributes'],
  move_role_attribute_epoch: ['count_new_attributes', 'count_noted_attributes'],
  count_noted_attributes: ['count_new_attributes', 'move_noted'],
  count_new_attributes: [],
  narrow_noted: ['move_noted'],
  move_noted: [],
};

/** Functions that lock or change rows of other tables, with the order in which they do. */
const LOCKING: Readonly<Record<string, string>> = {
  begin_webhook_progress: 'a row of its own',
  claim_username: 'the name of one identity',
  clear_identity_hostings: 'hostings of an identity that is locked',
  clear_router_configs: 'configs of a router that is locked',
  clear_router_enrollments: 'the enrollment of a router that is locked',
  clear_service_configs: 'configs of a service that is locked',
  delete_dependents: 'what belongs to one row that is locked, as its foreign keys would',
  doubt_sessions_of: 'sessions by id',
  doubt_sessions_of_enrolled: 'the identity, then its sessions by id',
  end_api_sessions_of: 'API sessions of an identity that is locked, as hold_api_sessions',
  end_clients: 'ends of clients by id, which nothing else changes',
  end_sessions_of_authenticators: 'API sessions by id, then their sessions by id',
  end_sessions_of_moved_identity: 'sessions by id',
  end_sessions_of_policy: 'sessions by id',
  end_surplus_api_sessions: 'API sessions of one identity that are free, then as hold_api_sessions',
  forget_mfa_of_sessions: 'the identity, its API sessions by id, its sessions by id',
  forget_selectors_of_identities: 'policies: service, router; each by id',
  forget_selectors_of_posture_checks: 'service policies by id',
  forget_selectors_of_routers: 'policies: router, service router; each by id',
  forget_selectors_of_services: 'policies: service, service router; each by id',
  hold_api_sessions: 'API sessions by id, then their sessions by id',
  hold_auth_policy: 'the auth policy of one identity, shared',
  hold_sessions: 'sessions by id',
  keep_service_name: 'the names of one service, the one of before first',
  keep_uses_of_identities: 'uses of identities by id, after their API sessions',
  keep_uses_of_services: 'uses of services by id',
  posture_of_session_moved: 'sessions by id',
  release_username: 'the name of one identity',
  take_tunneler: 'policies of a router whose identity is locked: service, router; each by id',
  touch_identity_of_hosting: 'an identity that its service named',
};

const SERVICE = 'INSERT INTO services (id, name, encryption_required, role_attributes) VALUES ($1, $1, false, $2)';
const POLICY = `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles)
  VALUES ($1, $1, 'Dial', 'AnyOf', '{#a}', '{#a}')`;
const CHECK = `INSERT INTO posture_checks (id, name, type_id, role_attributes, criteria)
  VALUES ($1, $1, 'OS', '{}', '{"operatingSystems": []}')`;

const IDENTITY = `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes)
  VALUES ($1, $1, 'User', false, 'default', '{x}')`;
const API_SESSION = `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
  VALUES ($1, $2, 'n', sha256(convert_to($1::text, 'UTF8')), '', 'password')`;
const SESSION = `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
  VALUES ($1, $2, $3, $4, $5, 'token ' || $1::text, 1)`;

describe('what all changes share', () => {
  let database: TestDatabase;
  const connect = () => database.connect();
  before(async () => {
    database = await openTestDatabase();
    await database.query("INSERT INTO identity_types (id, name) VALUES ('User', 'User')");
    await database.query(`INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed,
      updb_allowed, updb_min_password_length, updb_require_mixed_case, updb_require_number_char,
      updb_require_special_char, updb_max_attempts, updb_lockout_minutes, require_totp)
      VALUES ('default', 'Default', true, true, true, true, 5, false, false, false, 0, 0, false)`);
  });
  after(() => database.close());
  beforeEach(() => database.query('DELETE FROM services'));

  const names = async (sql: string, values: unknown[] = []) =>
    (await database.query(sql, values)).rows.map((row) => String(row['name']));
  const OURS = `FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')`;
  const naming = (word: string) =>
    names(`SELECT proname AS name ${OURS} AND prosrc ~ $1 AND proname <> $2 ORDER BY proname COLLATE "C"`, [
      `\\m${word}\\M`,
      word,
    ]);
  const uses = async () =>
    Object.fromEntries(
      (
        await database.query(`SELECT attribute, sum(uses)::int AS uses FROM role_attribute_counts
          WHERE kind = 'services' GROUP BY 1 HAVING sum(uses) <> 0 ORDER BY 1`)
      ).rows.map((row) => [row['attribute'], row['uses']]),
    ) as Record<string, number>;

  describe('in the catalog', () => {
    for (const [table, writers] of Object.entries(WRITERS))
      it(`has ${table} named by ${writers.join(' and ')} alone`, async () => {
        expect(await naming(table)).to.deep.equal(writers);
      });

    for (const [name, callers] of Object.entries(CALLERS))
      it(`has ${name} called by ${callers.join() || 'triggers'} alone`, async () => {
        expect(await naming(name)).to.deep.equal(callers);
      });

    it('has no other function that locks or changes rows of several tables', async () => {
      const changing = String.raw`\mUPDATE\M|DELETE FROM|INSERT INTO|FOR (NO KEY )?UPDATE|FOR (KEY )?SHARE`;
      const own = [...Object.values(WRITERS).flat(), 'move_noted'];
      const found = await names(
        `SELECT proname AS name ${OURS} AND prosrc ~ $1 AND proname <> ALL ($2)
          AND proname !~ 'audit|event_batch' ORDER BY proname COLLATE "C"`,
        [changing, own],
      );
      expect(found).to.deep.equal(Object.keys(LOCKING));
    });

    interface Trigger {
      readonly name: string;
      readonly table: string;
      readonly calls: string;
      /** From AFTER to the condition. */
      readonly fires: string;
      readonly isDeferred: boolean;
    }
    const triggers = async (): Promise<Trigger[]> =>
      (
        await database.query(`SELECT t.tgname AS name, t.tgrelid::regclass::text AS table,
          t.tginitdeferred AS "isDeferred", substring(pg_get_triggerdef(t.oid) FROM 'EXECUTE FUNCTION (.*)$') AS calls,
          replace(substring(pg_get_triggerdef(t.oid) FROM ' (AFTER .*) EXECUTE FUNCTION'),
            ' DEFERRABLE INITIALLY DEFERRED', '') AS fires
        FROM pg_trigger t WHERE NOT t.tgisinternal ORDER BY 2, 1`)
      ).rows as unknown as Trigger[];

    it('has a twin for each trigger that notes, which moves at commit under the same condition', async () => {
      const all = await triggers();
      const noting = all.filter(({ calls }) => calls.startsWith('note_'));
      expect(noting.length).to.be.greaterThan(30);
      for (const { name, table, fires, isDeferred, calls } of noting) {
        expect(isDeferred, `${name} is deferred`).to.equal(false);
        const twin = all.find((one) => one.name === `${name}_at_commit` && one.table === table);
        expect(twin, `${name}_at_commit`).to.deep.equal({
          name: `${name}_at_commit`,
          table,
          fires,
          isDeferred: true,
          calls: 'move_noted()',
        });
        const noted = /^note_moves\('(\w+)'\)$/.exec(calls)?.[1];
        if (noted !== undefined) expect(MOVES, name).to.include(noted);
        else expect(['note_role_attributes()', 'note_moves_of_hosting()', 'note_narrowing()'], name).to.include(calls);
      }
      const counting = all.filter(({ calls }) => calls === 'count_new_attributes()');
      expect(counting.map(({ table }) => table)).to.have.members([
        'identities',
        'posture_checks',
        'routers',
        'services',
      ]);
      expect(all.filter(({ isDeferred }) => isDeferred).map(({ name }) => name)).to.have.members([
        ...noting.map(({ name }) => `${name}_at_commit`),
        ...counting.map(({ name }) => name),
      ]);
    });

    it('has words for what is noted of which none is a part of another', () => {
      const words = [...MOVES, 'attributes'];
      for (const word of words) expect(words.filter((other) => other.includes(word))).to.deep.equal([word]);
    });
  });

  describe('moves', () => {
    const epochs = async () =>
      (
        await database.query(`SELECT a.epoch::int AS access, a.content::int, a.routing::int, g.epoch::int AS grants
          FROM model_epochs a CROSS JOIN model_epochs g WHERE a.name = 'access' AND g.name = 'grants'`)
      ).rows[0] as Record<string, number>;
    const moved = async (work: (client: pg.Client) => Promise<unknown>) => {
      const client = await connect();
      const before = await epochs();
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
      const after = await epochs();
      return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
    };

    it('each epoch once in a transaction, whatever is changed in it', async () => {
      const by = await moved(async (client) => {
        await client.query(POLICY, ['p']);
        await client.query(SERVICE, ['s', ['x']]);
        await client.query(CHECK, ['c']);
        await client.query("UPDATE posture_checks SET criteria = '{}' WHERE id = 'c'");
        await client.query("DELETE FROM service_policies WHERE id = 'p'");
        await client.query("DELETE FROM posture_checks WHERE id = 'c'");
      });
      expect(by).to.deep.equal({ access: 1, content: 1, routing: 0, grants: 1 });
    });

    it('nothing for what was taken back to a savepoint, and all that came before and after it', async () => {
      const by = await moved(async (client) => {
        await client.query(SERVICE, ['s1', ['x']]);
        await client.query('SAVEPOINT before');
        await client.query(POLICY, ['gone']);
        await client.query("DELETE FROM service_policies WHERE id = 'gone'");
        await client.query(SERVICE, ['s2', ['x', 'y']]);
        await client.query('ROLLBACK TO SAVEPOINT before');
        await client.query(SERVICE, ['s3', ['x', 'z']]);
      });
      expect(by).to.deep.equal({ access: 1, content: 1, routing: 0, grants: 0 });
      expect(await uses()).to.deep.equal({ x: 2, z: 1 });
    });

    it('what is noted after constraints were asked for in between, too', async () => {
      await moved(async (client) => {
        await client.query(SERVICE, ['s1', ['x', 'y']]);
        await client.query('SET CONSTRAINTS ALL IMMEDIATE');
        await client.query("UPDATE services SET role_attributes = '{y,z}' WHERE id = 's1'");
        await client.query('SET CONSTRAINTS ALL DEFERRED');
        await client.query(SERVICE, ['s2', ['x']]);
      });
      expect(await uses()).to.deep.equal({ x: 1, y: 1, z: 1 });
    });

    it('the counts of rows that one transaction makes, changes and deletes', async () => {
      await moved(async (client) => {
        await client.query(SERVICE, ['s0', ['w']]);
      });
      await moved(async (client) => {
        // Noted first, so that it is counted before what the new rows have is added.
        await client.query("UPDATE services SET role_attributes = '{v}' WHERE id = 's0'");
        await client.query(SERVICE, ['s1', ['x', 'y']]);
        await client.query("UPDATE services SET role_attributes = '{x,z}' WHERE id = 's1'");
        await client.query(SERVICE, ['s2', ['x', 'q']]);
        await client.query("DELETE FROM services WHERE id = 's2'");
        await client.query(SERVICE, ['s3', ['q']]);
      });
      expect(await uses()).to.deep.equal({ q: 1, v: 1, x: 1, z: 1 });
      await moved(async (client) => {
        await client.query(SERVICE, ['s4', ['n']]);
        await client.query("UPDATE services SET role_attributes = '{}' WHERE id = 's4'");
        await client.query("UPDATE services SET role_attributes = '{n,x}' WHERE id = 's4'");
      });
      expect(await uses()).to.deep.equal({ n: 1, q: 1, v: 1, x: 2, z: 1 });
    });

    it('the counts of many rows in one statement, each attribute once, and leaves nothing noted', async () => {
      const client = await connect();
      await client.query(`INSERT INTO services (id, name, encryption_required, role_attributes)
        SELECT n, n, false, ARRAY['own-' || n, 'staff, "all"'] FROM generate_series(1, 2000) n`);
      await client.query("UPDATE services SET role_attributes = role_attributes || '{more}'::text[]");
      const { rows } = await client.query(`SELECT concat(current_setting('edge.added_services', true),
        current_setting('edge.added_services_2', true), current_setting('edge.moves', true)) AS noted`);
      expect(rows).to.deep.equal([{ noted: '' }]);
      const counted = await uses();
      expect(Object.keys(counted)).to.have.length(2002);
      expect(counted['more']).to.equal(2000);
      expect(counted['staff, "all"']).to.equal(2000);
      await client.query(SERVICE, ['one more', ['staff, "all"']]);
      await client.query('DELETE FROM services');
      expect(await uses()).to.deep.equal({});
    });
  });

  describe('never makes two wait for each other in a circle', () => {
    const waiting = (count: number) =>
      until(`${count} wait`, async () => {
        const { rows } = await database.query(`SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`);
        return rows.length === count;
      });

    it('when posture checks and policies change', async () => {
      const writers = await Promise.all(Array.from({ length: 8 }, connect));
      await Promise.all(
        writers.map(async (writer, index) => {
          await writer.query(index % 2 === 0 ? CHECK : POLICY, [`own-${index}`]);
          for (let round = 0; round < 60; round += 1)
            await writer.query(
              index % 2 === 0
                ? `UPDATE posture_checks SET criteria = '{"round": ${round}}' WHERE id = $1`
                : `UPDATE service_policies SET service_roles = '{#r${round}}' WHERE id = $1`,
              [`own-${index}`],
            );
        }),
      );
    });

    it('when they take the uses of two attributes in opposite orders', async () => {
      const [first, second] = [await connect(), await connect()];
      for (const [id, attributes] of Object.entries({ a: ['x'], b: ['y'], c: ['y'], d: ['x'], e: ['x', 'y'] }))
        await first.query(SERVICE, [id, attributes]);
      await first.query('BEGIN');
      await second.query('BEGIN');
      await first.query("DELETE FROM services WHERE id = 'a'");
      await second.query("DELETE FROM services WHERE id = 'b'");
      await first.query("DELETE FROM services WHERE id = 'c'");
      await second.query("DELETE FROM services WHERE id = 'd'");
      await Promise.all([first.query('COMMIT'), second.query('COMMIT')]);
      expect(await uses()).to.deep.equal({ x: 1, y: 1 });
    });

    it('when API sessions, services and identities end while their sessions are marked', async () => {
      const [first, second, third] = [await connect(), await connect(), await connect()];
      const ended = [
        "DELETE FROM api_sessions WHERE id = 'a'",
        "DELETE FROM services WHERE id = 's'",
        "DELETE FROM identities WHERE id = 'i'",
      ];
      for (const end of ended) {
        await first.query("DELETE FROM identities WHERE id = 'i'");
        await first.query("DELETE FROM services WHERE id = 's'");
        await first.query(SERVICE, ['s', []]);
        await first.query(IDENTITY, ['i']);
        await first.query(API_SESSION, ['a', 'i']);
        // The later id comes first in the table.
        for (const [id, type] of Object.entries({ z: 'Dial', b: 'Bind' }))
          await first.query(SESSION, [id, 'a', 'i', 's', type]);
        await third.query('BEGIN');
        await third.query("SELECT FROM sessions WHERE id = 'z' FOR UPDATE");
        const ending = first.query(end);
        await waiting(1);
        const marking = second.query("SELECT doubt_sessions_of('i')");
        await waiting(2);
        await third.query('COMMIT');
        await Promise.all([ending, marking]);
      }
    });

    it('when a login ends the surplus of its identity: all sessions of that by id', async () => {
      const [holder, ender] = [await connect(), await connect()];
      await holder.query(SERVICE, ['s', []]);
      await holder.query(IDENTITY, ['owner']);
      for (const [id, sessions] of Object.entries({ kept: [], a: ['1', '4'], b: ['2', '3'] })) {
        await holder.query(API_SESSION, [id, 'owner']);
        for (const [index, session] of sessions.entries())
          await holder.query(SESSION, [session, id, 'owner', 's', index === 0 ? 'Dial' : 'Bind']);
      }
      for (const [held, free] of Object.entries({ 1: ['2', '3', '4'], 2: ['3', '4'] })) {
        await holder.query('BEGIN');
        await holder.query('SELECT FROM sessions WHERE id = $1 FOR UPDATE', [held]);
        await ender.query('BEGIN');
        const ending = ender.query("SELECT end_surplus_api_sessions('owner', 'kept', 1) AS ended");
        await waiting(1);
        // What comes later in the order is not taken yet: whoever holds the first may go on.
        await holder.query('SELECT FROM sessions WHERE id = ANY ($1) FOR UPDATE NOWAIT', [free]);
        await holder.query('COMMIT');
        expect((await ending).rows).to.deep.equal([{ ended: '2' }]);
        await ender.query('ROLLBACK');
      }
      await holder.query("DELETE FROM identities WHERE id = 'owner'");
    });

    it('when they take many uses of one attribute, from whichever slots', async () => {
      const writers = await Promise.all(Array.from({ length: 6 }, connect));
      const own = (index: number) => Array.from({ length: 12 }, (_, n) => `own-${index}-${n}`);
      for (let round = 0; round < 8; round += 1)
        await Promise.all(
          writers.map(async (writer, index) => {
            await writer.query('BEGIN');
            for (const id of own(index)) await writer.query(SERVICE, [id, ['x', `y${index % 2}`]]);
            await writer.query('COMMIT');
            await writer.query('DELETE FROM services WHERE id = ANY ($1)', [own(index).slice(0, 5)]);
            await writer.query('DELETE FROM services WHERE id = ANY ($1)', [own(index)]);
          }),
        );
      expect(await uses()).to.deep.equal({});
    });
  });
});
