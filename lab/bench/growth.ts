/**
 * What becomes slower with the size of the network: the rates of a case side by side. Flat is one that has about the
 * same rate at every size.
 */
import type { Row } from './row.js';

export interface GrowthRow {
  readonly case: string;
  readonly connections: number;
  /** In the order of the sizes; NaN where a case had no good answer. */
  readonly rates: readonly number[];
  /** The rate at the first size over that at the last. */
  readonly factor: number;
  /** Why it touches more at larger sizes, so that its factor says nothing about flatness. */
  readonly grows: string | undefined;
}

/** Answers that differ more than this in size do not hold the same number of rows. */
const SAME_BYTES = 1.25;

export function growthOf(sizes: readonly (readonly Row[])[]): GrowthRow[] {
  const [first = []] = sizes;
  return first.map((row) => {
    const all = sizes.map(
      (rows) => rows.find(({ name, connections }) => name === row.name && connections === row.connections)?.result,
    );
    const rates = all.map((result) => (result === undefined || result.completed === 0 ? NaN : result.rate));
    const bytes = all.map((result) => result?.meanBytes ?? NaN);
    const isLonger = Math.max(...bytes) > SAME_BYTES * Math.min(...bytes);
    return {
      case: row.name,
      connections: row.connections,
      rates,
      factor: (rates[0] ?? NaN) / (rates.at(-1) ?? NaN),
      grows: row.growth ?? (isLonger ? 'longer answers' : undefined),
    };
  });
}

const SLOWER = 1.5;

/** Cases that should be flat and are not. */
export const slowing = (rows: readonly GrowthRow[]): GrowthRow[] =>
  rows.filter(({ factor, grows }) => grows === undefined && factor > SLOWER);

export const rateText = (rate: number): string =>
  Number.isNaN(rate) ? '-' : rate < 100 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en');
const factorText = (factor: number): string => (Number.isNaN(factor) ? '-' : factor.toFixed(2));

export function growthLines(rows: readonly GrowthRow[], sizes: readonly string[]): string[] {
  const line = (name: string, cells: readonly string[], note = '') =>
    `${name.slice(0, 32).padEnd(32)}${cells.map((cell) => cell.padStart(13)).join('')}  ${note}`.trimEnd();
  const slow = slowing(rows);
  return [
    line('case, connections', [...sizes, 'factor'], 'grows because'),
    ...rows.map((row) =>
      line(
        `${row.case}, ${row.connections}`,
        [...row.rates.map(rateText), factorText(row.factor)],
        row.grows ?? (slow.includes(row) ? '!' : ''),
      ),
    ),
    '',
    slow.length === 0
      ? `flat: no other case is more than ${SLOWER} times as fast at the first size as at the last`
      : `not flat (more than ${SLOWER}): ` +
        `${slow.map((row) => `${row.case} (${row.connections}) ${factorText(row.factor)}`).join(', ')}`,
  ];
}
