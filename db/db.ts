/**
 * The way to PostgreSQL: a pool whose hot statements are prepared by name, lanes for short reads, connections of their
 * own for lists, transactions; and requests that fail fast when the database is gone.
 */
import pg from 'pg';
import type { ClientConfig, PoolClient } from 'pg';
import { during } from './clock.js';
import { isConflict, translate } from './errors.js';
import { openLanes } from './lanes.js';
import { openListLane, placesOf } from './list-lane.js';
import type { ListBounds, Whole } from './list-lane.js';
import { DatabaseUnavailable, outageOf } from './outages.js';
import type { Outage } from './outages.js';
import { growWithinLimits } from './pool-growth.js';
import type { RequestScope } from './request-scope.js';
import { ServerClient } from './servers.js';
import { cut, sessionConfig, settle } from './session.js';
import type { Rows } from './session.js';
import { connectionFault, isFull, runOn } from './statement.js';
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

/** What the stores of one request need beyond statements. Each takes the scope of the request, if it has one. */
export interface Source extends Db {
  run<R>(name: string | null, sql: string, values?: readonly unknown[], scope?: RequestScope): Promise<Rows<R>>;
  read<R>(name: string, sql: string, values?: readonly unknown[], scope?: RequestScope): Promise<Rows<R>>;
  /**
   * A list, on connections that only lists use; of one identity a few at a time.
   * @throws DomainError `rateLimited` when too many lists of the reader wait, `timeout` when it took too long or its
   * reader is gone
   */
  list<R>(name: string | null, sql: string, values: readonly unknown[], scope?: RequestScope): Promise<Rows<R>>;
  /**
   * All rows of a list, of one snapshot, in batches so that memory stays bounded whatever their number.
   * @param isHeld  we read it to its end at once: no slow reader can keep its connection
   * @throws as `list`; `rateLimited` also when too many lists leave in batches
   */
  whole<R>(sql: string, values: readonly unknown[], batchSize: number, isHeld: boolean, scope?: RequestScope): Promise<Whole<R>>;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. One that PostgreSQL gives
   * up in favour of another is run again, so `work` must do nothing outside it.
   */
  transaction<T>(work: (tx: Db) => Promise<T>, scope?: RequestScope): Promise<T>;
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
  return 'whole' in db;
}

export interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  readonly lists?: ListBounds;
  /** How long a request may wait for a connection, and a probe for its answer, in milliseconds. */
  readonly patienceMs: number;
  /** The server gives no more than this many connections to the pool; called for each attempt that shows it. */
  readonly onLimit?: (open: number) => void;
  readonly onStateChange?: (isUp: boolean, cause?: unknown) => void;
}

/** Many times what a controller's own statements are; only those for sets of changed columns vary beyond. */
const MAX_PREPARED = 500;

export const LIST_BOUNDS: ListBounds = { perIdentity: 4, waiting: 64, timeoutMs: 10_000 };

export function openDatabase(options: DatabaseOptions): Database {
  const config = sessionConfig(options.connection);
  const places = placesOf(options.poolSize);
  const { patienceMs, onLimit = () => undefined } = options;
  const pool = new pg.Pool({
    ...config, Client: ServerClient, max: places.others, connectionTimeoutMillis: patienceMs, idleTimeoutMillis: 0,
    verify: (client, done) => { settle(client).then(() => { done(); }, done); },
  });
  const growth = growWithinLimits(pool, { size: places.others, patienceMs, onLimit });
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
  const lanes = openLanes(config, patienceMs);
  const listLane = openListLane({ config, places, patienceMs, bounds: options.lists ?? LIST_BOUNDS, onLimit });
  const cutAll = () => {
    for (const client of open) cut(client);
    lanes.cut();
    listLane.cut();
  };

  const connect = async (scope: RequestScope | undefined): Promise<PoolClient> => {
    if (!up) throw new DatabaseUnavailable(outage, undefined);
    try {
      return await during(scope?.clock, 'pool', () => growth.connect());
    } catch (error) {
      throw translate(error);
    }
  };

  const run: Source['run'] = (name, sql, values, scope) => repeated(async () => {
    const client = await connect(scope);
    let broken: Error | undefined;
    try {
      return await runOn(client, scope?.clock)(name, sql, values);
    } catch (error) {
      broken = connectionFault(error);
      throw error;
    } finally {
      client.release(broken ?? isFull(client, MAX_PREPARED));
    }
  });

  const watchdog = watch({ config, patienceMs, setUp, onLost: cutAll });

  return {
    run,
    async read<R>(name: string, sql: string, values: readonly unknown[] = [], scope?: RequestScope) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      try {
        return await during(scope?.clock, 'database', () => lanes.read<R>(name, sql, values));
      } catch (error) {
        if (outageOf(error) !== 'connectionLimit') throw error;
        return run<R>(name, sql, values, scope); // the lane cannot be opened, but the pool has connections
      }
    },
    transaction: (work, scope) => repeated(async () => {
      const client = await connect(scope);
      let broken: Error | undefined;
      try {
        const run = runOn(client, scope?.clock);
        await run(null, 'BEGIN');
        const result = await work({ run, read: run });
        await run(null, 'COMMIT');
        return result;
      } catch (error) {
        broken = connectionFault(error);
        if (broken === undefined) await client.query('ROLLBACK').catch((fault: unknown) => { broken = fault as Error; });
        throw error;
      } finally {
        client.release(broken ?? isFull(client, MAX_PREPARED));
      }
    }),
    async list(name, sql, values, scope) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      return listLane.list(name, sql, values, scope);
    },
    async whole(sql, values, batchSize, isHeld, scope) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      return listLane.whole(sql, values, batchSize, isHeld, scope);
    },
    async ping() { await run('ping', 'SELECT 1'); },
    isUp: () => up,
    stats() {
      const { total, idle, waiting } = listLane.stats();
      return { total: pool.totalCount + total, idle: pool.idleCount + idle, waiting: pool.waitingCount + waiting };
    },
    async close() {
      watchdog.stop();
      growth.close();
      // A database that hangs would never take leave.
      const impatience = setTimeout(cutAll, up ? patienceMs : 0);
      await Promise.all([pool.end(), lanes.close(), listLane.close()]);
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
