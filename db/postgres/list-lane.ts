/**
 * The lane of lists: connections of their own, so that lists slow down lists and nothing else. An identity has a few of
 * the places at a time, a list that leaves in batches takes one of even fewer, and a statement is cancelled as soon as
 * its answer is no longer wanted.
 */
import pg from 'pg';
import type { ClientBase, ClientConfig } from 'pg';
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release, SemaphoreLoad } from '../../domain/scheduling/fair-semaphore.js';
import type { StopSignal } from '../../domain/scheduling/stop-signal.js';
import { DomainError } from '../../domain/errors.js';
import type { Source } from './db.js';
import { openCanceller, processOf } from './canceller.js';
import type { ServerProcess } from './canceller.js';
import { during } from './request-clock.js';
import { translate } from './errors.js';
import { growWithinLimits } from './pool-growth.js';
import type { RequestScope } from './request-scope.js';
import { trackedClients } from './servers.js';
import type { PooledClient } from './servers.js';
import { cut, prepareConnection } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import { connectionFault, isFull, runOn } from './statement.js';
import type { StatementCounts } from './statement-watch.js';

export interface ListBounds {
  /** Lists that one identity may have under way; more wait their turn. */
  readonly perIdentity: number;
  /** Lists of one identity that may wait; more are refused. */
  readonly waiting: number;
  /** How long a statement of a list may take. */
  readonly timeoutMs: number;
}

/** All rows of a list: in one piece, or its head and the batches after it. */
export interface Whole<R> {
  readonly head: R[];
  /** Ends by itself, when it is left, and when its reader is gone. */
  readonly rest?: AsyncGenerator<R[]>;
}

export interface WholeOptions {
  readonly batchSize: number;
  /** We read it to its end at once: no slow reader can keep its connection. */
  readonly isHeld: boolean;
  readonly form: RowForm;
}

export interface ListLane extends Pick<Source, 'list' | 'whole'> {
  stats(): { total: number; idle: number; waiting: number };
  /** Lists that have a place, those that leave in batches among them, and those that wait for one. */
  readonly load: SemaphoreLoad;
  cut(): void;
  close(): Promise<void>;
}

/** Lists that leave in batches hold a connection for as long as a reader takes. */
const STREAMS = 4;
const STREAMS_PER_IDENTITY = 2;

export interface Places {
  readonly lists: number;
  readonly streams: number;
  /** Of everything else. */
  readonly others: number;
  /** How many of these may be in use by changes, which may have to wait for a standby. */
  readonly writes: number;
}

/** How the connections of a pool are divided: half of them for everything else, a fifth for lists in batches. */
export function placesOf(poolSize: number): Places {
  const streams = Math.max(1, Math.min(STREAMS, Math.floor(poolSize / 5)));
  const lists = Math.max(1, Math.floor(poolSize / 2) - streams);
  const others = Math.max(1, poolSize - lists - streams);
  return { lists, streams, others, writes: Math.max(1, others - Math.max(1, Math.floor(others / 4))) };
}

/** Names in use, and as many that have gone out of use since. */
const MAX_PREPARED = 200;
/** A connection ends some time even if it is not full: what its statements took goes back to the system. */
const LIFETIME_SECONDS = 1_800;
const IDLE_MS = 600_000;

export interface ListLaneOptions {
  readonly config: ClientConfig;
  readonly places: Places;
  readonly patienceMs: number;
  readonly bounds: ListBounds;
  readonly counts?: StatementCounts | undefined;
  /** The server gives no more than this many connections. */
  readonly onLimit: (open: number) => void;
}

