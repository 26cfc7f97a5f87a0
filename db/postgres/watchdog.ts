/**
 * A sign of life from the database every second; without one, requests fail at once instead of waiting. A server that
 * answers but takes no writes counts as lost: it may be a former primary, and what it says may be old.
 */
import type pg from 'pg';
import { outageOf } from './outages.js';
import { ServerClient } from './servers.js';
import type { ServerConfig } from './servers.js';
import { cut, databaseState } from './connection.js';

interface Watch {
  readonly config: ServerConfig;
  readonly patienceMs: number;
  readonly setUp: (up: boolean, cause?: unknown) => void;
  /** False while changes of ours wait for a synchronous standby. */
  readonly setConfirmed: (isConfirmed: boolean) => void;
  readonly onLost: () => void;
}

/** So many looks in a row may fail while this process was held up, and nothing follows from it. */
const MOST_HELD_UP = 3;

/** The longest time from one turn of the event loop to the next: a timer fires late, and before what came is read. */
class LongestTurn {
  #last = performance.now();
  #longestMs = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(everyMs: number) {
    this.#timer = setInterval(() => {
      this.#note();
    }, everyMs).unref();
  }

  #note(): void {
    const now = performance.now();
    this.#longestMs = Math.max(this.#longestMs, now - this.#last);
    this.#last = now;
  }

  endMs(): number {
    clearInterval(this.#timer);
    this.#note();
    return this.#longestMs;
  }
}

async function connected({ config, patienceMs }: Watch, onError: (client: pg.Client) => void): Promise<pg.Client> {
  await config.servers?.find(patienceMs);
  const fresh = new ServerClient({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
  fresh.on('error', () => {
    onError(fresh);
  });
  await fresh.connect();
  return fresh;
}

/**
 * Asks the database for a sign of life every second on a connection of its own. When none comes in time, requests
 * that wait are failed and new ones refused at once, until it answers again. Where this process did not run for half
 * of that time, because the machine or the container held it up, the silence says nothing of the database: it is asked
 * again. A connection that is being opened at `stop` is closed too: it would keep the process alive.
 */
export function watch(options: Watch): { stop(): void } {
  const { patienceMs, setUp, setConfirmed, onLost } = options;
  let stopped = false;
  let client: pg.Client | null = null;
  let isReading = false;
  let timer: NodeJS.Timeout | undefined;
  let heldUp = 0;
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
    if (isReading) return; // its own failure is reported
    clearTimeout(timer);
    timer = setTimeout(() => void probe(), 0).unref();
  };
  const probe = async () => {
    isReading = true;
    const turns = new LongestTurn(patienceMs / 8);
    try {
      client ??= await connected(options, (failed) => {
        if (client === failed) lookSoon();
      });
      const { waiting } = await databaseState(client);
      heldUp = 0;
      setUp(true);
      setConfirmed(waiting === 0);
    } catch (error) {
      drop();
      // A server without a connection for this is alive, and the connections that there are work.
      if (outageOf(error) === 'connectionLimit') setUp(true);
      else if (outageOf(error) === 'frozen' && turns.endMs() > patienceMs / 2 && heldUp < MOST_HELD_UP) heldUp += 1;
      else if (!stopped) {
        setUp(false, error);
        onLost();
      }
    } finally {
      turns.endMs();
    }
    isReading = false;
    if (stopped) drop();
    else timer = setTimeout(() => void probe(), client === null ? 200 : 1000).unref();
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
