/** Random filters, asked of PostgreSQL and of a plain evaluator. */
import { expect } from 'chai';
import fc from 'fast-check';
import { parseFilter } from '../../db/filter/parse.js';
import type { Expr, Literal, Operand, Query, Test } from '../../db/filter/ast.js';
import { openFilterWorld, PEERS, ROWS } from './filter-world.js';
import type { FilterWorld, Peer, Row } from './filter-world.js';

describe('random filters in PostgreSQL', () => {
  let database: FilterWorld['database'];
  let ids: FilterWorld['ids'];

  before(async () => {
    ({ database, ids } = await openFilterWorld());
  });
  after(() => database.close());

  it('select what a plain evaluator selects', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const expected = ROWS.filter((row) => selects(row, parseFilter(filter)))
          .map((row) => row.id)
          .sort()
          .join('');
        expect(await ids({ filter }), filter).to.equal(expected);
      }),
      { numRuns: 500 },
    );
  }).timeout(120_000);
});

// ---- random filters

const sometimes = (word: string) => fc.constantFrom('', word);
const quoted = fc
  .constantFrom(
    '',
    'a',
    'x',
    'X',
    'web',
    'Web',
    'db',
    '3',
    'é',
    'STRASSE',
    'ß',
    '%',
    '_',
    '\\',
    'Oslo',
    'p1',
    'p2',
    'true',
    '💥',
    'a\0',
  )
  .map((text) => `"${text.replace(/[\\"]/g, '\\$&')}"`);
const numeral = fc.constantFrom('0', '1', '2', '2.5', '3', '-3', '10', '1e1', '3.0', '2147483647', '1e20');
const moment = fc
  .constantFrom('2024-01-01T00:00:00Z', '2024-06-01T14:00:00.123+02:00', '1999-12-31T23:59:59.999Z')
  .map((text) => `datetime(${text})`);
