/**
 * The way to PostgreSQL: a pool whose hot statements are prepared by name, lanes for short reads, connections of their
 * own for lists, transactions; and requests that fail fast when the database is gone.
 */
import type { ClientConfig } from 'pg';
import { DomainError } from '../../domain/errors.js';
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release } from '../../domain/scheduling/fair-semaphore.js';
import { StopSource } from '../../domain/scheduling/stop-signal.js';
import { settingOf } from './attribution.js';
import type { Actor } from './attribution.js';
import { cut, sessionConfig } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import { connectionCounts } from './connection-counts.js';
import type {
  ConnectionStats,
  Database,
  DatabaseLoad,
  Db,
  RequestScope,
  TransactionOptions,
  FullList,
  FullListOptions,
} from './contracts.js';
import { Executor } from './executor.js';
import { openLanes } from './lanes.js';
import type { Lanes } from './lanes.js';
import type { ListBounds } from './list-lane.js';
import { LongReads } from './long-reads.js';
import type { ReplicaChoice } from './long-reads.js';
import { DatabaseUnavailable, outageOf } from './outages.js';
import type { Outage } from './outages.js';
import { timed } from './request-clock.js';
import { SharedCommits } from './shared-commits.js';
import type { ShortChange } from './shared-commits.js';
import { unprepared } from './statement.js';
import type { BoundStatement, Statement } from './statement.js';
import { StatementPool } from './statement-pool.js';
import { connectionFault } from './statement-runner.js';
import { StatementCounts, watched } from './statement-watch.js';
import type { OnCommit, Touched } from './touched.js';
import { BEGIN, BEGIN_ASYNC, BEGIN_SNAPSHOT, BEGIN_UNSYNCED } from './transaction-commands.js';
import { watch } from './watchdog.js';

export interface DatabaseOptions {
  readonly connection: ClientConfig;
  readonly poolSize: number;
  readonly lists?: ListBounds;
  /** Actor of the changes that no scope names an actor for; absent: a controller without a name. */
  readonly actor?: Actor;
  /** How long a request may wait for a connection, and a probe for its answer, in milliseconds. */
  readonly patienceMs: number;
  /** Whether statements are counted and timed. */
  readonly isCounted?: boolean;
  /** The server gives no more than this many connections to the pool; called for each attempt that shows it. */
  readonly onLimit?: (open: number) => void;
  readonly onStateChange?: (isUp: boolean, cause?: unknown) => void;
  /** A change was committed, or may have been: called before its call ends. */
  readonly onCommit?: OnCommit;
  /** Changes wait for a synchronous standby, or do so no longer. */
  readonly onConfirmationChange?: (isConfirmed: boolean) => void;
  readonly replicas?: ReplicaChoice;
}

/** New pages, which a change of a row does not always need. */
const TAKE_SPACE = unprepared(
  'CREATE',
  `CREATE TEMPORARY TABLE edge_space ON COMMIT DROP AS
  SELECT repeat(md5(i::text), 60) AS filler FROM generate_series(1, 512) i`,
);

/** Each is a few objects; beyond it a change is refused at once instead of after the patience. */
const MAX_WAITING_CHANGES = 10_000;

export const LIST_BOUNDS: ListBounds = { perIdentity: 4, waiting: 64, timeoutMs: 10_000 };

export const openDatabase = (options: DatabaseOptions): Database => new PooledDatabase(options);

/** The statement and its values with the actor among them. */
function attributed(statement: Statement, values: readonly unknown[], actor: Actor): BoundStatement {
  const withActor = statement.withActor?.(values.length + 1);
  if (withActor === undefined) throw new TypeError(`${statement.label} has no place for its actor`);
  return { statement: withActor, values: [...values, settingOf(actor)] };
}

/** A change that may go together with others: without an actor it would take on that of one before it. */
function shortChange(
  statement: Statement,
  values: readonly unknown[],
  scope: RequestScope | undefined,
): ShortChange | undefined {
  const { sharing } = statement;
  if (sharing === undefined || scope?.actor === undefined) return undefined;
  const row = sharing.row === null ? null : String(values[sharing.row]);
  return { ...attributed(statement, values, scope.actor), scope, row };
}

