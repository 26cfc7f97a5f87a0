/** The connections of lists: what stays prepared on them, who gets them, and that abandoned statements end. */
import { expect } from 'chai';
import pg from 'pg';
import { Canceller, processOf } from '../../db/postgres/canceller.js';
import { LIST_BOUNDS, openDatabase } from '../../db/postgres/db.js';
import { ListPermit } from '../../db/postgres/list-permit.js';
import { openStores } from '../../db/stores/stores.js';
import { SIGHTINGS } from '../../db/query/statement-names.js';
import type { ListQuery } from '../../db/filter/index.js';
import type { RequestScope } from '../../db/postgres/contracts.js';
import { list, unprepared } from '../../db/postgres/statement.js';
import type { DomainError } from '../../domain/errors.js';
import { until } from '../support/poll.js';
import { STORE_LIMITS, openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

/** Of requests whose answer is text already: their places are given back as soon as their lists end. */
const endedPermit = () => {
  const permit = new ListPermit();
  permit.close();
  return permit;
};

const COUNT = 1_300;
const SLEEP = 'SELECT pg_sleep(20)';

describe('the connections of lists', () => {
  let fixture: TestStores;
  let files: TestStores['files'];
  let database: TestStores['database'];
  let stores: TestStores['stores'];
  beforeEach(async () => {
    fixture = await openStoresForTest({ poolSize: 10 });
    ({ files, database, stores } = fixture);
  });
  afterEach(() => fixture.close());

  const fill = async () => {
    await files.query(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes, tags)
      SELECT 'i' || i, 'n' || i, 'User', false, 'default', '{}', '{}' FROM generate_series(1, $1) i`,
      [COUNT],
    );
  };
  const running = async (text: string) => {
    const {
      rows: [row],
    } = await files.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND state <> 'idle' AND query LIKE $1`,
      [`%${text}%`],
    );
    return Number(row?.['n']);
  };
  const stopped = (text: string) => until(`"${text}" runs no more`, async () => (await running(text)) === 0);
  const started = (text: string) => until(`"${text}" runs`, async () => (await running(text)) > 0);
  const scopeOf = (identityId: string, signal = new AbortController().signal): RequestScope => ({
    reader: { identityId, signal, permit: endedPermit() },
  });
  const listOf = <R>(sql: string, scope?: RequestScope) => database.execute(list<R>(null, sql), [], 'objects', scope);
  const kindOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (error as DomainError).kind,
    );

  describe('keep prepared', () => {
    interface Prepared {
      readonly most: number;
      readonly longest: number;
      readonly names: string[];
    }
    /** Of all connections: each answers while the others are held. */
    const prepared = async (): Promise<Prepared> => {
      const found = await Promise.all(
        [1, 2, 3, 4].map(
          async (reader) =>
            (
              await listOf<{ name: string; length: number }>(
                `SELECT name, length(statement) AS length FROM pg_prepared_statements, (SELECT pg_sleep(0.2)) wait
                  WHERE name <> ''`,
                scopeOf(`probe-${reader}`),
              )
            ).rows,
        ),
      );
      const all = found.flat();
      return {
        most: Math.max(...found.map((rows) => rows.length)),
        longest: Math.max(0, ...all.map(({ length }) => length)),
        names: all.map(({ name }) => name),
      };
    };
    const odd = (index: number, terms: number) =>
      Array.from({ length: terms }, (_, at) => (((index >> at) & 1) === 1 ? 'isAdmin' : 'isDefaultAdmin')).join(' or ');

    it('no long shape, however often it comes', async () => {
      const filter = Array.from({ length: 60 }, (_, at) => `externalId = "e${at}"`).join(' or ');
      for (let time = 0; time < 20; time += 1) await stores.identities.list({ filter });
      expect((await prepared()).longest).to.equal(0);
    });

    it('no more than so many shapes, and the usual ones again after a flood of odd ones', async () => {
      const usual = { filter: 'type = "User"', sort: 'createdAt' };
      for (let index = 0; index < 250; index += 1) {
        for (let time = 0; time < 3; time += 1) await stores.identities.list({ filter: odd(index, 9) });
      }
      expect((await prepared()).most).to.be.within(1, 200);
      for (let time = 0; time < 4; time += 1) await stores.identities.list(usual);
      const { rows } = await listOf<{ name: string }>(
        "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%t.type_id = $%'",
      );
      expect(rows).to.have.lengthOf(1);
    });

    it('names of their own for lists that are narrowed in other ways', async () => {
      const entity = { id: 'e', roleAttributes: ['a'] };
      const any = { semantic: 'AnyOf', roles: ['#a', '@e'] } as const;
      const every = { semantic: 'AllOf', roles: ['#a', '#b'] } as const;
      const viewer = { identityId: 'e', grants: async () => [], configTypes: [] };
      const roles = { roleFilter: ['#a', '@e'] };
      const selections = [{}, { selectedBy: [any] }, { selectedBy: [any, every] }, { selectedBy: [] }, roles];
      const narrowings: readonly ((query: ListQuery) => Promise<unknown>)[] = [
        ...[...selections, { ...roles, selectedBy: [every] }].flatMap((selection) => [
          (query: ListQuery) => stores.identities.list({ ...query, ...selection }),
          (query: ListQuery) => stores.routers.listEdge({ ...query, ...selection }),
          (query: ListQuery) => stores.services.listViews({ ...query, ...selection }, viewer),
          (query: ListQuery) => stores.services.listViews({ ...query, ...selection, withConfig: 'c' }, viewer),
          (query: ListQuery) => stores.postureChecks.list({ ...query, ...selection }),
        ]),
        (query) => stores.routers.list(query),
        (query) => stores.routers.listEdge({ ...query, isForClient: true }),
        (query) => stores.routers.listCommonEdge(query, [any], [every]),
        (query) => stores.routers.listCommonEdge(query, [every, every], [any]),
        (query) => stores.servicePolicies.list(query),
        (query) => stores.servicePolicies.list({ ...query, naming: { identityRoles: entity } }),
        (query) => stores.servicePolicies.list({ ...query, naming: { serviceRoles: entity } }),
        (query) => stores.servicePolicies.list({ ...query, naming: { identityRoles: entity, serviceRoles: entity } }),
        (query) => stores.configs.list(query),
        (query) => stores.configs.list({ ...query, ofType: 't' }),
        (query) => stores.configs.list({ ...query, ofService: 's' }),
        (query) => stores.configs.list({ ...query, ofService: 's', ofType: 't' }),
      ];
      // PostgreSQL's client refuses another text under a name that is in use.
      for (let time = 0; time < SIGHTINGS + 1; time += 1)
        for (const query of [{}, { filter: 'not name = "n"' }]) for (const list of narrowings) await list(query);
      const { rows } = await listOf<{ statement: string }>(
        "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'list-%'",
      );
      expect(rows.length).to.be.at.least(narrowings.length);
      expect(new Set(rows.map(({ statement }) => statement)).size).to.equal(rows.length);
    });

    it('names of their own for sets of columns', async () => {
      await fill();
      await stores.identities.update('i1', { name: 'other' });
      await stores.identities.update('i1', { isAdmin: false, name: 'another' });
      const rows = await database.many(
        unprepared<{ name: string }>(
          'SELECT',
          "SELECT name FROM pg_prepared_statements WHERE name LIKE 'update-identities-%'",
        ),
      );
      expect(new Set(rows.map(({ name }) => name)).size).to.equal(2);
      for (const { name } of rows) expect(name.length).to.be.within(40, 63);
    });
  });

  describe('end a statement', () => {
    it('that takes longer than its time', async () => {
      const hasty = openDatabase({
        connection: files.connection,
        poolSize: 4,
        patienceMs: 5_000,
        lists: { ...LIST_BOUNDS, timeoutMs: 200 },
      });
      try {
        expect(await kindOf(hasty.execute(list(null, SLEEP)))).to.equal('timeout');
        expect((await hasty.execute(list(null, 'SELECT 1 AS one'))).rows).to.deep.equal([{ one: 1 }]);
      } finally {
        await hasty.close();
      }
    });

    it('for which nobody waits any more, and use the connection again', async () => {
      const gone = new AbortController();
      const list = kindOf(listOf(SLEEP, scopeOf('a', gone.signal)));
      await started('pg_sleep(20)');
      gone.abort();
      expect(await list).to.equal('timeout');
      // PostgreSQL shows a statement as running for a moment after it has answered that it was cancelled.
      await stopped('pg_sleep(20)');
      const { total } = database.stats();
      expect((await listOf('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
      expect(database.stats()).to.include({ total, idle: total });
    });

    it('also when the first request to end comes to nothing', async () => {
      await files.query(`CREATE FUNCTION stubborn() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(20); EXCEPTION WHEN query_canceled THEN PERFORM pg_sleep(20); END $$`);
      const gone = new AbortController();
      const list = kindOf(listOf('SELECT stubborn()', scopeOf('a', gone.signal)));
      await started('stubborn()');
      gone.abort();
      const begun = performance.now();
      expect(await list).to.equal('timeout');
      expect(performance.now() - begun, 'long before the bound of the statement').to.be.below(
        LIST_BOUNDS.timeoutMs / 2,
      );
      await stopped('stubborn()');
    });

    it('and never the next one of the same connection', async () => {
      const outcomes = new Set<string>();
      for (let round = 0; round < 300; round += 1) {
        const gone = new AbortController();
        const list = kindOf(listOf('SELECT pg_sleep(0.002)', scopeOf('a', gone.signal)));
        setTimeout(() => {
          gone.abort();
        }, round % 5);
        outcomes.add(await list);
        expect((await listOf('SELECT pg_sleep(0.001), 2 AS two', scopeOf('b'))).rows[0]).to.include({
          two: 2,
        });
      }
      expect([...outcomes]).to.have.members(['none', 'timeout']);
    });

    it('by its process, and not one that has only the number of it', async () => {
      const canceller = new Canceller(files.connection, 5_000);
      const client = new pg.Client(files.connection);
      await client.connect();
      try {
        const process = await processOf(client);
        const statement = client.query(SLEEP).then(
          () => 'none',
          (error: { code: string }) => error.code,
        );
        await started('pg_sleep(20)');
        const other = { ...process, startedAt: '2026-01-01 00:00:00.000001+00' };
        expect(
          await canceller.cancel(other).then(
            () => 'told',
            (error: Error) => error.message,
          ),
        ).to.match(/no such process/);
        expect(await running('pg_sleep(20)')).to.equal(1);
        await canceller.cancel(process);
        expect(await statement).to.equal('57014');
      } finally {
        await canceller.close();
        await client.end();
      }
    });

    it('that waits for its turn', async () => {
      const gone = new AbortController();
      const held = Array.from({ length: 3 }, () => kindOf(listOf(SLEEP, scopeOf('a', gone.signal))));
      const other = new AbortController();
      await until('all places are taken', async () => (await running('pg_sleep(20)')) === 3);
      const waiting = kindOf(listOf('SELECT 1', scopeOf('b', other.signal)));
      other.abort();
      expect(await waiting).to.equal('timeout');
      gone.abort();
      expect(await Promise.all(held)).to.deep.equal(['timeout', 'timeout', 'timeout']);
    });
  });

  it('are shared out: lists of one identity wait for each other, and the rest is refused', async () => {
    const narrow = openDatabase({
      connection: files.connection,
      poolSize: 20,
      patienceMs: 5_000,
      lists: { ...LIST_BOUNDS, perIdentity: 2, waiting: 1 },
    });
    const gone = new AbortController();
    const sleep = (identityId: string) =>
      kindOf(narrow.execute(list(null, SLEEP), [], 'objects', scopeOf(identityId, gone.signal)));
    try {
      const held = [sleep('a'), sleep('a'), sleep('a')];
      await until('two of them run', async () => (await running('pg_sleep(20)')) === 2);
      expect(await sleep('a')).to.equal('rateLimited');
      expect((await narrow.execute(list(null, 'SELECT 1 AS one'), [], 'objects', scopeOf('b'))).rows).to.deep.equal([
        { one: 1 },
      ]);
      expect(await narrow.many(unprepared('SELECT', 'SELECT 1 AS one'))).to.deep.equal([{ one: 1 }]);
      gone.abort();
      expect(await Promise.all(held)).to.deep.equal(['timeout', 'timeout', 'timeout']);
    } finally {
      await narrow.close();
    }
  });

  describe('give a list without limit', () => {
    const whole = (identityId: string, signal?: AbortSignal) =>
      stores.forRequest(scopeOf(identityId, signal)).identities.list({ limit: -1, isReadAtOnce: signal === undefined });
    const idle = () =>
      until('all connections are back', () => {
        const { total, idle: free } = database.stats();
        return total === free;
      });

    it('two places of one identity and no more of all than there are, and refuse at once beyond', async () => {
      await fill();
      const wide = openDatabase({ connection: files.connection, poolSize: 20, patienceMs: 5_000 });
      const wideStores = openStores(wide, STORE_LIMITS);
      const listsOf = (identityId: string, signal?: AbortSignal) =>
        wideStores.forRequest(scopeOf(identityId, signal)).identities;
      const gone = new AbortController();
      const read = (identityId: string) => listsOf(identityId, gone.signal).list({ limit: -1 });
      try {
        for (const identityId of ['a', 'a', 'b', 'b']) expect((await read(identityId)).items).to.have.lengthOf(500);
        for (const identityId of ['a', 'c']) {
          const error = await read(identityId).then(
            () => undefined,
            (caught: unknown) => caught as DomainError,
          );
          expect(error?.kind).to.equal('rateLimited');
          expect(error?.headers).to.have.property('retry-after');
        }
        expect((await listsOf('a').list({ limit: 500 })).totalCount).to.equal(COUNT);
        gone.abort();
        await until('the places are free', () => {
          const { total, idle: free } = wide.stats();
          return total === free;
        });
        const later = new AbortController();
        expect((await listsOf('a', later.signal).list({ limit: -1 })).items).to.have.lengthOf(500);
        later.abort();
      } finally {
        await wide.close();
      }
    });

    it('its connection back when the reader goes between two batches', async () => {
      await fill();
      const gone = new AbortController();
      const { rest } = await whole('a', gone.signal);
      const first = await rest?.[Symbol.asyncIterator]().next();
      expect(first?.value).to.have.lengthOf(500);
      expect(database.stats().idle).to.equal(database.stats().total - 1);
      gone.abort();
      await idle();
      expect((await listOf('SELECT 1 AS one')).rows).to.deep.equal([{ one: 1 }]);
    });

    it('its connection back when nobody begins to read', async () => {
      await fill();
      const gone = new AbortController();
      await whole('a', gone.signal);
      gone.abort();
      await idle();
    });

    it('its connection back while a batch is being fetched', async () => {
      const gone = new AbortController();
      const scope = scopeOf('a', gone.signal);
      const { rest } = await database.listAll(
        list(null, 'SELECT i, CASE WHEN i > 3 THEN pg_sleep(20) END FROM generate_series(1, 9) i'),
        [],
        { batchSize: 2, isReadAtOnce: false, form: 'objects' },
        scope,
      );
      const read = async () => {
        for await (const batch of rest ?? []) expect(batch).to.have.lengthOf(2);
      };
      const done = kindOf(read());
      await started('FETCH');
      gone.abort();
      expect(await done).to.equal('timeout');
      await idle();
      await stopped('FETCH');
    });

    it('all of it, when the controller itself reads it', async () => {
      await fill();
      const readers = Array.from({ length: 6 }, async () => {
        const { items, rest } = await whole('a');
        let count = items.length;
        for await (const batch of rest ?? []) count += batch.length;
        return count;
      });
      expect(await Promise.all(readers)).to.deep.equal(Array.from({ length: 6 }, () => COUNT));
      await idle();
    });
  });
});
