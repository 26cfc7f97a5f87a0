/** The result as a table of 100 columns, and as Markdown for docs/operations/failover.md. */
import type { EventResult } from './events.js';

const NAME_WIDTH = 38;
const COLUMNS: readonly (readonly [string, number, (result: EventResult) => string])[] = [
  ['creates', 8, ({ creates }) => whole(creates)],
  ['503', 7, ({ refused }) => whole(refused)],
  ['gap s', 6, ({ gapSeconds }) => gapSeconds.toFixed(1)],
  ['healed', 7, ({ healedSeconds }) => healedSeconds?.toFixed(1) ?? '-'],
  ['lost', 5, ({ lost }) => whole(lost)],
  ['unack', 6, ({ unacknowledged }) => whole(unacknowledged)],
  ['stood', 7, ({ sessions }) => `${sessions.stood}/${sessions.standing}`],
  ['ended', 7, ({ sessions }) => `${sessions.refused}/${sessions.ended}`],
  ['readyz', 9, ({ notReadyLooks, looks }) => `${notReadyLooks}/${looks}`],
];

const whole = (value: number): string => value.toLocaleString('en');

const line = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME_WIDTH) + COLUMNS.map(([, width], index) => (cells[index] ?? '').padStart(width)).join('');

export const tableHead = (): string => {
  const head = line(
    'event',
    COLUMNS.map(([name]) => name),
  );
  return `${head}\n${'-'.repeat(head.length)}`;
};

export const tableRow = (result: EventResult): string =>
  line(
    result.event,
    COLUMNS.map(([, , cell]) => cell(result)),
  );

export const LEGEND = [
  'creates  sent at a fixed rate over 16 connections to two controllers, none of them tried again',
  '503      of these were refused',
  'gap s    longest time without a 201',
  'healed   seconds from the event until none was refused any more',
  'lost     answered 201 and absent afterwards; unack: answered 503 and there all the same',
  'stood    sessions from before the event that both controllers accept after it',
  'ended    sessions that ended during the event and are refused by both controllers after it',
  'readyz   looks at /readyz of both controllers, one in 100 ms, that were answered 503',
];

export const markdownOf = (results: readonly EventResult[]): string =>
  [
    ['event', ...COLUMNS.map(([name]) => name)],
    ['---', ...COLUMNS.map(() => '---')],
    ...results.map((result) => [result.event, ...COLUMNS.map(([, , cell]) => cell(result))]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
