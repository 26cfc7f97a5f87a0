/** What compiled filters select, asked of PostgreSQL: a table of cases, and what serves them. */
import { expect } from 'chai';
import { compileList, compileRoleFilter, Params } from '../../db/filter/index.js';
import { openFilterWorld, peers, rows } from './filter-world.js';
import type { FilterWorld } from './filter-world.js';

describe('filters in PostgreSQL', () => {
  let database: FilterWorld['database'];
  let ids: FilterWorld['ids'];

  before(async () => {
    ({ database, ids } = await openFilterWorld());
  });
  after(() => database.close());

  const cases: readonly (readonly [string, string])[] = [
    // texts
    ['name = "Straße"', 'b'],
    ['name = "straße"', ''],
    ['name != ""', 'Ebcdf'],
    ['name > "a"', 'Ecdf'],
    ['name < "a"', 'ab'],
    ['name >= "Éco"', 'Ef'],
    ['name contains "stra"', 'c'],
    ['name contains ""', 'Eabcdf'],
    ['name contains "%"', 'c'],
    ['name contains "_"', 'd'],
    ['name contains "\\\\"', 'd'],
    ['name contains "50%"', 'c'],
    ['name contains 50', 'c'],
    ['name not contains "s"', 'Eabdf'],
    ['name contains "💥"', 'E'],
    ['name icontains "STRASSE"', 'bc'],
    ['name icontains "straße"', 'bc'],
    ['name icontains "éco"', 'Ef'],
    ['name icontains "ÉCO"', 'Ef'],
    ['name not icontains "éco"', 'abcd'],
    ['name icontains "_B"', 'd'],
    ['name in ["Éco", "", "nope"]', 'af'],
    ['name not in ["Éco", ""]', 'Ebcd'],
    ['nick = 3', 'E'],
    ['nick > 2', 'Ebc'],
    ['nick in [3, 4]', 'E'],
    ['nick = "3"', 'E'],
    ['nick = 3.0', ''],
    // unset
    ['nick = null', 'af'],
    ['nick != null', 'Ebcd'],
    ['not nick = null', 'Ebcd'],
    ['nick = ""', 'd'],
    ['nick != "x"', 'Eacdf'],
    ['not (nick = "x")', 'Eacdf'],
    ['nick > ""', 'Ebc'],
    ['not nick > ""', 'adf'],
    ['nick not in ["x", "X"]', 'Eadf'],
    ['not (nick in ["x", "X"])', 'Eadf'],
    ['nick contains ""', 'Ebcd'],
    ['nick not contains "x"', 'Eacdf'],
    ['not (nick = "x" or cost = 2)', 'Eadf'],
    ['not (nick = "x" and cost = 1)', 'Eacdf'],
    ['nick = "x" or nick = null', 'abf'],
    // booleans
    ['on', 'bd'],
    ['not on', 'Eacf'],
    ['on = true', 'bd'],
    ['on = false', 'cf'],
    ['on != true', 'Eacf'],
    ['on != false', 'Eabd'],
    ['on = null', 'Ea'],
    ['true', 'Eabcdf'],
    ['false', ''],
    ['not true', ''],
    ['not false or on', 'Eacf'],
    ['(not false) or on', 'Eabcdf'],
    // no precedence
    ['on and cost = 1 or cost = 2', 'b'],
    ['cost = 2 or on and cost = 3', 'cd'],
    ['not on or cost = 2', 'Eaf'],
    ['(not on) or cost = 1', 'Eabcf'],
    // numbers
    ['cost = 1', 'b'],
    ['cost = 1.0', 'b'],
    ['cost != 1', 'Eacdf'],
    ['cost > 2.5', 'Edf'],
    ['cost > 1e9', 'f'],
    ['cost < 9223372036854775807', 'Ebcdf'],
    ['cost < 9223372036854775808', 'Ebcdf'],
    ['cost between 1 and 3', 'bc'],
    ['cost not between 1 and 3', 'Eadf'],
    ['cost between 1.5 and 3.5', 'cd'],
    ['cost in [1, 2]', 'bc'],
    ['cost in [1.0, 2.5]', 'b'],
    ['cost not in [1, 2]', 'Eadf'],
    ['cost = null', 'a'],
    ['ratio = 2.5', 'b'],
    ['ratio < -1e9', 'd'],
    ['ratio = 0', 'c'],
    ['ratio = 1e-400', 'c'],
    ['ratio = 5e-324', ''],
    ['ratio > 1e308', ''],
    // dates
    ['made = datetime(2024-01-01T01:00:00+01:00)', 'b'],
    ['made > datetime(2024-06-01T12:00:00.122Z)', 'cd'],
    ['made != datetime(2024-01-01T00:00:00Z)', 'Eacdf'],
    ['made between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)', 'bc'],
    ['made not between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)', 'Eadf'],
    ['made in [datetime(2024-01-01T00:00:00Z), datetime(2025-01-01T00:00:00Z)]', 'bd'],
    ['made = null', 'af'],
    ['made > datetime(0000-01-01T00:00:00Z)', 'Ebcd'],
    ['made < datetime(9999-12-31T23:59:59-23:59)', 'Ebcd'],
    ['made > datetime(2024-01-01T00:00:00-23:59)', 'cd'],
    // sets
    ['anyOf(attrs) = "web"', 'Ebc'],
    ['anyOf(attrs) != "web"', 'Ecdf'],
    ['not anyOf(attrs) = "web"', 'adf'],
    ['allOf(attrs) = "web"', 'ab'],
    ['allOf(attrs) != "web"', 'adf'],
    ['anyOf(attrs) in ["db", "Web"]', 'cdf'],
    ['anyOf(attrs) not in ["db", "Web"]', 'Eab'],
    ['allOf(attrs) in ["db", "web"]', 'abcf'],
    ['allOf(attrs) not in ["db", "web"]', 'Ed'],
    ['anyOf(attrs) contains "e"', 'Ebcd'],
    ['anyOf(attrs) not contains "e"', 'Ecdf'],
    ['allOf(attrs) contains "e"', 'ab'],
    ['allOf(attrs) icontains "WEB"', 'ab'],
    ['anyOf(attrs) icontains "É"', 'E'],
    ['anyOf(attrs) contains "%"', 'E'],
    ['anyOf(attrs) = 3', 'd'],
    ['anyOf(attrs) > "web"', 'E'],
    ['allOf(attrs) < "x"', 'abcdf'],
    ['count(attrs) = 0', 'a'],
    ['count(attrs) > 1', 'Ecd'],
    ['count(attrs) between 1 and 3', 'bcdf'],
    ['count(attrs) in [1, 3]', 'Ebf'],
    ['count(attrs) > 1.5', 'Ecd'],
    ['isEmpty(attrs)', 'a'],
    ['not isEmpty(attrs)', 'Ebcdf'],
    // linked entities
    ['anyOf(peers) = "p2"', 'cd'],
    ['anyOf(peers) != "p1"', 'Ecd'],
    ['allOf(peers) = "p1"', 'abf'],
    ['allOf(peers) in ["p1", "p2"]', 'abcf'],
    ['anyOf(peers) not in ["p1"]', 'Eaf'],
    ['isEmpty(peers)', 'af'],
    ['count(peers) = 3', 'd'],
    ['isEmpty(from peers where name = "web")', 'Eaf'],
    ['not isEmpty(from peers where nick = null)', 'bcd'],
    ['count(from peers where name icontains "WEB") = 2', 'cd'],
    ['count(from peers where not name = "web") >= 2', 'd'],
    ['count(from peers where limit 2) = 2', 'cd'],
    ['count(from peers where true skip 1) > 0', 'cd'],
    ['isEmpty(from peers where sort by name skip 1 limit 1)', 'Eabf'],
    ['not isEmpty(from peers where count(rows) = 2)', 'Ecd'],
    ['count(from peers where not isEmpty(from rows where name = "Straße")) > 0', 'bcd'],
    // tags
    ['tags.city = "Oslo"', 'b'],
    ['tags.city != "Oslo"', 'Eacdf'],
    ['tags.city = null', 'ad'],
    ['tags.city != null', 'Ebcf'],
    ['tags.nope = null', 'Eabcdf'],
    ['tags.city contains "slo"', 'bc'],
    ['tags.city not contains "slo"', 'Eadf'],
    ['tags.city icontains "OSLO"', 'bc'],
    ['tags.city > "Oslo"', 'c'],
    ['tags.city in ["Oslo", "Bergen"]', 'Eb'],
    ['tags.city not in ["Oslo", "Bergen"]', 'acdf'],
    ['tags.n = 3', 'b'],
    ['tags.n = "3"', 'd'],
    ['tags.n = 3.0', 'b'],
    ['tags.n > 2', 'Ebc'],
    ['tags.n >= -3', 'Ebcf'],
    ['tags.n between 2 and 4', 'bc'],
    ['tags.n not between 2 and 4', 'Eadf'],
    ['tags.n in [3, 10]', 'Eb'],
    ['tags.n contains 3', 'd'],
    ['tags.up = true', 'c'],
    ['tags.up = false', 'd'],
    ['tags.up != true', 'Eabdf'],
    ['tags.up = "true"', 'E'],
    ['tags.n < 1e308', 'Ebcf'],
    ['not tags.n > 2', 'adf'],
    // secrets
    ['token = "secret"', 'b'],
    ['token != "secret"', 'Eacdf'],
    ['token in ["secret", "x"]', 'Eb'],
    ['token = null', 'adf'],
    ['token = "\\\\x"', ''],
    // what PostgreSQL cannot hold
    ['name = "a\0"', ''],
    ['name != "a\0"', 'Eabcdf'],
    ['name in ["\0", "Éco"]', 'f'],
    ['name contains "\0"', ''],
    ['name not icontains "\0"', 'Eabcdf'],
    ['name < "a\0b"', 'ab'],
    ['name >= "strasse 50%\0"', 'Ef'],
    ['tags.city = "\0"', ''],
    ['tags.city != "\0"', 'Eabcdf'],
    ['tags.city in ["\0", "Oslo"]', 'b'],
    ['tags.city contains "\0" or on', 'bd'],
    ['not tags.city icontains "\0"', 'Eabcdf'],
    ['tags.city < "\0"', 'f'],
    ['anyOf(attrs) = "\0"', ''],
    ['allOf(attrs) = "\0"', 'a'],
    ['anyOf(attrs) in ["\0", "web"]', 'Ebc'],
    ['name = "\ud800"', ''],
    ['tags.city = "\ud800"', ''],
    ['anyOf(attrs) contains "\udfff"', ''],
    // pages and order
    ['sort by cost desc', 'fEdcba'],
    ['sort by cost', 'abcdEf'],
    ['sort by nick', 'afdEcb'],
    ['sort by nick desc limit 3', 'bcE'],
    ['sort by on, name desc skip 1 limit 3', 'afc'],
    ['sort by id desc', 'fdcbaE'],
    ['on sort by name', 'bd'],
    ['skip 4', 'df'],
    ['limit none', 'Eabcdf'],
    ['skip 99', ''],
    ['skip 9007199254740991', ''],
  ];
  for (const [filter, expected] of cases) {
    it(`${JSON.stringify(filter)} selects ${expected === '' ? 'nothing' : [...expected].join(', ')}`, async () => {
      expect(await ids({ filter })).to.equal(expected);
    });
  }

  it('sorts names by bytes', async () => {
    expect(await ids({ sort: 'name' })).to.equal('abdcfE');
  });

  it('follows links from the other side', async () => {
    expect(await ids({ filter: 'count(rows) = 3 or isEmpty(from rows where on)' }, peers, 'filter_peers')).to.equal(
      'p1',
    );
  });

  it('selects by roles', async () => {
    const selected = async (roleFilter: readonly string[], roleSemantic = 'AllOf') => {
      const { bind, values } = new Params();
      const target = { idSql: 't.id', attributesSql: 't.attrs' };
      const { sql } = compileRoleFilter({ roleFilter, roleSemantic }, target, bind);
      const result = await database.query(`SELECT t.id FROM filter_rows t WHERE ${sql} ORDER BY t.id`, values);
      return result.rows.map((row) => String(row['id'])).join('');
    };
    expect(await selected(['#web', '#db'])).to.equal('c');
    expect(await selected(['#web', '#db'], 'AnyOf')).to.equal('Ebcf');
    expect(await selected(['@a', '@b', '@nope'])).to.equal('ab');
    expect(await selected(['#Web', '@a'])).to.equal('ad');
    expect(await selected(['#all'])).to.equal('');
    expect(await selected(['#nope', '#\0'])).to.equal('');
  });

  it('refuses subqueries nested deeper than four levels', async () => {
    const nested = (pairs: number) =>
      `${'isEmpty(from peers where isEmpty(from rows where '.repeat(pairs)}on${'))'.repeat(pairs)}`;
    expect(await ids({ filter: nested(2) })).to.be.a('string');
    const error: unknown = await ids({ filter: nested(3) }).catch((caught: unknown) => caught);
    expect(error).to.include({ kind: 'invalidFilter', causeMessage: 'subqueries are nested deeper than 4 levels' });
  });

  it('takes the largest filters', async () => {
    expect(await ids({ filter: `${'on or '.repeat(99)}on` })).to.equal('bd');
    expect(await ids({ filter: `not (${'tags.n=1 or '.repeat(20)}on)` })).to.equal('Eacf');
    expect(await ids({ filter: `${'anyOf(attrs) contains "z" or '.repeat(10)}on` })).to.equal('bd');
    expect(await ids({ filter: `${'count(from peers where true)=9 or '.repeat(10)}on` })).to.equal('bd');
    expect(await ids({ filter: `${'on and (cost=9 or '.repeat(48)}on${')'.repeat(48)}` })).to.equal('bd');
    expect(await ids({ filter: `name in [${'"x",'.repeat(999)}""]` })).to.equal('a');
  }).timeout(120_000);

  it('is served by indexes', async () => {
    const plan = async (filter: string) => {
      const params = new Params();
      const { where } = compileList(rows, { filter }, params, { defaultLimit: 10, maxLimit: 500 });
      await database.query('BEGIN');
      await database.query('SET LOCAL enable_seqscan = off');
      const result = await database.query(`EXPLAIN SELECT t.id FROM filter_rows t WHERE ${where.sql}`, params.values);
      await database.query('ROLLBACK');
      return result.rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    };
    expect(await plan('name contains "asse"')).to.match(/Bitmap Index Scan on filter_rows_letters/);
    expect(await plan('name icontains "asse"')).to.match(/Bitmap Index Scan on filter_rows_upper/);
    expect(await plan('anyOf(attrs) = "web"')).to.match(/Bitmap Index Scan on filter_rows_attrs/);
    expect(await plan('anyOf(attrs) in ["web", "db"]')).to.match(/Bitmap Index Scan on filter_rows_attrs/);
    expect(await plan('id > "c"')).to.match(/Index Cond: \(id > /);
    expect(await plan('id in ["c", "d"]')).to.match(/Index Cond: \(id = ANY/);
  });
});
