/** What compiled filters select, asked of PostgreSQL: a table of cases, and random filters against a plain evaluator. */
import { expect } from 'chai';
import fc from 'fast-check';
import { openTestDatabase } from '../support/database.js';
import { compileList, compileRoleFilter } from '../../db/filter/index.js';
import type { ListQuery, SymbolTable } from '../../db/filter/index.js';
import { parseFilter } from '../../db/filter/parse.js';
import type { Expr, Literal, Operand, Query, Test } from '../../db/filter/ast.js';

const peers: SymbolTable = {
  entity: 'peers', idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    nick: { kind: 'string', sql: 't.nick' },
    rows: {
      kind: 'linked', entity: () => rows, idSql: '{alias}.id',
      from: 'filter_rows {alias} JOIN filter_links {alias}_l ON {alias}_l.row_id = {alias}.id AND {alias}_l.peer_id = t.id',
    },
  },
};

const rows: SymbolTable = {
  entity: 'rows', idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    nick: { kind: 'string', sql: 't.nick' },
    cost: { kind: 'number', sql: 't.cost' },
    ratio: { kind: 'number', sql: 't.ratio' },
    on: { kind: 'boolean', sql: 't.is_on' },
    made: { kind: 'date', sql: 't.made_at' },
    token: { kind: 'string', sql: 't.token_hash', equalityOnly: true, encode: (token) => Buffer.from(token) },
    attrs: { kind: 'stringSet', sql: 't.attrs' },
    peers: {
      kind: 'linked', entity: () => peers, idSql: '{alias}.id',
      from: 'filter_peers {alias} JOIN filter_links {alias}_l ON {alias}_l.peer_id = {alias}.id AND {alias}_l.row_id = t.id',
    },
    tags: { kind: 'tags', sql: 't.tags' },
  },
};

const SCHEMA = `
CREATE TABLE filter_rows (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, nick text COLLATE "C", cost integer,
  ratio float8, is_on boolean, made_at timestamptz(3), token_hash bytea, attrs text[] COLLATE "C" NOT NULL, tags jsonb NOT NULL);
CREATE TABLE filter_peers (id text COLLATE "C" PRIMARY KEY, name text COLLATE "C" NOT NULL, nick text COLLATE "C");
CREATE TABLE filter_links (row_id text COLLATE "C" REFERENCES filter_rows, peer_id text COLLATE "C" REFERENCES filter_peers, PRIMARY KEY (row_id, peer_id));
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX filter_rows_letters ON filter_rows USING gin (name gin_trgm_ops);
CREATE INDEX filter_rows_upper ON filter_rows USING gin (upper(name COLLATE "und-x-icu") gin_trgm_ops);
CREATE INDEX filter_rows_attrs ON filter_rows USING gin (attrs);`;

interface Peer { readonly id: string; readonly name: string; readonly nick: string | null }
interface Row extends Peer {
  readonly cost: number | null;
  readonly ratio: number | null;
  readonly on: boolean | null;
  readonly made: string | null;
  readonly token: string | null;
  readonly attrs: readonly string[];
  readonly tags: Readonly<Record<string, string | number | boolean | null>>;
  readonly peers: readonly string[];
}

const PEERS: readonly Peer[] = [{ id: 'p1', name: 'web', nick: null }, { id: 'p2', name: 'Web', nick: 'w' }, { id: 'p3', name: 'db', nick: 'd%' }];

const empty = { nick: null, cost: null, ratio: null, on: null, made: null, token: null, attrs: [], tags: {}, peers: [] };
const ROWS: readonly Row[] = [
  { ...empty, id: 'a', name: '' },
  { id: 'b', name: 'Straße', nick: 'x', cost: 1, ratio: 2.5, on: true, made: '2024-01-01T00:00:00.000Z', token: 'secret', attrs: ['web'], tags: { city: 'Oslo', n: 3 }, peers: ['p1'] },
  { id: 'c', name: 'strasse 50%', nick: 'X', cost: 2, ratio: 0, on: false, made: '2024-06-01T12:00:00.123Z', token: '', attrs: ['db', 'web'], tags: { city: 'oslo', n: 2.5, up: true }, peers: ['p1', 'p2'] },
  { id: 'd', name: 'a_b\\c', nick: '', cost: 3, ratio: -1e10, on: true, made: '2025-01-01T00:00:00.000Z', token: null, attrs: ['Web', '3'], tags: { city: null, n: '3', up: false }, peers: ['p1', 'p2', 'p3'] },
  { id: 'E', name: 'éCOLE 💥', nick: '3', cost: 10, ratio: 10, on: null, made: '1999-12-31T23:59:59.999Z', token: 'x', attrs: ['éa', 'a%', 'web'], tags: { city: 'Bergen', n: 10, up: 'true' }, peers: ['p3'] },
  { ...empty, id: 'f', name: 'Éco', cost: 2147483647, on: false, attrs: ['db'], tags: { n: -3, city: '' } },
];

