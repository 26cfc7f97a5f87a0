/** The grammar of filters, the texts of their faults, and the SQL they become. What the SQL means is test/db/filter-sql.test.ts. */
import { expect } from 'chai';
import fc from 'fast-check';
import { DomainError } from '../../domain/errors.js';
import { compileList, compileRoleFilter, filterableFields } from '../../db/filter/index.js';
import type { ListQuery, SymbolTable } from '../../db/filter/index.js';
import { MAX_FILTER_DEPTH, parseFilter, parseSort } from '../../db/filter/parse.js';

const configs: SymbolTable = {
  entity: 'configs', idSql: 't.id',
  symbols: { id: { kind: 'string', sql: 't.id', nullable: false }, name: { kind: 'string', sql: 't.name', nullable: false } },
};

const services: SymbolTable = {
  entity: 'services', idSql: 't.id',
  symbols: {
    id: { kind: 'string', sql: 't.id', nullable: false },
    name: { kind: 'string', sql: 't.name', nullable: false },
    externalId: { kind: 'string', sql: 't.external_id' },
    createdAt: { kind: 'date', sql: 't.created_at', nullable: false },
    isAdmin: { kind: 'boolean', sql: 't.is_admin', nullable: false },
    maybe: { kind: 'boolean', sql: 't.maybe' },
    cost: { kind: 'number', sql: 't.cost', nullable: false },
    token: { kind: 'string', sql: 't.token_hash', equalityOnly: true, encode: (token) => (token === 'none' ? undefined : `hash of ${token}`) },
    roleAttributes: { kind: 'stringSet', sql: 't.role_attributes' },
    configs: {
      kind: 'linked', entity: () => configs, idSql: '{alias}.id',
      from: 'configs {alias} JOIN links {alias}_l ON {alias}_l.config = {alias}.id AND {alias}_l.service = t.id',
    },
    tags: { kind: 'tags', sql: 't.tags' },
    'service.name': { kind: 'string', sql: 'x.name', nullable: false },
  },
};

const options = { firstParam: 1, defaultLimit: 10, maxLimit: 500 };
const compile = (query: ListQuery) => compileList(services, query, options);
const where = (filter: string) => compile({ filter }).where;

