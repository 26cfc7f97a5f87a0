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
  /** To the microsecond. */
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

export interface Canceller {
  /** Resolves once the server has the request. Rejects when that is unknown, and when it has no such process. */
  cancel(process: ServerProcess): Promise<void>;
  cut(): void;
  close(): Promise<void>;
}

/** Floods of cancelled lists share a connection; a rare one does not keep it. */
const IDLE_MS = 10_000;

export function openCanceller(config: ClientConfig, patienceMs: number): Canceller {
  let current: Promise<pg.Client> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const open = new Set<pg.Client>();
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<pg.Client> => {
    const client = new ServerClient({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
    const forget = () => {
      if (open.delete(client)) current = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    open.add(client);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  };

  const leave = async () => {
    clearTimeout(timer);
    const client = await current?.catch(() => undefined);
    current = undefined;
    await client?.end().catch(() => undefined);
  };

  const send = async ({ id, startedAt }: ServerProcess) => {
    if (isClosed) throw new Error('the database is being closed');
    clearTimeout(timer);
    try {
      const client = await (current ??= connect());
      const { rowCount } = await client.query(CANCEL, [id, startedAt]);
      if (rowCount === 0) throw new Error('this server has no such process');
    } catch (error) {
      for (const client of open) cut(client);
      current = undefined;
      throw error;
    } finally {
      timer = setTimeout(() => void leave(), IDLE_MS).unref();
    }
  };

  return {
    cancel(process) {
      const sent = last.then(() => send(process));
      last = sent.catch(() => undefined);
      return sent;
    },
    cut() {
      for (const client of open) cut(client);
    },
    async close() {
      isClosed = true;
      await last;
      await leave();
    },
  };
}
