// What a run of all suites came to, in words: its last lines, and whether it failed.

const SHOWN = 15;
/** A busy machine spoils a file now and then. More is a fault of the tree. */
const FORGIVEN = 1;

const listed = (failures) => failures.map(({ title, error }) => `  ${title}\n    ${error}`).join('\n');
const inSeconds = (figure) => (figure === undefined ? '-' : figure.toFixed(0)).padStart(6);
const sum = (figures) => figures.reduce((total, figure) => total + figure, 0);

const bySeconds = (results) => Object.entries(results).sort(([, left], [, right]) => right.seconds - left.seconds);

/** For whoever adds to them: what the time goes into. */
function slowest(results) {
  const all = bySeconds(results);
  const lines = all
    .slice(0, SHOWN)
    .map(([file, { seconds, cpuSeconds }]) => `${inSeconds(seconds)}${inSeconds(cpuSeconds)}  ${file}`);
  const processors = sum(all.map(([, { cpuSeconds = 0 }]) => cpuSeconds));
  return [
    'the slowest files, with seconds by the clock and of processors (all: dist/test/times.tsv):',
    ...lines,
    `${inSeconds(sum(all.map(([, { seconds }]) => seconds)))}${inSeconds(processors)}  all`,
    '',
  ];
}

/** The times of all files as a table, the slowest first: seconds by the clock, of processors, tests, file. */
export const timesOf = (results) =>
  bySeconds(results)
    .map(([file, { seconds, cpuSeconds, passes }]) => [seconds, cpuSeconds ?? 0, passes, file].join('\t'))
    .join('\n');

/**
 * @param results  by file: { passes, pending, failures, seconds, cpuSeconds }, and in `first` the failures of a first
 *   run, of a file that was run again
 * @param faults   of the checks
 * @returns the lines, of which the last one counts, and the exit code
 */
export function summary(results, faults, { isHalted = false } = {}) {
  const all = Object.values(results);
  const failures = [...faults, ...all.flatMap((result) => result.failures)];
  const again = Object.entries(results).filter(([, { first, failures: left }]) => first && left.length === 0);
  const isForgiven = again.length <= FORGIVEN;
  const lines = slowest(results);
  if (failures.length > 0) lines.push(`failed:\n${listed(failures)}`, '');
  if (isHalted) lines.push('halted: not all have run');
  const pending = sum(all.map((result) => result.pending));
  if (pending > 0) lines.push(`${pending} not run: their titles say why`);
  for (const [file, { first }] of again)
    lines.push(`failed at first, and passed when run again: ${file}\n${listed(first)}`);
  if (!isForgiven) lines.push(`${again.length} such files: each counts as failed`);
  const failed = failures.length + (isForgiven ? 0 : again.length);
  lines.push(`${sum(all.map((result) => result.passes))} passed, ${failed} failed`);
  return { lines, code: failed > 0 || isHalted ? 1 : 0 };
}