const insertPeer = 'INSERT INTO filter_peers (id, name, nick) VALUES ($1, $2, $3)';
const insertRow = `INSERT INTO filter_rows (id, name, nick, cost, ratio, is_on, made_at, token_hash, attrs, tags)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

describe('filters in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;

  before(async () => {
    database = await openTestDatabase();
    for (const statement of SCHEMA.split(';').filter((part) => part.trim() !== '')) await database.query(statement);
    for (const peer of PEERS) await database.query(insertPeer, [peer.id, peer.name, peer.nick]);
    for (const row of ROWS) {
      await database.query(insertRow, [row.id, row.name, row.nick, row.cost, row.ratio, row.on, row.made,
        row.token === null ? null : Buffer.from(row.token), row.attrs, JSON.stringify(row.tags)]);
      for (const peer of row.peers) await database.query('INSERT INTO filter_links VALUES ($1, $2)', [row.id, peer]);
    }
  });

  after(async () => {
    await database.close();
  });

  const ids = async (query: ListQuery, table = rows, from = 'filter_rows'): Promise<string> => {
    const list = compileList(table, query, { firstParam: 1, defaultLimit: 10, maxLimit: 500 });
    const { values } = list;
    const text = `SELECT t.id FROM ${from} t${list.where === '' ? '' : ` WHERE ${list.where}`} ORDER BY ${list.orderBy}
      LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
    const result = await database.query(text, [...values, list.limit, list.offset]);
    return result.rows.map((row) => String(row['id'])).join('');
  };

  const cases: readonly (readonly [string, string])[] = [
    // texts
    ['name = "Straße"', 'b'], ['name = "straße"', ''], ['name != ""', 'Ebcdf'], ['name > "a"', 'Ecdf'], ['name < "a"', 'ab'], ['name >= "Éco"', 'Ef'],
    ['name contains "stra"', 'c'], ['name contains ""', 'Eabcdf'], ['name contains "%"', 'c'], ['name contains "_"', 'd'], ['name contains "\\\\"', 'd'],
    ['name contains "50%"', 'c'], ['name contains 50', 'c'], ['name not contains "s"', 'Eabdf'], ['name contains "💥"', 'E'],
    ['name icontains "STRASSE"', 'bc'], ['name icontains "straße"', 'bc'], ['name icontains "éco"', 'Ef'], ['name icontains "ÉCO"', 'Ef'],
    ['name not icontains "éco"', 'abcd'], ['name icontains "_B"', 'd'],
    ['name in ["Éco", "", "nope"]', 'af'], ['name not in ["Éco", ""]', 'Ebcd'],
    ['nick = 3', 'E'], ['nick > 2', 'Ebc'], ['nick in [3, 4]', 'E'], ['nick = "3"', 'E'], ['nick = 3.0', ''],
    // unset
    ['nick = null', 'af'], ['nick != null', 'Ebcd'], ['not nick = null', 'Ebcd'], ['nick = ""', 'd'], ['nick != "x"', 'Eacdf'], ['not (nick = "x")', 'Eacdf'],
    ['nick > ""', 'Ebc'], ['not nick > ""', 'adf'], ['nick not in ["x", "X"]', 'Eadf'], ['not (nick in ["x", "X"])', 'Eadf'],
    ['nick contains ""', 'Ebcd'], ['nick not contains "x"', 'Eacdf'], ['not (nick = "x" or cost = 2)', 'Eadf'], ['not (nick = "x" and cost = 1)', 'Eacdf'],
    ['nick = "x" or nick = null', 'abf'],
    // booleans
    ['on', 'bd'], ['not on', 'Eacf'], ['on = true', 'bd'], ['on = false', 'cf'], ['on != true', 'Eacf'], ['on != false', 'Eabd'], ['on = null', 'Ea'],
    ['true', 'Eabcdf'], ['false', ''], ['not true', ''], ['not false or on', 'Eacf'], ['(not false) or on', 'Eabcdf'],
    // no precedence
    ['on and cost = 1 or cost = 2', 'b'], ['cost = 2 or on and cost = 3', 'cd'], ['not on or cost = 2', 'Eaf'], ['(not on) or cost = 1', 'Eabcf'],
    // numbers
    ['cost = 1', 'b'], ['cost = 1.0', 'b'], ['cost != 1', 'Eacdf'], ['cost > 2.5', 'Edf'], ['cost > 1e9', 'f'], ['cost < 9223372036854775807', 'Ebcdf'],
    ['cost < 9223372036854775808', 'Ebcdf'], ['cost between 1 and 3', 'bc'], ['cost not between 1 and 3', 'Eadf'], ['cost between 1.5 and 3.5', 'cd'],
    ['cost in [1, 2]', 'bc'], ['cost in [1.0, 2.5]', 'b'], ['cost not in [1, 2]', 'Eadf'], ['cost = null', 'a'], ['ratio = 2.5', 'b'], ['ratio < -1e9', 'd'],
    ['ratio = 0', 'c'], ['ratio = 1e-400', 'c'], ['ratio = 5e-324', ''], ['ratio > 1e308', ''],
    // dates
    ['made = datetime(2024-01-01T01:00:00+01:00)', 'b'], ['made > datetime(2024-06-01T12:00:00.122Z)', 'cd'], ['made != datetime(2024-01-01T00:00:00Z)', 'Eacdf'],
    ['made between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)', 'bc'], ['made not between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)', 'Eadf'],
    ['made in [datetime(2024-01-01T00:00:00Z), datetime(2025-01-01T00:00:00Z)]', 'bd'], ['made = null', 'af'], ['made > datetime(0000-01-01T00:00:00Z)', 'Ebcd'],
    ['made < datetime(9999-12-31T23:59:59-23:59)', 'Ebcd'], ['made > datetime(2024-01-01T00:00:00-23:59)', 'cd'],
    // sets
    ['anyOf(attrs) = "web"', 'Ebc'], ['anyOf(attrs) != "web"', 'Ecdf'], ['not anyOf(attrs) = "web"', 'adf'], ['allOf(attrs) = "web"', 'ab'], ['allOf(attrs) != "web"', 'adf'],
    ['anyOf(attrs) in ["db", "Web"]', 'cdf'], ['anyOf(attrs) not in ["db", "Web"]', 'Eab'], ['allOf(attrs) in ["db", "web"]', 'abcf'], ['allOf(attrs) not in ["db", "web"]', 'Ed'],
    ['anyOf(attrs) contains "e"', 'Ebcd'], ['anyOf(attrs) not contains "e"', 'Ecdf'], ['allOf(attrs) contains "e"', 'ab'], ['allOf(attrs) icontains "WEB"', 'ab'],
    ['anyOf(attrs) icontains "É"', 'E'], ['anyOf(attrs) contains "%"', 'E'], ['anyOf(attrs) = 3', 'd'], ['anyOf(attrs) > "web"', 'E'], ['allOf(attrs) < "x"', 'abcdf'],
    ['count(attrs) = 0', 'a'], ['count(attrs) > 1', 'Ecd'], ['count(attrs) between 1 and 3', 'bcdf'], ['count(attrs) in [1, 3]', 'Ebf'], ['count(attrs) > 1.5', 'Ecd'],
    ['isEmpty(attrs)', 'a'], ['not isEmpty(attrs)', 'Ebcdf'],
    // linked entities
    ['anyOf(peers) = "p2"', 'cd'], ['anyOf(peers) != "p1"', 'Ecd'], ['allOf(peers) = "p1"', 'abf'], ['allOf(peers) in ["p1", "p2"]', 'abcf'], ['anyOf(peers) not in ["p1"]', 'Eaf'],
    ['isEmpty(peers)', 'af'], ['count(peers) = 3', 'd'], ['isEmpty(from peers where name = "web")', 'Eaf'], ['not isEmpty(from peers where nick = null)', 'bcd'],
    ['count(from peers where name icontains "WEB") = 2', 'cd'], ['count(from peers where not name = "web") >= 2', 'd'], ['count(from peers where limit 2) = 2', 'cd'],
    ['count(from peers where true skip 1) > 0', 'cd'], ['isEmpty(from peers where sort by name skip 1 limit 1)', 'Eabf'],
    ['not isEmpty(from peers where count(rows) = 2)', 'Ecd'], ['count(from peers where not isEmpty(from rows where name = "Straße")) > 0', 'bcd'],
    // tags
    ['tags.city = "Oslo"', 'b'], ['tags.city != "Oslo"', 'Eacdf'], ['tags.city = null', 'ad'], ['tags.city != null', 'Ebcf'], ['tags.nope = null', 'Eabcdf'],
    ['tags.city contains "slo"', 'bc'], ['tags.city not contains "slo"', 'Eadf'], ['tags.city icontains "OSLO"', 'bc'], ['tags.city > "Oslo"', 'c'], ['tags.city in ["Oslo", "Bergen"]', 'Eb'],
    ['tags.city not in ["Oslo", "Bergen"]', 'acdf'], ['tags.n = 3', 'b'], ['tags.n = "3"', 'd'], ['tags.n = 3.0', 'b'], ['tags.n > 2', 'Ebc'], ['tags.n >= -3', 'Ebcf'],
    ['tags.n between 2 and 4', 'bc'], ['tags.n not between 2 and 4', 'Eadf'], ['tags.n in [3, 10]', 'Eb'], ['tags.n contains 3', 'd'], ['tags.up = true', 'c'], ['tags.up = false', 'd'],
    ['tags.up != true', 'Eabdf'], ['tags.up = "true"', 'E'], ['tags.n < 1e308', 'Ebcf'], ['not tags.n > 2', 'adf'],
    // secrets
    ['token = "secret"', 'b'], ['token != "secret"', 'Eacdf'], ['token in ["secret", "x"]', 'Eb'], ['token = null', 'adf'], ['token = "\\\\x"', ''],
    // what PostgreSQL cannot hold
    ['name = "a\0"', ''], ['name != "a\0"', 'Eabcdf'], ['name in ["\0", "Éco"]', 'f'], ['name contains "\0"', ''], ['name not icontains "\0"', 'Eabcdf'], ['name < "a\0b"', 'ab'], ['name >= "strasse 50%\0"', 'Ef'],
    ['tags.city = "\0"', ''], ['tags.city != "\0"', 'Eabcdf'], ['tags.city in ["\0", "Oslo"]', 'b'], ['tags.city contains "\0" or on', 'bd'], ['not tags.city icontains "\0"', 'Eabcdf'], ['tags.city < "\0"', 'f'], ['anyOf(attrs) = "\0"', ''], ['allOf(attrs) = "\0"', 'a'], ['anyOf(attrs) in ["\0", "web"]', 'Ebc'],
    ['name = "\ud800"', ''], ['tags.city = "\ud800"', ''], ['anyOf(attrs) contains "\udfff"', ''],
    // pages and order
    ['sort by cost desc', 'fEdcba'], ['sort by cost', 'abcdEf'], ['sort by nick', 'afdEcb'], ['sort by nick desc limit 3', 'bcE'], ['sort by on, name desc skip 1 limit 3', 'afc'],
    ['sort by id desc', 'fdcbaE'], ['on sort by name', 'bd'], ['skip 4', 'df'], ['limit none', 'Eabcdf'], ['skip 99', ''], ['skip 9223372036854775807', ''],
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
    expect(await ids({ filter: 'count(rows) = 3 or isEmpty(from rows where on)' }, peers, 'filter_peers')).to.equal('p1');
  });

  it('selects by roles', async () => {
    const selected = async (roles: readonly string[], semantic?: string) => {
      const { where, values } = compileRoleFilter(roles, semantic, { idSql: 't.id', attributesSql: 't.attrs', firstParam: 1 });
      const result = await database.query(`SELECT t.id FROM filter_rows t WHERE ${where} ORDER BY t.id`, values);
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
    const nested = (pairs: number) => `${'isEmpty(from peers where isEmpty(from rows where '.repeat(pairs)}on${'))'.repeat(pairs)}`;
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
  }).timeout(30_000);

  it('is served by indexes', async () => {
    const plan = async (filter: string) => {
      const { where, values } = compileList(rows, { filter }, { firstParam: 1, defaultLimit: 10, maxLimit: 500 });
      await database.query('BEGIN');
      await database.query('SET LOCAL enable_seqscan = off');
      const result = await database.query(`EXPLAIN SELECT t.id FROM filter_rows t WHERE ${where}`, values);
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

  it('agrees with a plain evaluator on random filters', async () => {
    await fc.assert(fc.asyncProperty(filters, async (filter) => {
      const expected = ROWS.filter((row) => selects(row, parseFilter(filter))).map((row) => row.id).sort().join('');
      expect(await ids({ filter }), filter).to.equal(expected);
    }), { numRuns: 500 });
  }).timeout(30_000);
});

// ---- random filters

const sometimes = (word: string) => fc.constantFrom('', word);
const quoted = fc.constantFrom('', 'a', 'x', 'X', 'web', 'Web', 'db', '3', 'é', 'STRASSE', 'ß', '%', '_', '\\', 'Oslo', 'p1', 'p2', 'true', '💥', 'a\0')
  .map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`);
const numeral = fc.constantFrom('0', '1', '2', '2.5', '3', '-3', '10', '1e1', '3.0', '2147483647', '1e20');
const moment = fc.constantFrom('2024-01-01T00:00:00Z', '2024-06-01T14:00:00.123+02:00', '1999-12-31T23:59:59.999Z').map((text) => `datetime(${text})`);
const order = fc.constantFrom('<', '<=', '>', '>=', '=', '!=');
const equality = fc.constantFrom('=', '!=');
const list = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`);
const tests = (left: fc.Arbitrary<string>, ...rights: fc.Arbitrary<string>[]) => fc.tuple(left, fc.oneof(...rights)).map((parts) => parts.join(' '));
const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((words) => words.filter((word) => word !== '').join(' '));

const inText = join(sometimes('not'), fc.constant('in'), list(quoted));
const onText = [join(order, fc.oneof(quoted, numeral)), inText, join(sometimes('not'), fc.constantFrom('contains', 'icontains'), quoted)];
const onNumber = [join(order, numeral), join(sometimes('not'), fc.constant('in'), list(numeral)), join(sometimes('not'), fc.constant('between'), numeral, fc.constant('and'), numeral)];
const onDate = [join(order, moment), join(sometimes('not'), fc.constant('in'), list(moment)), join(sometimes('not'), fc.constant('between'), moment, fc.constant('and'), moment)];
const isNull = join(equality, fc.constant('null'));
const set = fc.constantFrom('attrs', 'peers');
const ofPeer = tests(fc.constantFrom('name', 'nick'), ...onText);

const leaf = fc.oneof(
  tests(fc.constantFrom('name', 'nick', 'id'), ...onText, isNull),
  tests(fc.constantFrom('cost', 'ratio'), ...onNumber, isNull),
  tests(fc.constant('made'), ...onDate, isNull),
  tests(fc.constant('on'), join(equality, fc.constantFrom('true', 'false', 'null'))),
  fc.constantFrom('on', 'true', 'false'),
  tests(fc.constantFrom('tags.city', 'tags.n', 'tags.up', 'tags.none'), ...onText, ...onNumber, isNull, join(equality, fc.constantFrom('true', 'false'))),
  tests(fc.tuple(fc.constantFrom('anyOf', 'allOf'), set).map(([word, name]) => `${word}(${name})`), ...onText),
  tests(set.map((name) => `count(${name})`), ...onNumber),
  set.map((name) => `isEmpty(${name})`),
  ofPeer.map((inner) => `isEmpty(from peers where ${inner})`),
  tests(ofPeer.map((inner) => `count(from peers where not ${inner})`), ...onNumber),
);

const filters = fc.letrec<{ expr: string }>((tie) => ({
  expr: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf,
    fc.tuple(leaf, fc.constantFrom('and', 'or'), tie('expr')).map((parts) => parts.join(' ')),
    tie('expr').map((inner) => `not ${inner}`),
    fc.tuple(tie('expr'), fc.constantFrom('and', 'or'), tie('expr')).map(([left, word, right]) => `(${left}) ${word} ${right}`)),
})).expr;

