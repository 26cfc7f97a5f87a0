/** The most expensive lists that are allowed, 20 at once by one identity, and shapes of filters that never end. */
import { SERIAL } from '../load.js';
import type { RequestParts } from '../world.js';
import { flood, get } from './attack.js';
import type { Attack, AttackContext } from './attack.js';
import { encoded, filtered, servicesWith } from './world.js';

const AT_ONCE = 20;
const SHAPES = 400;
const SHAPE_CONNECTIONS = 8;
const OR = ' or ';
const AND = ' and ';

const many = (count: number, test: (index: number) => string, word = OR): string =>
  Array.from({ length: count }, (_, index) => test(index)).join(word);
const quoted = (count: number): string => many(count, (index) => `"none-${index}"`, ', ');

/** Each answer is one that was never given before: the serial number matches nothing. */
const NEW = `name = "${SERIAL}"`;

/** The most expensive of each kind that db/filter/bounds.ts allows, over all services of the caller. */
const KINDS: readonly (readonly [name: string, sends: string, path: string])[] = [
  [
    'icontains on tags',
    '20 tests `tags.note icontains`',
    filtered(many(20, (i) => `tags.note icontains "zq${i}"`) + OR + NEW),
  ],
  [
    'mixed 100 tests',
    '20 of `icontains` on tags and names, 80 of `contains`',
    filtered(
      `${many(10, (i) => `tags.note icontains "zq${i}"`)}${OR}${many(10, (i) => `name icontains "zq${i}"`)}${OR}` +
        `${many(79, (i) => `name contains "zq${i}"`)}${OR}${NEW}`,
    ),
  ],
  [
    'sets of 900 values',
    'role attributes against 900 values',
    filtered(`not anyOf(roleAttributes) in [${quoted(900)}]${AND}name != "${SERIAL}"`),
  ],
  ['900 listed values', 'names against 900 values', filtered(`name not in [${quoted(900)}]${AND}name != "${SERIAL}"`)],
  [
    '10 subqueries',
    '10 of `count(from configs where ...)`',
    filtered(`${many(10, (i) => `count(from configs where id != "x${i}") > 5`)}${OR}${NEW}`),
  ],
  [
    'role filter',
    '200 role attributes and 100 ids, AnyOf',
    servicesWith(
      `roleSemantic=AnyOf&${many(200, (i) => `roleFilter=%23none-${i}`, '&')}` +
        `&${many(100, (i) => `roleFilter=%40none-${i}`, '&')}` +
        `&filter=${encoded(`name != "${SERIAL}"`)}`,
    ),
  ],
  [
    'sorts, pages of 500',
    'five columns without an index, 500 a page',
    filtered(
      `name != "${SERIAL}" sort by terminatorStrategy, maxIdleTimeMillis desc, encryptionRequired, updatedAt desc, ` +
        'createdAt skip 2000 limit 500',
    ),
  ],
];

export const dearest: readonly Attack[] = KINDS.map(([name, sends, path]) => ({
  name,
  sends: () => `${sends}; ${AT_ONCE} at once`,
  run: (context) =>
    flood(context, { connections: AT_ONCE, requests: [get(path, context.world.attacker.client.token)] }),
}));

const SHORT_TESTS = [
  'name = "a"',
  'id = "a"',
  'encryptionRequired',
  'maxIdleTimeMillis > 1',
  'name contains "zq"',
  'tags.note = "a"',
  'anyOf(roleAttributes) = "zq"',
  'terminatorStrategy != "a"',
  'isEmpty(configs)',
];

/**
 * The bits of `index` choose the tests: every shape is SQL of its own. The other half are as long as a filter may be.
 */
function shape(index: number): string {
  const tests = SHORT_TESTS.filter((_, bit) => ((index + 1) >> bit) % 2 === 1);
  if (index % 2 === 0) return tests.join(OR);
  return `${tests.join(OR)}${OR}${many(90, (i) => `name ${(index >> (i % 9)) % 2 === 1 ? '=' : '!='} "zq${i}"`, AND)}`;
}

function shapes({ world }: AttackContext): RequestParts[] {
  return Array.from({ length: SHAPES }, (_, index) =>
    get(filtered(shape(index), '&limit=1'), world.attacker.client.token),
  );
}

export const oddShapes: Attack = {
  name: 'odd shapes of filters',
  sends: () =>
    `${SHAPES} shapes, half of them with 90 tests and more, over and over on ${SHAPE_CONNECTIONS} connections`,
  run: (context) => flood(context, { connections: SHAPE_CONNECTIONS, requests: shapes(context) }),
};
