/**
 * The way to PostgreSQL: a pool whose hot statements are prepared by name, lanes for short reads, connections of their
 * own for lists, transactions; and requests that fail fast when the database is gone.
 */
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { beginAs, settingOf, withActor } from './attribution.js';
import type { Actor } from './attribution.js';
import { EXPENDABLE } from './expendable.js';
import { during } from './request-clock.js';
import { isConflict, translate } from './errors.js';
import { openLanes } from './lanes.js';
import type { LaneLoad } from './lanes.js';
import { openListLane, placesOf } from './list-lane.js';
import type { ListBounds, Whole, WholeOptions } from './list-lane.js';
import { DomainError } from '../../domain/errors.js';
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release, SemaphoreLoad } from '../../domain/scheduling/fair-semaphore.js';
import { StopSource } from '../../domain/scheduling/stop-signal.js';
import { DatabaseUnavailable, outageOf } from './outages.js';
import type { Outage } from './outages.js';
import { growWithinLimits } from './pool-growth.js';
import { TransactionNotes } from './touched.js';
import type { OnCommit, Touched } from './touched.js';
import type { OnVersion, RequestScope } from './request-scope.js';
import { trackedClients } from './servers.js';
import type { PooledClient } from './servers.js';
import { cut, sessionConfig, prepareConnection } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import { connectionFault, isFull, runOn } from './statement.js';
import { StatementCounts, watched } from './statement-watch.js';
import { watch } from './watchdog.js';

/** What stores need. The pool and an open transaction both are one; a store must not depend on which it has. */
export interface Db {
  /**
   * A statement that reads, or locks.
   * @param name  statement name for PostgreSQL to keep it prepared; null for a text that varies without bound
   * @throws DomainError for a known constraint or an unreachable database
   */
  run<R>(name: string | null, sql: string, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>>;
  /** A statement that changes something, unless it is EXPENDABLE: outside a transaction, one of its own. As `run`. */
  write<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
  /**
   * A short statement that changes nothing. Outside a transaction it shares a connection with others that wait for
   * no more than each other: twice the rate of a connection each, since PostgreSQL need not be woken for every one.
   */
  read<R>(name: string, sql: string, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>>;
  /**
   * A change that moves no epoch, as of sessions and terminators, which come and go all the time: only what is noted
   * with it is forgotten. As `write`.
   */
  writeAside<R>(name: string | null, sql: string, values?: readonly unknown[]): Promise<Rows<R>>;
  /** Notes what a change touches beside epochs, once it was made. Absent where nothing is kept in memory. */
  readonly touched?: ((touched: Touched) => void) | undefined;
  /** Whoever changes one row says here what its version is then; absent where it is not asked for. */
  readonly onVersion?: OnVersion | undefined;
}

export interface TransactionOptions {
  /**
   * The commit waits for no synchronous standby, and the transaction for no others that do: for what is simply done
   * again when a failover loses it, such as a login.
   */
  readonly isExpendable?: boolean;
  /**
   * The same, and the commit waits for no disk either, so that it takes as long whether anything was written or not. A
   * crash of the database loses what was committed in its last second.
   */
  readonly isUnsynced?: boolean;
  /** It changes nothing, and all that it reads is of one moment. */
  readonly isSnapshot?: boolean;
}

/** What the stores of one request need beyond statements. Each takes the scope of the request, if it has one. */
export interface Source extends Db {
  run<R>(
    name: string | null,
    sql: string,
    values?: readonly unknown[],
    form?: RowForm,
    scope?: RequestScope,
  ): Promise<Rows<R>>;
  write<R>(name: string | null, sql: string, values?: readonly unknown[], scope?: RequestScope): Promise<Rows<R>>;
  writeAside<R>(name: string | null, sql: string, values?: readonly unknown[], scope?: RequestScope): Promise<Rows<R>>;
  touched(touched: Touched, scope?: RequestScope): void;
  read<R>(
    name: string,
    sql: string,
    values?: readonly unknown[],
    form?: RowForm,
    scope?: RequestScope,
  ): Promise<Rows<R>>;
  /**
   * A list, on connections that only lists use; of one identity a few at a time.
   * @throws DomainError `rateLimited` when too many lists of the reader wait, `timeout` when it took too long or its
   * reader is gone
   */
  list<R>(
    name: string | null,
    sql: string,
    values: readonly unknown[],
    form?: RowForm,
    scope?: RequestScope,
  ): Promise<Rows<R>>;
  /**
   * All rows of a list, of one snapshot, in batches so that memory stays bounded whatever their number.
   * @throws as `list`; `rateLimited` also when too many lists leave in batches
   */
  whole<R>(sql: string, values: readonly unknown[], options: WholeOptions, scope?: RequestScope): Promise<Whole<R>>;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. One that PostgreSQL gives
   * up in favour of another is run again, so `work` must do nothing outside it.
   */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions, scope?: RequestScope): Promise<T>;
}

export interface Database extends Source {
  readonly isUp: () => boolean;
  /** Whether a full disk has room again; undefined when that is unknown. Takes about 1 MiB of it for a moment. */
  hasSpace(): Promise<boolean | undefined>;
  /** Why it cannot be used as it should; undefined when all is well. */
  readonly outage: () => Outage | undefined;
  readonly stats: () => { total: number; idle: number; waiting: number };
  /** What is under way, for metrics. */
  readonly load: () => DatabaseLoad;
  /** Undefined unless they are counted. */
  readonly statements: StatementCounts | undefined;
  close(): Promise<void>;
}

export interface DatabaseLoad {
  readonly lanes: LaneLoad;
  readonly lists: SemaphoreLoad;
  readonly changes: SemaphoreLoad;
}

/** True for the pool, false for a transaction: only the pool can open a snapshot of its own. */
export function isDatabase(db: Db): db is Source {
  return 'whole' in db;
}

/** Runs `work` in a transaction of its own, unless `db` is one already. */
export const inTransaction = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  isDatabase(db) ? db.transaction(work) : work(db);

export interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  readonly lists?: ListBounds;
  /** Who makes the changes that no scope names an actor for; absent: a controller without a name. */
  readonly actor?: Actor;
  /** How long a request may wait for a connection, and a probe for its answer, in milliseconds. */
  readonly patienceMs: number;
  /** Whether statements are counted and timed. */
  readonly isCounted?: boolean;
  /** The server gives no more than this many connections to the pool; called for each attempt that shows it. */
  readonly onLimit?: (open: number) => void;
  readonly onStateChange?: (isUp: boolean, cause?: unknown) => void;
  /** A change was committed, or may have been: called before `write` or `transaction` ends. */
  readonly onCommit?: OnCommit;
  /** Changes wait for a synchronous standby, or do so no longer. */
  readonly onConfirmationChange?: (isConfirmed: boolean) => void;
}

