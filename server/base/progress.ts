/** Lines about work that takes long: some each minute, however fast it goes. */
import type { Logger } from './log.js';

const EVERY_MS = 10_000;

export const SNAPSHOT_PROGRESS = 'a snapshot of the database is being taken';

/** Makes a callback that logs a table and how many of its rows are done. */
export function reporter(log: Logger, message: string): (table: string, rows: number) => void {
  let last = performance.now();
  return (table, rows) => {
    const now = performance.now();
    if (now - last < EVERY_MS) return;
    last = now;
    log.info({ table, rows }, message);
  };
}
