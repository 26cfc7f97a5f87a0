/**
 * How every connection of ours speaks to PostgreSQL: settings of the session, proof that its server takes writes, and
 * times and counts read without a general parser.
 */
import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ClientBase, ClientConfig, QueryResult, QueryResultRow } from 'pg';
import { settingOf } from './attribution.js';
import type { Actor } from './attribution.js';
import { PreparedQuery } from './prepared-query.js';
import type { KnownColumns } from './prepared-query.js';

/** How the columns of a statement come: read, or as the texts that PostgreSQL wrote. */
export type RowForm = 'objects' | 'texts';

/** Answer to a statement. */
export interface Rows<R> {
  readonly rows: R[];
  readonly rowCount: number;
  /** Columns of rows that came as texts. */
  readonly columns: readonly Column[];
}

export interface Column {
  readonly name: string;
  /** Its type's number in PostgreSQL. */
  readonly dataTypeID: number;
}

const INT8 = 20;
const JSON_TEXT = 114;
const TEXT_ARRAY = 1009;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/** PostgreSQL's `2026-11-21 05:06:30.77+00` (session time zone UTC) as a Date, without a general parser. */
function parseTimestamp(text: string): Date {
  if (text.length < 22 || text.charCodeAt(10) !== 32 || !text.endsWith('+00')) return new Date(text.replace(' ', 'T'));
  let millis = 0;
  if (text.length > 22) millis = digit(text, 20) * 100;
  if (text.length > 24) millis += digit(text, 21) * 10;
  if (text.length > 25) millis += digit(text, 22);
  return new Date(
    Date.UTC(
      twoDigits(text, 0) * 100 + twoDigits(text, 2),
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      millis,
    ),
  );
}

const parseAnyTextArray = pg.types.getTypeParser(TEXT_ARRAY as number, 'text') as (text: string) => string[];

/** `{a,b}`. PostgreSQL quotes an element that has anything special in it; that is left to the general parser. */
function parseTextArray(text: string): string[] {
  if (text === '{}') return [];
  const isPlain = text.lastIndexOf('{') === 0 && !text.includes('"') && !text.includes('NULL');
  return isPlain ? text.slice(1, -1).split(',') : parseAnyTextArray(text);
}

/** Most objects that a row brings are empty. */
const parseJson = (text: string): unknown => (text === '{}' ? {} : JSON.parse(text));

/** Parsers for the types that lists are full of: they take half the time of the general ones. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [JSON_TEXT]: parseJson,
  [JSONB]: parseJson,
  [TEXT_ARRAY]: parseTextArray,
  [TIMESTAMPTZ]: parseTimestamp,
};

type Parser = (text: string) => unknown;

/** How a text of this type is read. */
export const parserOf = (type: number): Parser => PARSERS[type] ?? (pg.types.getTypeParser(type, 'text') as Parser);

/** How every connection reads columns. */
export const TYPES = {
  getTypeParser(oid: number, format?: string) {
    return format === 'binary' ? (pg.types.getTypeParser(oid, 'binary') as Parser) : parserOf(oid);
  },
} as ClientConfig['types'];

const asItIs = (text: string): string => text;
const TEXTS = { rowMode: 'array', types: { getTypeParser: () => asItIs } };

/** A connection, with what it knows of its prepared statements. */
export interface KnowingClient extends ClientBase {
  readonly known: Readonly<Record<RowForm, KnownColumns>>;
}

/** Sends a statement over a connection. */
export async function send<R>(
  client: KnowingClient,
  name: string | null,
  sql: string,
  values: readonly unknown[],
  form: RowForm,
): Promise<Rows<R>> {
  const result = await new Promise<QueryResult<never>>((resolve, reject) => {
    const done = (error: Error | null | undefined, answer: QueryResult<never>) => {
      if (error == null) resolve(answer);
      else reject(error);
    };
    const known = client.known[form];
    client.query(
      form === 'objects'
        ? PreparedQuery.ofObjects(known, { name, text: sql }, values, done, TYPES)
        : new PreparedQuery(known, { name: name ?? undefined, text: sql, ...TEXTS }, values, done),
    );
  });
  return rowsFrom(result);
}