export function openListLane(options: ListLaneOptions): ListLane {
  const { config, places, patienceMs, bounds, counts, onLimit } = options;
  const { Client, open } = trackedClients();
  const processes = new WeakMap<ClientBase, ServerProcess>();
  const size = places.lists + places.streams;
  const pool = new pg.Pool({
    ...config,
    Client,
    max: size,
    connectionTimeoutMillis: patienceMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    verify: (client, done) => {
      prepareConnection(client, { statementTimeoutMs: bounds.timeoutMs })
        .then(async () => {
          processes.set(client, await processOf(client));
        })
        .then(() => {
          done();
        }, done);
    },
  });
  const growth = growWithinLimits(pool, { size, patienceMs, onLimit });
  pool.on('error', () => undefined); // an idle connection died: the pool drops it
  pool.on('connect', (client) => {
    client.on('error', () => undefined); // while it is in use, the statement under way reports the failure
  });
  const canceller = openCanceller(config, patienceMs);
  const lists = new FairSemaphore({ permits: places.lists, perHolder: bounds.perIdentity, waiting: bounds.waiting });
  const streams = new FairSemaphore({ permits: places.streams, perHolder: STREAMS_PER_IDENTITY, waiting: 0 });

  const borrow = async (scope: RequestScope): Promise<Loan> => {
    const { reader, clock } = scope;
    const client = await during(clock, 'pool', () => growth.connect()).catch((error: unknown) => {
      throw translate(error);
    });
    const cancel = () => canceller.cancel(processes.get(client) as ServerProcess);
    return new Loan(client, cancel, {
      signal: reader?.signal,
      run: runOn(client, { connection: 'list', counts, scope }),
    });
  };
  const enter = async ({ reader, clock }: RequestScope): Promise<Release> => {
    reader?.place.begin();
    try {
      const place = lists.acquire(holderOf(reader), reader?.signal);
      const leave = place instanceof Promise ? await during(clock, 'pool', () => place) : place;
      return reader === undefined
        ? leave
        : () => {
            reader.place.end(leave);
          };
    } catch (error) {
      reader?.place.end();
      throw error;
    }
  };

  return {
    async list<R>(
      name: string | null,
      sql: string,
      values: readonly unknown[],
      form: RowForm = 'objects',
      scope: RequestScope = {},
    ) {
      const leave = await enter(scope);
      let loan: Loan | undefined;
      let fault: unknown;
      try {
        loan = await borrow(scope);
        return await loan.run<R>(name, sql, values, form);
      } catch (error) {
        fault = error;
        throw error;
      } finally {
        loan?.end(fault);
        leave();
      }
    },
    async whole<R>(
      sql: string,
      values: readonly unknown[],
      { batchSize, isHeld, form }: WholeOptions,
      scope: RequestScope = {},
    ) {
      const leave = await enter(scope);
      let cursor: Cursor<R> | undefined;
      try {
        cursor = new Cursor<R>(await borrow(scope), leave, { batchSize, form });
        const head = await cursor.open(sql, values);
        if (head.length < batchSize) {
          await cursor.close();
          return { head };
        }
        const { reader } = scope;
        if (isHeld || reader === undefined) return { head, rest: cursor.rest() };
        cursor.moveTo(placeFor(streams, reader.identityId));
        return { head, rest: cursor.restUntil(reader.signal) };
      } catch (error) {
        if (cursor === undefined) leave();
        else await cursor.close(error);
        throw error;
      }
    },
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: lists.load.waiting }),
    get load() {
      const { running, waiting } = lists.load;
      return { running: running + streams.load.running, waiting };
    },
    cut() {
      for (const client of open) cut(client);
      canceller.cut();
    },
    async close() {
      growth.close();
      await Promise.all([pool.end(), canceller.close()]);
    },
  };
}

const holderOf = (reader: RequestScope['reader']): string => reader?.identityId ?? '';

/** A place at once, or none: a list that waited here would hold a place of the usual lists meanwhile. */
function placeFor(streams: FairSemaphore, holder: string): Release {
  try {
    return streams.acquire(holder) as Release;
  } catch {
    const causeMessage = 'too many lists without limit are being read; ask for pages with limit and offset';
    throw new DomainError('rateLimited', { causeMessage, headers: { 'retry-after': '5' } });
  }
}

/** A statement that goes on after its cancel is cancelled again. */
const CANCEL_AGAIN_MS = 500;

/** A connection on loan. It goes back once its statement has ended and a cancel that was sent has been answered. */
class Loan {
  readonly #signal: StopSignal | undefined;
  readonly #run: ReturnType<typeof runOn>;
  #isBusy = false;
  #cancelling: Promise<void> | undefined;
  /** The statement under way is over. */
  #onOver: () => void = () => undefined;
  /** The server may still be at work, or the cancel still on its way. */
  #doubt: Error | undefined;

