/** Removes what has ended by itself and is asked for nowhere, each minute, on every controller. */
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import { Sweeping } from './sweep-through.js';
import type { Expiring } from './sweep-through.js';

const EVERY_MS = 60_000;

export interface ExpirySweeper {
  /** One turn; never throws. */
  turn(): Promise<void>;
  /** Waits for the turn that is running. */
  close(): Promise<void>;
}

/** @param kinds  by what the log calls them */
export function createExpirySweeper(kinds: Readonly<Record<string, Expiring>>, log: Logger): ExpirySweeper {
  const sweeping = new Sweeping();
  const turns = new CoalescedTask(async () => {
    for (const [kind, store] of Object.entries(kinds)) {
      try {
        const removed = await sweeping.through(store);
        if (removed > 0) log.info({ kind, removed }, 'what has expired was removed');
      } catch (error) {
        noteFailure(log, error, 'what has expired could not be removed; it is tried again');
      }
    }
  });
  const turn = () => turns.runNow();
  const timer = setInterval(() => void turn(), EVERY_MS).unref();
  return {
    turn,
    async close() {
      clearInterval(timer);
      sweeping.close();
      await turns.close();
    },
  };
}
