/** How much one filter may ask of the database: each bound at its edge, and the error beyond it. */
import { expect } from 'chai';
import { clientTables, symbolTables } from '../../db/stores/entities.js';
import { compile, fault, where } from './filter-support.js';

const many = (count: number, test: (index: number) => string, word = 'or') =>
  Array.from({ length: count }, (_, index) => test(index)).join(` ${word} `);
const list = (count: number) => `[${Array.from({ length: count }, (_, index) => `"v${index}"`).join(', ')}]`;

interface Bound {
  readonly of: string;
  readonly most: string;
  readonly beyond: string;
  readonly says: RegExp;
}

const bounds: readonly Bound[] = [
  {
    of: 'tests',
    most: many(100, (i) => `name = "n${i}"`),
    beyond: many(101, (i) => `name = "n${i}"`),
    says: /more than 100 tests.*`in`/,
  },
  {
    of: 'tests that are names alone',
    most: many(100, () => 'isAdmin'),
    beyond: many(101, () => 'isAdmin'),
    says: /more than 100 tests/,
  },
  {
    of: 'tests inside subqueries',
    most: `isEmpty(from configs where ${many(99, () => 'name = "a"')})`,
    beyond: `isEmpty(from configs where ${many(100, () => 'name = "a"')})`,
    says: /more than 100 tests/,
  },
  {
    of: 'tag tests',
    most: many(20, (i) => `tags.t = "n${i}"`),
    beyond: many(21, (i) => `tags.t = "n${i}"`),
    says: /more than 20 .*tags.*icontains/,
  },
  {
    of: 'tests for unset tags',
    most: many(20, () => 'tags.t = null'),
    beyond: many(21, () => 'tags.t = null'),
    says: /more than 20 /,
  },
  {
    of: 'values of tags asked for one by one',
    most: `tags.t in ${list(20)}`,
    beyond: `tags.t in ${list(20)} or tags.u = 1`,
    says: /more than 20 /,
  },
  {
    of: 'icontains',
    most: many(20, () => 'name icontains "a"', 'and'),
    beyond: many(21, () => 'name icontains "a"', 'and'),
    says: /more than 20 /,
  },
  {
    of: 'values of sets',
    most: `not anyOf(roleAttributes) in ${list(1_000)}`,
    beyond: `tags.a = 1 or not anyOf(roleAttributes) in ${list(1_000)}`,
    says: /more than 20 /,
  },
  {
    of: 'subqueries of every form',
    most: many(5, () => 'anyOf(configs) = "a" or isEmpty(from configs where name = "b")'),
    beyond: `${many(10, () => 'anyOf(configs) = "a"')} or count(configs) > 1`,
    says: /more than 10 .*`count`/,
  },
  {
    of: 'subqueries over the elements of a set',
    most: many(10, () => 'allOf(roleAttributes) > "a"'),
    beyond: many(11, () => 'allOf(roleAttributes) > "a"'),
    says: /more than 10 /,
  },
  {
    of: 'letters to search for',
    most: `name contains "${'a'.repeat(500)}" or name icontains "${'b'.repeat(500)}"`,
    beyond: `name contains "${'a'.repeat(500)}" or name icontains "${'b'.repeat(501)}"`,
    says: /more than 1000 letters.*shorter/,
  },
  {
    of: 'values of lists',
    most: `name in ${list(500)} or id not in ${list(500)}`,
    beyond: `name in ${list(500)} or id not in ${list(501)}`,
    says: /more than 1000 values.*several requests/,
  },
];

describe('a filter is bounded in', () => {
  for (const { of, most, beyond, says } of bounds) {
    it(of, () => {
      expect(where(most)).to.be.a('string').and.not.equal('');
      const error = fault(() => compile({ filter: beyond }));
      expect(error.kind).to.equal('invalidFilter');
      expect(error.causeMessage).to.match(says);
    });
  }

  it('nothing that common clients send', () => {
    for (const filter of [
      many(100, (i) => `id = "n${i}"`),
      `id in ${list(500)}`,
      many(100, (i) => `anyOf(roleAttributes) = "a${i}"`),
      '(name icontains "x" or id icontains "x" or tags.a = "x") and anyOf(roleAttributes) in ["a", "b"]',
    ])
      expect(where(filter)).to.not.equal('');
  });
});

describe('symbols', () => {
  it('that look at other rows say so, and count as slow', () => {
    const tables = [...symbolTables, ...clientTables];
    const scalars = tables.flatMap((table) =>
      Object.entries(table.symbols).flatMap(([name, def]) =>
        def.kind === 'stringSet' || def.kind === 'linked' || def.kind === 'tags' ? [] : [{ name, def }],
      ),
    );
    expect(scalars.length).to.be.greaterThan(100);
    for (const { name, def } of scalars) expect(def.readsRows === true, name).to.equal(def.sql.includes('SELECT'));
  });
});
