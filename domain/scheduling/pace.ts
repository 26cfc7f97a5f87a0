import { setTimeout as delay } from 'node:timers/promises';

/** Spaces out turns of work that may be asked for often: the first after a rest comes at once. */
export class Pace {
  #nextAtMs = -Infinity;

  /** @param apartMs  least time from the begin of a turn to that of the next, which does the work of both */
  constructor(
    private readonly apartMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Resolves when the next turn may begin. Call for one turn at a time. */
  async turn(): Promise<void> {
    const waitMs = this.#nextAtMs - this.now();
    if (waitMs > 0) await delay(Math.ceil(waitMs), undefined, { ref: false });
    this.#nextAtMs = this.now() + this.apartMs;
  }
}