const BEGIN = 'BEGIN';
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';
/** Two statements in one message. On disk here before it is answered, whatever the standbys do. */
const BEGIN_EXPENDABLE = 'BEGIN; SET LOCAL synchronous_commit = local';

const BEGIN_UNSYNCED = 'BEGIN; SET LOCAL synchronous_commit = off';

/** New pages, which a change of a row does not always need. */
const TAKE_SPACE = `CREATE TEMPORARY TABLE edge_space ON COMMIT DROP AS
  SELECT repeat(md5(i::text), 60) AS filler FROM generate_series(1, 512) i`;

/** Each is a few objects; beyond it a change is refused at once instead of after the patience. */
const MAX_WAITING_WRITES = 10_000;

/** Many times what a controller's own statements are; only those for sets of changed columns vary beyond. */
const MAX_PREPARED = 500;

export const LIST_BOUNDS: ListBounds = { perIdentity: 4, waiting: 64, timeoutMs: 10_000 };

export function openDatabase(options: DatabaseOptions): Database {
  const config = sessionConfig(options.connection);
  const places = placesOf(options.poolSize);
  const { patienceMs, onLimit = () => undefined, onCommit = () => undefined } = options;
  const { Client, open } = trackedClients();
  const pool = new pg.Pool({
    ...config,
    Client,
    max: places.others,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: 0,
    verify: (client, done) => {
      prepareConnection(client, { actor: options.actor }).then(() => {
        done();
      }, done);
    },
  });
  const growth = growWithinLimits(pool, { size: places.others, patienceMs, onLimit });
  let up = true;
  /** Why it is not up. */
  let outage: Outage = 'unreachable';
  const setUp = (next: boolean, cause?: unknown) => {
    if (!next) outage = outageOf(cause) ?? 'unreachable';
    if (up !== next) {
      up = next;
      options.onStateChange?.(next, cause);
    }
  };
  pool.on('error', () => undefined); // an idle connection died: the pool drops it, the watchdog reports it
  pool.on('connect', (client) => {
    // While a client is in use the pool does not listen, and the server may end it between two statements: the next one
    // fails and shows it.
    client.on('error', () => undefined);
  });
  // Idle ones too: whether their server still is the one that answers later cannot be known.
  const lanes = openLanes(config, patienceMs);
  const counts = options.isCounted === true ? new StatementCounts() : undefined;
  const bounds = options.lists ?? LIST_BOUNDS;
  const listLane = openListLane({ config, places, patienceMs, bounds, counts, onLimit });
  const cutAll = () => {
    for (const client of open) cut(client);
    lanes.cut();
    listLane.cut();
  };

  const connect = async (scope: RequestScope | undefined): Promise<PooledClient> => {
    if (!up) throw new DatabaseUnavailable(outage, undefined);
    try {
      return await during(scope?.clock, 'pool', () => growth.connect());
    } catch (error) {
      throw translate(error);
    }
  };

  const runPlain: Source['run'] = (name, sql, values, form, scope) =>
    repeated(async () => {
      const client = await connect(scope);
      let broken: Error | undefined;
      try {
        return await runOn(client, { connection: 'pool', counts, scope })(name, sql, values, form);
      } catch (error) {
        broken = connectionFault(error);
        throw error;
      } finally {
        client.release(broken ?? isFull(client, MAX_PREPARED));
      }
    });

  /** Named apart, since a connection may have the text without an actor too. */
  const runAs: typeof runPlain = (name, text, values, form, scope) =>
    runPlain(name === null ? null : `${name}+`, text, values, form, scope);
  const run: Source['run'] = (name, sql, values = [], form, scope) => {
    const text = scope?.actor !== undefined && sql.includes(EXPENDABLE) ? withActor(sql, values.length + 1) : undefined;
    return text === undefined || scope?.actor === undefined
      ? runPlain(name, sql, values, form, scope)
      : runAs(name, text, [...values, settingOf(scope.actor)], form, scope);
  };

  const handOver = (touched: readonly Touched[], scope: RequestScope | undefined) => {
    onCommit(touched, scope?.actor?.requestId);
  };

  const transact = <T>(work: (tx: Db) => Promise<T>, begin: string, scope: RequestScope | undefined) =>
    repeated(async () => {
      const client = await connect(scope);
      let broken: Error | undefined;
      try {
        const run = runOn(client, { connection: 'pool', counts, scope });
        await run(null, beginAs(begin, scope?.actor));
        const notes = new TransactionNotes();
        const result = await work(inNotedTransaction(run, notes, scope));
        await run(null, 'COMMIT');
        const touched = begin === BEGIN ? notes.all : notes.noted;
        if (touched.length > 0) handOver(touched, scope);
        return result;
      } catch (error) {
        broken = connectionFault(error);
        if (broken !== undefined) handOver(['anything'], scope);
        if (broken === undefined)
          await client.query('ROLLBACK').catch((fault: unknown) => {
            broken = fault as Error;
          });
        throw error;
      } finally {
        client.release(broken ?? isFull(client, MAX_PREPARED));
      }
    });

  /** A change of one statement, which takes the actor along where its text has a place for it. */
  const change = <R>(name: string | null, sql: string, values: readonly unknown[], scope: RequestScope | undefined) => {
    const actor = scope?.actor;
    if (actor === undefined) return runPlain<R>(name, sql, values, 'objects', scope);
    const text = withActor(sql, values.length + 1);
    if (text === undefined) return transact((tx) => tx.writeAside<R>(name, sql, values), BEGIN, scope);
    return runAs<R>(name, text, [...values, settingOf(actor)], 'objects', scope);
  };

  /** Hands over what a change of one statement touches when it is made, or may have been. */
  const handingOver = async <T>(touched: Touched | null, scope: RequestScope | undefined, work: () => Promise<T>) => {
    try {
      const result = await work();
      if (touched !== null) handOver([touched], scope);
      return result;
    } catch (error) {
      if (connectionFault(error) !== undefined) handOver(['anything'], scope);
      throw error;
    }
  };

  let isConfirmed = true;
  const setConfirmed = (next: boolean) => {
    if (isConfirmed !== next) {
      isConfirmed = next;
      options.onConfirmationChange?.(next);
    }
  };
  const watchdog = watch({ config, patienceMs, setUp, setConfirmed, onLost: cutAll });
  const writers = new FairSemaphore({ permits: places.writes, perHolder: places.writes, waiting: MAX_WAITING_WRITES });
  const waitToWrite = async (scope: RequestScope | undefined): Promise<Release> => {
    const patience = new StopSource();
    const timer = setTimeout(() => {
      patience.stop();
    }, patienceMs);
    try {
      return await during(scope?.clock, 'pool', async () => writers.acquire('', patience));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new DatabaseUnavailable(isConfirmed ? 'busy' : 'unconfirmed', undefined);
    } finally {
      clearTimeout(timer);
    }
  };
  /**
   * A place among those that change something. One that waits for a standby keeps its place; others go on meanwhile.
   */
  const writing = async <T>(scope: RequestScope | undefined, work: () => Promise<T>): Promise<T> => {
    if (!up) throw new DatabaseUnavailable(outage, undefined);
    const leave = writers.tryAcquire('') ?? (await waitToWrite(scope));
    try {
      return await work();
    } finally {
      leave();
    }
  };

  return {
    run,
    async read<R>(
      name: string,
      sql: string,
      values: readonly unknown[] = [],
      form: RowForm = 'objects',
      scope?: RequestScope,
    ) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      try {
        const watch = { connection: 'lane', counts, trace: scope?.trace } as const;
        return await during(scope?.clock, 'database', () =>
          watched(watch, name, sql, () => lanes.read<R>(name, sql, values, form)),
        );
      } catch (error) {
        if (outageOf(error) !== 'connectionLimit') throw error;
        return run<R>(name, sql, values, form, scope); // the lane cannot be opened, but the pool has connections
      }
    },
    write: (name, sql, values = [], scope) =>
      writing(scope, () => handingOver('epochs', scope, () => change(name, sql, values, scope))),
    writeAside: (name, sql, values = [], scope) =>
      writing(scope, () => handingOver(null, scope, () => change(name, sql, values, scope))),
    touched(touched, scope) {
      handOver([touched], scope);
    },
    transaction(work, { isExpendable = false, isUnsynced = false, isSnapshot = false } = {}, scope) {
      if (isSnapshot) return transact(work, BEGIN_SNAPSHOT, scope);
      if (isUnsynced) return transact(work, BEGIN_UNSYNCED, scope);
      return isExpendable
        ? transact(work, BEGIN_EXPENDABLE, scope)
        : writing(scope, () => transact(work, BEGIN, scope));
    },
    async list(name, sql, values, form, scope) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      return listLane.list(name, sql, values, form, scope);
    },
    async whole(sql, values, options, scope) {
      if (!up) throw new DatabaseUnavailable(outage, undefined);
      return listLane.whole(sql, values, options, scope);
    },
    async hasSpace() {
      try {
        await transact((tx) => tx.run(null, TAKE_SPACE), BEGIN_EXPENDABLE, undefined);
        return true;
      } catch (error) {
        return outageOf(error) === 'diskFull' ? false : undefined;
      }
    },
    isUp: () => up,
    outage: () => (!up ? outage : isConfirmed ? undefined : 'unconfirmed'),
    stats() {
      const { total, idle, waiting } = listLane.stats();
      return { total: pool.totalCount + total, idle: pool.idleCount + idle, waiting: pool.waitingCount + waiting };
    },
    load: () => ({ lanes: lanes.load, lists: listLane.load, changes: writers.load }),
    statements: counts,
    async close() {
      watchdog.stop();
      growth.close();
      // A database that hangs would never confirm an orderly end.
      const impatience = setTimeout(cutAll, up ? patienceMs : 0);
      await Promise.all([pool.end(), lanes.close(), listLane.close()]);
      clearTimeout(impatience);
    },
  };
}

/** The statements of an open transaction, which note what they touch. */
function inNotedTransaction(
  run: ReturnType<typeof runOn>,
  notes: TransactionNotes,
  scope: RequestScope | undefined,
): Db {
  const { touched } = notes;
  return {
    run,
    read: run,
    write(name, sql, values) {
      notes.wrote(false);
      return run(name, sql, values);
    },
    writeAside(name, sql, values) {
      notes.wrote(true);
      return run(name, sql, values);
    },
    touched,
    onVersion: scope?.onVersion,
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
