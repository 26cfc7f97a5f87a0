/**
 * The way to PostgreSQL: a pool whose hot statements are prepared by name, transactions, batched reads of
 * unbounded lists, and a watchdog that fails requests fast when the database is gone.
 */
import pg from 'pg';
import type { ClientBase, ClientConfig, PoolClient } from 'pg';
import { isConflict, translate, unavailable } from './errors.js';

export interface Rows<R> {
  readonly rows: R[];
  readonly rowCount: number;
}

/** What stores need. The pool and an open transaction both are one; a store cannot tell and must not care. */
export interface Db {
  /**
   * @param name  statement name for PostgreSQL to keep it prepared; null for a text that varies without bound
   * @throws DomainError for a known constraint or an unreachable database
   */
  run<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
}

export interface Database extends Db {
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. One that PostgreSQL gives
   * up in favour of another is run again, so `work` must do nothing outside it.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Rows in batches from one snapshot, so that memory stays bounded whatever their number. */
  stream<R>(sql: string, values: readonly unknown[], batchSize: number): AsyncGenerator<R[]>;
  /** Resolves when the database answers. @throws DomainError `unavailable` */
  ping(): Promise<void>;
  readonly isUp: () => boolean;
  readonly stats: () => { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** True for the pool, false for a transaction: only the pool can open a snapshot of its own. */
export function isDatabase(db: Db): db is Database {
  return 'stream' in db;
}

export interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  /** How long a request may wait for a connection, and a probe for its answer, in milliseconds. */
  readonly patienceMs: number;
  readonly onStateChange?: (isUp: boolean, cause?: unknown) => void;
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

function runOn(client: Pick<PoolClient, 'query'>) {
  return async <R>(name: string | null, sql: string, values: readonly unknown[] = []): Promise<Rows<R>> => {
    try {
      const result = await client.query(name === null ? { text: sql, values: values as unknown[] } : { name, text: sql, values: values as unknown[] });
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    } catch (error) {
      throw translate(error);
    }
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const config = sessionConfig(options.connection);
  const pool = new pg.Pool({ ...config, max: options.poolSize, connectionTimeoutMillis: options.patienceMs, idleTimeoutMillis: 0 });
  const open = new Set<PoolClient>();
  let up = true;
  const setUp = (next: boolean, cause?: unknown) => {
    if (up !== next) { up = next; options.onStateChange?.(next, cause); }
  };
  pool.on('error', () => undefined); // an idle connection died: the pool drops it, the watchdog tells
  pool.on('connect', (client) => {
    open.add(client);
    // While a client is in use the pool does not listen, and the server may end it between two statements: the next one tells.
    client.on('error', () => undefined);
  });
  pool.on('remove', (client) => open.delete(client));
  // Idle ones too: whether their server still is the one that answers later cannot be known.
  const cutAll = () => { for (const client of open) cut(client); };

  const connect = async (): Promise<PoolClient> => {
    if (!up) throw unavailable(undefined);
    try {
      return await pool.connect();
    } catch (error) {
      throw translate(error);
    }
  };

  const run: Db['run'] = (name, sql, values) => repeated(async () => {
    const client = await connect();
    let broken: Error | undefined;
    try {
      return await runOn(client)(name, sql, values);
    } catch (error) {
      broken = connectionFault(error);
      throw error;
    } finally {
      client.release(broken);
    }
  });

  const watchdog = watch({ config, patienceMs: options.patienceMs, setUp, onLost: cutAll });

  return {
    run,
    transaction: (work) => repeated(async () => {
      const client = await connect();
      let broken: Error | undefined;
      try {
        await runOn(client)(null, 'BEGIN');
        const result = await work({ run: runOn(client) });
        await runOn(client)(null, 'COMMIT');
        return result;
      } catch (error) {
        broken = connectionFault(error);
        if (broken === undefined) await client.query('ROLLBACK').catch((fault: unknown) => { broken = fault as Error; });
        throw error;
      } finally {
        client.release(broken);
      }
    }),
    async *stream<R>(sql: string, values: readonly unknown[], batchSize: number) {
      const client = await connect();
      let finished = false;
      try {
        const query = runOn(client);
        await query(null, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        await query(null, `DECLARE page NO SCROLL CURSOR FOR ${sql}`, values);
        for (;;) {
          const { rows } = await query<R>(null, `FETCH ${batchSize} FROM page`);
          if (rows.length > 0) yield rows;
          if (rows.length < batchSize) break;
        }
        await query(null, 'COMMIT');
        finished = true;
      } finally {
        client.release(finished ? undefined : new Error('list abandoned'));
      }
    },
    async ping() { await run('ping', 'SELECT 1'); },
    isUp: () => up,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      watchdog.stop();
      // A database that hangs would never take leave.
      const impatience = setTimeout(cutAll, up ? options.patienceMs : 0);
      await pool.end();
      clearTimeout(impatience);
    },
  };
}

const ATTEMPTS = 4;

/** Deadlocks and failed serializations: what was rolled back may be tried again. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
    }
  }
}

/** The error when it means that the connection must not be used again. */
function connectionFault(error: unknown): Error | undefined {
  return error instanceof Error && (error as { kind?: unknown }).kind === 'unavailable' && !isConflict(error) ? error : undefined;
}

/** Ends a connection without taking leave, which a database that hangs would keep waiting for. Never throws. */
export function cut(client: ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(error: Error): void } } }).connection.stream
    .destroy(new Error('Connection terminated: the database does not answer'));
}

interface Watch {
  readonly config: ClientConfig;
  readonly patienceMs: number;
  readonly setUp: (up: boolean, cause?: unknown) => void;
  readonly onLost: () => void;
}

/**
 * Asks the database for a sign of life every second on a connection of its own. When none comes in time, requests
 * that wait are failed and new ones refused at once, until it answers again.
 */
function watch({ config, patienceMs, setUp, onLost }: Watch): { stop(): void } {
  let stopped = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  const drop = () => {
    const old = client;
    client = null;
    if (old !== null) { old.removeAllListeners('error'); old.on('error', () => undefined); old.end().catch(() => undefined); cut(old); }
  };
  const probe = async () => {
    try {
      if (client === null) {
        const fresh = new pg.Client({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
        fresh.on('error', () => { if (client === fresh) client = null; });
        await fresh.connect();
        client = fresh;
      }
      await client.query('SELECT 1');
      setUp(true);
    } catch (error) {
      drop();
      if (!stopped) { setUp(false, error); onLost(); }
    }
    if (!stopped) timer = setTimeout(() => void probe(), client === null ? 200 : 1000).unref();
  };
  timer = setTimeout(() => void probe(), 1000).unref();
  return { stop() { stopped = true; clearTimeout(timer); drop(); } };
}
