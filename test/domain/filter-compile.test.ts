/** The SQL that filters, sort orders, pages and role filters become. What it means is test/db/filter-sql.test.ts. */
import { expect } from 'chai';
import { compileList, compileRoleFilter } from '../../db/filter/index.js';
import type { ListQuery } from '../../db/filter/index.js';
import { compile, fault, options, services, where } from './filter-support.js';

describe('compiled filters', () => {
  const forms: readonly (readonly [string, string, readonly unknown[]])[] = [
    ['name = "x"', 't.name = $1::text', ['x']],
    ['name != "x"', 'NOT (t.name = $1::text)', ['x']],
    ['externalId != "x"', '(t.external_id = $1::text) IS NOT TRUE', ['x']],
    ['name in ["a","b"]', 't.name = ANY ($1::text[])', [['a', 'b']]],
    ['name > 3', 't.name COLLATE "C" > $1::text', ['3']],
    ['name contains "50%_\\\\"', 't.name LIKE $1::text', ['%50\\%\\_\\\\%']],
    ['name icontains "x"', 'upper(t.name COLLATE "und-x-icu") LIKE upper(($1::text) COLLATE "und-x-icu")', ['%x%']],
    ['externalId = null', 't.external_id IS NULL', []],
    ['isAdmin and not maybe', '(t.is_admin AND (t.maybe) IS NOT TRUE)', []],
    ['not (isAdmin and cost = 1)', '(NOT (t.is_admin) OR NOT (t.cost = $1::bigint))', ['1']],
    ['cost between 1 and 2.5', '(t.cost >= $1::bigint AND t.cost < $2::float8)', ['1', 2.5]],
    ['anyOf(roleAttributes) = "a"', 't.role_attributes @> $1::text[]', [['a']]],
    ['anyOf(roleAttributes) in ["a", "b"]', 't.role_attributes && $1::text[]', [['a', 'b']]],
    ['allOf(roleAttributes) = "a"', 't.role_attributes <@ $1::text[]', [['a']]],
    ['isEmpty(roleAttributes)', 'cardinality(t.role_attributes) = 0', []],
    ['anyOf(roleAttributes) contains "a"', 'EXISTS (SELECT FROM unnest(t.role_attributes) AS s1 (item) WHERE s1.item LIKE $1::text)', ['%a%']],
    ['tags.city = "Oslo"', 't.tags @> $1::jsonb', ['{"city":"Oslo"}']],
    ['isEmpty(from configs where name = "x")',
      'NOT EXISTS (SELECT FROM (SELECT s1.* FROM configs s1 JOIN links s1_l ON s1_l.config = s1.id AND s1_l.service = t.id) t WHERE t.name = $1::text)', ['x']],
    ['token = "x"', 't.token_hash = $1', ['hash of x']],
    ['token in ["x", "none"]', 't.token_hash = ANY ($1)', [['hash of x']]],
    ['token = "none"', 'FALSE', []],
    ['name = "a\0b"', 'FALSE', []],
    ['true', '', []],
    ['limit 3', '', []],
  ];
  for (const [filter, sql, values] of forms) {
    it(`turns ${JSON.stringify(filter)} into SQL`, () => {
      const compiled = compile({ filter });
      expect(compiled.where).to.equal(sql);
      expect(compiled.values).to.deep.equal(values);
      expect(compiled.hasFilter).to.equal(sql !== '');
    });
  }

  it('numbers parameters from the given one', () => {
    expect(compileList(services, { filter: 'name = "x" or id = "y"' }, { ...options, firstParam: 4 }).where)
      .to.equal('(t.name = $4::text OR t.id = $5::text)');
  });

  it('never puts what the caller wrote into the SQL', () => {
    const filter = 'name = "MARK" or tags.MARK = "MARK" or anyOf(roleAttributes) contains "MARK" or tags.MARK in ["MARK"] or tags.MARK < "MARK" or cost = 424242';
    expect(where(filter)).to.not.match(/MARK|4242/);
  });

  it('has one shape for all literals of a filter', () => {
    const shape = (filter: string) => compile({ filter }).shape;
    expect(shape('name = "a" and cost = 1')).to.equal(shape('name = "b" and cost = 2'));
    expect(shape('name in ["a"]')).to.equal(shape('name in ["b", "c"]'));
    expect(shape('name = "a"')).to.not.equal(shape('name = "a" sort by name'));
  });
});

