/**
 * The way to PostgreSQL: a pool whose hot statements are prepared by name, lanes for short reads, transactions,
 * batched reads of unbounded lists; and requests that fail fast when the database is gone.
 */
import pg from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import { during } from './clock.js';
import type { RequestClock } from './clock.js';
import { isConflict, translate } from './errors.js';
import { openLanes } from './lanes.js';
import { DatabaseUnavailable, OUTAGES, outageOf } from './outages.js';
import type { Outage } from './outages.js';
import { growWithinLimits } from './pool-growth.js';
import { ServerClient } from './servers.js';
import { cut, sessionConfig, settle } from './session.js';
import type { Rows } from './session.js';
import { watch } from './watchdog.js';

/** What stores need. The pool and an open transaction both are one; a store cannot tell and must not care. */
export interface Db {
  /**
   * @param name  statement name for PostgreSQL to keep it prepared; null for a text that varies without bound
   * @throws DomainError for a known constraint or an unreachable database
   */
  run<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
  /**
   * A short statement that changes nothing. Outside a transaction it shares a connection with others that wait for
   * no more than each other: twice the rate of a connection each, since PostgreSQL need not be woken for every one.
   */
  read<R>(name: string, sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
}

/** What the stores of one request need beyond statements. Each takes the clock of the request, if it has one. */
export interface Source extends Db {
  run<R>(name: string | null, sql: string, values?: readonly unknown[], clock?: RequestClock): Promise<Rows<R>>;
  read<R>(name: string, sql: string, values?: readonly unknown[], clock?: RequestClock): Promise<Rows<R>>;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. One that PostgreSQL gives
   * up in favour of another is run again, so `work` must do nothing outside it.
   */
  transaction<T>(work: (tx: Db) => Promise<T>, clock?: RequestClock): Promise<T>;
  /** Rows in batches from one snapshot, so that memory stays bounded whatever their number. */
  stream<R>(sql: string, values: readonly unknown[], batchSize: number, clock?: RequestClock): AsyncGenerator<R[]>;
}

export interface Database extends Source {
  /** Resolves when the database answers. @throws DomainError `unavailable` */
  ping(): Promise<void>;
  readonly isUp: () => boolean;
  readonly stats: () => { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** True for the pool, false for a transaction: only the pool can open a snapshot of its own. */
export function isDatabase(db: Db): db is Source {
  return 'stream' in db;
}

export interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  /** How long a request may wait for a connection, and a probe for its answer, in milliseconds. */
  readonly patienceMs: number;
  /** The server gives no more than this many connections to the pool; called for each attempt that shows it. */
  readonly onLimit?: (open: number) => void;
  readonly onStateChange?: (isUp: boolean, cause?: unknown) => void;
}

function runOn(client: Pick<PoolClient, 'query'>, clock: RequestClock | undefined) {
  return async <R>(name: string | null, sql: string, values: readonly unknown[] = []): Promise<Rows<R>> => {
    try {
      const query = name === null ? { text: sql, values: values as unknown[] } : { name, text: sql, values: values as unknown[] };
      const result = await during(clock, 'database', () => client.query(query));
      return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 };
    } catch (error) {
      throw translate(error);
    }
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const config = sessionConfig(options.connection);
  const pool = new pg.Pool({
    ...config, Client: ServerClient, max: options.poolSize, connectionTimeoutMillis: options.patienceMs, idleTimeoutMillis: 0,
    verify: (client, done) => { settle(client).then(() => { done(); }, done); },
  });
  const { poolSize: size, patienceMs, onLimit = () => undefined } = options;
  const growth = growWithinLimits(pool, { size, patienceMs, onLimit });
  const open = new Set<PoolClient>();
  let up = true;
  /** Why it is not up. */
  let outage: Outage = 'unreachable';
  const setUp = (next: boolean, cause?: unknown) => {
    if (!next) outage = outageOf(cause) ?? 'unreachable';
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
  const lanes = openLanes(config, options.patienceMs);
  const cutAll = () => {
    for (const client of open) cut(client);
    lanes.cut();
  };

  const connect = async (clock: RequestClock | undefined): Promise<PoolClient> => {
    if (!up) throw new DatabaseUnavailable(outage, undefined);
    try {
      return await during(clock, 'pool', () => growth.connect());
    } catch (error) {
      throw translate(error);
    }
  };

  const run: Source['run'] = (name, sql, values, clock) => repeated(async () => {
    const client = await connect(clock);
    let broken: Error | undefined;
    try {
      return await runOn(client, clock)(name, sql, values);
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
    async read<R>(name: string, sql: string, values: readonly unknown[] = [], clock?: RequestClock) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      try {
        return await during(clock, 'database', () => lanes.read<R>(name, sql, values));
      } catch (error) {
        if (outageOf(error) !== 'connectionLimit') throw error;
        return run<R>(name, sql, values, clock); // the lane cannot be opened, but the pool has connections
      }
    },
    transaction: (work, clock) => repeated(async () => {
      const client = await connect(clock);
      let broken: Error | undefined;
      try {
        const run = runOn(client, clock);
        await run(null, 'BEGIN');
        const result = await work({ run, read: run });
        await run(null, 'COMMIT');
        return result;
      } catch (error) {
        broken = connectionFault(error);
        if (broken === undefined) await client.query('ROLLBACK').catch((fault: unknown) => { broken = fault as Error; });
        throw error;
      } finally {
        client.release(broken);
      }
    }),
    async *stream<R>(sql: string, values: readonly unknown[], batchSize: number, clock?: RequestClock) {
      const client = await connect(clock);
      let finished = false;
      try {
        const query = runOn(client, clock);
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
      growth.close();
      // A database that hangs would never take leave.
      const impatience = setTimeout(cutAll, up ? options.patienceMs : 0);
      await Promise.all([pool.end(), lanes.close()]);
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
  return error instanceof DatabaseUnavailable && OUTAGES[error.outage].breaksConnection ? error : undefined;
}
