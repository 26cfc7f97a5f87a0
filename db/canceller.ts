/**
 * Ends statements for which nobody waits any more, by a spare connection that is opened when it is needed. The answer
 * comes after the signal: a connection that is held until then cannot meet it with its next statement.
 */
import type pg from 'pg';
import type { ClientConfig } from 'pg';
import { ServerClient } from './servers.js';
import { cut } from './session.js';

export interface Canceller {
  /** Resolves once the server has been told. Rejects when that cannot be known. */
  cancel(processId: number): Promise<void>;
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
    const forget = () => { if (open.delete(client)) current = undefined; };
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

  const send = async (processId: number) => {
    if (isClosed) throw new Error('the database is being closed');
    clearTimeout(timer);
    try {
      const client = await (current ??= connect());
      await client.query('SELECT pg_cancel_backend($1)', [processId]);
    } catch (error) {
      for (const client of open) cut(client);
      current = undefined;
      throw error;
    } finally {
      timer = setTimeout(() => void leave(), IDLE_MS).unref();
    }
  };

  return {
    cancel(processId) {
      const sent = last.then(() => send(processId));
      last = sent.catch(() => undefined);
      return sent;
    },
    cut() { for (const client of open) cut(client); },
    async close() {
      isClosed = true;
      await last;
      await leave();
    },
  };
}