// ---- the plain evaluator: two-valued from the start, on the values themselves

type Scalar = string | number | boolean | Date | null;
type Entity = Row | Peer;

function selects(entity: Entity, query: Query): boolean {
  return query.predicate === undefined || holds(entity, query.predicate);
}

function holds(entity: Entity, expr: Expr): boolean {
  switch (expr.kind) {
    case 'and': return expr.items.every((item) => holds(entity, item));
    case 'or': return expr.items.some((item) => holds(entity, item));
    case 'not': return !holds(entity, expr.item);
    case 'const': return expr.value;
    case 'symbol': return scalar(entity, expr.name) === true;
    case 'isEmpty': return members(entity, expr.set.symbol, expr.set.query).length === 0;
    case 'test': return tested(entity, expr.left, expr.test);
  }
}

function members(entity: Entity, name: string, query?: Query): readonly string[] {
  if (!('attrs' in entity)) return [];
  if (name === 'attrs') return entity.attrs;
  return PEERS.filter((peer) => entity.peers.includes(peer.id) && (query === undefined || selects(peer, query))).map((peer) => peer.id);
}

function scalar(entity: Entity, name: string): Scalar {
  if (name.startsWith('tags.')) return ('tags' in entity ? entity.tags[name.slice(5)] : undefined) ?? null;
  const value = Object.entries(entity).find(([key]) => key === name)?.[1] as string | number | boolean | null;
  return name === 'made' && typeof value === 'string' ? new Date(value) : value;
}