class PooledDatabase extends Executor implements Database {
  readonly statements: StatementCounts | undefined;
  readonly #pool: StatementPool;
  readonly #lanes: Lanes;
  readonly #longReads: LongReads;
  /** Changes take turns: those that wait for a standby leave connections to everything else. */
  readonly #changes: FairSemaphore;
  readonly #sharedCommits = new SharedCommits({
    alone: ({ statement, values, scope }) =>
      this.#inTurn(scope, () => this.#pool.run(statement, values, 'objects', scope)),
    together: (changes) => this.#inTurn(undefined, () => this.#pool.runTogether(changes)),
  });
  readonly #watchdog: { stop(): void };
  #isUp = true;
  /** Why it is not up. */
  #outage: Outage = 'unreachable';
  #isConfirmed = true;

  constructor(readonly options: DatabaseOptions) {
    super();
    const { patienceMs, actor, lists: bounds = LIST_BOUNDS } = options;
    const { onLimit = () => undefined, onCommit = () => undefined } = options;
    const config = sessionConfig(options.connection);
    const connections = connectionCounts(options.poolSize);
    const counts = options.isCounted === true ? new StatementCounts() : undefined;
    this.statements = counts;
    const [{ others: size, changes: permits }, requireUp] = [connections, this.#requireUp];
    this.#pool = new StatementPool({ config, size, patienceMs, onLimit, actor, counts, requireUp, onCommit });
    this.#lanes = openLanes(config, patienceMs);
    const lane = { config, connections, patienceMs, bounds, counts, onLimit };
    this.#longReads = new LongReads(lane, this.#lanes, options.replicas);
    this.#changes = new FairSemaphore({ permits, perHolder: permits, waiting: MAX_WAITING_CHANGES });
    this.#watchdog = watch({
      config,
      patienceMs,
      setUp: this.#setUp,
      setConfirmed: this.#setConfirmed,
      onLost: this.#cutAll,
    });
  }

  async execute<R>(
    statement: Statement<R>,
    values: readonly unknown[] = [],
    form: RowForm = 'objects',
    scope?: RequestScope,
  ): Promise<Rows<R>> {
    switch (statement.kind) {
      case 'read':
        return this.#readOnLane(statement, values, form, scope);
      case 'list':
        this.#requireUp();
        return this.#longReads.list(statement, values, form, scope);
      case 'change':
        return this.#changeInTurn('epochs', statement, values, form, scope);
      case 'changeAside':
        return this.#changeInTurn(null, statement, values, form, scope);
      case 'asyncChange':
        return this.#change(statement, values, form, scope);
      case 'pooled':
        return this.#longReads.mayLookUp(scope)
          ? this.#longReads.list(statement, values, form, scope)
          : this.#pool.run<R>(statement, values, form, scope);
    }
  }

  async listAll<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    options: FullListOptions,
    scope?: RequestScope,
  ): Promise<FullList<R>> {
    this.#requireUp();
    return this.#longReads.listAll(statement, values, options, scope);
  }

  transaction<T>(
    work: (tx: Db) => Promise<T>,
    { isAsync = false, isUnsynced = false, isSnapshot = false }: TransactionOptions = {},
    scope?: RequestScope,
  ): Promise<T> {
    if (isSnapshot) return this.#pool.transact(work, BEGIN_SNAPSHOT, scope);
    if (isUnsynced) return this.#pool.transact(work, BEGIN_UNSYNCED, scope);
    return isAsync
      ? this.#pool.transact(work, BEGIN_ASYNC, scope)
      : this.#inTurn(scope, () => this.#pool.transact(work, BEGIN, scope));
  }

  async #readOnLane<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    form: RowForm,
    scope: RequestScope | undefined,
  ): Promise<Rows<R>> {
    this.#requireUp();
    try {
      const watch = { connection: 'lane', counts: this.statements, trace: scope?.trace } as const;
      return await timed(scope?.clock, 'database', () =>
        watched(watch, statement.label, () => this.#lanes.read(statement, values, form)),
      );
    } catch (error) {
      if (outageOf(error) !== 'connectionLimit') throw error;
      return this.#pool.run<R>(statement, values, form, scope); // no lane can be opened, but the pool has connections
    }
  }

  #changeInTurn<R>(
    touched: Touched | null,
    statement: Statement<R>,
    values: readonly unknown[],
    form: RowForm,
    scope: RequestScope | undefined,
  ): Promise<Rows<R>> {
    const change = form === 'objects' ? shortChange(statement, values, scope) : undefined;
    if (change === undefined)
      return this.#inTurn(scope, () =>
        this.#handingOver(touched, scope, () => this.#change(statement, values, form, scope)),
      );
    this.#requireUp();
    return this.#handingOver(touched, scope, () => this.#sharedCommits.run<R>(change));
  }

  /** A change of one statement, which takes the actor along. */
  #change<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    form: RowForm,
    scope: RequestScope | undefined,
  ): Promise<Rows<R>> {
    const actor = scope?.actor;
    if (actor === undefined) return this.#pool.run<R>(statement, values, form, scope);
    const bound = attributed(statement, values, actor);
    return this.#pool.run<R>(bound.statement, bound.values, form, scope);
  }

  /** Runs `work` in its turn among changes. One that waits for a standby keeps its turn; others go on meanwhile. */
  async #inTurn<T>(scope: RequestScope | undefined, work: () => Promise<T>): Promise<T> {
    this.#requireUp();
    const release = this.#changes.tryAcquire('') ?? (await this.#waitForTurn(scope));
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Hands over what a change of one statement touches when it is made, or may have been. */
  async #handingOver<T>(touched: Touched | null, scope: RequestScope | undefined, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      if (touched !== null) this.touched(touched, scope);
      return result;
    } catch (error) {
      if (connectionFault(error) !== undefined) this.touched('anything', scope);
      throw error;
    }
  }

  touched(touched: Touched, scope?: RequestScope): void {
    this.options.onCommit?.([touched], scope?.actor?.requestId);
  }

  async #waitForTurn(scope: RequestScope | undefined): Promise<Release> {
    const patience = new StopSource();
    const timer = setTimeout(() => {
      patience.stop();
    }, this.options.patienceMs);
    try {
      return await timed(scope?.clock, 'pool', async () => this.#changes.acquire('', patience));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new DatabaseUnavailable(this.#isConfirmed ? 'busy' : 'unconfirmed', undefined);
    } finally {
      clearTimeout(timer);
    }
  }

  readonly #requireUp = () => {
    if (!this.#isUp) throw new DatabaseUnavailable(this.#outage, undefined);
  };

  readonly #setUp = (isUp: boolean, cause?: unknown) => {
    if (!isUp) this.#outage = outageOf(cause) ?? 'unreachable';
    if (this.#isUp === isUp) return;
    this.#isUp = isUp;
    this.options.onStateChange?.(isUp, cause);
  };

  readonly #setConfirmed = (isConfirmed: boolean) => {
    if (this.#isConfirmed === isConfirmed) return;
    this.#isConfirmed = isConfirmed;
    this.options.onConfirmationChange?.(isConfirmed);
  };

  /** Idle ones too: whether their server still is the one that answers later cannot be known. */
  readonly #cutAll = () => {
    for (const client of this.#pool.clients.open) cut(client);
    this.#lanes.cut();
    this.#longReads.cut();
  };

  async hasSpace(): Promise<boolean | undefined> {
    try {
      await this.#pool.transact((tx) => tx.execute(TAKE_SPACE), BEGIN_ASYNC, undefined);
      return true;
    } catch (error) {
      return outageOf(error) === 'diskFull' ? false : undefined;
    }
  }

  readonly isUp = () => this.#isUp;

  readonly outage = () => (!this.#isUp ? this.#outage : this.#isConfirmed ? undefined : 'unconfirmed');

  readonly stats = (): ConnectionStats => {
    const [pool, lists] = [this.#pool.stats, this.#longReads.stats];
    return {
      total: pool.total + lists.total,
      idle: pool.idle + lists.idle,
      waiting: pool.waiting + lists.waiting,
    };
  };

  readonly load = (): DatabaseLoad => ({
    lanes: this.#lanes.load,
    lists: this.#longReads.load,
    changes: { running: this.#changes.load.running, waiting: this.#changes.load.waiting + this.#sharedCommits.waiting },
  });

  readonly replicas = () => this.#longReads.replicas;

  async close(): Promise<void> {
    this.#watchdog.stop();
    this.#pool.stopGrowth();
    // A database that hangs would never confirm an orderly end.
    const impatience = setTimeout(this.#cutAll, this.#isUp ? this.options.patienceMs : 0);
    await Promise.all([this.#pool.end(), this.#lanes.close(), this.#longReads.close()]);
    clearTimeout(impatience);
  }
}
