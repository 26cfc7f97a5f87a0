/** One line on the terminal that is written over; nothing elsewhere. */
const WIDTH = 100;

export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.slice(0, WIDTH - 1).padEnd(WIDTH - 1)}`);
}

export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${' '.repeat(WIDTH - 1)}\r`);
}

/** A line that stays, on stderr: stdout is for results. */
export function say(text: string): void {
  clearProgress();
  process.stderr.write(`${text}\n`);
}

/** Lines of the result. */
export const print = (lines: string | readonly string[]): void => {
  process.stdout.write(`${typeof lines === 'string' ? lines : lines.join('\n')}\n`);
};
