import { setTimeout as delay } from 'node:timers/promises';

/** Turns come so many times as far apart as the process was late for one: a busy one does more in each. */
const LATE_FACTOR = 8;
const MOST_MS = 500;

/**
 * Spaces out turns of work that may be asked for often: the first after a rest comes at once. In a process that is busy
 * they come further apart.
 */
export class Pace {
  #nextAtMs = -Infinity;

  /** @param apartMs  least time from the begin of a turn to that of the next, which does the work of both */
  constructor(
    private readonly apartMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Resolves when the next turn may begin. Call for one turn at a time. */
  async turn(): Promise<void> {
    const atMs = this.#nextAtMs;
    const waitMs = atMs - this.now();
    if (waitMs > 0) await delay(Math.ceil(waitMs), undefined, { ref: false });
    const lateMs = waitMs > 0 ? this.now() - atMs : 0;
    this.#nextAtMs = this.now() + Math.max(this.apartMs, Math.min(MOST_MS, LATE_FACTOR * lateMs));
  }
}
