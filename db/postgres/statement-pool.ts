/** Connections for all that is neither a short read nor a list: each statement or transaction has one to itself. */
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { actingAs, beginAs } from './attribution.js';
import type { Actor } from './attribution.js';
import { prepareConnection } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import type { ConnectionStats, Db, OnVersion, RequestScope } from './contracts.js';
import { isConflict, translate } from './errors.js';
import { Executor } from './executor.js';
import { growWithinLimits } from './pool-growth.js';
import type { GrowingPool } from './pool-growth.js';
import { timed } from './request-clock.js';
import { trackedClients } from './servers.js';
import type { PooledClient } from './servers.js';
import type { Sendable, Statement } from './statement.js';
import type { ShortChange } from './shared-commits.js';
import { connectionFault, isFull, runInHurry, runOn, runTogether } from './statement-runner.js';
import type { StatementRunner } from './statement-runner.js';
import type { StatementCounts } from './statement-watch.js';
import { TransactionNotes } from './touched.js';
import type { OnCommit } from './touched.js';
import { BEGIN, COMMIT } from './transaction-commands.js';

/** Many times what a controller's own statements are; only those for sets of changed columns vary beyond. */
const MAX_PREPARED = 500;

export interface StatementPoolOptions {
  /** Settings from `sessionConfig`. */
  readonly config: ClientConfig;
  readonly size: number;
  readonly patienceMs: number;
  readonly onLimit: (open: number) => void;
  /** Actor of the changes that no scope names an actor for. */
  readonly actor: Actor | undefined;
  readonly counts: StatementCounts | undefined;
  readonly onCommit: OnCommit;
  /** @throws DatabaseUnavailable while the database is known to be away */
  readonly requireUp: () => void;
}

type ClientWork<T> = (client: PooledClient, run: StatementRunner, onBroken: (error: unknown) => void) => Promise<T>;

export class StatementPool {
  readonly clients = trackedClients();
  readonly #pool: pg.Pool;
  readonly #growth: GrowingPool;

  constructor(readonly options: StatementPoolOptions) {
    const { size, patienceMs, onLimit } = options;
    this.#pool = this.#open();
    this.#growth = growWithinLimits(this.#pool, { size, patienceMs, onLimit });
  }

  #open(): pg.Pool {
    const { config, size, patienceMs, actor } = this.options;
    const pool = new pg.Pool({
      ...config,
      Client: this.clients.Client,
      max: size,
      connectionTimeoutMillis: patienceMs,
      idleTimeoutMillis: 0,
      verify: (client, done) => {
        prepareConnection(client, { actor }).then(() => {
          done();
        }, done);
      },
    });
    pool.on('error', () => undefined); // an idle connection died: the pool drops it, the watchdog reports it
    pool.on('connect', (client) => {
      // While a client is in use the pool does not listen, and the server may end it between two statements: the next
      // one fails and shows it.
      client.on('error', () => undefined);
    });
    return pool;
  }

  /** One statement, which is a transaction of its own. */
  run<R>(statement: Sendable, values?: readonly unknown[], form?: RowForm, scope?: RequestScope): Promise<Rows<R>> {
    return this.#onClient(scope, (_client, run) => run<R>(statement, values, form));
  }

  /**
   * Changes as one transaction. A conflict with others is not settled here, where it would hold up all of them.
   * @throws the failure of any of them: then none was made, unless the connection broke
   */
  runTogether(changes: readonly ShortChange[]): Promise<Rows<unknown>[]> {
    return this.#onceOnClient(undefined, (client) => runInHurry(client, changes, this.options.counts));
  }

  /** @param begin  the statement that opens the transaction */
  transact<T>(work: (tx: Db) => Promise<T>, begin: Sendable, scope: RequestScope | undefined): Promise<T> {
    const { onCommit, counts } = this.options;
    return this.#onClient(scope, async (client, run, onBroken) => {
      try {
        const opening = new Opening(client, run, begin, scope, counts);
        const notes = new TransactionNotes();
        const result = await work(new NotedTransaction(opening.run, notes, scope?.onVersion));
        if (opening.isOpen) await run(COMMIT);
        const touched = begin === BEGIN ? notes.all : notes.noted;
        if (touched.length > 0) onCommit(touched, scope?.actor?.requestId);
        return result;
      } catch (error) {
        if (connectionFault(error) === undefined) await client.query('ROLLBACK').catch(onBroken);
        else onCommit(['anything'], scope?.actor?.requestId);
        throw error;
      }
    });
  }

  #onClient<T>(scope: RequestScope | undefined, work: ClientWork<T>): Promise<T> {
    return repeated(() => this.#onceOnClient(scope, work));
  }

  async #onceOnClient<T>(scope: RequestScope | undefined, work: ClientWork<T>): Promise<T> {
    const client = await this.#connect(scope);
    let broken: Error | undefined;
    const onBroken = (error: unknown) => {
      broken = error as Error;
    };
    try {
      const run = runOn(client, { connection: 'pool', counts: this.options.counts, scope });
      return await work(client, run, onBroken);
    } catch (error) {
      broken ??= connectionFault(error);
      throw error;
    } finally {
      client.release(broken ?? isFull(client, MAX_PREPARED));
    }
  }

  async #connect(scope: RequestScope | undefined): Promise<PooledClient> {
    this.options.requireUp();
    try {
      return await timed(scope?.clock, 'pool', () => this.#growth.connect());
    } catch (error) {
      throw translate(error);
    }
  }

  get stats(): ConnectionStats {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { total, idle, waiting };
  }

  /** Opens no further connections beyond what a limit of the server leaves. */
  stopGrowth(): void {
    this.#growth.close();
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Opens a transaction along with its first statement: so it costs no round trip of its own. */
class Opening {
  isOpen = false;

  constructor(
    readonly client: PooledClient,
    readonly runNext: StatementRunner,
    readonly begin: Sendable,
    readonly scope: RequestScope | undefined,
    readonly counts: StatementCounts | undefined,
  ) {}

  readonly run: StatementRunner = async <R>(statement: Sendable, values: readonly unknown[] = [], form?: RowForm) => {
    if (this.isOpen) return this.runNext<R>(statement, values, form);
    this.isOpen = true;
    const { begin, scope } = this;
    // Those that are several commands, or come as texts, go one after the other.
    if (begin.name === null || statement.name === null || form === 'texts') {
      await this.runNext({ ...beginAs(begin, scope?.actor), name: null });
      return this.runNext<R>(statement, values, form);
    }
    const actor = scope?.actor === undefined ? [] : [actingAs(scope.actor)];
    const opening = [{ statement: begin, values: [], scope }, ...actor, { statement, values, scope }];
    const answers = await runTogether(this.client, opening, this.counts);
    return answers.at(-1) as Rows<R>;
  };
}

/** The statements of an open transaction, which note what they touch. */
class NotedTransaction extends Executor {
  constructor(
    readonly runner: StatementRunner,
    readonly notes: TransactionNotes,
    readonly versionListener: OnVersion | undefined,
  ) {
    super();
  }

  override get onVersion(): OnVersion | undefined {
    return this.versionListener;
  }

  get touched(): TransactionNotes['touched'] {
    return this.notes.touched;
  }

  execute<R>(statement: Statement<R>, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    if (statement.kind === 'change') this.notes.wrote(false);
    else if (statement.kind === 'changeAside') this.notes.wrote(true);
    return this.runner<R>(statement, values, form);
  }
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
