/**
 * What a suite leaves behind: whatever keeps the process alive (a listening server, a socket, a timer, a child
 * process), and on the run's own PostgreSQL server connections and databases.
 */
import { setImmediate } from 'node:timers/promises';
import { TEMPLATE, adminQuery } from './database.js';

/** All that is there, a line each; Node names its own by kind alone: `TCPServerWrap`, `PipeWrap`, `Timeout`. */
export async function whatIsOpen(): Promise<string[]> {
  await setImmediate(); // inside the callback of a timer, that timer still counts
  const kinds = process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate');
  const onServer = await adminQuery<{ what: string }>(
    `SELECT format('connection %s to %s, last: %s', pid, datname, left(query, 100)) AS what FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
     UNION ALL SELECT format('database %s', datname) FROM pg_database
      WHERE starts_with(datname, 'edge_') AND datname <> '${TEMPLATE}'`,
  );
  return [...kinds, ...onServer.map(({ what }) => what)];
}

/** What is there and was not in `before`; of what has no name, the number counts. */
export function leftovers(before: readonly string[], now: readonly string[]): string[] {
  const known = [...before];
  return now.filter((what) => {
    const index = known.indexOf(what);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}
