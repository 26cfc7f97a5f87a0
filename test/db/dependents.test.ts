/** What belongs to a row goes with it, and where nothing belongs to it nothing is called. Against PostgreSQL. */
import { expect } from 'chai';
import { GrantScene } from './session-grants-support.js';

/** Deleted seldom, so their foreign keys cascade into tables with triggers for each statement. */
const SELDOM = ['auth_policies', 'controllers', 'fabric_services', 'webhooks'];
/** What keeps the other from being deleted. */
const IN_USE = [
  'auth_policies.require_ext_jwt_signer_id of external_jwt_signers',
  'auth_policy_signers.signer_id of external_jwt_signers',
  'authenticators.username of usernames',
  'configs.config_type_id of config_types',
  'enrollments.username of usernames',
  'external_jwt_signers.enroll_auth_policy_id of auth_policies',
  'identities.auth_policy_id of auth_policies',
  'identities.type_id of identity_types',
];
const TERMINATOR = `INSERT INTO terminators (id, service_id, router_id, binding, address)
  VALUES ($1, $2, 'router', 'transport', 'tcp:x')`;

describe('dependents of a row that is deleted', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
    await scene.query(`INSERT INTO routers (id, name, is_edge) VALUES ('router', 'router', true)`);
  });
  after(() => scene.close());
  beforeEach(() => scene.clear());

  /** Foreign keys of tables whose triggers fire for each statement that deletes, whether or not a row goes. */
  const keys = (sql: string) =>
    scene.query(`SELECT DISTINCT k.confrelid::regclass::text AS parent, k.conrelid::regclass::text AS child,
        a.attname AS "column" FROM pg_constraint k
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
        JOIN pg_trigger t ON t.tgrelid = k.conrelid AND t.tgtype & 9 = 8 AND NOT t.tgisinternal
      WHERE k.contype = 'f' AND ${sql} ORDER BY 1, 2, 3`);
  const countOf = async (table: string) => (await scene.query(`SELECT count(*)::int AS n FROM ${table}`))[0]?.['n'];

  describe('in the catalog', () => {
    it('go by a cascade into triggers of statements only where few rows are deleted', async () => {
      const parents = (await keys("k.confdeltype = 'c'")).map(({ parent }) => parent);
      expect(parents).to.deep.equal(SELDOM);
    });

    it('are looked at and deleted by the column of a foreign key that refuses to leave them', async () => {
      const [{ text = '' } = {}] = (await scene.query(
        "SELECT prosrc AS text FROM pg_proc WHERE proname = 'delete_dependents'",
      )) as { text?: string }[];
      const found = new Set<string>();
      let parent = '';
      for (const [, table, child = '', column = '', again = ''] of text.matchAll(
        /TG_TABLE_NAME = '(\w+)'|\bELSE\b|IF EXISTS \(SELECT FROM (\w+) WHERE (\w+) = OLD\.id\) THEN\s+(.*;)/g,
      )) {
        if (child === '') parent = table ?? 'external_jwt_signers';
        else {
          expect(again).to.equal(`DELETE FROM ${child} WHERE ${column} = ANY (ARRAY (SELECT id FROM gone));`);
          found.add(`${child}.${column} of ${parent}`);
        }
      }
      const refusing = await keys("k.confdeltype = 'a'");
      const dependents = refusing
        .map((key) => `${String(key['child'])}.${String(key['column'])} of ${String(key['parent'])}`)
        .filter((key) => !IN_USE.includes(key));
      expect([...found]).to.have.members(dependents);
      const triggers = await scene.query(`SELECT tgrelid::regclass::text AS parent FROM pg_trigger
        WHERE tgname = 'Delete_dependents' AND tgname < 'RI_ConstraintTrigger' COLLATE "C" ORDER BY 1`);
      const parents = [...found].map((key) => key.replace(/.* of /, ''));
      expect(triggers.map((row) => row['parent'])).to.have.members([...new Set(parents)]);
    });
  });

  /** How often the functions of triggers are called while `work` runs. */
  const callsIn = async (work: (query: (sql: string, values?: unknown[]) => Promise<unknown>) => Promise<unknown>) => {
    const client = await scene.connect();
    await client.query('BEGIN');
    await client.query("SET LOCAL track_functions = 'pl'");
    await work((sql, values) => client.query(sql, values));
    const { rows } = await client.query('SELECT funcname AS name, calls::int FROM pg_stat_xact_user_functions');
    await client.query('COMMIT');
    return Object.fromEntries(rows.map((row: { name: string; calls: number }) => [row.name, row.calls]));
  };

  it('are not called for where there are none', async () => {
    const [identity, service] = [await scene.newIdentity([]), await scene.newService([])];
    await scene.query('DELETE FROM api_sessions');
    const calls = await callsIn(async (query) => {
      await query('DELETE FROM services WHERE id = $1', [service]);
      await query('DELETE FROM identities WHERE id = $1', [identity]);
    });
    // One for the service and one for the identity.
    expect(calls['count_entities']).to.equal(2);
    expect(calls['delete_dependents']).to.equal(2);
    expect(Object.keys(calls)).to.not.include.members(['tell_sessions_ended', 'tell_terminators_changed']);
  });

  it('of many rows go in one statement', async () => {
    const service = await scene.newService(['a']);
    await scene.allow(['#a'], ['#a']);
    // The first has none.
    await scene.newIdentity([]);
    for (let n = 0; n < 20; n += 1) await scene.open(await scene.newIdentity(['a']), service);
    expect(await countOf('sessions')).to.equal(20);
    const calls = await callsIn((query) => query('DELETE FROM api_sessions'));
    expect(calls).to.include({ delete_dependents: 21 + 20, count_entities: 2, tell_sessions_ended: 1 });
    for (const table of ['api_sessions', 'sessions']) expect(await countOf(table), table).to.equal(0);
  });

  it('go with it, however deep', async () => {
    const { identity, service, session } = await scene.granted();
    await scene.query(TERMINATOR, ['of-session', service]);
    await scene.query('UPDATE terminators SET session_id = $1, is_system = true', [session]);
    await scene.query('DELETE FROM identities WHERE id = $1', [identity]);
    for (const table of ['api_sessions', 'sessions', 'terminators']) expect(await countOf(table), table).to.equal(0);
  });

  it('go with it when they come while it is being deleted', async () => {
    const service = await scene.newService([]);
    const [client, other] = [await scene.connect(), await scene.connect()];
    await client.query('BEGIN');
    await client.query(TERMINATOR, ['late', service]);
    const deleted = other.query('DELETE FROM services WHERE id = $1', [service]);
    await scene.lockIsWaitedFor();
    await client.query('COMMIT');
    await deleted;
    expect(await countOf('terminators')).to.equal(0);
  });

  it('are refused when they come after it', async () => {
    const service = await scene.newService([]);
    const [client, other] = [await scene.connect(), await scene.connect()];
    await client.query('BEGIN');
    await client.query('DELETE FROM services WHERE id = $1', [service]);
    const late = other.query(TERMINATOR, ['late', service]).then(
      () => 'made',
      (error: { constraint?: string }) => error.constraint,
    );
    await scene.lockIsWaitedFor();
    await client.query('COMMIT');
    expect(await late).to.equal('terminators_service_fkey');
    expect(await countOf('terminators')).to.equal(0);
  });
});