function fault(act: () => unknown): DomainError {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const unexpected = (symbol: string, column: number, line = 1) =>
  `Unexpected symbol: "${symbol}" at line: ${line} column: ${column}. line: ${line}, column: ${column}, symbol: ${symbol}`;

describe('filter grammar', () => {
  const accepted = [
    'name="x"', 'name = "x"', '  name  =\t"x"\r\n ', 'name != 3', 'name > -1.5e+3', 'name <= "b"', 'isAdmin', 'true', 'FALSE',
    'isAdmin = True', 'externalId = null', 'externalId != NULL', 'name in ["a","b" , "c"]', 'name NOT IN [1, 2]', 'cost between 1 and 2.5',
    'cost not between 1 and 2', 'name contains "x"', 'name NOT Contains "x"', 'name not icontains "x"', 'name contains 3',
    'createdAt > datetime(2024-02-29T00:00:00Z)', 'createdAt < datetime( 2024-01-01t00:00:00.123456789+05:30 )',
    'createdAt between datetime(2024-01-01T00:00:00z) and datetime(2025-01-01T00:00:00Z)',
    'createdAt in [datetime(2024-01-01T00:00:00Z)]', 'anyOf(roleAttributes) = "a"', 'ALLOF( roleAttributes )!="a"',
    'anyOf(roleAttributes)contains "a"', 'count(roleAttributes) > 2', 'COUNT( configs )=0', 'isEmpty(roleAttributes)',
    'isEmpty( from configs where name = "x" )', 'count(from configs where true limit 3) = 3', 'not isAdmin', 'not not isAdmin',
    '(isAdmin)', '( ( isAdmin ) )', '(name="a") and (name="b")', 'isAdmin and name = "x" or cost > 1', 'tags.city = "Oslo"',
    'tags.a-b_c.d = true', 'service.name = "x"', 'sort by name', 'SORT  BY name DESC , id asc', 'skip 5', 'limit none', 'LIMIT 5',
    'skip 5 limit 5', 'sort by name skip 1 limit 2', 'isAdmin sort by cost desc, name skip 1 limit none', 'limit -1',
    'name = "a\\\\b\\"c\\f\\n\\r\\t"', 'name = "ünï 💥"', 'name = ""', 'not (isAdmin or cost = 1) and cost = 2',
    'isEmpty(from configs where sort by name skip 1 limit 2)',
  ];
  for (const filter of accepted) it(`accepts ${filter}`, () => { compile({ filter }); });

  const refused: readonly (readonly [string, string])[] = [
    ['   ', unexpected('<EOF>', 3)],
    ['name', 'query expr predicate must be a boolean expr. contains *ast.StringSymbolNode'],
    ['name =', unexpected('<EOF>', 6)],
    ['name = x', unexpected('x', 7)],
    ['name == "x"', unexpected('=', 6)],
    ['name ! "x"', unexpected('!', 5)],
    ['name = \'x\'', unexpected('\'', 7)],
    ['name = "x', unexpected('"x', 7)],
    ['name = "a\\x"', unexpected('"a\\x', 7)],
    ['"x" = name', unexpected('"x"', 0)],
    ['name = "x" limit 5 skip 5', unexpected('skip', 19)],
    ['isAdmin sort by name limit 5 skip 5', unexpected('skip', 29)],
    ['isAdmin\nand\n  name ~ "x"', unexpected('~', 7, 3)],
    ['name = "💥" "', unexpected('"', 11)],
    ['name in []', unexpected(']', 9)],
    ['name in ["a", 1]', unexpected('1', 14)],
    ['isAdmin in [true]', unexpected('true', 12)],
    ['name in["a"]', unexpected('[', 7)],
    ['name not = "a"', unexpected('=', 9)],
    ['name in ["a",]', unexpected(']', 13)],
    ['cost between "a" and "b"', unexpected('"a"', 13)],
    ['cost between 1 and datetime(2024-01-01T00:00:00Z)', unexpected('datetime(2024-01-01T00:00:00Z)', 19)],
    ['name icontains 3', unexpected('3', 15)],
    ['name contains"x"', unexpected('"x"', 13)],
    ['name < null', unexpected('null', 7)],
    ['isAdmin < true', unexpected('true', 10)],
    ['createdAt > datetime(2024-01-01T00:00:00)', unexpected('datetime', 12)],
    ['createdAt > Datetime(2024-01-01T00:00:00Z)', unexpected('Datetime', 12)],
    ['createdAt > datetime(2023-02-29T00:00:00Z)', 'could not parse datetime: 2023-02-29T00:00:00Z is not a point in time'],
    ['createdAt > datetime(2023-01-01T24:00:00Z)', 'could not parse datetime: 2023-01-01T24:00:00Z is not a point in time'],
    ['noneOf(roleAttributes) = "a"', unexpected('(', 6)],
    ['anyOf(from configs where true) = "a"', unexpected('from', 6)],
    ['count (roleAttributes) = 1', unexpected(' ', 5)],
    ['anyOf(roleAttributes)', unexpected('<EOF>', 21)],
    ['name2 = "x"', unexpected('2', 4)],
    ['cost = 007', unexpected('0', 8)],
    ['cost = 1.', unexpected('.', 8)],
    ['isAdmin and', unexpected('<EOF>', 11)],
    ['isAdmin and and isAdmin', unexpected('and', 12)],
    ['(isAdmin', unexpected('<EOF>', 8)],
    ['isAdmin)', unexpected(')', 7)],
    ['sort name', unexpected('name', 5)],
    ['sort by name,', unexpected('<EOF>', 13)],
    ['limit', unexpected('<EOF>', 5)],
    ['limit "5"', unexpected('"5"', 6)],
    ['isAdmin limit 5 and isAdmin', unexpected('and', 16)],
    ['limit 2.5', 'expected integer value for limit, but got *ast.Float64ConstNode'],
    ['limit 1e2', 'expected integer value for limit, but got *ast.Float64ConstNode'],
    ['limit 9223372036854775808', 'expected integer value for limit, but got *ast.Float64ConstNode'],
    ['skip 2.5', 'expected integer value for skip, but got *ast.Float64ConstNode'],
    ['cost = 1e400', 'could not parse number as float or int: 1e400 is out of range'],
    ['tags.n > -1e999', 'could not parse number as float or int: -1e999 is out of range'],
  ];
  for (const [filter, message] of refused) {
    it(`refuses ${JSON.stringify(filter)}`, () => {
      const error = fault(() => compile({ filter }));
      expect(error.kind).to.equal('invalidFilter');
      expect(error.causeMessage).to.equal(message);
    });
  }

  it('gives everything to the right of a word to that word', () => {
    const tree = (filter: string) => JSON.stringify(parseFilter(filter).predicate, (_, value: unknown) =>
      (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'symbol' && 'name' in value ? value.name : value));
    expect(tree('a and b or c')).to.equal('{"kind":"and","items":["a",{"kind":"or","items":["b","c"]}]}');
    expect(tree('a or b and c')).to.equal('{"kind":"or","items":["a",{"kind":"and","items":["b","c"]}]}');
    expect(tree('not a or b')).to.equal('{"kind":"not","item":{"kind":"or","items":["a","b"]}}');
    expect(tree('(a and b) or c')).to.equal('{"kind":"or","items":[{"kind":"and","items":["a","b"]},"c"]}');
    expect(tree('a and b and c or not d and e')).to.equal(
      '{"kind":"and","items":["a","b",{"kind":"or","items":["c",{"kind":"not","item":{"kind":"and","items":["d","e"]}}]}]}');
  });

  it('keeps a number as it was written', () => {
    expect(parseFilter('x = 1.50e+2').predicate).to.deep.include({ test: { op: '=', value: { type: 'number', value: '1.50e+2' } } });
  });

  it('reads dates to the microsecond, in UTC', () => {
    const date = (text: string) => {
      const { predicate } = parseFilter(`x = datetime(${text})`);
      return predicate?.kind === 'test' && predicate.test.op === '=' && predicate.test.value.type === 'date' ? predicate.test.value.value : '';
    };
    expect(date('2024-01-01T00:30:00+01:00')).to.equal('2023-12-31T23:30:00.000000Z');
    expect(date('2024-01-01t00:00:00.1234567z')).to.equal('2024-01-01T00:00:00.123456Z');
    expect(date('2024-01-01T00:00:00-23:59')).to.equal('2024-01-01T23:59:00.000000Z');
    expect(date('0000-01-01T00:00:00Z')).to.equal('-infinity');
    expect(date('9999-12-31T23:59:59-01:00')).to.equal('infinity');
  });
});

describe('filter symbols and types', () => {
  const misuse: readonly (readonly [string, string])[] = [
    ['bogus = 1', 'unknown symbol \'bogus\''],
    ['Name = "x"', 'unknown symbol \'Name\''],
    ['constructor = "x"', 'unknown symbol \'constructor\''],
    ['tags = "x"', 'unknown symbol \'tags\''],
    ['isEmpty(bogus)', 'unknown symbol \'bogus\''],
    ['isEmpty(from configs where cost = 1)', 'unknown symbol \'cost\''],
    ['isEmpty(from configs where sort by cost)', 'unknown symbol \'cost\''],
    ['cost', 'query expr predicate must be a boolean expr. contains *ast.Int64SymbolNode'],
    ['createdAt', 'query expr predicate must be a boolean expr. contains *ast.DatetimeSymbolNode'],
    ['tags.on', 'query expr predicate must be a boolean expr. contains *ast.AnyTypeSymbolNode'],
    ['name and isAdmin', 'boolean logic expression LHS is of type *ast.StringSymbolNode, not bool'],
    ['isAdmin or name', 'boolean logic expression RHS is of type *ast.StringSymbolNode, not bool'],
    ['isAdmin or isAdmin or cost', 'boolean logic expression RHS is of type *ast.Int64SymbolNode, not bool'],
    ['isAdmin or cost or isAdmin', 'boolean logic expression LHS is of type *ast.Int64SymbolNode, not bool'],
    ['not name', 'not expression is of type *ast.StringSymbolNode, not bool'],
    ['roleAttributes', 'symbol \'roleAttributes\' is a set symbol but is used in non-set function context'],
    ['roleAttributes = "a"', 'symbol \'roleAttributes\' is a set symbol but is used in non-set function context'],
    ['configs = "a"', 'symbol \'configs\' is a set symbol but is used in non-set function context'],
    ['sort by roleAttributes', 'symbol \'roleAttributes\' is a set symbol but is used in non-set function context'],
    ['count(name) = 1', 'symbol \'name\' is not a set symbol but is used in set function count'],
    ['isEmpty(name)', 'symbol \'name\' is not a set symbol but is used in set function isEmpty'],
    ['anyOf(name) = "x"', 'symbol \'name\' is not a set symbol but is used in set function anyOf'],
    ['allOf(tags.x) = "x"', 'symbol \'tags.x\' is not a set symbol but is used in set function allOf'],
    ['isEmpty(from roleAttributes where true)', 'attempt to subquery on non-entity symbol roleAttributes'],
    ['count(from roleAttributes where true) = 1', 'attempt to subquery on non-entity symbol roleAttributes'],
    ['sort by tags.city', 'no such sort field: tags.city'],
    ['sort by token', 'no such sort field: token'],
    ['sort by bogus', 'unknown symbol \'bogus\''],
    ['isAdmin = 1', 'operation isAdmin = 1 is not supported with operands types bool, number'],
    ['isAdmin contains "x"', 'operation isAdmin contains x is not supported with operands types bool, string'],
    ['createdAt > "2020"', 'operation createdAt > 2020 is not supported with operands types date, string'],
    ['createdAt in [1]', 'operation createdAt in [1] is not supported with operands types date, number'],
    ['createdAt not icontains "1"', 'operation createdAt not icontains 1 is not supported with operands types date, string'],
    ['cost = "1"', 'operation cost = 1 is not supported with operands types number, string'],
    ['cost in ["a", "b"]', 'operation cost in [a, b] is not supported with operands types number, string'],
    ['cost != true', 'operation cost != true is not supported with operands types number, bool'],
    ['cost contains 1', 'operation cost contains 1 is not supported with operands types number, number'],
    ['name = true', 'operation name = true is not supported with operands types string, bool'],
    ['name between 1 and 2', 'operation name between 1 and 2 is not supported with operands types string, number'],
    ['name > datetime(2024-01-01T00:00:00Z)', 'operation name > 2024-01-01T00:00:00Z is not supported with operands types string, date'],
    ['count(roleAttributes) = "1"', 'operation count(roleAttributes) = 1 is not supported with operands types number, string'],
    ['count(roleAttributes) = null', 'operation count(roleAttributes) = null is not supported with operands types number, null'],
    ['anyOf(roleAttributes) = true', 'operation anyOf(roleAttributes) = true is not supported with operands types string, bool'],
    ['anyOf(roleAttributes) = null', 'operation anyOf(roleAttributes) = null is not supported with operands types string, null'],
    ['allOf(configs) between 1 and 2', 'operation allOf(configs) between 1 and 2 is not supported with operands types string, number'],
    ['tags.d = datetime(2024-01-01T00:00:00Z)', 'operation tags.d = 2024-01-01T00:00:00Z is not supported with operands types any, date'],
    ['tags.d between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)',
      'operation tags.d between 2024-01-01T00:00:00Z and 2025-01-01T00:00:00Z is not supported with operands types any, date'],
    ['token contains "x"', 'symbol \'token\' can only be compared with =, != and in'],
    ['token > "x"', 'symbol \'token\' can only be compared with =, != and in'],
  ];
  for (const [filter, message] of misuse) {
    it(`refuses ${filter}`, () => {
      const error = fault(() => compile({ filter }));
      expect(error.kind).to.equal('invalidFilter');
      expect(error.causeMessage).to.equal(message);
    });
  }

  it('reports a bad sort parameter as such', () => {
    for (const [sort, message] of [['bogus', 'unknown symbol \'bogus\''], ['tags.city', 'no such sort field: tags.city'],
      ['name desc id', unexpected('id', 10)], ['name,', unexpected('<EOF>', 5)]] as const) {
      const error = fault(() => compile({ sort }));
      expect(error.kind).to.equal('invalidSort');
      expect(error.causeMessage).to.equal(message);
    }
  });

  it('does not echo long literals', () => {
    expect(fault(() => compile({ filter: `cost = "${'x'.repeat(5000)}"` })).causeMessage).to.have.length.below(250);
    expect(fault(() => compile({ filter: `cost ~ "${'x'.repeat(5000)}"` })).causeMessage).to.have.length.below(400);
  });

  it('names its fields', () => {
    expect(filterableFields(configs)).to.deep.equal(['id', 'name']);
    expect(filterableFields(services)).to.include.members(['tags', 'roleAttributes', 'service.name']);
  });
});

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

describe('hostile filters', () => {
  it('are refused as invalid, whatever they are', () => {
    const words = fc.constantFrom('name', 'cost', 'isAdmin', 'tags.x', 'roleAttributes', 'configs', 'and', 'or', 'not', 'in', 'between',
      'contains', 'icontains', 'anyOf(', 'allOf(', 'count(', 'isEmpty(', 'from', 'where', 'sort by', 'skip', 'limit', 'none', 'null', 'true',
      '(', ')', '[', ']', ',', '=', '!=', '<', '"a"', '"', '\\', '1', '1e999', '-', '.', ' ', '\n', 'datetime(2024-01-01T00:00:00Z)', 'datetime(', '\0', '\ud800');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.array(words, { maxLength: 30 }).map((parts) => parts.join(' ')),
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join('')));
    fc.assert(fc.property(text, (filter) => {
      try {
        compile({ filter });
        parseSort(filter);
      } catch (error) {
        expect(error).to.be.instanceOf(DomainError);
      }
    }), { numRuns: 3000 });
  });

  const bombs: readonly (readonly [string, string])[] = [
    ['parentheses', '('.repeat(16_000)],
    ['closed parentheses', `${'('.repeat(8_000)}isAdmin${')'.repeat(8_000)}`],
    ['not', `${'not '.repeat(4_000)}isAdmin`],
    ['alternating words', Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? 'isAdmin and' : 'isAdmin or')).join(' ')],
    ['subqueries', 'isEmpty(from configs where '.repeat(600)],
    ['length', `name = "${'x'.repeat(16_400)}"`],
  ];
  for (const [name, filter] of bombs) {
    it(`bomb of ${name} is refused`, () => {
      expect(fault(() => compile({ filter })).kind).to.equal('invalidFilter');
    });
  }

  it('nest as deep as the cap and no deeper', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}isAdmin${')'.repeat(depth)}`;
    expect(where(nested(MAX_FILTER_DEPTH))).to.equal('t.is_admin');
    expect(fault(() => where(nested(MAX_FILTER_DEPTH + 1))).causeMessage).to.match(/deeper than 100 levels/);
  });

  it('of the largest size cost a time in proportion', () => {
    const long = [`${'isAdmin or '.repeat(1_480)}isAdmin`, `name in [${'"a",'.repeat(4_000)}"a"]`, '"'.repeat(16_000), ' '.repeat(16_000),
      `cost = ${'9'.repeat(300)}`, `name = "${'\\\\'.repeat(8_000)}"`, `${'datetime( '.repeat(1_600)}`, `x${'.x'.repeat(8_000)}`, '\n'.repeat(16_000)];
    const start = process.hrtime.bigint();
    for (const filter of long) {
      try {
        compile({ filter });
      } catch (error) {
        expect(error).to.be.instanceOf(DomainError);
      }
    }
    expect(Number(process.hrtime.bigint() - start) / 1e6).to.be.below(2_000);
  });
});
