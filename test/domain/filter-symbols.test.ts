/** Which symbols a filter may use, and what for: the texts of the faults. */
import { expect } from 'chai';
import { filterableFields } from '../../db/filter/index.js';
import { compile, configs, fault, services, unexpected } from './filter-support.js';

/** The text before what an unknown symbol may have meant. */
const withoutHint = (text = ''): string => text.replace(/^(unknown symbol '.*') \(.*\)$/, '$1');

describe('filter symbols and types', () => {
  it('says which field may have been meant, or which there are', () => {
    const said = (filter: string) => fault(() => compile({ filter })).causeMessage;
    expect(said('nam = "x"')).to.equal("unknown symbol 'nam' (did you mean name?)");
    expect(said('Name = "x"')).to.equal("unknown symbol 'Name' (did you mean name?)");
    expect(said('colourful = "x"')).to.match(/^unknown symbol 'colourful' \(the fields are .*\bname\b.*\)$/);
  });

  const misuse: readonly (readonly [string, string])[] = [
    ['bogus = 1', "unknown symbol 'bogus'"],
    ['Name = "x"', "unknown symbol 'Name'"],
    ['constructor = "x"', "unknown symbol 'constructor'"],
    ['tags = "x"', "unknown symbol 'tags'"],
    ['isEmpty(bogus)', "unknown symbol 'bogus'"],
    ['isEmpty(from configs where cost = 1)', "unknown symbol 'cost'"],
    ['isEmpty(from configs where sort by cost)', "unknown symbol 'cost'"],
    ['cost', 'query expr predicate must be a boolean expr. contains *ast.Int64SymbolNode'],
    ['createdAt', 'query expr predicate must be a boolean expr. contains *ast.DatetimeSymbolNode'],
    ['tags.on', 'query expr predicate must be a boolean expr. contains *ast.AnyTypeSymbolNode'],
    ['name and isAdmin', 'boolean logic expression LHS is of type *ast.StringSymbolNode, not bool'],
    ['isAdmin or name', 'boolean logic expression RHS is of type *ast.StringSymbolNode, not bool'],
    ['isAdmin or isAdmin or cost', 'boolean logic expression RHS is of type *ast.Int64SymbolNode, not bool'],
    ['isAdmin or cost or isAdmin', 'boolean logic expression LHS is of type *ast.Int64SymbolNode, not bool'],
    ['not name', 'not expression is of type *ast.StringSymbolNode, not bool'],
    ['roleAttributes', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
    ['roleAttributes = "a"', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
    ['configs = "a"', "symbol 'configs' is a set symbol but is used in non-set function context"],
    ['sort by roleAttributes', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
    ['count(name) = 1', "symbol 'name' is not a set symbol but is used in set function count"],
    ['isEmpty(name)', "symbol 'name' is not a set symbol but is used in set function isEmpty"],
    ['anyOf(name) = "x"', "symbol 'name' is not a set symbol but is used in set function anyOf"],
    ['allOf(tags.x) = "x"', "symbol 'tags.x' is not a set symbol but is used in set function allOf"],
    ['isEmpty(from roleAttributes where true)', 'attempt to subquery on non-entity symbol roleAttributes'],
    ['count(from roleAttributes where true) = 1', 'attempt to subquery on non-entity symbol roleAttributes'],
    ['sort by tags.city', 'no such sort field: tags.city'],
    ['sort by token', 'no such sort field: token'],
    ['sort by bogus', "unknown symbol 'bogus'"],
    ['isAdmin = 1', 'operation isAdmin = 1 is not supported with operands types bool, number'],
    ['isAdmin contains "x"', 'operation isAdmin contains x is not supported with operands types bool, string'],
    ['createdAt > "2020"', 'operation createdAt > 2020 is not supported with operands types date, string'],
    ['createdAt in [1]', 'operation createdAt in [1] is not supported with operands types date, number'],
    [
      'createdAt not icontains "1"',
      'operation createdAt not icontains 1 is not supported with operands types date, string',
    ],
    ['cost = "1"', 'operation cost = 1 is not supported with operands types number, string'],
    ['cost in ["a", "b"]', 'operation cost in [a, b] is not supported with operands types number, string'],
    ['cost != true', 'operation cost != true is not supported with operands types number, bool'],
    ['cost contains 1', 'operation cost contains 1 is not supported with operands types number, number'],
    ['name = true', 'operation name = true is not supported with operands types string, bool'],
    ['name between 1 and 2', 'operation name between 1 and 2 is not supported with operands types string, number'],
    [
      'name > datetime(2024-01-01T00:00:00Z)',
      'operation name > 2024-01-01T00:00:00Z is not supported with operands types string, date',
    ],
    [
      'count(roleAttributes) = "1"',
      'operation count(roleAttributes) = 1 is not supported with operands types number, string',
    ],
    [
      'count(roleAttributes) = null',
      'operation count(roleAttributes) = null is not supported with operands types number, null',
    ],
    [
      'anyOf(roleAttributes) = true',
      'operation anyOf(roleAttributes) = true is not supported with operands types string, bool',
    ],
    [
      'anyOf(roleAttributes) = null',
      'operation anyOf(roleAttributes) = null is not supported with operands types string, null',
    ],
    [
      'allOf(configs) between 1 and 2',
      'operation allOf(configs) between 1 and 2 is not supported with operands types string, number',
    ],
    [
      'tags.d = datetime(2024-01-01T00:00:00Z)',
      'operation tags.d = 2024-01-01T00:00:00Z is not supported with operands types any, date',
    ],
    [
      'tags.d between datetime(2024-01-01T00:00:00Z) and datetime(2025-01-01T00:00:00Z)',
      'operation tags.d between 2024-01-01T00:00:00Z and 2025-01-01T00:00:00Z is not supported with operands types ' +
        'any, date',
    ],
    ['token contains "x"', "symbol 'token' can only be compared with =, != and in"],
    ['token > "x"', "symbol 'token' can only be compared with =, != and in"],
  ];
  for (const [filter, message] of misuse) {
    it(`refuses ${filter}`, () => {
      const error = fault(() => compile({ filter }));
      expect(error.kind).to.equal('invalidFilter');
      expect(withoutHint(error.causeMessage)).to.equal(message);
    });
  }

  it('reports a bad sort parameter as such', () => {
    for (const [sort, message] of [
      ['bogus', "unknown symbol 'bogus'"],
      ['tags.city', 'no such sort field: tags.city'],
      ['name desc id', unexpected('id', 10)],
      ['name,', unexpected('<EOF>', 5)],
    ] as const) {
      const error = fault(() => compile({ sort }));
      expect(error.kind).to.equal('invalidSort');
      expect(withoutHint(error.causeMessage)).to.equal(message);
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
