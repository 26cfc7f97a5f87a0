/** How every connection of ours speaks to PostgreSQL: session settings, and times and counts read without a general parser. */
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

const SESSION_SETTINGS = '-c timezone=UTC -c jit=off -c statement_timeout=30s -c idle_in_transaction_session_timeout=60s';

/** How long a connection may be idle before the system asks whether its other end still lives. */
const KEEP_ALIVE_MS = 10_000;

/** The connection settings every session of ours uses, whoever opens it. */
export function sessionConfig(connection: ClientConfig): ClientConfig {
  return {
    application_name: 'edge-controller', keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS, options: SESSION_SETTINGS,
    ...connection, ...withSettings(connection), ...(types ? { types } : {}),
  };
}

/** `options` in a URL would replace ours; ours come after them, since what is read relies on the time zone. */
function withSettings({ connectionString }: ClientConfig): ClientConfig {
  if (connectionString === undefined) return {};
  return { connectionString: connectionString.replace(/(?<=[?&]options=)[^&#]*/, (given) => `${given}${encodeURIComponent(` ${SESSION_SETTINGS}`)}`) };
}

/** Ends a connection without taking leave, which a database that hangs would keep waiting for. Never throws. */
export function cut(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream
    .destroy(new Error('Connection terminated: the database does not answer'));
}
