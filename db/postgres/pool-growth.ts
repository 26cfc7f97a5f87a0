/**
 * A pool at a connection limit of the server, role or database: it works with the connections that it has. A caller
 * for whom none could be opened waits for one like the callers of a full pool, and from time to time, while the limit
 * lasts, one caller tries to open another.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { outageOf } from './outages.js';
import type { PooledClient } from './servers.js';

export interface GrowthOptions {
  readonly size: number;
  readonly patienceMs: number;
  /** No further connection was given: this many are open. */
  readonly onLimit: (open: number) => void;
}

export interface GrowingPool {
  /** The pool must be one of `ServerClient`s. */
  connect(): Promise<PooledClient>;
  close(): void;
}

const GROW_MS = 1_000;
/** Pause between attempts while there is no connection at all. */
const RETRY_MS = 100;

export function growWithinLimits(pool: Pool, { size, patienceMs, onLimit }: GrowthOptions): GrowingPool {
  let timer: NodeJS.Timeout | undefined;
  const mayGrow = () => {
    if (pool.options.max < size && pool.totalCount >= pool.options.max) pool.options.max += 1;
  };
  const tryLater = () => {
    timer ??= setInterval(() => {
      mayGrow();
      if (pool.options.max >= size) {
        clearInterval(timer);
        timer = undefined;
      }
    }, GROW_MS).unref();
  };
  // One that was opened shows that there is room, perhaps for more.
  pool.on('connect', mayGrow);
  return {
    async connect() {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        try {
          return (await pool.connect()) as PooledClient;
        } catch (error) {
          if (outageOf(error) !== 'connectionLimit') throw error;
          pool.options.max = Math.max(1, Math.min(pool.options.max, pool.totalCount));
          onLimit(pool.totalCount);
          tryLater();
          if (performance.now() >= deadline) throw error;
          if (pool.totalCount === 0) await pause(RETRY_MS);
        }
      }
    },
    close() {
      clearInterval(timer);
    },
  };
}
