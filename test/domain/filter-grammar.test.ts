/**
 * The grammar of filters, the texts of its faults, and filters made to hurt. What the SQL means is
 * test/db/filter-sql.test.ts.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { DomainError } from '../../domain/errors.js';
import { MAX_FILTER_DEPTH, parseFilter, parseSort } from '../../db/filter/parse.js';
import { compile, fault, unexpected, where } from './filter-support.js';

describe('filter grammar', () => {
  const accepted = [
    'name="x"',
    'name = "x"',
    '  name  =\t"x"\r\n ',
    'name != 3',
    'name > -1.5e+3',
    'name <= "b"',
    'isAdmin',
    'true',
    'FALSE',
    'isAdmin = True',
    'externalId = null',
    'externalId != NULL',
    'name in ["a","b" , "c"]',
    'name NOT IN [1, 2]',
    'cost between 1 and 2.5',
    'cost not between 1 and 2',
    'name contains "x"',
    'name NOT Contains "x"',
    'name not icontains "x"',
    'name contains 3',
    'createdAt > datetime(2024-02-29T00:00:00Z)',
    'createdAt < datetime( 2024-01-01t00:00:00.123456789+05:30 )',
    'createdAt between datetime(2024-01-01T00:00:00z) and datetime(2025-01-01T00:00:00Z)',
    'createdAt in [datetime(2024-01-01T00:00:00Z)]',
    'anyOf(roleAttributes) = "a"',
    'ALLOF( roleAttributes )!="a"',
    'anyOf(roleAttributes)contains "a"',
    'count(roleAttributes) > 2',
    'COUNT( configs )=0',
    'isEmpty(roleAttributes)',
    'isEmpty( from configs where name = "x" )',
    'count(from configs where true limit 3) = 3',
    'not isAdmin',
    'not not isAdmin',
    '(isAdmin)',
    '( ( isAdmin ) )',
    '(name="a") and (name="b")',
    'isAdmin and name = "x" or cost > 1',
    'tags.city = "Oslo"',
    'tags.a-b_c.d = true',
    'service.name = "x"',
    'sort by name',
    'SORT  BY name DESC , id asc',
    'skip 5',
    'limit none',
    'LIMIT 5',
    'skip 5 limit 5',
    'sort by name skip 1 limit 2',
    'isAdmin sort by cost desc, name skip 1 limit none',
    'limit -1',
    'name = "a\\\\b\\"c\\f\\n\\r\\t"',
    'name = "ünï 💥"',
    'name = ""',
    'not (isAdmin or cost = 1) and cost = 2',
    'isEmpty(from configs where sort by name skip 1 limit 2)',
  ];
  for (const filter of accepted)
    it(`accepts ${filter}`, () => {
      compile({ filter });
    });

  const refused: readonly (readonly [string, string])[] = [
    ['   ', unexpected('<EOF>', 3)],
    ['name', 'query expr predicate must be a boolean expr. contains *ast.StringSymbolNode'],
    ['name =', unexpected('<EOF>', 6)],
    ['name = x', unexpected('x', 7)],
    ['name == "x"', unexpected('=', 6)],
    ['name ! "x"', unexpected('!', 5)],
    ["name = 'x'", unexpected("'", 7)],
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
    [
      'createdAt > datetime(2023-02-29T00:00:00Z)',
      'could not parse datetime: 2023-02-29T00:00:00Z is not a point in time',
    ],
    [
      'createdAt > datetime(2023-01-01T24:00:00Z)',
      'could not parse datetime: 2023-01-01T24:00:00Z is not a point in time',
    ],
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
    const tree = (filter: string) =>
      JSON.stringify(parseFilter(filter).predicate, (_, value: unknown) =>
        typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'symbol' && 'name' in value
          ? value.name
          : value,
      );
    expect(tree('a and b or c')).to.equal('{"kind":"and","items":["a",{"kind":"or","items":["b","c"]}]}');
    expect(tree('a or b and c')).to.equal('{"kind":"or","items":["a",{"kind":"and","items":["b","c"]}]}');
    expect(tree('not a or b')).to.equal('{"kind":"not","item":{"kind":"or","items":["a","b"]}}');
    expect(tree('(a and b) or c')).to.equal('{"kind":"or","items":[{"kind":"and","items":["a","b"]},"c"]}');
    expect(tree('a and b and c or not d and e')).to.equal(
      '{"kind":"and","items":["a","b",{"kind":"or","items":["c",' +
        '{"kind":"not","item":{"kind":"and","items":["d","e"]}}]}]}',
    );
  });

  it('keeps a number as it was written', () => {
    expect(parseFilter('x = 1.50e+2').predicate).to.deep.include({
      test: { op: '=', value: { type: 'number', value: '1.50e+2' } },
    });
  });

  it('reads dates to the microsecond, in UTC', () => {
    const date = (text: string) => {
      const { predicate } = parseFilter(`x = datetime(${text})`);
      return predicate?.kind === 'test' && predicate.test.op === '=' && predicate.test.value.type === 'date'
        ? predicate.test.value.value
        : '';
    };
    expect(date('2024-01-01T00:30:00+01:00')).to.equal('2023-12-31T23:30:00.000000Z');
    expect(date('2024-01-01t00:00:00.1234567z')).to.equal('2024-01-01T00:00:00.123456Z');
    expect(date('2024-01-01T00:00:00-23:59')).to.equal('2024-01-01T23:59:00.000000Z');
    expect(date('0000-01-01T00:00:00Z')).to.equal('-infinity');
    expect(date('9999-12-31T23:59:59-01:00')).to.equal('infinity');
  });
});

describe('hostile filters', () => {
  it('are refused as invalid, whatever they are', () => {
    const words = fc.constantFrom(
      'name',
      'cost',
      'isAdmin',
      'tags.x',
      'roleAttributes',
      'configs',
      'and',
      'or',
      'not',
      'in',
      'between',
      'contains',
      'icontains',
      'anyOf(',
      'allOf(',
      'count(',
      'isEmpty(',
      'from',
      'where',
      'sort by',
      'skip',
      'limit',
      'none',
      'null',
      'true',
      '(',
      ')',
      '[',
      ']',
      ',',
      '=',
      '!=',
      '<',
      '"a"',
      '"',
      '\\',
      '1',
      '1e999',
      '-',
      '.',
      ' ',
      '\n',
      'datetime(2024-01-01T00:00:00Z)',
      'datetime(',
      '\0',
      '\ud800',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join(' ')),
      fc.array(words, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (filter) => {
        try {
          compile({ filter });
          parseSort(filter);
        } catch (error) {
          expect(error).to.be.instanceOf(DomainError);
        }
      }),
      { numRuns: 3000 },
    );
  });

  const bombs: readonly (readonly [string, string])[] = [
    ['parentheses', '('.repeat(16_000)],
    ['closed parentheses', `${'('.repeat(8_000)}isAdmin${')'.repeat(8_000)}`],
    ['not', `${'not '.repeat(4_000)}isAdmin`],
    [
      'alternating words',
      Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? 'isAdmin and' : 'isAdmin or')).join(' '),
    ],
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
    const long = [
      `${'isAdmin or '.repeat(1_480)}isAdmin`,
      `name in [${'"a",'.repeat(4_000)}"a"]`,
      '"'.repeat(16_000),
      ' '.repeat(16_000),
      `cost = ${'9'.repeat(300)}`,
      `name = "${'\\\\'.repeat(8_000)}"`,
      `${'datetime( '.repeat(1_600)}`,
      `x${'.x'.repeat(8_000)}`,
      '\n'.repeat(16_000),
    ];
    // Work, not time: others may hold it up.
    const start = process.cpuUsage();
    for (const filter of long) {
      try {
        compile({ filter });
      } catch (error) {
        expect(error).to.be.instanceOf(DomainError);
      }
    }
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).to.be.below(2_000);
  });
});
