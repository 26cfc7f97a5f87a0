/**
 * A sign of life from the database every second; without one, requests fail at once instead of waiting. A server that
 * answers but takes no writes counts as lost: it may be a former primary, and what it says may be old.
 */
import type pg from 'pg';
import { outageOf } from './outages.js';
import { ServerClient } from './servers.js';
import type { ServerConfig } from './servers.js';
import { cut, look } from './connection.js';

interface Watch {
  readonly config: ServerConfig;
  readonly patienceMs: number;
  readonly setUp: (up: boolean, cause?: unknown) => void;
  /** False while changes of ours wait for a synchronous standby. */
  readonly setConfirmed: (isConfirmed: boolean) => void;
  readonly onLost: () => void;
}

/**
 * Asks the database for a sign of life every second on a connection of its own. When none comes in time, requests
 * that wait are failed and new ones refused at once, until it answers again.
 */
export function watch({ config, patienceMs, setUp, setConfirmed, onLost }: Watch): { stop(): void } {
  let stopped = false;
  let client: pg.Client | null = null;
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;
  const drop = () => {
    const old = client;
    client = null;
    if (old !== null) {
      old.removeAllListeners('error');
      old.on('error', () => undefined);
      old.end().catch(() => undefined);
      cut(old);
    }
  };
  /** The connection was lost between two looks. */
  const lookSoon = () => {
    drop();
    if (isLooking) return; // its own failure is reported
    clearTimeout(timer);
    timer = setTimeout(() => void probe(), 0).unref();
  };
  const probe = async () => {
    isLooking = true;
    try {
      if (client === null) {
        await config.servers?.find(patienceMs);
        const fresh = new ServerClient({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
        fresh.on('error', () => {
          if (client === fresh) lookSoon();
        });
        await fresh.connect();
        client = fresh;
      }
      const { waiting } = await look(client);
      setUp(true);
      setConfirmed(waiting === 0);
    } catch (error) {
      drop();
      // A server without a connection for this is alive, and the connections that there are work.
      if (outageOf(error) === 'connectionLimit') setUp(true);
      else if (!stopped) {
        setUp(false, error);
        onLost();
      }
    }
    isLooking = false;
    if (!stopped) timer = setTimeout(() => void probe(), client === null ? 200 : 1000).unref();
  };
  timer = setTimeout(() => void probe(), 1000).unref();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      drop();
    },
  };
}
