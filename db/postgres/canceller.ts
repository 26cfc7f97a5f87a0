/**
 * Ends statements whose answer is no longer wanted, by a spare connection that is opened when it is needed. The answer
 * comes after the signal: a connection that is held until then cannot meet it with its next statement.
 */
import type pg from 'pg';
import type { ClientBase, ClientConfig } from 'pg';
import { ServerClient } from './servers.js';
import { cut } from './connection.js';

/**
 * A process of a server. The number alone may be that of another process, of ours or not: the spare connection may lead
 * to another server than the statement's, where a name or a balancer has begun to lead there.
 */
export interface ServerProcess {
  readonly id: number;
  /** Start of the statement, to the microsecond. */
  readonly startedAt: string;
}

/** The process behind a settled connection: not the one that it began with, which a pooler makes up. */
export async function processOf(client: ClientBase): Promise<ServerProcess> {
  const {
    rows: [row],
  } = await client.query<{ id: number; started_at: string }>(
    'SELECT pid AS id, backend_start::text AS started_at FROM pg_stat_get_activity(pg_backend_pid())',
  );
  if (row === undefined) throw new Error('a connection without a process');
  return { id: row.id, startedAt: row.started_at };
}

const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_stat_get_activity($1)
  WHERE backend_start = $2::text::timestamptz`;

/** Floods of cancelled lists share a connection; a rare one does not keep it. */
const IDLE_MS = 10_000;

export class Canceller {
  readonly #config: ClientConfig;
  readonly #patienceMs: number;
  readonly #open = new Set<pg.Client>();
  #current: Promise<pg.Client> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: ClientConfig, patienceMs: number) {
    this.#config = config;
    this.#patienceMs = patienceMs;
  }

  /** Resolves once the server has the request. Rejects when that is unknown, and when it has no such process. */
  cancel(process: ServerProcess): Promise<void> {
    const sent = this.#last.then(() => this.#send(process));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  cut(): void {
    for (const client of this.#open) cut(client);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#leave();
  }

  async #send({ id, startedAt }: ServerProcess): Promise<void> {
    if (this.#isClosed) throw new Error('the database is being closed');
    clearTimeout(this.#timer);
    try {
      const client = await (this.#current ??= this.#connect());
      const { rowCount } = await client.query(CANCEL, [id, startedAt]);
      if (rowCount === 0) throw new Error('this server has no such process');
    } catch (error) {
      this.cut();
      this.#current = undefined;
      throw error;
    } finally {
      this.#timer = setTimeout(() => void this.#leave(), IDLE_MS).unref();
    }
  }

  async #connect(): Promise<pg.Client> {
    const patience = { connectionTimeoutMillis: this.#patienceMs, query_timeout: this.#patienceMs };
    const client = new ServerClient({ ...this.#config, ...patience });
    const forget = () => {
      if (this.#open.delete(client)) this.#current = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    this.#open.add(client);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async #leave(): Promise<void> {
    clearTimeout(this.#timer);
    const client = await this.#current?.catch(() => undefined);
    this.#current = undefined;
    await client?.end().catch(() => undefined);
  }
}
