/** Requests that meet a change which is not committed yet. */
import pg from 'pg';
import type { TestDatabase } from './database.js';
import { until } from './poll.js';

/** Who waits for a connection, or for one that waits for it: the second of a row waits for the first. */
const WAITING = `WITH RECURSIVE waiting AS (
    SELECT $1::int AS pid
    UNION SELECT a.pid FROM waiting w JOIN pg_stat_activity a ON w.pid = ANY (pg_blocking_pids(a.pid))
  ) SELECT FROM waiting WHERE pid <> $1`;

/**
 * Sends the requests while the change by `sql` is not committed: each once the one before it waits for the change. It
 * is committed when all of them wait.
 */
export async function whileHeld<T>(
  database: TestDatabase,
  [sql, ...values]: readonly [sql: string, ...values: string[]],
  ...requests: readonly (() => Promise<T>)[]
): Promise<T[]> {
  const client = new pg.Client(database.connection);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql, [...values]);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const sent: Promise<T>[] = [];
    for (const request of requests) {
      sent.push(request());
      await until(`${sent.length} wait`, async () => {
        const waiting = await database.query(WAITING, [rows[0]?.pid]);
        return waiting.rows.length >= sent.length;
      });
    }
    await client.query('COMMIT');
    return await Promise.all(sent);
  } finally {
    await client.end();
  }
}