  /** @param cancel  ends the statement that runs on `client` */
  constructor(
    readonly client: PooledClient,
    readonly cancel: () => Promise<void>,
    { signal, run }: { signal: StopSignal | undefined; run: ReturnType<typeof runOn> },
  ) {
    this.#signal = signal;
    this.#run = run;
    signal?.addEventListener('abort', this.#abandon);
  }

  readonly #abandon = () => {
    if (!this.#isBusy || this.#cancelling !== undefined) return;
    this.#cancelling = this.#cancelUntilOver().catch((error: unknown) => {
      this.#doubt = new Error('a statement may still be running', { cause: error });
      cut(this.client);
    });
  };

  /** PostgreSQL forgets a request that comes between two messages of one statement. */
  async #cancelUntilOver(): Promise<void> {
    for (await this.cancel(); this.#isBusy; await this.cancel()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CANCEL_AGAIN_MS);
        this.#onOver = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      if (!this.#isBusy) return;
    }
  }

  async run<R>(name: string | null, sql: string, values?: readonly unknown[], form?: RowForm): Promise<Rows<R>> {
    if (this.#signal?.aborted === true) throw new DomainError('timeout');
    this.#isBusy = true;
    try {
      return await this.#run<R>(name, sql, values, form);
    } finally {
      this.#isBusy = false;
      this.#onOver();
      if (this.#cancelling !== undefined) await this.#cancelling;
    }
  }

  /** @param fault  why the loan ends before its work was done */
  end(fault?: unknown): void {
    this.#signal?.removeEventListener('abort', this.#abandon);
    this.client.release(connectionFault(fault) ?? this.#doubt ?? isFull(this.client, MAX_PREPARED));
  }

  /** Ends the transaction, whatever became of it, and the loan. */
  async endTransaction(fault?: unknown): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abandon);
    let broken = connectionFault(fault) ?? this.#doubt;
    if (broken === undefined)
      await this.#run(null, 'COMMIT').catch((error: unknown) => {
        broken = error as Error;
      });
    this.end(broken);
  }
}

/** A list that is read in batches, all of one snapshot. */
class Cursor<R> {
  #leave: Release;
  #loan: Loan | undefined;
  #isReading = false;

  constructor(
    loan: Loan,
    leave: Release,
    readonly options: Omit<WholeOptions, 'isHeld'>,
  ) {
    this.#loan = loan;
    this.#leave = leave;
  }

  /** @returns the first batch */
  async open(sql: string, values: readonly unknown[]): Promise<R[]> {
    await this.#loan?.run(null, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await this.#loan?.run(null, `DECLARE page NO SCROLL CURSOR FOR ${sql}`, values);
    return this.#next();
  }

  /** From now on the list takes this place instead of the one before. */
  moveTo(leave: Release): void {
    this.#leave();
    this.#leave = leave;
  }

  async *rest(): AsyncGenerator<R[]> {
    try {
      for (;;) {
        const rows = await this.#next();
        if (rows.length > 0) yield rows;
        if (rows.length < this.options.batchSize) return;
      }
    } finally {
      await this.close();
    }
  }

  /** Closes itself as soon as `signal` is aborted, also between two batches and before the first. */
  restUntil(signal: StopSignal): AsyncGenerator<R[]> {
    const abandon = () => {
      if (!this.#isReading) void this.close();
    };
    signal.addEventListener('abort', abandon, { once: true });
    if (signal.aborted) abandon();
    return this.rest();
  }

  async #next(): Promise<R[]> {
    if (this.#loan === undefined) throw new DomainError('timeout');
    this.#isReading = true;
    try {
      const { batchSize, form } = this.options;
      return (await this.#loan.run<R>(null, `FETCH ${batchSize} FROM page`, [], form)).rows;
    } finally {
      this.#isReading = false;
    }
  }

  async close(fault?: unknown): Promise<void> {
    const loan = this.#loan;
    this.#loan = undefined;
    if (loan === undefined) return;
    try {
      await loan.endTransaction(fault);
    } finally {
      this.#leave();
    }
  }
}
