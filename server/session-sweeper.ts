/** Removes the rows of sessions that no policy grants any more: a bounded slice of all sessions at a time. */
import type { Stores } from '../db/stores.js';
import type { Logger } from './log.js';

export interface SessionSweeperOptions {
  readonly sessions: Pick<Stores['sessions'], 'sweep'>;
  readonly log: Logger;
  readonly intervalMs?: number;
  /** Sessions looked at in one statement, and statements in a row. */
  readonly slice?: number;
  readonly slices?: number;
}

export interface SessionSweeper {
  /** One turn: goes on where the last one ended. Answers how many sessions it removed; never throws. */
  turn(): Promise<number>;
  /** Waits for the turn that is running. */
  close(): Promise<void>;
}

const INTERVAL_MS = 30_000;
const SLICE = 500;
const SLICES = 10;

export function createSessionSweeper({ sessions, log, intervalMs = INTERVAL_MS, slice = SLICE, slices = SLICES }: SessionSweeperOptions): SessionSweeper {
  let after = '';
  let isClosed = false;
  let running: Promise<number> | undefined;
  const sweep = async () => {
    let removed = 0;
    try {
      for (let done = 0; done < slices && !isClosed; done += 1) {
        const swept = await sessions.sweep(after, slice);
        removed += swept.removed;
        after = swept.next;
        if (after === '') break;
      }
    } catch (error) {
      log.warn({ err: error }, 'sessions without a grant could not be removed; it is tried again');
    }
    if (removed > 0) log.info({ removed }, 'sessions that no policy grants any more removed');
    return removed;
  };
  const turn = async () => (running ??= sweep().finally(() => { running = undefined; }));
  const timer = setInterval(() => void turn(), intervalMs).unref();
  return {
    turn,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
