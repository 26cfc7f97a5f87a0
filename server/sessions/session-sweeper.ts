/**
 * Settles sessions unchecked: those that a change of policies or of posture may have cost their grant, and those whose
 * time is over. Soon after such a change, in bounded slices with a rest after each few, and at an interval for changes
 * that were not heard of; one timer waits for the next time that is over.
 */
import type { Stores } from '../../db/stores/stores.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';

export interface SessionSweeperOptions {
  readonly sessions: Pick<Stores['sessions'], 'sweep' | 'nextEnd'>;
  readonly log: Logger;
  readonly intervalMs?: number;
  /** Sessions looked at in one transaction, and transactions in a row. */
  readonly slice?: number;
  readonly slices?: number;
  /** Pause between a change and the sweep that follows, and between sweeps while more is to do. */
  readonly restMs?: number;
}

export interface SessionSweeper {
  /** One turn. Answers how many sessions it removed; never throws. */
  turn(): Promise<number>;
  /** Grants may have been lost: a turn follows soon. */
  schedule(): void;
  /** Waits for the turn that is running. */
  close(): Promise<void>;
}

const INTERVAL_MS = 30_000;
const SLICE = 500;
const SLICES = 4;
const REST_MS = 200;

export function createSessionSweeper({
  sessions,
  log,
  intervalMs = INTERVAL_MS,
  slice = SLICE,
  slices = SLICES,
  restMs = REST_MS,
}: SessionSweeperOptions): SessionSweeper {
  let soon: NodeJS.Timeout | undefined;
  let atEnd: NodeJS.Timeout | undefined;

  const turns = new CoalescedTask(async () => {
    let removed = 0;
    try {
      for (let done = 0; done < slices && !turns.isClosed; done += 1) {
        const swept = await sessions.sweep(slice);
        removed += swept.removed;
        if (swept.seen < slice) break;
        if (done + 1 === slices) schedule();
      }
      await waitForEnd();
    } catch (error) {
      noteFailure(log, error, 'sessions without a grant could not be removed; it is tried again');
    }
    if (removed > 0) log.info({ removed }, 'sessions that no policy grants any more removed');
    return removed;
  });
  const turn = () => turns.runNow();
  /** A session that is made before the next turn is seen by that one. */
  const waitForEnd = async () => {
    const ms = await sessions.nextEnd();
    clearTimeout(atEnd);
    if (turns.isClosed || ms === null || ms >= intervalMs) return;
    atEnd = setTimeout(() => void turn(), Math.max(ms, restMs)).unref();
  };
  const schedule = () => {
    if (turns.isClosed) return;
    soon ??= setTimeout(() => {
      soon = undefined;
      // A change that arrives during a turn may concern a session that the turn has already checked.
      if (turns.isRunning) schedule();
      else void turn();
    }, restMs).unref();
  };
  const timer = setInterval(() => void turn(), intervalMs).unref();
  return {
    turn,
    schedule,
    async close() {
      clearInterval(timer);
      clearTimeout(soon);
      await turns.close();
      clearTimeout(atEnd);
    },
  };
}
