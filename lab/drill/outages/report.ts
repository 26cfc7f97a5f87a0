/** The rows as a table of 100 columns, with cells of several lines, and as Markdown for docs/operations/failover.md. */
import { of } from './load.js';
import type { Row } from './load.js';

const COLUMNS: readonly (readonly [string, number, (row: Row) => string])[] = [
  ['event', 26, ({ event }) => event],
  ['clients saw', 35, ({ saw }) => saw],
  ['healed', 17, ({ healed }) => healed ?? '-'],
  ['lost', 9, ({ lost, acknowledged }) => (acknowledged === undefined ? '-' : of(lost, acknowledged))],
  ['unack', 5, ({ acknowledged, unacknowledged }) => (acknowledged === undefined ? '-' : String(unacknowledged))],
];
const GAP = '  ';

/** The cells next to each other, each wrapped to the width of its column. */
function lines(cells: readonly string[]): string[] {
  const wrapped = COLUMNS.map(([, width], index) => wrap(cells[index] ?? '', width));
  return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, line) =>
    COLUMNS.map(([, width], index) => (wrapped[index]?.[line] ?? '').padEnd(width))
      .join(GAP)
      .trimEnd(),
  );
}

function wrap(text: string, width: number): string[] {
  const found: string[] = [];
  for (const word of text.split(' ')) {
    const last = found.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  return found;
}

export const tableHead = (): string =>
  [...lines(COLUMNS.map(([name]) => name)), COLUMNS.map(([, width]) => '-'.repeat(width)).join(GAP)].join('\n');

export const tableRow = (row: Row): string => lines(COLUMNS.map(([, , cell]) => cell(row))).join('\n');

export const LEGEND = [
  'clients saw  requests refused of those that were sent; none is tried again. Reads are by id',
  'healed       from the end of the event until no create is refused; gap: longest time without a 201',
  'lost         of the creates that were answered 201, those that are absent afterwards',
  'unack        creates that were not answered 201, and are there all the same',
];

export const markdownOf = (rows: readonly Row[]): string =>
  [
    COLUMNS.map(([name]) => name),
    COLUMNS.map(() => '---'),
    ...rows.map((row) => COLUMNS.map(([, , cell]) => cell(row))),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