function tested(entity: Entity, left: Operand, test: Test): boolean {
  if (left.kind === 'symbol') return passes(scalar(entity, left.name), test, left.name.startsWith('tags.'));
  if (left.kind === 'count') return passes(members(entity, left.set.symbol, left.set.query).length, test, false);
  const elements = members(entity, left.name);
  if (test.op === 'in' && test.negated) return !tested(entity, left, { ...test, negated: false });
  return left.kind === 'anyOf' ? elements.some((item) => passes(item, test, false)) : elements.every((item) => passes(item, test, false));
}

/** A literal as a value of the kind it is compared with; a number is text for a text, except where types are as stored. */
function literal(of: Literal, value: Scalar, isTag: boolean): Scalar {
  if (of.type === 'null') return null;
  if (of.type === 'date') return new Date(of.value);
  if (of.type === 'number') return typeof value === 'string' && !isTag ? of.value : Number(of.value);
  return of.value;
}

function compare(value: Scalar, other: Scalar): number | undefined {
  if (value === null || other === null || typeof value !== typeof other) return undefined;
  if (typeof value === 'string' && typeof other === 'string') return Buffer.compare(Buffer.from(value), Buffer.from(other));
  return Number(value) - Number(other);
}

function passes(value: Scalar, test: Test, isTag: boolean): boolean {
  const against = (of: Literal) => compare(value, literal(of, value, isTag));
  switch (test.op) {
    case '=': return test.value.type === 'null' ? value === null : against(test.value) === 0;
    case '!=': return !passes(value, { op: '=', value: test.value }, isTag);
    case '<': return (against(test.value) ?? NaN) < 0;
    case '<=': return (against(test.value) ?? NaN) <= 0;
    case '>': return (against(test.value) ?? NaN) > 0;
    case '>=': return (against(test.value) ?? NaN) >= 0;
    case 'in': return test.values.some((item) => against(item) === 0) !== test.negated;
    case 'between': return ((against(test.low) ?? NaN) >= 0 && (against(test.high) ?? NaN) < 0) !== test.negated;
    case 'contains': case 'icontains': {
      const part = test.value.type === 'string' || test.value.type === 'number' ? test.value.value : '';
      const found = typeof value === 'string' && (test.op === 'contains' ? value.includes(part) : value.toUpperCase().includes(part.toUpperCase()));
      return found !== test.negated;
    }
  }
}
