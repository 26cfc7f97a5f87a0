/** The SQL that filters, sort orders, pages and role filters become. What it means is test/db/filter-sql.test.ts. */
import { expect } from 'chai';
import { compileList, compileRoleFilter, Params } from '../../db/filter/index.js';
import type { ListQuery, RoleFilter } from '../../db/filter/index.js';
import { service } from '../../db/stores/services.js';
import { router } from '../../db/stores/routers.js';
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
    ['anyOf(roleAttributes) = "a"', 't.role_attributes @> (SELECT $1::text[])', [['a']]],
    ['anyOf(roleAttributes) in ["a", "b"]', 't.role_attributes && (SELECT $1::text[])', [['a', 'b']]],
    ['anyOf(roleAttributes) != "a"', 'NOT (t.role_attributes <@ $1::text[])', [['a']]],
    ['anyOf(roleAttributes) not in ["a"]', 'NOT (t.role_attributes && $1::text[])', [['a']]],
    ['isAdmin and anyOf(roleAttributes) = "a"', '(t.is_admin AND t.role_attributes @> $1::text[])', [['a']]],
    ['allOf(roleAttributes) = "a"', 't.role_attributes <@ $1::text[]', [['a']]],
    ['isEmpty(roleAttributes)', 'cardinality(t.role_attributes) = 0', []],
    [
      'anyOf(roleAttributes) contains "a"',
      'EXISTS (SELECT FROM unnest(t.role_attributes) AS s1 (item) WHERE s1.item LIKE $1::text)',
      ['%a%'],
    ],
    ['tags.city = "Oslo"', 't.tags @> $1::jsonb', ['{"city":"Oslo"}']],
    [
      'isEmpty(from configs where name = "x")',
      'NOT EXISTS (SELECT FROM (SELECT s1.* FROM configs s1 JOIN links s1_l ON s1_l.config = s1.id AND s1_l.service ' +
        '= t.id) t WHERE t.name = $1::text)',
      ['x'],
    ],
    ['token = "x"', 't.token_hash = $1::bytea', ['hash of x']],
    ['token in ["x", "none"]', 't.token_hash = ANY ($1::bytea[])', [['hash of x']]],
    ['token = "none"', 'FALSE', []],
    ['name = "a\0b"', 'FALSE', []],
    ['true', '', []],
    ['limit 3', '', []],
  ];
  for (const [filter, sql, values] of forms) {
    it(`turns ${JSON.stringify(filter)} into SQL`, () => {
      const compiled = compile({ filter });
      expect(compiled.where.sql).to.equal(sql);
      expect(compiled.values).to.deep.equal(values);
    });
  }

  it('say whether they hide the values of an array, which is when they look for them and for nothing else', () => {
    const hidden = (filter: string) => compileList(services, { filter }, new Params(), options).hidesArray;
    expect(hidden('anyOf(roleAttributes) = "a" sort by name limit 5')).to.equal(true);
    expect(hidden('anyOf(roleAttributes) in ["a", "b"]')).to.equal(true);
    for (const filter of [
      'true',
      'name = "a"',
      'not anyOf(roleAttributes) = "a"',
      'anyOf(roleAttributes) contains "a"',
      'anyOf(roleAttributes) = "a\0"',
      'allOf(roleAttributes) = "a"',
      'anyOf(configs) = "a"',
      'anyOf(roleAttributes) = "a" or isAdmin',
      'isEmpty(from configs where name = "x")',
    ])
      expect(hidden(filter), filter).to.equal(false);
  });

  it('binds its values after those that the statement has', () => {
    const params = new Params();
    expect([params.bind('a'), params.bind('b', 'text'), params.bind('c')]).to.deep.equal(['$1', '$2::text', '$3']);
    const { where: condition } = compileList(services, { filter: 'name = "x" or id = "y"' }, params, options);
    expect(condition.sql).to.equal('(t.name = $4::text OR t.id = $5::text)');
    expect(params.values).to.deep.equal(['a', 'b', 'c', 'x', 'y']);
  });

  it('never puts what the caller wrote into the SQL', () => {
    const filter =
      'name = "MARK" or tags.MARK = "MARK" or anyOf(roleAttributes) contains "MARK" or tags.MARK in ["MARK"] or ' +
      'tags.MARK < "MARK" or cost = 424242';
    expect(where(filter)).to.not.match(/MARK|4242/);
  });

  it('has one text for all literals of a filter', () => {
    expect(where('name = "a" and cost = 1')).to.equal(where('name = "b" and cost = 2'));
    expect(where('name in ["a"]')).to.equal(where('name in ["b", "c"]'));
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
    [
      { sort: 'cost, name, isAdmin, createdAt, maybe, externalId' },
      't.cost, t.name COLLATE "C", t.is_admin, t.created_at, t.maybe NULLS FIRST, t.id',
    ],
  ];
  for (const [query, sql] of orders) {
    it(`orders by ${sql} for ${JSON.stringify(query)}`, () => {
      expect(compile(query).order.sql).to.equal(sql);
    });
  }

  it('checks sort fields beyond the fifth too', () => {
    expect(fault(() => compile({ sort: 'cost, name, isAdmin, createdAt, maybe, bogus' })).causeMessage).to.match(
      /^unknown symbol 'bogus' \(/,
    );
  });

  const pages: readonly (readonly [ListQuery, number | null, number])[] = [
    [{}, 10, 0],
    [{ limit: 0 }, 10, 0],
    [{ limit: 7, offset: 3 }, 7, 3],
    [{ limit: 501 }, 500, 0],
    [{ limit: -1 }, null, 0],
    [{ limit: -2 }, 10, 0],
    [{ limit: Number.MIN_SAFE_INTEGER }, 10, 0],
    [{ offset: -5 }, 10, 0],
    [{ offset: Number.MAX_SAFE_INTEGER }, 10, Number.MAX_SAFE_INTEGER],
    [{ filter: 'limit 0', limit: 5 }, 10, 0],
    [{ filter: 'limit none', limit: 5 }, null, 0],
    [{ filter: 'limit -1' }, null, 0],
    [{ filter: 'limit -2', limit: 5 }, 10, 0],
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
    const whole = (query: ListQuery) =>
      compileList(services, query, new Params(), { ...options, unlimitedByDefault: true }).limit;
    expect(whole({})).to.equal(null);
    expect(whole({ limit: 0 })).to.equal(null);
    expect(whole({ limit: 5 })).to.equal(5);
  });
});

