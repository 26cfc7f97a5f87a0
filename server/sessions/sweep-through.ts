/** Removes all that has ended, in batches: however much it is, others get their turns at the database in between. */
import { WakeableDelay } from '../../domain/scheduling/wakeable-delay.js';

/** Removes up to `max` rows. Answers how many; fewer only when no more are to be had. */
export interface Expiring {
  sweep(max: number): Promise<number>;
}

export interface SweepPace {
  readonly batch: number;
  /** Least pause between two batches. */
  readonly restMs: number;
}

/** A batch of API sessions, the dearest rows to remove, takes some 100 ms. */
const SWEEP_PACE: SweepPace = { batch: 500, restMs: 50 };

export class Sweeping {
  readonly #delay = new WakeableDelay();
  #isClosed = false;

  constructor(private readonly pace: SweepPace = SWEEP_PACE) {}

  /**
   * Goes on until a batch is not full, or until `close`. Between two batches it rests for as long as the last one
   * took, so that it takes half of one connection at most. Answers how many rows went.
   */
  async through(store: Expiring): Promise<number> {
    const { batch, restMs } = this.pace;
    let removed = 0;
    while (!this.#isClosed) {
      const sinceMs = performance.now();
      const found = await store.sweep(batch);
      removed += found;
      if (found < batch) break;
      await this.#delay.wait(Math.max(restMs, performance.now() - sinceMs));
    }
    return removed;
  }

  /** The batch under way is the last. */
  close(): void {
    this.#isClosed = true;
    this.#delay.wake();
  }
}
