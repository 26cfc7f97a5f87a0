/** What makes a run fail: wrong answers, and changes that waited for each other in a circle. */
import { deadlocksIn } from '../../test/support/deadlocks.js';
import type { Row } from './row.js';

/** Names the cases at the end of the run, which exits with 1: figures of wrong answers are none. */
export function failFor(names: readonly string[]): void {
  if (names.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(`bench: not answered as they should be: ${names.join(', ')}\n`);
}

/** Cases of our own controller, and not of one to compare with, with answers other than 2xx or lost connections. */
export const wrongOf = (rows: readonly Row[]): string[] =>
  rows.filter(({ result }) => result.errors > 0).map(({ name, connections }) => `${name} (${connections} connections)`);

/** @throws Error when there was any */
export function requireNoDeadlocks(dataDir: string): void {
  const count = deadlocksIn(dataDir);
  if (count > 0) throw new Error(`PostgreSQL ended ${count} circles of changes that waited for each other`);
}
