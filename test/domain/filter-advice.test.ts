/** A refused filter says what to write instead. */
import { expect } from 'chai';
import { compileList, Params } from '../../db/filter/index.js';
import { DomainError } from '../../domain/errors.js';
import { options, services } from './filter-support.js';

function adviceOn(query: { readonly filter?: string; readonly sort?: string }): string {
  try {
    compileList(services, query, new Params(), options);
  } catch (error) {
    if (error instanceof DomainError) return `${String(error.causeMessage)}. ${String(error.sentence)}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('advice on a refused filter', () => {
  for (const [filter, sentence] of [
    ['name == "x"', /column: 6\. Write = for ==/],
    ['name <> "x"', /Write != for <>/],
    ['name like "x"', /Write contains for like/],
    ['name ILIKE "x"', /Write icontains for ilike/],
    ["name = 'x'", /Write texts in double quotes/],
    ['name = x', /Write texts in double quotes/],
    ['name contains x', /Write texts in double quotes/],
    ['isAdmin = true && name = "x"', /Write and for &&/],
    ['isAdmin = true || name = "x"', /Write or for \|\|/],
    ['name in ("a")', /Write a list in square brackets/],
    ['name =', /ends too early/],
    ['name = "x', /no closing double quote/],
    ['name is null', /Write = null/],
    ['createdAt > 2020-01-01', /Unexpected symbol|datetime\(/],
    ['createdAt > "2020"', /date, string\. Write a date as datetime\(/],
    ['roleAttributes = "a"', /Write anyOf\(roleAttributes\)/],
    ['anyOf(name) = "x"', /Write name without anyOf/],
    ['cost = "1"', /Write a number without quotes/],
    ['isAdmin = 1', /isAdmin = true or isAdmin = false/],
    ['name between 1 and 2', /name >= "a" and name < "b"/],
    ['nmae = "x"', /did you mean name\?/],
  ] as const)
    it(filter, () => {
      expect(adviceOn({ filter })).to.match(sentence);
    });

  for (const [sort, sentence] of [
    ['-name', /Write desc behind a field/],
    ['name:desc', /Write a blank before asc or desc/],
    ['roleAttributes', /cannot be sorted by a set/],
    ['nmae', /did you mean name\?/],
  ] as const)
    it(`sort ${sort}`, () => {
      expect(adviceOn({ sort })).to.match(sentence);
    });

  it('has the place once', () => {
    expect(adviceOn({ filter: 'name == "x"' }).match(/column/g)).to.have.length(1);
  });
});