const order = fc.constantFrom('<', '<=', '>', '>=', '=', '!=');
const equality = fc.constantFrom('=', '!=');
const list = (item: fc.Arbitrary<string>) =>
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(', ')}]`);
const tests = (left: fc.Arbitrary<string>, ...rights: fc.Arbitrary<string>[]) =>
  fc.tuple(left, fc.oneof(...rights)).map((parts) => parts.join(' '));
const join = (...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((words) => words.filter((word) => word !== '').join(' '));

const inText = join(sometimes('not'), fc.constant('in'), list(quoted));
const onText = [
  join(order, fc.oneof(quoted, numeral)),
  inText,
  join(sometimes('not'), fc.constantFrom('contains', 'icontains'), quoted),
];
const onNumber = [
  join(order, numeral),
  join(sometimes('not'), fc.constant('in'), list(numeral)),
  join(sometimes('not'), fc.constant('between'), numeral, fc.constant('and'), numeral),
];
const onDate = [
  join(order, moment),
  join(sometimes('not'), fc.constant('in'), list(moment)),
  join(sometimes('not'), fc.constant('between'), moment, fc.constant('and'), moment),
];
const isNull = join(equality, fc.constant('null'));
const set = fc.constantFrom('attrs', 'peers');
const ofPeer = tests(fc.constantFrom('name', 'nick'), ...onText);

const leaf = fc.oneof(
  tests(fc.constantFrom('name', 'nick', 'id'), ...onText, isNull),
  tests(fc.constantFrom('cost', 'ratio'), ...onNumber, isNull),
  tests(fc.constant('made'), ...onDate, isNull),
  tests(fc.constant('on'), join(equality, fc.constantFrom('true', 'false', 'null'))),
  fc.constantFrom('on', 'true', 'false'),
  tests(
    fc.constantFrom('tags.city', 'tags.n', 'tags.up', 'tags.none'),
    ...onText,
    ...onNumber,
    isNull,
    join(equality, fc.constantFrom('true', 'false')),
  ),
  tests(
    fc.tuple(fc.constantFrom('anyOf', 'allOf'), set).map(([word, name]) => `${word}(${name})`),
    ...onText,
  ),
  tests(
    set.map((name) => `count(${name})`),
    ...onNumber,
  ),
  set.map((name) => `isEmpty(${name})`),
  ofPeer.map((inner) => `isEmpty(from peers where ${inner})`),
  tests(
    ofPeer.map((inner) => `count(from peers where not ${inner})`),
    ...onNumber,
  ),
);

const filters = fc.letrec<{ expr: string }>((tie) => ({
  expr: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.tuple(leaf, fc.constantFrom('and', 'or'), tie('expr')).map((parts) => parts.join(' ')),
    tie('expr').map((inner) => `not ${inner}`),
    fc
      .tuple(tie('expr'), fc.constantFrom('and', 'or'), tie('expr'))
      .map(([left, word, right]) => `(${left}) ${word} ${right}`),
  ),
})).expr;

// ---- the plain evaluator: two-valued from the start, on the values themselves

type Scalar = string | number | boolean | Date | null;
type Entity = Row | Peer;

function selects(entity: Entity, query: Query): boolean {
  return query.predicate === undefined || holds(entity, query.predicate);
}

function holds(entity: Entity, expr: Expr): boolean {
  switch (expr.kind) {
    case 'and':
      return expr.items.every((item) => holds(entity, item));
    case 'or':
      return expr.items.some((item) => holds(entity, item));
    case 'not':
      return !holds(entity, expr.item);
    case 'const':
      return expr.value;
    case 'symbol':
      return scalar(entity, expr.name) === true;
    case 'isEmpty':
      return members(entity, expr.set.symbol, expr.set.query).length === 0;
    case 'test':
      return tested(entity, expr.left, expr.test);
  }
}

function members(entity: Entity, name: string, query?: Query): readonly string[] {
  if (!('attrs' in entity)) return [];
  if (name === 'attrs') return entity.attrs;
  return PEERS.filter((peer) => entity.peers.includes(peer.id) && (query === undefined || selects(peer, query))).map(
    (peer) => peer.id,
  );
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
  return left.kind === 'anyOf'
    ? elements.some((item) => passes(item, test, false))
    : elements.every((item) => passes(item, test, false));
}

/**
 * A literal as a value of the kind it is compared with; a number is text for a text, except where types are as stored.
 */
function literal(of: Literal, value: Scalar, isTag: boolean): Scalar {
  if (of.type === 'null') return null;
  if (of.type === 'date') return new Date(of.value);
  if (of.type === 'number') return typeof value === 'string' && !isTag ? of.value : Number(of.value);
  return of.value;
}

function compare(value: Scalar, other: Scalar): number | undefined {
  if (value === null || other === null || typeof value !== typeof other) return undefined;
  if (typeof value === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(value), Buffer.from(other));
  return Number(value) - Number(other);
}

function passes(value: Scalar, test: Test, isTag: boolean): boolean {
  const against = (of: Literal) => compare(value, literal(of, value, isTag));
  switch (test.op) {
    case '=':
      return test.value.type === 'null' ? value === null : against(test.value) === 0;
    case '!=':
      return !passes(value, { op: '=', value: test.value }, isTag);
    case '<':
      return (against(test.value) ?? NaN) < 0;
    case '<=':
      return (against(test.value) ?? NaN) <= 0;
    case '>':
      return (against(test.value) ?? NaN) > 0;
    case '>=':
      return (against(test.value) ?? NaN) >= 0;
    case 'in':
      return test.values.some((item) => against(item) === 0) !== test.negated;
    case 'between':
      return ((against(test.low) ?? NaN) >= 0 && (against(test.high) ?? NaN) < 0) !== test.negated;
    case 'contains':
    case 'icontains': {
      const part = test.value.type === 'string' || test.value.type === 'number' ? test.value.value : '';
      const found =
        typeof value === 'string' &&
        (test.op === 'contains' ? value.includes(part) : value.toUpperCase().includes(part.toUpperCase()));
      return found !== test.negated;
    }
  }
}
