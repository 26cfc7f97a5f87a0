/** What a plan says, made fit to be compared with that of another run: no times, page counts rounded. */
import type { Explained } from './recorder.js';

export interface PlanSummary {
  readonly rows: number;
  /** Pages of 8 KiB that it touched, to two digits. */
  readonly pages: number;
  /** Big tables of which it read at least half, in their own order or along an index. */
  readonly scanned: readonly string[];
  readonly text: string;
}

/** Below so many rows the planner may well read all of a table. */
const BIG_ROWS = 1000;

export function summaryOf({ name, plan, scanned, sql }: Explained, rowsOf: ReadonlyMap<string, number>): PlanSummary {
  const end = plan.findIndex((line) => /^(Planning|Execution|Settings)/.test(line));
  const lines = end < 0 ? plan : plan.slice(0, end);
  const isBig = (table: string) => (rowsOf.get(table) ?? 0) >= BIG_ROWS;
  const inPlan = lines.flatMap((line) => /Seq Scan on (\w+).*actual/.exec(line)?.[1] ?? []).filter(isBig);
  const walked = lines
    .flatMap((_, index) => walkAt(lines, index))
    .filter(({ table, rows }) => isBig(table) && rows >= Math.max(BIG_ROWS, (rowsOf.get(table) ?? 0) / 2))
    .map(({ table }) => table);
  const inFact = [...scanned].filter(([table, rows]) => isBig(table) && rows >= BIG_ROWS).map(([table]) => table);
  return {
    rows: Number(/rows=([\d.]+)/.exec(lines[0] ?? '')?.[1] ?? 0),
    pages: pagesIn(lines.find((line) => line.trim().startsWith('Buffers:')) ?? ''),
    scanned: [...new Set([...inPlan, ...walked, ...inFact])].sort(),
    text:
      `${name === null ? '-- not prepared' : `-- prepared as ${name}`}\n${sql.trim()}\n\n` +
      `${lines.map(stable).join('\n')}\n`,
  };
}

/** An index that is followed without a condition: what it reads, for as many rows as were passed over or kept. */
function walkAt(lines: readonly string[], index: number): { table: string; rows: number }[] {
  const [, table, rows, loops] =
    /Index (?:Only )?Scan (?:Backward )?using \S+ on (\w+).*actual rows=([\d.]+) loops=(\d+)/.exec(
      lines[index] ?? '',
    ) ?? [];
  if (table === undefined) return [];
  const end = lines.findIndex(
    (line, at) => (at > index && line.includes('(actual')) || (at > index && line.includes('(never executed)')),
  );
  const details = lines.slice(index + 1, end < 0 ? undefined : end);
  if (details.some((line) => line.trim().startsWith('Index Cond:'))) return [];
  const removed = Number(/Rows Removed by Filter: (\d+)/.exec(details.join('\n'))?.[1] ?? 0);
  return [{ table, rows: (Number(rows) + removed) * Number(loops) }];
}

const pagesIn = (line: string): number =>
  rounded(
    [...line.replace(/(dirtied|written)=\d+/g, '').matchAll(/(?:hit|read)=(\d+)/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    ),
  );

function rounded(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(count, 1))) - 1);
  return Math.round(count / unit) * unit;
}

/**
 * Rows of a loop are means: whole ones lose their zeros. How much was in memory already, and the memory of a hash,
 * differ from run to run.
 */
function stable(line: string): string {
  if (line.trim().startsWith('Buffers:')) return line.replace(/Buffers:.*/, `Pages: ${pagesIn(line)}`);
  return line
    .replace(/(rows=\d+)\.00\b/g, '$1')
    .replace(/\s*(Memory( Usage)?|Peak Memory Usage): \d+kB/g, '')
    .replace(/Storage: (\w+)\s+Maximum Storage: \d+kB/, 'Storage: $1')
    .trimEnd();
}
