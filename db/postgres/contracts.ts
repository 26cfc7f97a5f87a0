/** Interfaces of the database to stores, and of a request to the database. Implementations import them. */
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';
import type { SemaphoreLoad } from '../../domain/scheduling/fair-semaphore.js';
import type { Actor } from './attribution.js';
import type { RowForm, Rows } from './connection.js';
import type { ListPermit } from './list-permit.js';
import type { LaneLoad } from './lanes.js';
import type { Outage } from './outages.js';
import type { RequestClock } from './request-clock.js';
import type { Statement } from './statement.js';
import type { StatementCounts, StatementTrace } from './statement-watch.js';
import type { Touched } from './touched.js';

/** Runs statements. The pool and an open transaction both do; a store must not depend on which it has. */
export interface Db {
  /**
   * Runs the statement, as every other method does, and gives all that PostgreSQL answered.
   * @throws DomainError for a known constraint or an unreachable database
   */
  execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>>;
  /** The first row. @throws as `execute` */
  one<R>(statement: Statement<R>, values?: readonly unknown[]): Promise<R | undefined>;
  /** All rows. @throws as `execute` */
  many<R>(statement: Statement<R>, values?: readonly unknown[]): Promise<R[]>;
  /** How many rows it found or changed. @throws as `execute` */
  count(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** Notes what a change touches besides epochs, once it was made. Absent where nothing is kept in memory. */
  readonly touched?: ((touched: Touched) => void) | undefined;
  /** The store that changes a row says here what its version is then; absent where it is not asked for. */
  readonly onVersion?: OnVersion | undefined;
}

export interface TransactionOptions {
  /**
   * The commit waits for no synchronous standby, and the transaction for no others that do: for what is simply done
   * again when a failover loses it, such as a login.
   */
  readonly isAsync?: boolean;
  /**
   * The same, and the commit waits for no disk either, so that it takes as long whether anything was written or not. A
   * crash of the database loses what was committed in its last second.
   */
  readonly isUnsynced?: boolean;
  /** It changes nothing, and all that it reads is of one moment. */
  readonly isSnapshot?: boolean;
}

/** Adds to statements what the stores of one request need. */
export interface Source extends Db {
  /**
   * All rows of a list, of one snapshot, in batches so that memory stays bounded whatever their number.
   * @throws DomainError `rateLimited` when too many lists of the reader wait or leave in batches, `timeout` when it
   * took too long or its reader is gone
   */
  listAll<R>(statement: Statement<R>, values: readonly unknown[], options: FullListOptions): Promise<FullList<R>>;
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. One that PostgreSQL gives
   * up in favour of another is run again, so `work` must do nothing outside it.
   */
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/** The pool. Each statement takes the scope of the request that it is for, if there is one. */
export interface Database extends Source {
  execute<R>(
    statement: Statement<R>,
    values?: readonly unknown[],
    form?: RowForm,
    scope?: RequestScope,
  ): Promise<Rows<R>>;
  listAll<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    options: FullListOptions,
    scope?: RequestScope,
  ): Promise<FullList<R>>;
  transaction<T>(work: (tx: Db) => Promise<T>, options?: TransactionOptions, scope?: RequestScope): Promise<T>;
  touched(touched: Touched, scope?: RequestScope): void;
  readonly isUp: () => boolean;
  /** Whether a full disk has room again; undefined when that is unknown. Takes about 1 MiB of it for a moment. */
  hasSpace(): Promise<boolean | undefined>;
  /** Why it cannot be used as it should; undefined when all is well. */
  readonly outage: () => Outage | undefined;
  readonly stats: () => ConnectionStats;
  /** Statements under way, for metrics. */
  readonly load: () => DatabaseLoad;
  /** Undefined where no standby answers reads. */
  readonly replicas: () => ReplicaLoad | undefined;
  /** Undefined unless they are counted. */
  readonly statements: StatementCounts | undefined;
  close(): Promise<void>;
}

export interface ConnectionStats {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface DatabaseLoad {
  readonly lanes: LaneLoad;
  readonly lists: SemaphoreLoad;
  readonly changes: SemaphoreLoad;
}

export interface ReplicaLoad {
  /** Reads that standbys answered. */
  readonly answered: number;
  /** Reads that could have gone there, and that the primary answered. */
  readonly left: number;
  readonly usable: ReadonlyMap<string, boolean>;
}

/** All rows of a list: in one piece, or its head and the batches after it. */
export interface FullList<R> {
  readonly head: R[];
  /** Ends by itself, when it is left, and when its reader is gone. */
  readonly rest?: AsyncGenerator<R[]>;
}

export interface FullListOptions {
  readonly batchSize: number;
  /** We read it to its end at once: no slow reader can keep its connection. */
  readonly isReadAtOnce: boolean;
  readonly form: RowForm;
}

/** Reader of a list: whose share of the database it takes, and until when its answer is wanted. */
export interface ListReader {
  /** Lists of one identity take turns. */
  readonly identityId: string;
  /** Stops when the answer is not wanted any more. */
  readonly signal: StopSignal;
  /** Permit of its lists, kept until the answer is text. */
  readonly permit: ListPermit;
}

/** Gets the version of a row as a change leaves it: `updated_at`. Of several calls for one row the last one counts. */
export type OnVersion = (table: string, id: string, version: Date) => void;

/** Says where the version of an entity is: in the time of its last change, or of its making when nothing can be set. */
export interface Versioned {
  /** Name of one in errors. */
  readonly name: string;
  readonly table: string;
  /** The member that answers show it as. */
  readonly by: 'createdAt' | 'updatedAt';
}

/** The row that a request changes, and the versions of it that the sender takes for the present one. */
export interface Precondition {
  readonly entity: Versioned;
  readonly id: string;
  readonly isDelete: boolean;
  /** Versions as `versionOf` writes them. */
  readonly versions: ReadonlySet<string>;
}

/**
 * Context that the statements of one request share: who waits for them, and the clock that counts their time. It is
 * handed to the database by the request's own stores (`Stores.forRequest`).
 */
export interface RequestScope {
  readonly reader?: ListReader;
  /** Nothing is decided by what it reads, so standbys may answer its long reads. */
  readonly mayReadReplicas?: boolean;
  /** Absent: the time is not asked for. */
  readonly clock?: RequestClock | undefined;
  /** Actor of the changes, as the audit record names them; absent: the controller by itself. */
  readonly actor?: Actor;
  /** Absent: the request is not traced. */
  readonly trace?: StatementTrace | undefined;
  /** Absent: whatever the request changes may have been changed before. */
  readonly precondition?: Precondition | undefined;
  /** Absent: the answer says nothing of versions. */
  readonly onVersion?: OnVersion | undefined;
}

/** True for the pool, false for a transaction: only the pool can open a snapshot of its own. */
export function isDatabase(db: Db): db is Source {
  return 'listAll' in db;
}

/** Runs `work` in a transaction of its own, unless `db` is one already. */
export const inTransaction = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  isDatabase(db) ? db.transaction(work) : work(db);
