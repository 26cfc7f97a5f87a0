/**
 * Finds out whether a pooler in transaction mode is between us and PostgreSQL. Behind one nothing that we rely on
 * holds: prepared statements, settings and LISTEN belong to a server connection that the next statement may not get.
 */
import type pg from 'pg';
import type { ClientConfig } from 'pg';
import { ServerClient } from './servers.js';
import { cut, sessionConfig } from './connection.js';

const PATIENCE_MS = 5_000;
const PID = 'SELECT pg_backend_pid() AS pid';

/**
 * Two connections. While the second holds a transaction open, the first asks for its server process again. Either the
 * second got the process that the first seemed to have, or the first gets another one now: both mean that no connection
 * keeps its own. A direct connection, or a pooler in session mode, gives each one process for as long as it is open.
 * @throws an error of the connection
 */
export async function isTransactionPooled(connection: ClientConfig): Promise<boolean> {
  const patience = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS };
  const open = () => new ServerClient({ ...sessionConfig(connection), ...patience });
  const [first, second] = [open(), open()];
  const pidOf = async (client: pg.Client) => (await client.query<{ pid: number }>(PID)).rows[0]?.pid;
  try {
    for (const client of [first, second]) {
      client.on('error', () => undefined); // the statement under way fails with it
      await client.connect();
    }
    const before = await pidOf(first);
    await second.query('BEGIN');
    const other = await pidOf(second);
    return other === before || (await pidOf(first)) !== before;
  } finally {
    for (const client of [first, second]) cut(client);
  }
}
