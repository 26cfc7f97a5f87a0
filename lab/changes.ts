/**
 * What single changes cost PostgreSQL in a filled network: CPU of the server's process, and what they write to the log,
 * for rows at random. The changes stay: `npm run explain -- --data DIR` makes the data again.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../db/embedded/supervisor.js';
import { prepareConnection, sessionConfig } from '../db/postgres/connection.js';

const WARM = 20;
const TIMES = 400;
const TICK_MS = 10;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Change {
  readonly name: string;
  /** A query of ids. */
  readonly rows: string;
  /** `$1` is one of them. */
  readonly sql: string;
  /** Who acts, as the audit record has it; '': the controller. */
  readonly actor: string;
}

const ADMINISTRATOR = `identity|${'A'.repeat(22)}|${Buffer.from('admin').toString('hex')}|x|127.0.0.1|r|`;
const at = (table: string, id = 'id') => `SELECT ${id} AS id FROM ${table} ORDER BY random() LIMIT ${WARM + TIMES}`;

const CHANGES: readonly Change[] = [
  { name: 'session delete', rows: at('sessions'), sql: 'DELETE FROM sessions WHERE id = $1', actor: '' },
  {
    name: 'session delete by administrator',
    rows: at('sessions'),
    sql: 'DELETE FROM sessions WHERE id = $1',
    actor: ADMINISTRATOR,
  },
  { name: 'API session delete', rows: at('api_sessions'), sql: 'DELETE FROM api_sessions WHERE id = $1', actor: '' },
  {
    name: 'posture report, a change',
    rows: at('api_session_postures', 'api_session_id'),
    sql: `WITH kept AS (UPDATE api_session_postures SET reported = reported || '{"x": 1}', woken_at = now()
      WHERE api_session_id = $1)
    UPDATE api_sessions SET posture_revision = posture_revision + 1 WHERE id = $1`,
    actor: '',
  },
];

async function measure(client: pg.Client, { name, rows, sql, actor }: Change): Promise<void> {
  const { rows: found } = await client.query<{ id: string }>(rows);
  await client.query("SELECT set_config('edge.actor', $1, false)", [actor]);
  const one = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cpuMs = () => {
    const stat =
      readFileSync(`/proc/${one.rows[0]?.pid ?? 0}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return (Number(stat[11]) + Number(stat[12])) * TICK_MS;
  };
  const place = async () =>
    Number((await client.query<{ bytes: string }>("SELECT pg_current_wal_lsn() - '0/0' AS bytes")).rows[0]?.bytes);
  const run = async (ids: readonly { id: string }[]) => {
    for (const { id } of ids) await client.query({ name, text: sql, values: [id] });
  };
  await run(found.slice(0, WARM));
  const [cpu, written, measured] = [cpuMs(), await place(), found.slice(WARM)];
  await run(measured);
  const each = (sum: number) => (sum / measured.length).toFixed(2);
  const kib = each(((await place()) - written) / 1024);
  process.stdout.write(`${name.padEnd(34)} ${each(cpuMs() - cpu)} ms of CPU, ${kib} KiB of log\n`);
}

async function main(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({
    dataDir: resolve(dataDir),
    log: silent,
    settings: { autovacuum: 'off' },
  });
  try {
    const client = new pg.Client(sessionConfig({ ...server.connection, ssl: false }));
    await client.connect();
    await prepareConnection(client);
    await client.query('CHECKPOINT');
    for (const change of CHANGES) await measure(client, change);
    await client.end();
  } finally {
    await server.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [dataDir] = process.argv.slice(2);
  if (dataDir === undefined) process.stdout.write('Usage: node dist/lab/changes.js DIR, a kept database of explain\n');
  else
    main(dataDir).catch((error: unknown) => {
      process.stderr.write(`changes: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exitCode = 1;
    });
}
