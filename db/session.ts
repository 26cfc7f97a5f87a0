/**
 * How every connection of ours speaks to PostgreSQL: settings of the session, proof that its server takes writes, and
 * times and counts read without a general parser.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ClientBase, ClientConfig } from 'pg';

/** What a statement answered. */
export interface Rows<R> {
  readonly rows: R[];
  readonly rowCount: number;
}

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** PostgreSQL's `2026-11-21 05:06:30.77+00` (session time zone UTC) as a Date, without a general parser. */
export function parseTimestamp(text: string): Date {
  if (text.length < 22 || !text.endsWith('+00')) return new Date(text.replace(' ', 'T'));
  const fraction = text.slice(20, -3);
  const millis = text.charCodeAt(19) === 46 ? Number(fraction.padEnd(3, '0').slice(0, 3)) : 0;
  return new Date(Date.UTC(+text.slice(0, 4), +text.slice(5, 7) - 1, +text.slice(8, 10),
    +text.slice(11, 13), +text.slice(14, 16), +text.slice(17, 19), millis));
}

const types = {
  getTypeParser(oid: number, format?: string) {
    if (format !== 'binary' && oid === TIMESTAMPTZ) return parseTimestamp;
    if (format !== 'binary' && oid === INT8) return Number;
    return pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text') as (text: string) => unknown;
  },
} as ClientConfig['types'];

/** How long a connection may be idle before the system asks whether its other end still lives. */
const KEEP_ALIVE_MS = 10_000;

/** What every connection of ours is opened with, whoever opens it. `settle` must follow before it is used. */
export function sessionConfig(connection: ClientConfig): ClientConfig {
  return {
    application_name: 'edge-controller', keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...connection, ...(types ? { types } : {}),
  };
}

/** The server answers, but only reads: a standby, or a primary that was closed to writes. It may be behind for good. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the database server takes no writes: it is a standby, or read-only');
  }
}

const READ_ONLY = "current_setting('transaction_read_only') = 'on' AS is_read_only";

/**
 * Set after connecting, because poolers refuse settings at start-up; they also win over those of the role and the
 * database. What is read relies on the time zone and the style of dates.
 */
const SETTLE = `SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, MDY', false), set_config('jit', 'off', false),
  set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', '60s', false), ${READ_ONLY}`;

const STATEMENT_TIMEOUT_MS = 30_000;

interface Settled { readonly is_read_only: boolean }

/** Makes a new connection fit for use. @throws ReadOnlyServer: what such a server answers must never be believed */
export async function settle(client: ClientBase, statementTimeoutMs = STATEMENT_TIMEOUT_MS): Promise<void> {
  const { rows: [row] } = await client.query<Settled>(SETTLE, [String(Math.ceil(statementTimeoutMs))]);
  if (row?.is_read_only !== false) throw new ReadOnlyServer();
}

/** @throws ReadOnlyServer when the server takes no writes; an error of the connection when it does not answer */
export async function requireWritable(client: ClientBase): Promise<void> {
  const { rows: [row] } = await client.query<Pick<Settled, 'is_read_only'>>(`SELECT ${READ_ONLY}`);
  if (row?.is_read_only !== false) throw new ReadOnlyServer();
}

/** Commits that have waited for a synchronous standby for longer than one takes, of all controllers of this role. */
const LOOK = `SELECT ${READ_ONLY}, (SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'
  AND usename = session_user AND state_change < clock_timestamp() - interval '2 s') AS waiting`;

export interface Look { readonly waiting: number }

/** What a watchdog asks. @throws as `requireWritable` */
export async function look(client: ClientBase): Promise<Look> {
  const { rows: [row] } = await client.query<Pick<Settled, 'is_read_only'> & Look>(LOOK);
  if (row?.is_read_only !== false) throw new ReadOnlyServer();
  return row;
}

/** Ends a connection without taking leave, which a database that hangs would keep waiting for. Never throws. */
export function cut(client: ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.on('error', () => undefined); // of one that was never connected, pg does not listen to its errors
  stream.destroy(new Error('Connection terminated: the database does not answer'));
}