describe('how what a filter selects is found', () => {
  const found: readonly (readonly [string, string])[] = [
    ['name = "x"', 'key'],
    ['id = "x"', 'key'],
    ['id = "x" or name = "x"', 'twoKeys'],
    ['id = "x" or name = "y" or name = "z"', 'keys'],
    ['name in ["x", "y"]', 'keys'],
    ['name = "x" and isSystem', 'keys'],
    ['not (name != "x")', 'key'],
    ['name != "x"', 'rows'],
    ['not name = "x"', 'rows'],
    ['name = "a\0"', 'rows'],
    ['name > "x"', 'rows'],
    ['name contains "x"', 'rows'],
    ['fingerprint = "x"', 'rows'],
    ['anyOf(roleAttributes) = "x"', 'inverted'],
    ['anyOf(roleAttributes) in ["x", "y"]', 'inverted'],
    ['anyOf(roleAttributes) = "x" and isVerified = true', 'inverted'],
    ['anyOf(roleAttributes) = "x" and isVerified = false', 'inverted'],
    ['anyOf(roleAttributes) = "x" and not name contains "y"', 'inverted'],
    ['anyOf(roleAttributes) = "x" or name = "y"', 'inverted'],
    ['anyOf(roleAttributes) = "x" or isVerified', 'rows'],
    ['not (anyOf(roleAttributes) = "x")', 'rows'],
    ['anyOf(roleAttributes) != "x"', 'rows'],
    ['anyOf(roleAttributes) not in ["x"]', 'rows'],
    ['anyOf(roleAttributes) contains "x"', 'rows'],
    ['allOf(roleAttributes) = "x"', 'rows'],
    ['tags.town = "x"', 'inverted'],
    ['tags.town in ["x", "y"]', 'inverted'],
    ['tags.town != "x"', 'rows'],
    ['tags.town contains "x"', 'rows'],
    ['true', 'rows'],
  ];
  for (const [filter, foundBy] of found) {
    it(`${JSON.stringify(filter)}: ${foundBy}`, () => {
      expect(compile({ filter }, router.symbols).where.foundBy).to.equal(foundBy);
    });
  }

  it('in a subquery tells nothing of the list', () => {
    const filter = 'not isEmpty(from configs where name = "x")';
    expect(compile({ filter }, service.symbols).where.foundBy).to.equal('rows');
  });

  it('depends on what is looked for where that is a part of a text, or any member of a set', () => {
    const patterns = [
      'name contains "x"',
      'not (name icontains "x")',
      'tags.town contains "x"',
      'anyOf(roleAttributes) > "x"',
    ];
    for (const filter of patterns) expect(compile({ filter }, router.symbols).hasPattern, filter).to.equal(true);
    for (const [filter] of found.filter(([text]) => !text.includes('contains')))
      expect(compile({ filter }, router.symbols).hasPattern, filter).to.equal(false);
    const nested = 'isEmpty(from configs where name contains "x")';
    expect(compile({ filter: nested }, service.symbols).hasPattern).to.equal(true);
  });

  const keys: readonly (readonly [sort: string, key: string | null, sql: string, reversed: string])[] = [
    ['', 'id', 't.id', 't.id DESC'],
    ['id desc', 'id', 't.id DESC', 't.id'],
    ['name', 'name', 't.name COLLATE "C"', 't.name COLLATE "C" DESC'],
    ['name desc, cost, id', 'name', 't.name COLLATE "C" DESC', 't.name COLLATE "C"'],
    ['cost, name, id', null, 't.cost, t.name COLLATE "C"', 't.cost DESC, t.name COLLATE "C" DESC'],
    ['cost', null, 't.cost, t.id', 't.cost DESC, t.id DESC'],
  ];
  for (const [sort, key, sql, reversed] of keys) {
    it(`in the order of ${key ?? 'no key'} for sort ${JSON.stringify(sort)}`, () => {
      expect(compile({ sort }, router.symbols).order).to.deep.equal({ sql, reversed, key });
    });
  }
});

