/** Tells the log of connections that were refused: each kind once, and how often it came again after a while. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Kinds that are remembered; strangers can name no more than these. */
const MAX_KINDS = 500;
const QUIET_MS = 60_000;
/** Lines about new kinds in that time. */
const MAX_LINES = 100;

export interface RefusalLog {
  /** @param routerId  of a router that exists; undefined for a stranger, who may claim any */
  note(reason: string, routerId: string | undefined, address: string): void;
}

export function createRefusalLog(log: Logger, now: () => number = () => performance.now()): RefusalLog {
  const kinds = new LRUCache<string, { since: number; more: number }>({ max: MAX_KINDS });
  let lines = 0;
  let linesSince = now();
  return {
    note(reason, routerId, address) {
      const key = `${routerId ?? ''} ${reason}`;
      const at = now();
      const known = kinds.get(key);
      if (known !== undefined && at - known.since < QUIET_MS) {
        known.more += 1;
        return;
      }
      if (at - linesSince >= QUIET_MS) [lines, linesSince] = [0, at];
      lines += 1;
      const repeated = known === undefined || known.more === 0 ? {} : { repeated: known.more };
      kinds.set(key, { since: at, more: 0 });
      if (lines > MAX_LINES) return;
      log.warn({ ...(routerId === undefined ? {} : { routerId }), address, reason, ...repeated }, 'router refused');
    },
  };
}
