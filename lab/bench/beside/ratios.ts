/** What turns of two revisions come to: the middle of their ratios, how far these differ, and whether it is enough. */
import { median, quantile } from '../median.js';

/** One slice of each revision, one after the other. Rates in answers a second, CPU in microseconds a request. */
export interface Turn {
  readonly then: Spent;
  readonly now: Spent;
}

export interface Spent {
  readonly rate: number;
  /** Of the controller's process, all its threads. */
  readonly controllerUs: number;
  readonly postgresUs: number;
  /** Of a body. */
  readonly bytes: number;
}

export interface BesideRow {
  readonly name: string;
  readonly connections: number;
  readonly isRead: boolean;
  readonly then: Spent;
  readonly now: Spent;
  /** Rate now over rate then: the middle of all turns, with a quarter of them below `low` and one above `high`. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** CPU of a request now over that of then, controller and PostgreSQL together. */
  readonly cpuRatio: number;
  /** Answers now over answers then. */
  readonly bytesRatio: number;
}

/** Least ratios that the project wants: a write has its audit record, which 443ef5c did not write. */
const LEAST_READ = 1;
const LEAST_WRITE = 0.9;

const middleOf = (all: readonly Spent[]): Spent => ({
  rate: median(all.map(({ rate }) => rate)),
  controllerUs: median(all.map(({ controllerUs }) => controllerUs)),
  postgresUs: median(all.map(({ postgresUs }) => postgresUs)),
  bytes: median(all.map(({ bytes }) => bytes)),
});

const cpuOf = ({ controllerUs, postgresUs }: Spent): number => controllerUs + postgresUs;

/** @param turns  at least one */
export function besideRow(what: Pick<BesideRow, 'name' | 'connections' | 'isRead'>, turns: readonly Turn[]): BesideRow {
  const ratios = turns.map(({ then, now }) => now.rate / then.rate).sort((a, b) => a - b);
  return {
    ...what,
    then: middleOf(turns.map(({ then }) => then)),
    now: middleOf(turns.map(({ now }) => now)),
    ratio: quantile(ratios, 0.5),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    cpuRatio: median(turns.map(({ then, now }) => cpuOf(now) / cpuOf(then))),
    bytesRatio: median(turns.map(({ then, now }) => now.bytes / then.bytes)),
  };
}

export const leastOf = ({ isRead }: Pick<BesideRow, 'isRead'>): number => (isRead ? LEAST_READ : LEAST_WRITE);

/** Whether even a quarter of the turns is not as fast as wanted. */
export const isBelow = (row: BesideRow): boolean => row.high < leastOf(row);
/** Whether the middle is below, and at least a quarter of the turns is not: the next run may say otherwise. */
export const isUnsure = (row: BesideRow): boolean => row.ratio < leastOf(row) && !isBelow(row);

const NAME_WIDTH = 34;
const WIDTHS = [5, 8, 8, 7, 14, 13, 13, 6, 7];
const line = (name: string, cells: readonly string[]): string =>
  name.slice(0, NAME_WIDTH - 1).padEnd(NAME_WIDTH) +
  cells
    .map((cell, index) => cell.padStart(WIDTHS[index] ?? 8))
    .join('')
    .trimEnd();
const whole = (value: number): string => Math.round(value).toLocaleString('en');
const cpuText = ({ controllerUs, postgresUs }: Spent): string => `${whole(controllerUs)}+${whole(postgresUs)}`;

export const besideHead = (): string =>
  line('case', ['conn', 'then/s', 'now/s', 'ratio', 'half of turns', 'us then', 'us now', 'cpu', 'bytes']);

export function besideLine(row: BesideRow): string {
  const { name, connections, then, now, ratio, low, high, cpuRatio, bytesRatio } = row;
  const mark = isBelow(row) ? '! ' : isUnsure(row) ? '? ' : '';
  return line(`${mark}${name}`, [
    String(connections),
    whole(then.rate),
    whole(now.rate),
    ratio.toFixed(2),
    `${low.toFixed(2)} to ${high.toFixed(2)}`,
    cpuText(then),
    cpuText(now),
    cpuRatio.toFixed(2),
    bytesRatio.toFixed(2),
  ]);
}

export function besideNotes(rows: readonly BesideRow[]): string[] {
  const names = (all: readonly BesideRow[]) =>
    all.map(({ name, connections, ratio }) => `${name} (${connections}) ${ratio.toFixed(2)}`).join(', ');
  const below = rows.filter(isBelow);
  const unsure = rows.filter(isUnsure);
  return [
    `wanted      reads at least ${LEAST_READ}, writes at least ${LEAST_WRITE} of the rate of then`,
    `reached     ${rows.length - below.length - unsure.length} of ${rows.length}`,
    ...(unsure.length === 0 ? [] : [`? unsure    ${names(unsure)}`]),
    ...(below.length === 0 ? [] : [`! below     ${names(below)}`]),
  ];
}
