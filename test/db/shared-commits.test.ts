/**
 * Changes that share a commit: each is recorded as its own actor's, gets its own answer, and fails alone. Against
 * PostgreSQL.
 */
import { expect } from 'chai';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { sendTogether } from '../../db/postgres/one-message.js';
import { ServerClient } from '../../db/postgres/servers.js';
import { SharedCommits } from '../../db/postgres/shared-commits.js';
import { openStores } from '../../db/stores/stores.js';
import { DomainError } from '../../domain/errors.js';
import { until } from '../support/poll.js';
import { identityDraft, openApiSession, openStoresForTest, serviceDraft, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const MANY = 60;
const errorCode = (error: unknown) => (error instanceof DomainError ? error.kind : String(error));

describe('changes that share a commit', () => {
  let fixture: TestStores;
  let database: Database;
  const versions = new Map<string, Date>();
  before(async () => {
    fixture = await openStoresForTest();
    database = openDatabase({ connection: fixture.files.connection, poolSize: 20, patienceMs: 5_000 });
    const plain = openStores(database, STORE_LIMITS);
    for (let i = 0; i < MANY; i += 1) await plain.identities.create(`i${i}`, identityDraft(`i${i}`), []);
    await plain.services.create('mail', serviceDraft('mail'));
  });
  after(async () => {
    await database.close();
    await fixture.close();
  });
  beforeEach(async () => {
    versions.clear();
    await fixture.files.query('DELETE FROM audit_records');
  });

  const storesOf = (name: string) =>
    openStores(database, STORE_LIMITS).forRequest({
      actor: { kind: 'identity', id: name, name, requestId: `r-${name}` },
      onVersion: (_table, id, version) => versions.set(id, version),
    });
  const rename = (actor: string, id: string, name: string) => storesOf(actor).identities.update(id, { name });
  const tag = (actor: string, id: string, value: string) => storesOf(actor).identities.update(id, { tags: { value } });
  const records = async () => {
    const { rows } = await fixture.files.query(
      'SELECT entity_id AS id, actor_id AS actor, request_id AS request, xid::text FROM audit_records ORDER BY seq',
    );
    return rows;
  };
  const ids = Array.from({ length: MANY }, (_, i) => `i${i}`);

  it('are few transactions, with the actor, the request and the answer of each', async () => {
    await Promise.all(ids.map((id) => tag(`a-${id}`, id, id)));
    const made = await records();
    expect(new Set(made.map(({ xid }) => xid)).size).to.be.at.most(10);
    expect(made.map(({ id, actor, request }) => ({ id, actor, request }))).to.have.deep.members(
      ids.map((id) => ({ id, actor: `a-${id}`, request: `r-a-${id}` })),
    );
    const { rows } = await fixture.files.query(
      `SELECT id, tags->>'value' AS value, updated_at FROM identities WHERE id LIKE 'i%' ORDER BY id`,
    );
    for (const { id, value, updated_at: version } of rows) {
      expect(value).to.equal(id);
      expect(versions.get(String(id))).to.deep.equal(version);
    }
  });

  it('count a logout in the audit record and record the next, each as it asked', async () => {
    const sessions = ids.map((id) => `session-${id}`);
    for (const [n, id] of ids.entries()) await openApiSession(fixture.stores, id, sessions[n]);
    await fixture.files.query('DELETE FROM audit_records');
    const end = ([n, id]: [number, string]) => {
      const { apiSessions } = storesOf(`a-${id}`);
      const session = sessions[n] ?? '';
      return n % 3 === 2 ? apiSessions.remove(session) : apiSessions.logOut(session, n % 3 === 0);
    };
    await Promise.all([...ids.entries()].map(end));
    const made = await records();
    expect(new Set(made.map(({ xid }) => xid)).size).to.be.at.most(10);
    expect(made.map(({ id, actor }) => ({ id, actor }))).to.have.deep.members(
      ids.flatMap((id, n) => (n % 3 === 0 ? [] : [{ id: sessions[n], actor: `a-${id}` }])),
    );
    const { rows } = await fixture.files.query('SELECT identity_id AS id, total::int FROM audit_sums');
    const summed = ids.filter((_, n) => n % 3 === 0).map((id) => ({ id, total: 1 }));
    expect(rows.filter(({ id }) => ids.includes(String(id)))).to.have.deep.members(summed);
  });

  it('share most of their commits where 16 clients make one after the other', async () => {
    const each = 10;
    await Promise.all(
      ids.slice(0, 16).map(async (id) => {
        for (let n = 0; n < each; n += 1) await tag('busy', id, String(n));
      }),
    );
    const made = await records();
    expect(made).to.have.length(16 * each);
    expect(new Set(made.map(({ xid }) => xid)).size).to.be.at.most((16 * each) / 3);
  });

  it('are made one after the other where several change one row', async () => {
    await Promise.all(ids.map((value) => tag(value, 'i0', `by ${value}`)));
    const made = await records();
    expect(made).to.have.length(MANY);
    expect(new Set(made.map(({ actor }) => actor))).to.deep.equal(new Set(ids));
    const { tags } = await storesOf('a').identities.get('i0');
    expect(tags['value']).to.equal(`by ${String(made.at(-1)?.['actor'])}`);
  });

  it('leave nothing of an actor to a change that the controller makes by itself', async () => {
    const plain = openStores(database, STORE_LIMITS);
    await Promise.all([
      ...ids.map((id) => tag('somebody', id, 'x')),
      ...ids.map(async (id) => plain.identities.update(id, { tags: { value: 'y' } })),
    ]);
    const made = await records();
    expect(made.filter(({ actor }) => actor === 'somebody')).to.have.length(MANY);
    expect(made.filter(({ actor }) => actor === null)).to.have.length(MANY);
  });

  it('have an actor wherever a trigger asks for one: neither before a row is changed, nor at commit', async () => {
    const { rows } = await fixture.files.query(
      `SELECT tgname, proname FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid
        WHERE NOT g.tgisinternal AND (g.tgdeferrable OR (g.tgtype & 2) <> 0)
          AND p.prosrc ~ 'edge\\.actor|record_audit|audited_changes|acts_for_another|edge\\.summed|edge\\.ended'`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('fail alone, and the others are made once', async () => {
    const outcome = (change: Promise<void>) => change.then(() => 'made', errorCode);
    const outcomes = await Promise.all(
      ids.map((id, i) =>
        outcome(i % 7 === 3 ? rename('r', id, 'i0') : i % 7 === 5 ? tag('r', `gone${i}`, 'x') : tag('r', id, 'again')),
      ),
    );
    const expected = ids.map((_, i) => (i % 7 === 3 ? 'duplicate' : i % 7 === 5 ? 'notFound' : 'made'));
    expect(outcomes).to.deep.equal(expected);
    const made = await records();
    expect(made.map(({ id }) => id)).to.have.members(ids.filter((_, i) => expected[i] === 'made'));
  });

  it('do not wait for one whose row is held, which is made when it is free', async () => {
    const other = await fixture.files.connect();
    await other.query('BEGIN');
    await other.query(`SELECT FROM identities WHERE id IN ('i1', 'i2', 'i3') FOR UPDATE`);
    const held = ['i1', 'i2', 'i3'].map((id) => tag('held', id, 'held'));
    await Promise.all(ids.slice(4).map((id) => tag('free', id, 'free')));
    expect(await records()).to.have.length(MANY - 4);
    await other.query('COMMIT');
    await Promise.all(held);
    expect(await records()).to.have.length(MANY - 1);
  });

  it('make, change and delete rows of several kinds', async () => {
    const stores = storesOf('maker');
    const made = ids.map((id) => `new-${id}`);
    await Promise.all(
      made.flatMap((id, i) => [
        stores.identities.create(id, identityDraft(id, { roleAttributes: ['staff', `g${i % 5}`] }), []),
        stores.services.create(id, serviceDraft(id, { roleAttributes: ['mail'] })),
        tag('maker', `i${i}`, id),
        stores.services.update('mail', { tags: { value: id } }),
      ]),
    );
    const uses = async () => {
      const { rows } = await fixture.files.query(
        `SELECT kind, attribute, sum(uses)::int AS uses FROM role_attribute_counts
          WHERE attribute IN ('staff', 'mail') GROUP BY 1, 2 HAVING sum(uses) <> 0 ORDER BY 1`,
      );
      return rows;
    };
    expect(await uses()).to.deep.equal([
      { kind: 'identities', attribute: 'staff', uses: MANY },
      { kind: 'services', attribute: 'mail', uses: MANY },
    ]);
    const rights = { isAdmin: true, permissions: [] };
    const removed = await Promise.all(
      made.flatMap((id) => [stores.identities.removeOrdinary(id, rights), stores.services.remove(id).then(() => true)]),
    );
    expect(new Set(removed)).to.deep.equal(new Set([true]));
    expect(await uses()).to.deep.equal([]);
    expect(await records()).to.have.length(MANY * 6);
  });
});

describe('groups of changes', () => {
  const [change, rows] = [
    { statement: { name: 'n', label: 'n', text: '' }, values: [], row: null, scope: {} },
    { columns: [], rows: [], rowCount: 1 },
  ];

  it('go beside one under way when as many wait as are in it', async () => {
    const made: number[] = [];
    const ends: (() => void)[] = [];
    const make = <T>(size: number, answer: T) =>
      new Promise<T>((resolve) => {
        made.push(size);
        ends.push(() => resolve(answer));
      });
    const commits = new SharedCommits({
      alone: () => make(1, rows),
      together: (changes) => make(changes.length, Array<typeof rows>(changes.length).fill(rows)),
    });
    /** Reactions to promises alone: no time passes in which those that wait would lose their patience. */
    const settle = async () => {
      for (let i = 0; i < 10; i++) await Promise.resolve();
    };
    const answers = Array.from({ length: 12 }, () => commits.run(change));
    expect(made, 'two are alone, ten wait').to.deep.equal([1, 1]);
    ends[0]?.();
    await settle();
    expect(made, 'those that waited go together').to.deep.equal([1, 1, 10]);
    ends[1]?.();
    await settle();
    answers.push(...Array.from({ length: 9 }, () => commits.run(change)));
    await settle();
    expect(made, 'nine are fewer than those under way').to.deep.equal([1, 1, 10]);
    answers.push(commits.run(change));
    expect(made, 'ten are as many').to.deep.equal([1, 1, 10, 10]);
    for (const end of ends.slice(2)) end();
    expect(await Promise.all(answers)).to.have.length(22);
  });
});

describe('statements of one message', () => {
  let fixture: TestStores;
  let client: ServerClient;
  before(async () => {
    fixture = await openStoresForTest();
    await fixture.files.query(
      'CREATE TABLE sums (id int PRIMARY KEY, of int REFERENCES sums DEFERRABLE INITIALLY DEFERRED)',
    );
  });
  after(() => fixture.close());
  beforeEach(async () => {
    await fixture.files.query('DELETE FROM sums');
    client = new ServerClient(fixture.files.connection);
    client.on('error', () => undefined);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
  });

  const statement = (name: string, text: string, ...values: unknown[]) => ({
    statement: { name, label: name, text },
    values,
  });
  const add = (id: number, of: number | null = null) =>
    statement('add', 'INSERT INTO sums (id, "of") VALUES ($1, $2) RETURNING id', id, of);
  const later = (id: number) => statement('later', 'INSERT INTO sums (id) VALUES ($1::int + 100)', id);
  const all = async () => (await fixture.files.query('SELECT id FROM sums ORDER BY id')).rows.map((row) => row['id']);
  const failure = (send: Promise<unknown>) =>
    send.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('are answered one by one, whether they were prepared before or not', async () => {
    for (const start of [1, 11]) {
      const answers = await sendTogether(client, [add(start), add(start + 1), later(start), add(start + 2)]);
      expect(answers.map(({ rows, rowCount }) => [rows, rowCount])).to.deep.equal([
        [[{ id: start }], 1],
        [[{ id: start + 1 }], 1],
        [[], 1],
        [[{ id: start + 2 }], 1],
      ]);
    }
    expect(await all()).to.deep.equal([1, 2, 3, 11, 12, 13, 101, 111]);
  });

  it('are all undone by one that fails, and those that come later on the connection are not mistaken', async () => {
    expect(await failure(sendTogether(client, [add(1), add(1), later(1)]))).to.have.property('code', '23505');
    expect(await all()).to.deep.equal([]);
    await sendTogether(client, [add(1), later(1)]);
    expect(await all()).to.deep.equal([1, 101]);
  });

  it('are all undone by a commit that fails', async () => {
    expect(await failure(sendTogether(client, [add(1), add(2, 3), add(4)]))).to.have.property('code', '23503');
    expect(await all()).to.deep.equal([]);
  });

  it('are all lost with their connection', async () => {
    const end = statement('end', 'SELECT pg_terminate_backend(pg_backend_pid())');
    expect(await failure(sendTogether(client, [add(1), end, add(2)]))).to.be.instanceOf(Error);
    await until('the server has undone them', async () => (await all()).length === 0);
  });

  it('end their connection where a value cannot be sent', async () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    const unsendable = statement('circle', 'SELECT $1::jsonb', circle);
    expect(await failure(sendTogether(client, [add(1), unsendable, add(2)]))).to.be.instanceOf(Error);
    expect(await all()).to.deep.equal([]);
  });
});
