/**
 * The lane of lists: connections of their own, so that lists slow down lists and nothing else. An identity has a few of
 * them at a time, a list that leaves in batches takes one of even fewer, and a statement is cancelled as soon as its
 * answer is no longer wanted.
 */
import pg from 'pg';
import type { ClientBase, ClientConfig } from 'pg';
import { DomainError } from '../../domain/errors.js';
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release, SemaphoreLoad } from '../../domain/scheduling/fair-semaphore.js';
import { Canceller, processOf } from './canceller.js';
import type { ServerProcess } from './canceller.js';
import { cut, prepareConnection } from './connection.js';
import type { RowForm, Rows } from './connection.js';
import type { ConnectionCounts } from './connection-counts.js';
import type { ConnectionStats, ListReader, RequestScope, FullList, FullListOptions } from './contracts.js';
import { translate } from './errors.js';
import { ListCursor } from './list-cursor.js';
import { Loan } from './list-loan.js';
import { growWithinLimits } from './pool-growth.js';
import type { GrowingPool } from './pool-growth.js';
import { timed } from './request-clock.js';
import { trackedClients } from './servers.js';
import type { Statement } from './statement.js';
import { runOn } from './statement-runner.js';
import type { StatementCounts } from './statement-watch.js';

export interface ListBounds {
  /** Lists that one identity may have under way; more wait their turn. */
  readonly perIdentity: number;
  /** Lists of one identity that may wait; more are refused. */
  readonly waiting: number;
  /** How long a statement of a list may take. */
  readonly timeoutMs: number;
}

const STREAMS_PER_IDENTITY = 2;

/** A connection ends some time even if it is not full: what its statements took goes back to the system. */
const LIFETIME_SECONDS = 1_800;
const IDLE_MS = 600_000;

export interface ListLaneOptions {
  readonly config: ClientConfig;
  readonly connections: ConnectionCounts;
  readonly patienceMs: number;
  readonly bounds: ListBounds;
  readonly counts?: StatementCounts | undefined;
  /** Its server is a standby. */
  readonly isStandby?: boolean;
  /** The server gives no more than this many connections. */
  readonly onLimit: (open: number) => void;
}

export class ListLane {
  readonly #clients = trackedClients();
  readonly #processes = new WeakMap<ClientBase, ServerProcess>();
  readonly #pool: pg.Pool;
  readonly #growth: GrowingPool;
  readonly #canceller: Canceller;
  readonly #lists: FairSemaphore;
  readonly #streams: FairSemaphore;

  constructor(readonly options: ListLaneOptions) {
    const { config, connections, patienceMs, bounds, onLimit } = options;
    this.#pool = this.#openPool();
    const size = connections.lists + connections.streams;
    this.#growth = growWithinLimits(this.#pool, { size, patienceMs, onLimit });
    this.#canceller = new Canceller(config, patienceMs);
    this.#lists = new FairSemaphore({
      permits: connections.lists,
      perHolder: bounds.perIdentity,
      waiting: bounds.waiting,
    });
    this.#streams = new FairSemaphore({ permits: connections.streams, perHolder: STREAMS_PER_IDENTITY, waiting: 0 });
  }

  #openPool(): pg.Pool {
    const { config, connections, patienceMs, bounds, isStandby = false } = this.options;
    const pool = new pg.Pool({
      ...config,
      Client: this.#clients.Client,
      max: connections.lists + connections.streams,
      connectionTimeoutMillis: patienceMs,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: LIFETIME_SECONDS,
      verify: (client, done) => {
        prepareConnection(client, { statementTimeoutMs: bounds.timeoutMs, isStandby })
          .then(async () => {
            this.#processes.set(client, await processOf(client));
          })
          .then(() => {
            done();
          }, done);
      },
    });
    pool.on('error', () => undefined); // an idle connection died: the pool drops it
    pool.on('connect', (client) => {
      client.on('error', () => undefined); // while it is in use, the statement under way reports the failure
    });
    return pool;
  }

  /**
   * A list in one piece.
   * @throws DomainError `rateLimited` when too many lists of the reader wait, `timeout` when it took too long or its
   * reader is gone
   */
  async list<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    form: RowForm = 'objects',
    scope: RequestScope = {},
  ): Promise<Rows<R>> {
    const release = await this.#enter(scope);
    let loan: Loan | undefined;
    let fault: unknown;
    try {
      loan = await this.#borrow(scope);
      return await loan.run(statement, values, form);
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      loan?.end(fault);
      release();
    }
  }

  /** All rows of a list. @throws as `list`; `rateLimited` also when too many lists leave in batches */
  async listAll<R>(
    statement: Statement<R>,
    values: readonly unknown[],
    options: FullListOptions,
    scope: RequestScope = {},
  ): Promise<FullList<R>> {
    const release = await this.#enter(scope);
    let cursor: ListCursor<R> | undefined;
    try {
      cursor = new ListCursor<R>(await this.#borrow(scope), release, options);
      const head = await cursor.open(statement, values);
      if (head.length < options.batchSize) {
        await cursor.close();
        return { head };
      }
      const { reader } = scope;
      if (options.isReadAtOnce || reader === undefined) return { head, rest: cursor.rest() };
      cursor.moveTo(enterAtOnce(this.#streams, reader.identityId));
      return { head, rest: cursor.restUntil(reader.signal) };
    } catch (error) {
      if (cursor === undefined) release();
      else await cursor.close(error);
      throw error;
    }
  }

  async #borrow(scope: RequestScope): Promise<Loan> {
    const { reader, clock } = scope;
    const { counts, isStandby = false } = this.options;
    const client = await timed(clock, 'pool', () => this.#growth.connect()).catch((error: unknown) => {
      throw translate(error);
    });
    const cancel = () => this.#canceller.cancel(this.#processes.get(client) as ServerProcess);
    return new Loan(client, cancel, {
      signal: reader?.signal,
      run: runOn(client, { connection: isStandby ? 'replica' : 'list', counts, scope }),
    });
  }

  async #enter({ reader, clock }: RequestScope): Promise<Release> {
    reader?.permit.begin();
    try {
      const turn = this.#lists.acquire(holderOf(reader), reader?.signal);
      const release = turn instanceof Promise ? await timed(clock, 'pool', () => turn) : turn;
      return reader === undefined
        ? release
        : () => {
            reader.permit.end(release);
          };
    } catch (error) {
      reader?.permit.end();
      throw error;
    }
  }

  stats(): ConnectionStats {
    const { totalCount: total, idleCount: idle } = this.#pool;
    return { total, idle, waiting: this.#lists.load.waiting };
  }

  /** Lists that have a connection, those that leave in batches among them, and those that wait for one. */
  get load(): SemaphoreLoad {
    const { running, waiting } = this.#lists.load;
    return { running: running + this.#streams.load.running, waiting };
  }

  cut(): void {
    for (const client of this.#clients.open) cut(client);
    this.#canceller.cut();
  }

  async close(): Promise<void> {
    this.#growth.close();
    await Promise.all([this.#pool.end(), this.#canceller.close()]);
  }
}

const holderOf = (reader: ListReader | undefined): string => reader?.identityId ?? '';

/** Never waits: a list that waited here would keep others from the connections of the usual lists meanwhile. */
function enterAtOnce(streams: FairSemaphore, holder: string): Release {
  try {
    return streams.acquire(holder) as Release;
  } catch {
    const causeMessage = 'too many lists without limit are being read; ask for pages with limit and offset';
    throw new DomainError('rateLimited', { causeMessage, headers: { 'retry-after': '5' } });
  }
}