describe('order and page of a list', () => {
  const orders: readonly (readonly [ListQuery, string])[] = [
    [{}, 't.id'],
    [{ sort: ' ' }, 't.id'],
    [{ sort: 'id asc' }, 't.id'],
    [{ sort: 'id desc' }, 't.id DESC'],
    [{ sort: 'name' }, 't.name COLLATE "C", t.id'],
    [{ sort: ' name  DESC , cost' }, 't.name COLLATE "C" DESC, t.cost, t.id'],
    [{ sort: 'externalId, externalId desc' }, 't.external_id COLLATE "C" NULLS FIRST, t.id'],
    [{ sort: 'maybe desc' }, 't.maybe DESC NULLS LAST, t.id'],
    [{ sort: 'id, name' }, 't.id'],
    [{ sort: 'name', filter: 'isAdmin' }, 't.name COLLATE "C", t.id'],
    [{ sort: 'bogus', filter: 'sort by cost' }, 't.cost, t.id'],
    [{ sort: 'cost, name, isAdmin, createdAt, maybe, externalId' }, 't.cost, t.name COLLATE "C", t.is_admin, t.created_at, t.maybe NULLS FIRST, t.id'],
  ];
  for (const [query, sql] of orders) {
    it(`orders by ${sql} for ${JSON.stringify(query)}`, () => {
      const compiled = compile(query);
      expect(compiled.orderBy).to.equal(sql);
      expect(compiled.isDefaultOrder).to.equal(sql === 't.id');
    });
  }

  it('checks sort fields beyond the fifth too', () => {
    expect(fault(() => compile({ sort: 'cost, name, isAdmin, createdAt, maybe, bogus' })).causeMessage).to.equal('unknown symbol \'bogus\'');
  });

  const pages: readonly (readonly [ListQuery, number | null, number])[] = [
    [{}, 10, 0],
    [{ limit: 0 }, 10, 0],
    [{ limit: 7, offset: 3 }, 7, 3],
    [{ limit: 501 }, 500, 0],
    [{ limit: -1 }, null, 0],
    [{ offset: -5 }, 10, 0],
    [{ offset: 9223372036854775807 }, 10, Number.MAX_SAFE_INTEGER],
    [{ filter: 'limit 0', limit: 5 }, 10, 0],
    [{ filter: 'limit none', limit: 5 }, null, 0],
    [{ filter: 'limit -1' }, null, 0],
    [{ filter: 'limit 9223372036854775807' }, 500, 0],
    [{ filter: 'skip 4 limit 600', limit: 5, offset: 9 }, 500, 4],
    [{ filter: 'skip -4', offset: 9 }, 10, 0],
    [{ filter: 'isAdmin skip 2', limit: 5, offset: 9 }, 5, 2],
  ];
  for (const [query, limit, offset] of pages) {
    it(`takes ${limit ?? 'everything'} from ${offset} for ${JSON.stringify(query)}`, () => {
      expect(compile(query)).to.include({ limit, offset });
    });
  }

  it('lists everything by default where told so', () => {
    const whole = (query: ListQuery) => compileList(services, query, { ...options, unlimitedByDefault: true }).limit;
    expect(whole({})).to.equal(null);
    expect(whole({ limit: 0 })).to.equal(null);
    expect(whole({ limit: 5 })).to.equal(5);
  });
});

describe('role filters', () => {
  const target = { idSql: 't.id', attributesSql: 't.role_attributes', firstParam: 3 };
  const cases: readonly (readonly [readonly string[], string | undefined, string, readonly unknown[]])[] = [
    [[], undefined, '', []],
    [['#a', '#b'], undefined, 't.role_attributes @> $3::text[]', [['a', 'b']]],
    [['#a', '#b'], 'AllOf', 't.role_attributes @> $3::text[]', [['a', 'b']]],
    [['#a', '#b'], 'AnyOf', 't.role_attributes && $3::text[]', [['a', 'b']]],
    [['@x', '@y'], undefined, 't.id = ANY ($3::text[])', [['x', 'y']]],
    [['#a', '@x'], undefined, '(t.role_attributes @> $3::text[] OR t.id = ANY ($4::text[]))', [['a'], ['x']]],
    [['#all'], undefined, 't.role_attributes @> $3::text[]', [['all']]],
    [['#a', '#b\0'], undefined, 'FALSE', []],
    [['#a', '#b\0'], 'AnyOf', 't.role_attributes && $3::text[]', [['a']]],
  ];
  for (const [roles, semantic, sql, values] of cases) {
    it(`selects ${JSON.stringify(roles)} with ${semantic ?? 'the default semantic'}`, () => {
      expect(compileRoleFilter(roles, semantic, target)).to.deep.equal({ where: sql, values });
    });
  }

  it('takes each value once, and no more than a filter may list', () => {
    const roles = Array.from({ length: 1_000 }, (_, i) => `#a${i}`);
    expect(compileRoleFilter([...roles, ...roles], 'AnyOf', target).values[0]).to.have.length(1_000);
    expect(fault(() => compileRoleFilter([...roles, '@x'], 'AnyOf', target))).to.include({ kind: 'invalidFilter' });
  });

  it('refuses a value without prefix', () => {
    expect(fault(() => compileRoleFilter(['#a', 'probe-x'], undefined, target)).field).to.deep.equal({
      field: 'roleFilter', value: 'probe-x',
      reason: '\'probe-x\' is neither role attribute (prefixed with #) or an entity id or name (prefixed with @)',
    });
  });

  it('refuses another semantic', () => {
    expect(fault(() => compileRoleFilter(['#a'], 'OneOf', target)).field)
      .to.deep.equal({ field: 'semantic', reason: 'invalid semantic', value: 'OneOf' });
  });
});
