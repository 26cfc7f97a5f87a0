/**
 * Pages of long lists: whatever statement reads them, they are parts of one list, and totals are those of all of it.
 */
import { list } from '../../db/postgres/statement.js';
import { expect } from 'chai';
import { SIGHTINGS } from '../../db/query/statement-names.js';
import { openStoresForTest } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const COUNT = 1_300;

describe('pages of a long list', () => {
  let fixture: TestStores;
  let files: TestStores['files'];
  let stores: TestStores['stores'];
  before(async () => {
    fixture = await openStoresForTest({ identityTypes: ['User', 'Device'] });
    ({ files, stores } = fixture);
    await files.query(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, role_attributes, tags, created_at)
      SELECT left(md5('i' || i), 10), 'Name ' || md5('n' || i), CASE WHEN i % 5 = 0 THEN 'Device'
      ELSE 'User' END, false, 'default',
        ARRAY['all', 'mod-' || i % 7], CASE WHEN i % 3 = 0 THEN '{}'
        ELSE jsonb_build_object('n', i % 10, 'town', 't' || i % 4) END,
        '2026-01-01'::timestamptz + i / 3 * interval '1 second' FROM generate_series(1, $1) i`,
      [COUNT],
    );
  });
  after(() => fixture.close());

  const idsOf = async (request: { filter?: string; sort?: string; limit: number; offset?: number }) => {
    const page = await stores.identities.list(request);
    return { ids: page.items.map(({ id }) => id), total: page.totalCount, rest: page.rest };
  };
  /** The list in one piece, by the statement that streams it. */
  const whole = async (filter: string | undefined, sort: string) => {
    const { ids, rest } = await idsOf({ ...(filter === undefined ? {} : { filter }), sort, limit: -1 });
    for await (const batch of rest ?? []) ids.push(...batch.map(({ id }) => id));
    return ids;
  };

  const filters: Readonly<Record<string, number | undefined>> = {
    'anyOf(roleAttributes) = "all"': COUNT,
    'not anyOf(roleAttributes) = "mod-3"': undefined,
    'anyOf(roleAttributes) in ["mod-1", "mod-2", "mod-3", "mod-4"]': undefined,
    'type = "User"': undefined,
    'name contains "a"': undefined,
    'tags.town != "t1"': undefined,
    'tags.n in [1, 2, 4, 5, 7, 8] or isAdmin = true': undefined,
  };
  const sorts = [
    '',
    'id desc',
    'name',
    'name desc',
    'createdAt',
    'createdAt desc, name',
    'type, name desc',
    'name, createdAt',
    'externalId desc, createdAt',
  ];

  for (const [filter, expected] of [[undefined, COUNT] as const, ...Object.entries(filters)]) {
    it(`follow each other wherever they begin, ${filter === undefined ? 'unfiltered' : `of ${filter}`}`, async () => {
      for (const sort of sorts) {
        const all = await whole(filter, sort);
        expect(all.length, sort).to.be.greaterThan(510);
        if (expected !== undefined) expect(all.length).to.equal(expected);
        expect(new Set(all).size, sort).to.equal(all.length);
        for (const offset of [0, 7, 499, 500, 503, 647, 648, all.length - 5, all.length - 3]) {
          const page = await idsOf({ ...(filter === undefined ? {} : { filter }), sort, limit: 5, offset });
          expect(page.ids, `${sort} from ${offset}`).to.deep.equal(all.slice(offset, offset + 5));
          expect(page.total, `${sort} from ${offset}`).to.equal(all.length);
        }
        const beyond = await idsOf({
          ...(filter === undefined ? {} : { filter }),
          sort,
          limit: 5,
          offset: all.length + 100,
        });
        expect([beyond.ids, beyond.total], sort).to.deep.equal([[], all.length]);
      }
    });
  }

  it('find tags by any of several values, and by what is no string', async () => {
    const count = async (filter: string, where: string) => {
      const {
        rows: [row],
      } = await files.query(`SELECT count(*)::int AS n FROM identities WHERE ${where}`);
      expect((await idsOf({ filter, limit: 1 })).total, filter).to.equal(row?.['n']);
    };
    await count('tags.town in ["t1", "t2"]', "tags ->> 'town' IN ('t1', 't2')");
    await count('tags.town in ["nowhere"]', 'false');
    await count('not tags.town in ["t1", "t2"]', "tags ->> 'town' IN ('t1', 't2') IS NOT TRUE");
    await count('tags.town not in ["t1"]', "tags ->> 'town' = 't1' IS NOT TRUE");
    await count('tags.n in [1, 5, 11]', "tags ->> 'n' IN ('1', '5')");
    await count(`tags.n in [${Array.from({ length: 40 }, (_, n) => n).join(', ')}]`, "tags ? 'n'");
    await count('tags.n = 1', "tags -> 'n' = '1'");
    await count('tags.n = "1"', 'false');
  });

  it('of a part of a text and what is stored in another form find both', async () => {
    await files.query(
      `INSERT INTO enrollments (id, token, method, identity_id, username, jwt, expires_at)
      SELECT left(md5('e' || i), 10), md5('t' || i)::uuid, 'updb', left(md5('i' || i), 10), 'user-' || i, '',
        now() + '1 h'
      FROM generate_series(1, 30) i`,
    );
    const caller = { isAdmin: true, permissions: [] };
    const count = async (filter: string) => (await stores.enrollments.list({ filter, limit: 1, caller })).totalCount;
    const { rows } = await files.query('SELECT token, identity_id FROM enrollments LIMIT 2');
    const [one, other] = rows.map(({ token }) => String(token));
    const [ofOne, ofOther] = rows.map((row) => String(row['identity_id']).slice(2, 9));
    expect(await count(`token = "${one}" and identity contains "${ofOne}"`)).to.equal(1);
    expect(await count(`token = "${one}" and identity contains "${ofOther}"`)).to.equal(0);
    expect(await count(`token in ["${one}", "${other}"] and identity contains "${ofOther}"`)).to.equal(1);
    expect(await count(`token != "${one}" and method contains "upd"`)).to.equal(29);
    const sessions = { filter: 'token = "never given" or identity contains "00"', limit: 1 };
    expect((await stores.apiSessions.list(sessions)).totalCount).to.equal(0);
  });

  it('of more values than a query of keys takes are parts of the same list', async () => {
    for (const values of [18, 19, 40]) {
      const filter = Array.from({ length: values }, (_, at) => `name contains "${(at * 37).toString(16)}f"`).join(
        ' or ',
      );
      const all = await whole(filter, 'name');
      const { ids, total } = await idsOf({ filter, sort: 'name', limit: 5, offset: 3 });
      expect([ids, total]).to.deep.equal([all.slice(3, 8), all.length]);
    }
  });

  it('of what an index on members finds are read with one look at it, whatever else is asked', async () => {
    await files.query(
      `INSERT INTO routers (id, name, is_edge, role_attributes, fingerprint)
      SELECT 'r' || i, 'r' || i, true, ARRAY['zone-' || i % 100], CASE WHEN i % 2 = 0 THEN 'f' || i END
      FROM generate_series(1, 3000) i`,
    );
    await files.query('ANALYZE routers');
    const filter = 'anyOf(roleAttributes) = "zone-4" and isVerified = true';
    for (let time = 0; time < SIGHTINGS; time += 1)
      expect((await stores.routers.listEdge({ filter })).totalCount).to.equal(30);
    const find =
      "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%fingerprint IS NOT NULL%' AND name <> ''";
    const [kept] = (await fixture.database.execute(list<{ name: string }>(null, find))).rows;
    const explain = `EXPLAIN EXECUTE "${kept?.name ?? ''}" ('{zone-4}', 10, 0)`;
    const plan = (await fixture.database.execute(list<{ 'QUERY PLAN': string }>(null, explain))).rows.map(
      (row) => row['QUERY PLAN'],
    );
    expect(plan.filter((line) => line.includes('Bitmap Index Scan on routers_role_attributes'))).to.have.lengthOf(1);
    expect(plan.join('\n')).to.include('WindowAgg').and.not.include('Seq Scan on routers');
  });

  it('know names to be unique wherever there are any', async () => {
    const { rows } = await files.query(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      AND a.attname = 'name'
      JOIN pg_attribute s ON s.attrelid = c.oid AND s.attname = 'is_system'
      -- Names of fabric_services are rows of service_names, which has those of all services.
      WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'fabric_services'
      AND NOT (a.attnotnull AND EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indnkeyatts = 1
        AND i.indkey[0] = a.attnum))`);
    expect(rows).to.deep.equal([]);
  });
});
