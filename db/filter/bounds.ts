/**
 * How much one filter may ask of the database. What a filter costs is rows times tests, and a caller chooses both: so
 * each kind of test is counted while the filter is compiled, and a filter beyond a bound is refused before it runs.
 */
import type { Test } from './ast.js';
import type { Value } from './conditions.js';
import { filterFault } from './errors.js';
import type { FaultKind } from './errors.js';

/** Every name with an operator, and every name alone. */
export const MAX_TESTS = 100;
/** Tests that take a value apart: tags, upper-casing, long lists against sets. 3,000 rows with 20 of them: 0.3 s. */
export const MAX_SLOW_TESTS = 20;
/** Statements of their own for every row: linked entities, elements of a set one by one. */
export const MAX_SUBQUERIES = 10;
export const MAX_SEARCHED_LETTERS = 1_000;
export const MAX_LISTED_VALUES = 1_000;

/** Values of tags that are asked for one by one, as an index on tags knows them. */
export const MAX_CONTAINED = 20;
/** A set is compared value by value: so many cost as much as one slow test. */
const SET_VALUES = 50;

const BOUNDS = {
  tests: [MAX_TESTS, 'tests; ask for several values of one name with `in`, or send several requests'],
  slowTests: [
    MAX_SLOW_TESTS,
    'tests of tags, `icontains` or long lists of set elements; ' +
      'use role attributes or `contains`, or send several requests',
  ],
  subqueries: [
    MAX_SUBQUERIES,
    'uses of `anyOf`, `allOf`, `count` or `isEmpty` that read linked entities ' +
      'or elements one by one; ask for several values with `in`, or send several requests',
  ],
  letters: [MAX_SEARCHED_LETTERS, 'letters to search for with `contains` and `icontains`; search for a shorter part'],
  values: [MAX_LISTED_VALUES, 'values in its lists; send several requests with a part of them each'],
} as const satisfies Readonly<Record<string, readonly [most: number, what: string]>>;

type Bounded = keyof typeof BOUNDS;

/** Counts over one filter with all its subqueries. */
export class Budget {
  readonly #spent: Record<Bounded, number> = { tests: 0, slowTests: 0, subqueries: 0, letters: 0, values: 0 };
  constructor(readonly kind: FaultKind) {}

  /** @throws DomainError that names the bound and the way out */
  spend(what: Bounded, amount = 1): void {
    this.#spent[what] += amount;
    const [most, text] = BOUNDS[what];
    if (this.#spent[what] > most) throw filterFault(this.kind, `the filter has more than ${most} ${text}`);
  }

  /** Counts a test of one value. @throws DomainError */
  test(value: Value, test: Test): void {
    this.spend('tests');
    if (test.op === 'in') this.spend('values', test.values.length);
    const isSearch = test.op === 'contains' || test.op === 'icontains';
    if (isSearch && test.value.type === 'string') this.spend('letters', test.value.value.length);
    const isListOfTags = value.type === 'any' && test.op === 'in' && test.values.length <= MAX_CONTAINED;
    if (isListOfTags) this.spend('slowTests', test.values.length);
    else if (value.type === 'any' || test.op === 'icontains' || value.readsRows) this.spend('slowTests');
  }

  /** Counts a test that compares a whole set with a list. @throws DomainError */
  setTest(count: number): void {
    this.spend('tests');
    this.spend('values', count);
    if (count >= SET_VALUES) this.spend('slowTests', Math.ceil(count / SET_VALUES));
  }
}
