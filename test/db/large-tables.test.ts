/** Filtered pages of tables that count as large: parts of the same list as in small ones, with bounds as totals. */
import { expect } from 'chai';
import fc from 'fast-check';
import { NameSample } from '../../db/query/letters.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { recordStatements } from '../support/statements.js';
import { openStoresForTest, STORE_LIMITS } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const COUNT = 1_200;
const BOUND = 50;

describe('filtered pages of a large table', () => {
  let fixture: TestStores;
  let large: Stores;
  before(async () => {
    fixture = await openStoresForTest({ identityTypes: ['User', 'Device'] });
    await fixture.files.query(
      `INSERT INTO identities (id, name, type_id, is_admin, auth_policy_id, external_id, role_attributes, tags)
      SELECT left(md5('i' || i), 10),
        'Site ' || lpad(i::text, 5, '0') || (ARRAY['-lyon', '_Oslo', ' straße', '-50%', '.É'])[i % 5 + 1] || '-kiosk',
        CASE WHEN i % 2 = 0 THEN 'Device' ELSE 'User' END, false, 'default', CASE WHEN i % 4 = 0 THEN 'x' || i END,
        ARRAY['all', 'mod-' || i % 7], jsonb_build_object('n', i % 10, 'town', 't' || i % 300)
      FROM generate_series(1, $1) i`,
      [COUNT],
    );
    large = openStores(fixture.database, { ...STORE_LIMITS, countUpTo: BOUND, largeFrom: 100 });
  });
  after(() => fixture.close());

  /** By the statement that streams a whole list. */
  const whole = async (filter: string, sort: string): Promise<string[]> => {
    const { items, rest } = await fixture.stores.identities.list({ filter, sort, limit: -1 });
    const ids = items.map(({ id }) => id);
    for await (const batch of rest ?? []) ids.push(...batch.map(({ id }) => id));
    return ids;
  };

  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
  const parts = [
    'Site',
    'site 0',
    '0012',
    '00123-',
    '77',
    '7-lyon-kiosk',
    '00042 STRASSE',
    '50%-k',
    '_Oslo',
    '.É-ki',
    'x',
  ];
  const leaf = fc.oneof(
    fc
      .tuple(fc.constantFrom('', 'not '), fc.constantFrom('contains', 'icontains'), fc.constantFrom(...parts))
      .map(([not, word, part]) => `name ${not}${word} ${quoted(part)}`),
    fc.constantFrom('type = "User"', 'externalId = null', 'externalId contains "1"', 'tags.n > 6', 'tags.n = 3'),
    fc.constantFrom('tags.town = "t17"', 'tags.town in ["t1", "t2"]', 'allOf(roleAttributes) = "all"', 'isAdmin'),
    fc.constantFrom('anyOf(roleAttributes) = "mod-3"', 'anyOf(roleAttributes) != "mod-3"'),
    fc.constantFrom('anyOf(roleAttributes) in ["mod-1", "mod-2", "none"]', 'anyOf(roleAttributes) in ["all", "mod-2"]'),
    fc.constantFrom(
      'id > "7"',
      'id <= "c0"',
      'id >= "2" and id < "3"',
      'name > "Site 00600"',
      'not (name < "Site 009")',
    ),
  );
  const filters = fc.oneof(
    leaf,
    fc.tuple(leaf, fc.constantFrom('and', 'or'), leaf).map((words) => words.join(' ')),
    fc.tuple(leaf, leaf).map(([one, other]) => `not (${one} or ${other})`),
  );

  it('are those of the whole list, and their totals are exact up to a bound', async () => {
    const request = fc.record({
      filter: filters,
      sort: fc.constantFrom('', 'id desc', 'name', 'name desc', 'createdAt, id desc', 'type, name'),
      limit: fc.constantFrom(1, 10, 60),
      offset: fc.constantFrom(0, 5, 45, 300, 1_100),
    });
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const { limit, offset } = asked;
        const all = await whole(asked.filter, asked.sort);
        const { items, totalCount, isTotalMinimum = false } = await large.identities.list(asked);
        const text = JSON.stringify(asked);
        expect(
          items.map(({ id }) => id),
          text,
        ).to.deep.equal(all.slice(offset, offset + limit));
        if (!isTotalMinimum) {
          expect(totalCount, text).to.equal(all.length);
          return;
        }
        expect(totalCount, text).to.be.at.most(all.length).and.at.least(BOUND);
        expect(totalCount, text).to.be.greaterThan(Math.min(offset + limit, all.length - 1));
      }),
      { numRuns: 200 },
    );
  }).timeout(180_000);

  it('lead whoever reads on until the total to the end', async () => {
    const filter = 'name contains "kiosk"';
    const found: string[] = [];
    let total = Infinity;
    const minima = new Set<boolean>();
    while (found.length < total) {
      const page = await large.identities.list({ filter, limit: 100, offset: found.length });
      minima.add(page.isTotalMinimum ?? false);
      total = page.totalCount;
      found.push(...page.items.map(({ id }) => id));
    }
    expect(found).to.deep.equal(await whole(filter, ''));
    expect([...minima]).to.deep.equal([true, false]);
  });

  it('of several role attributes are at least those of the most used one, and behind the page', async () => {
    const filter = 'anyOf(roleAttributes) in ["mod-1", "mod-2", "mod-3"]';
    const each = COUNT / 7;
    const { totalCount, isTotalMinimum } = await large.identities.list({ filter, limit: 10 });
    expect(isTotalMinimum).to.equal(true);
    expect(totalCount).to.be.closeTo(each, 1);
    const behind = await large.identities.list({ filter, limit: 10, offset: 200 });
    expect(behind.totalCount).to.be.greaterThan(210);
    const few = await large.identities.list({ filter: 'anyOf(roleAttributes) in ["mod-1", "none"]', limit: 10 });
    expect([few.totalCount, few.isTotalMinimum]).to.deep.equal([totalCount, undefined]);
    const exact = await fixture.stores.identities.list({ filter, limit: 10 });
    expect([exact.totalCount, exact.isTotalMinimum]).to.deep.equal([(await whole(filter, '')).length, undefined]);
  });

  for (const [filter, sort] of [
    ['id > "8"', 'id'],
    ['id < "8"', 'id desc'],
  ] as const)
    it(`begin at the bound of what they are sorted by: ${filter}`, async () => {
      const recorded = recordStatements(/ page_keys\(/);
      await large.identities.list({ filter, sort, limit: 10 });
      recorded.stop();
      const [text = '', values = []] = recorded.sent[0]?.values as [keys: string, values: string[]];
      const { rows } = await fixture.files.query(`EXPLAIN (ANALYZE, TIMING off, FORMAT json) ${text}`, values);
      const removed = [...JSON.stringify(rows).matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) =>
        Number(count),
      );
      expect(Math.max(0, ...removed), text).to.be.at.most(4 * BOUND);
    });

  it('of what belongs to one entity are read as in a small one, without a sample', async () => {
    await fixture.files.query(
      `INSERT INTO authenticators (id, method, identity_id, username, password_hash)
      SELECT 'a' || row_number() OVER (), 'updb', id, name, 'x' FROM identities WHERE name LIKE 'Site%' LIMIT 300`,
    );
    const { items } = await fixture.stores.authenticators.list({ limit: 3 });
    const [one] = items;
    const recorded = recordStatements(/TABLESAMPLE/);
    const own = await large.authenticators.list({ ofIdentity: one?.read().identity.id ?? '', limit: 10 });
    expect([own.totalCount, own.items.map(({ id }) => id)]).to.deep.equal([1, [one?.id]]);
    expect(recorded.texts).to.deep.equal([]);
    await large.authenticators.list({ filter: 'method = "updb"', limit: 10 });
    recorded.stop();
    expect(recorded.texts).to.have.length(1);
  });

  it('are read without a sample where no name of the last one contains the text', async () => {
    const samples = async (filter: string, expected: number) => {
      const recorded = recordStatements(/count.*TABLESAMPLE/);
      const page = await large.identities.list({ filter });
      recorded.stop();
      expect(page.totalCount, filter).to.equal(expected);
      return recorded.texts.length;
    };
    expect(await samples('name contains "no such name"', 0)).to.equal(0);
    expect(await samples('name icontains "NO SUCH NAME" and type = "User"', 0)).to.equal(0);
    expect(await samples('name contains "no such name either" or name icontains "nor this"', 0)).to.equal(0);
    expect(await samples('name contains "no such name" or type = "User"', BOUND)).to.equal(1);
    expect(await samples('not (name contains "no such name")', BOUND)).to.equal(1);
    expect(await samples('name contains "00010-lyon"', 1)).to.be.at.most(1);
  });

  it('are counted whole in tables that are not large', async () => {
    const page = await fixture.stores.identities.list({ filter: 'name contains "kiosk"' });
    expect(page.totalCount).to.equal(COUNT);
    expect(page.isTotalMinimum).to.equal(undefined);
  });
});

describe('names of a sample', () => {
  const names = new NameSample(['site-00012-lyon', 'site-00013-lyon', 'site-00112-oslo', 'Straße']);

  it('say which parts of a text are rare, as they are written in it', () => {
    expect(names.partsOf('00013-LYON')).to.deep.equal(['013', '13-']);
    expect(names.partsOf('Oslo-7Ab2')).to.have.length(2);
    for (const part of names.partsOf('Oslo-7Ab2')) expect('Oslo-7Ab2').to.include(part);
  });

  it('say nothing of short texts, nor of those with letters that change their number', () => {
    for (const text of ['', 'ly', 'lyon', '00012', 'straße-00012-lyon'])
      expect(names.partsOf(text), text).to.deep.equal([]);
  });

  it('say whether none of them contains a text, with regard to case and without', () => {
    for (const [text, isLacking, isLackingInAnyCase] of [
      ['lyon', false, false],
      ['LYON', true, false],
      ['STRASSE', true, false],
      ['00014', true, true],
      ['', false, false],
    ] as const) {
      expect(names.lacks(text, false), text).to.equal(isLacking);
      expect(names.lacks(text, true), text).to.equal(isLackingInAnyCase);
    }
  });
});
