/** Logs connections that were refused: each kind once, and how often it came again after a while. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { FabricServices } from '../services.js';

/** Kinds that are remembered; strangers can name no more than these. */
const MAX_KINDS = 500;
const QUIET_MS = 60_000;
/** Lines about new kinds in that time. */
const MAX_LINES = 100;

export interface RefusalLog {
  /** @param routerId  of a router that exists; undefined for a stranger, who may claim any */
  note(reason: string, routerId: string | undefined, address: string): void;
  /** A connection was refused because its check failed. */
  noteUnchecked(error: unknown, address: string): void;
}

export function createRefusalLog(
  { log, noteFailure }: { readonly log: Logger; readonly noteFailure: FabricServices['noteFailure'] },
  now: () => number = () => performance.now(),
): RefusalLog {
  const kinds = new LRUCache<string, { since: number; more: number }>({ max: MAX_KINDS });
  let lines = 0;
  let linesSince = now();

  /** What a line about this kind says of earlier ones; undefined when there must be no line now. */
  const due = (kind: string): { repeated?: number } | undefined => {
    const at = now();
    const known = kinds.get(kind);
    if (known !== undefined && at - known.since < QUIET_MS) {
      known.more += 1;
      return undefined;
    }
    if (at - linesSince >= QUIET_MS) [lines, linesSince] = [0, at];
    lines += 1;
    kinds.set(kind, { since: at, more: 0 });
    if (lines > MAX_LINES) return undefined;
    return known === undefined || known.more === 0 ? {} : { repeated: known.more };
  };

  return {
    note(reason, routerId, address) {
      const repeated = due(`${routerId ?? ''} ${reason}`);
      if (repeated === undefined) return;
      log.warn({ ...(routerId === undefined ? {} : { routerId }), address, reason, ...repeated }, 'router refused');
    },
    noteUnchecked(error, address) {
      const repeated = due('could not be checked');
      if (repeated === undefined) return;
      noteFailure(error, { address, ...repeated }, 'a router could not be checked, and was refused');
    },
  };
}