describe('role filters', () => {
  const target = { idSql: 't.id', attributesSql: 't.role_attributes' };
  const compileRoles = (roleFilter: readonly string[], roleSemantic?: string) => {
    const params = new Params();
    const request: RoleFilter = { roleFilter, ...(roleSemantic === undefined ? {} : { roleSemantic }) };
    return { ...compileRoleFilter(request, target, params.bind), values: params.values };
  };
  const cases: readonly (readonly [readonly string[], string | undefined, string, readonly unknown[]])[] = [
    [[], undefined, '', []],
    [['#a', '#b'], undefined, 't.role_attributes @> $1::text[]', [['a', 'b']]],
    [['#a', '#b'], 'AllOf', 't.role_attributes @> $1::text[]', [['a', 'b']]],
    [['#a', '#b'], 'AnyOf', 't.role_attributes && $1::text[]', [['a', 'b']]],
    [['@x', '@y'], undefined, 't.id = ANY ($1::text[])', [['x', 'y']]],
    [['#a', '@x'], undefined, '(t.role_attributes @> $1::text[] OR t.id = ANY ($2::text[]))', [['a'], ['x']]],
    [['#all'], undefined, 't.role_attributes @> $1::text[]', [['all']]],
    [['#a', '#b\0'], undefined, 'FALSE', []],
    [['#a', '#b\0'], 'AnyOf', 't.role_attributes && $1::text[]', [['a']]],
  ];
  for (const [roles, semantic, sql, values] of cases) {
    it(`selects ${JSON.stringify(roles)} with ${semantic ?? 'the default semantic'}`, () => {
      expect(compileRoles(roles, semantic)).to.include({ sql }).and.to.deep.include({ values });
    });
  }

  it('takes each value once, and no more than a filter may list', () => {
    const roles = Array.from({ length: 1_000 }, (_, i) => `#a${i}`);
    expect(compileRoles([...roles, ...roles], 'AnyOf').values[0]).to.have.length(1_000);
    expect(fault(() => compileRoles([...roles, '@x'], 'AnyOf'))).to.include({ kind: 'invalidFilter' });
  });

  it('refuses a value without prefix', () => {
    expect(fault(() => compileRoles(['#a', 'probe-x'])).field).to.deep.equal({
      field: 'roleFilter',
      value: 'probe-x',
      reason: "'probe-x' is neither role attribute (prefixed with #) or an entity id or name (prefixed with @)",
    });
  });

  it('refuses another semantic', () => {
    expect(fault(() => compileRoles(['#a'], 'OneOf')).field).to.deep.equal({
      field: 'semantic',
      reason: 'invalid semantic',
      value: 'OneOf',
    });
  });
});
