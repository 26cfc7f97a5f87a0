/** Lists that are kept prepared: what PostgreSQL plans once, and does not plan again for every request. */
import { expect } from 'chai';
import { ServerClient } from '../../db/postgres/servers.js';
import { prepareConnection, sessionConfig } from '../../db/postgres/connection.js';
import { openStores } from '../../db/stores/stores.js';
import type { ListRequest } from '../../db/query/lists.js';
import { fill } from '../../lab/explain/fill.js';
import { openRecorder } from '../../lab/explain/recorder.js';
import type { Recorder } from '../../lab/explain/recorder.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { STORE_LIMITS } from '../support/stores.js';

/** After so many PostgreSQL compares what plans for single values cost with what one plan for all values costs. */
const RUNS = 10;

/** Short pages of everything, with the values that they bind: common first pages have none. */
const SHORT: readonly (readonly [request: ListRequest, values: readonly number[]])[] = [
  [{ limit: 10 }, []],
  [{ limit: 10, sort: 'name' }, []],
  [{ limit: 10, offset: 50 }, [10, 50]],
  [{ limit: 20 }, [20, 0]],
];

describe('a list in a large network', function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let client: ServerClient;
  let recorder: Recorder;
  before(async () => {
    database = await openTestDatabase();
    client = new ServerClient(sessionConfig(database.connection));
    await client.connect();
    await prepareConnection(client);
    recorder = openRecorder(client);
    const stores = openStores(recorder, STORE_LIMITS);
    await fill(stores, client, { identities: 20_000, services: 100 });
    await stores.identities.list({ limit: 1 }); // the first one asks what its columns are
  });
  after(async () => {
    await recorder.close();
    await database.close();
  });

  /** Values after the limit and the offset: of several attributes, how many are counted. */
  const filters: readonly (readonly [filter: string, wanted: readonly string[], more: readonly number[]])[] = [
    ['anyOf(roleAttributes) = "bench-site-3"', ['bench-site-3'], []],
    ['anyOf(roleAttributes) in ["bench-site-3", "x"]', ['bench-site-3', 'x'], [10_001]],
  ];
  /** The statement that reads the page: the last one, after what is asked about the table once. */
  const listOf = async (request: ListRequest) =>
    (await recorder.record(() => openStores(recorder, STORE_LIMITS).identities.list(request))).at(-1);
  /** How often the one plan was used. The text is that of `request`. */
  const genericPlans = async (request: ListRequest, values: readonly unknown[]): Promise<number> => {
    const explained = await listOf(request);
    const name = `kept ${JSON.stringify(request)}`.slice(0, 63);
    for (let run = 0; run < RUNS; run += 1)
      await client.query({ name, text: explained?.sql ?? '', values: [...values] });
    const { rows } = await client.query<{ generic: number }>(
      'SELECT generic_plans::int AS generic FROM pg_prepared_statements WHERE name = $1',
      [name],
    );
    return rows[0]?.generic ?? 0;
  };

  for (const [filter, wanted, more] of filters) {
    it(`has one plan for all values of ${filter}`, async () => {
      expect(await genericPlans({ filter }, [wanted, 10, 0, ...more])).to.be.greaterThan(0);
    });
  }

  it('has one plan for large pages of everything, which reads no further than they reach', async () => {
    for (const [limit, values] of [
      [500, []],
      [400, [400, 0]],
    ] as const)
      expect(await genericPlans({ limit }, values)).to.be.greaterThan(0);
    const explained = await listOf({ limit: 500, sort: 'name' });
    expect(explained?.plan.join('\n')).to.include('Index Scan').and.not.include('Seq Scan on identities');
  });

  for (const [request, values] of SHORT) {
    it(`has one plan for short pages of everything: ${JSON.stringify(request)}`, async () => {
      expect(await genericPlans(request, values)).to.be.greaterThan(0);
    });
  }

  it('plans for a part of a name what finds the keys, and nothing else', async () => {
    for (const part of ['00012', 'bench', '7', 'none']) {
      const request = { filter: `name contains "${part}"`, limit: 10 };
      const explained = await recorder.record(() => openStores(recorder, STORE_LIMITS).identities.list(request));
      const [keys, rows] = explained.slice(-2);
      expect(keys?.name).to.equal(null);
      expect(keys?.sql).to.include('LIKE').and.not.include('entity');
      expect(rows?.name).to.match(/^list-/);
      const plan = rows?.plan.join('\n') ?? '';
      expect(plan).to.include('Function Scan on page_keys').and.not.include('Seq Scan on identities');
    }
  });

  const DEEP = [
    ['', 'identities_pkey'],
    ['name', 'identities_name_key'],
    ['name desc', 'identities_name_key'],
    ['createdAt', 'identities_created_at'],
  ] as const;
  for (const [sort, index] of DEEP) {
    it(`reads deep pages from the nearer end, by ${index} alone: sorted by '${sort}'`, async () => {
      for (const [offset, passed] of [
        [4_000, 4_010],
        [18_000, 2_000],
      ] as const) {
        const explained = await recorder.record(() =>
          openStores(recorder, STORE_LIMITS).identities.list({ limit: 10, offset, sort }),
        );
        const plan = explained.at(-1)?.plan ?? [];
        const read = plan.filter((line) => /Index Only Scan .*on identities t.*\(actual/.test(line));
        expect(read[0], plan.join('\n')).to.include(`Index Only Scan`).and.include(`using ${index} `);
        expect(read[0]).to.match(new RegExp(`actual rows=${passed}(\\.00)? loops=1`));
        expect(
          plan.filter((line) => /Index Only Scan .*on identities t.*\(never executed/.test(line)),
        ).to.have.lengthOf(1);
        expect(plan.join('\n'))
          .not.to.include('Seq Scan on identities')
          .and.not.match(/api_sessions.*actual rows=1\d{3}/);
      }
    });
  }

  it('reads a page in the middle from one that was read before it', async () => {
    const stores = openStores(recorder, STORE_LIMITS);
    for (const sort of ['', 'name desc']) {
      await stores.identities.list({ limit: 10, offset: 9_000, sort });
      const explained = await recorder.record(() => stores.identities.list({ limit: 10, offset: 9_500, sort }));
      const plan = explained.at(-1)?.plan ?? [];
      const scans = plan.filter(
        (line) => /Index Only Scan .*on identities t/.test(line) && !line.includes('never executed'),
      );
      expect(scans[0], plan.join('\n')).to.match(/Index Only Scan .*actual rows=10(\.00)? loops=1/);
      expect(plan.filter((line) => /Index Only Scan .*on identities t.*\(never executed/.test(line))).to.have.lengthOf(
        2,
      );
    }
  });

  it('counts role attributes once, and reads a page of them by their index', async () => {
    const stores = openStores(recorder, STORE_LIMITS);
    const explained = await recorder.record(() => stores.roleAttributes.list('identities', { limit: 10 }));
    const plan = explained.at(-1)?.plan ?? [];
    const scans = plan.filter((line) => line.includes('role_attribute_counts'));
    expect(
      scans.filter((line) => !line.includes('never executed')),
      plan.join('\n'),
    ).to.have.lengthOf(1);
    expect(plan.join('\n')).to.match(
      /Index Scan using role_attribute_counts_pkey on \S+ \S+ \(actual rows=1[01](\.00)? /,
    );
  });

  it('finds them by the index of the attributes', async () => {
    const stores = openStores(recorder, STORE_LIMITS);
    const [explained] = await recorder.record(() =>
      stores.identities.list({ filter: 'anyOf(roleAttributes) = "bench-site-3"', limit: 10 }),
    );
    const plan = explained?.plan.join('\n') ?? '';
    expect(plan)
      .to.include('Bitmap Index Scan on identities_role_attributes')
      .and.not.include('Seq Scan on identities');
  });
});
