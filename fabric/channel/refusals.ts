/** Logs connections that were refused: each kind once, and how often it came again after a while. */
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { NoteFailure } from './router-log.js';

/** Kinds that are remembered; strangers can name no more than these. */
const MAX_KINDS = 500;
const QUIET_MS = 60_000;
/** Lines about new kinds in that time. */
const MAX_LINES = 100;

export interface RefusalLogTarget {
  readonly log: Logger;
  readonly noteFailure: NoteFailure;
}

export class RefusalLog {
  readonly #target: RefusalLogTarget;
  readonly #now: () => number;
  readonly #kinds = new LRUCache<string, { since: number; more: number }>({ max: MAX_KINDS });
  #lines = 0;
  #linesSince: number;

  constructor(target: RefusalLogTarget, now: () => number = () => performance.now()) {
    this.#target = target;
    this.#now = now;
    this.#linesSince = now();
  }

  /** @param routerId  of a router that exists; undefined for a stranger, who may claim any */
  note(reason: string, routerId: string | undefined, address: string): void {
    const repeated = this.#due(`${routerId ?? ''} ${reason}`);
    if (repeated === undefined) return;
    const facts = { ...(routerId === undefined ? {} : { routerId }), address, reason, ...repeated };
    this.#target.log.warn(facts, 'router refused');
  }

  /** Logs a connection that was refused because its check failed. */
  noteUnchecked(error: unknown, address: string): void {
    const repeated = this.#due('could not be checked');
    if (repeated === undefined) return;
    this.#target.noteFailure(error, { address, ...repeated }, 'a router could not be checked, and was refused');
  }

  /** Number of earlier lines of this kind, for the line; undefined when there must be no line now. */
  #due(kind: string): { repeated?: number } | undefined {
    const at = this.#now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && at - known.since < QUIET_MS) {
      known.more += 1;
      return undefined;
    }
    if (at - this.#linesSince >= QUIET_MS) [this.#lines, this.#linesSince] = [0, at];
    this.#lines += 1;
    this.#kinds.set(kind, { since: at, more: 0 });
    if (this.#lines > MAX_LINES) return undefined;
    return known === undefined || known.more === 0 ? {} : { repeated: known.more };
  }
}
