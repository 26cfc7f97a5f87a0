/** What is measured beside many routers: figures with the bounds that the project sets, as a table. */
export interface Figure {
  readonly part: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: { readonly is: 'at most' | 'at least'; readonly value: number };
}

const WIDTHS = { part: 11, name: 49, value: 14, bound: 18 };

export const isWithin = ({ value, bound }: Figure): boolean =>
  bound === undefined || (bound.is === 'at most' ? value <= bound.value : value >= bound.value);

const shown = (value: number): string => {
  if (!Number.isFinite(value)) return '-';
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
};

export const figureHead = (): string =>
  `${'part'.padEnd(WIDTHS.part)}${'figure'.padEnd(WIDTHS.name)}${'value'.padStart(WIDTHS.value)}` +
  `${'bound'.padStart(WIDTHS.bound)}\n${'-'.repeat(Object.values(WIDTHS).reduce((sum, width) => sum + width))}`;

/** One that misses its bound begins with an exclamation mark. */
export function figureRow(figure: Figure): string {
  const { part, name, value, unit, bound } = figure;
  return (
    part.padEnd(WIDTHS.part) +
    (isWithin(figure) ? name : `! ${name}`).slice(0, WIDTHS.name - 1).padEnd(WIDTHS.name) +
    `${shown(value)} ${unit}`.trimEnd().padStart(WIDTHS.value) +
    (bound === undefined ? '' : `${bound.is} ${shown(bound.value)}`.padStart(WIDTHS.bound))
  );
}
