/** What `--posture` measures: endpoints that report, and what posture costs the users of services. */
import { writeFileSync } from 'node:fs';
import { failFor } from '../faults.js';
import { LoadGenerator } from '../load.js';
import type { Closers } from '../measure.js';
import type { BenchOptions } from '../options.js';
import { clearProgress } from '../progress.js';
import { machine } from '../report.js';
import { measureRatios } from './ratio.js';
import { phaseLines, ratioHead, ratioLine } from './report.js';
import { measureReports } from './reports.js';

const print = (lines: readonly string[]): void => {
  clearProgress();
  process.stdout.write(`${lines.join('\n')}\n`);
};

/** Fails for wrong answers alone: a benchmark is no timed test. */
export async function measurePosture(
  { posture, sizes, only, jsonFile }: BenchOptions,
  closers: Closers,
): Promise<void> {
  if (posture === undefined) throw new Error('posture is not to be measured');
  const facts = machine();
  const startedAt = new Date().toISOString();
  print([`machine     ${facts.cores} x ${facts.processor}, ${facts.memoryGiB} GiB, load ${facts.load} before`]);
  const wants = (part: string) => only.length === 0 || only.includes(part);
  const inner: Closers = [];
  const close = async () => {
    for (const closer of inner.splice(0).reverse()) await closer();
  };
  closers.push(close);
  const reports = wants('reports')
    ? await measureReports(posture, inner, (phase) => {
        print(phaseLines(phase));
      })
    : [];
  await close();
  const load = new LoadGenerator();
  closers.push(() => load.close());
  if (wants('ratios')) print(['', ratioHead()]);
  const ratios = wants('ratios')
    ? await measureRatios(sizes, load, closers, (row) => {
        print([ratioLine(row)]);
      })
    : [];
  if (jsonFile !== undefined)
    writeFileSync(jsonFile, `${JSON.stringify({ startedAt, machine: facts, reports, ratios }, null, 1)}\n`);
  failFor(ratios.filter(({ errors }) => errors > 0).map(({ name }) => name));
}