export const rowsFrom = <R>({ rows, rowCount, fields }: QueryResult<R & QueryResultRow>): Rows<R> => ({
  rows,
  rowCount: rowCount ?? 0,
  columns: fields,
});

/** How long a connection may be idle before the system asks whether its other end still lives. */
const KEEP_ALIVE_MS = 10_000;

/** Settings that every connection is opened with. `prepareConnection` must follow before it is used. */
export function sessionConfig(connection: ClientConfig): ClientConfig {
  return {
    application_name: 'edge-controller',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...connection,
    types: TYPES,
  };
}

/** The server answers, but only reads: a standby, or a primary that was closed to writes. It may be behind for good. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the database server takes no writes: it is a standby, or read-only');
  }
}

/** It was promoted, or is the primary itself. */
class NoStandby extends Error {
  constructor() {
    super('the database server takes writes: it is no standby');
  }
}

const READ_ONLY = "current_setting('transaction_read_only') = 'on' AS is_read_only";

/**
 * Set after connecting, because poolers refuse settings at start-up; they also win over those of the role and the
 * database. What is read relies on the time zone and the style of dates.
 */
const SETTLE = `SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, MDY', false),
  set_config('jit', 'off', false), set_config('statement_timeout', $1, false), set_config('edge.actor', $2, false),
  set_config('idle_in_transaction_session_timeout', '60s', false), ${READ_ONLY}`;

const STATEMENT_TIMEOUT_MS = 30_000;

interface Settled {
  readonly is_read_only: boolean;
}

export interface Preparation {
  readonly statementTimeoutMs?: number;
  /** Actor of changes made over it, where a transaction does not say. */
  readonly actor?: Actor | undefined;
  /** The server is to be a standby. */
  readonly isStandby?: boolean;
}

/**
 * Makes a new connection fit for use.
 * @throws ReadOnlyServer where no standby is meant: what such a server answers must never be believed
 */
export async function prepareConnection(
  client: ClientBase,
  { statementTimeoutMs = STATEMENT_TIMEOUT_MS, actor, isStandby = false }: Preparation = {},
): Promise<void> {
  const {
    rows: [row],
  } = await client.query<Settled>(SETTLE, [
    String(Math.ceil(statementTimeoutMs)),
    actor === undefined ? '' : settingOf(actor),
  ]);
  if (row?.is_read_only !== isStandby) throw isStandby ? new NoStandby() : new ReadOnlyServer();
}

/** @throws ReadOnlyServer when the server takes no writes; an error of the connection when it does not answer */
export async function requireWritable(client: ClientBase): Promise<void> {
  const {
    rows: [row],
  } = await client.query<Pick<Settled, 'is_read_only'>>(`SELECT ${READ_ONLY}`);
  if (row?.is_read_only !== false) throw new ReadOnlyServer();
}

/** Commits that have waited for a synchronous standby for longer than one takes, of all controllers of this role. */
const STATE = `SELECT ${READ_ONLY}, (SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'SyncRep'
  AND usename = session_user AND state_change < clock_timestamp() - interval '2 s') AS waiting`;

export interface DatabaseState {
  readonly waiting: number;
}

/** Asks what a watchdog needs to know. @throws as `requireWritable` */
export async function databaseState(client: ClientBase): Promise<DatabaseState> {
  const {
    rows: [row],
  } = await client.query<Pick<Settled, 'is_read_only'> & DatabaseState>(STATE);
  if (row?.is_read_only !== false) throw new ReadOnlyServer();
  return row;
}

/** Cuts a connection without an orderly end, for which a database that hangs would keep it waiting. Never throws. */
export function cut(client: ClientBase): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.on('error', () => undefined); // pg does not listen to the errors of one that was never connected
  stream.destroy(new Error('Connection terminated: the database does not answer'));
}
