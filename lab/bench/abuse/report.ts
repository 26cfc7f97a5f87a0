/** The table of attacks, 100 columns wide: two lines for each, and marks where a promise is broken. */
import type { Statuses } from './attack.js';
import type { MemoryUse } from './memory.js';
import { KINDS } from './victims.js';
import type { Suffered } from './victims.js';

export interface AbuseRow {
  readonly name: string;
  readonly sends: string;
  readonly statuses: Statuses;
  readonly before: MemoryUse;
  readonly peak: MemoryUse;
  readonly after: MemoryUse;
  readonly quiet: Suffered;
  readonly attacked: Suffered;
  /** Load average of the machine before it. */
  readonly load: number;
}

const P99_MS = 250;
const POSTGRES_MIB = 150;
const CONTROLLER_MIB = 400;

/** Which promises a row breaks; empty when it keeps them all. */
export function broken({ before, peak, quiet, attacked }: AbuseRow): string[] {
  return [
    // A login takes its turn at the two password hashes, and is promised an answer rather than a time.
    ...KINDS.filter((kind) => kind !== 'login' && attacked[kind].p99Ms > P99_MS).map(
      (kind) => `p99 of ${kind} ${ms(attacked[kind].p99Ms)} ms${quiet[kind].p99Ms > P99_MS ? ', also when quiet' : ''}`,
    ),
    ...KINDS.flatMap((kind) => {
      const refused = attacked[kind].statuses[503] ?? 0;
      return refused === 0 ? [] : [`${refused} of ${kind} got 503`];
    }),
    ...(peak.postgresMiB - before.postgresMiB > POSTGRES_MIB
      ? [`PostgreSQL grew by ${peak.postgresMiB - before.postgresMiB} MiB`]
      : []),
    ...(peak.controllerMiB > CONTROLLER_MIB ? [`controller at ${peak.controllerMiB} MiB`] : []),
  ];
}

const NAME = 31;
const MEMORY = 12;
const WHEN = 9;
const TIMES = 9;

const ms = (value: number): string => (Number.isNaN(value) ? '-' : value < 10 ? value.toFixed(1) : value.toFixed(0));
const listed = (statuses: Statuses): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status === '0' ? 'cut' : status} x ${count.toLocaleString('en')}`)
    .join(', ') || 'no answer';
const memory = ({ before, peak, after }: AbuseRow, of: keyof MemoryUse): string =>
  [before, peak, after]
    .map((use) => use[of])
    .join('/')
    .padStart(MEMORY);
const times = (suffered: Suffered): string =>
  KINDS.map((kind) => `${ms(suffered[kind].p50Ms)}/${ms(suffered[kind].p99Ms)}`.padStart(TIMES)).join('');

export const abuseHead = (): string =>
  [
    'attack'.padEnd(NAME - 10) +
      'load'.padStart(10) +
      'node MiB'.padStart(MEMORY) +
      'PG MiB'.padStart(MEMORY) +
      ''.padStart(WHEN) +
      KINDS.map((kind) => kind.padStart(TIMES)).join(''),
    '-'.repeat(NAME + 2 * MEMORY + WHEN + TIMES * KINDS.length),
  ].join('\n');

export function abuseRow(row: AbuseRow): string {
  const marks = broken(row);
  const name = `${marks.length > 0 ? '! ' : ''}${row.name}`.padEnd(NAME - 5) + row.load.toFixed(1).padStart(5);
  const refused = KINDS.flatMap((kind) =>
    [0, 429, 503].flatMap((status) => {
      const count = row.attacked[kind].statuses[status] ?? 0;
      return count === 0 ? [] : [`${kind} ${status === 0 ? 'cut' : status} x ${count}`];
    }),
  );
  return [
    `${name}${memory(row, 'controllerMiB')}${memory(row, 'postgresMiB')}${'quiet'.padStart(WHEN)}${times(row.quiet)}`,
    `  ${listed(row.statuses)}`.slice(0, NAME + 2 * MEMORY - 1).padEnd(NAME + 2 * MEMORY) +
      `${'attacked'.padStart(WHEN)}${times(row.attacked)}`,
    ...(refused.length === 0 ? [] : [`  victims refused: ${refused.join(', ')}`]),
    ...(marks.length === 0 ? [] : [`  beyond the promise: ${marks.join('; ')}`]),
  ].join('\n');
}

export const abuseNotes = (rows: readonly AbuseRow[]): string[] => [
  'node MiB, PG MiB: resident memory of the controller, and what PostgreSQL has beyond shared memory;',
  '  before/peak/after. Times of victims: p50/p99 in ms. load: load average of the machine before.',
  '',
  ...rows.flatMap(({ name, sends }) => [name, `  ${sends}`]),
];
