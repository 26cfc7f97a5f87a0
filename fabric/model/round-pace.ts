/**
 * Paces rounds that many changes ask for: the next waits half as long as the last took, so that others have a third of
 * all time.
 */

/** Time in which changes are gathered, to be looked up together. */
const GATHER_MS = 50;
const MAX_PAUSE_MS = 2_000;

export class RoundPace {
  #restUntilMs = -Infinity;

  /** @param now  in milliseconds, by a clock that is never set back */
  constructor(private readonly now: () => number) {}

  /** Runs a round, and measures it. */
  async run<T>(round: () => Promise<T>): Promise<T> {
    const startMs = this.now();
    try {
      return await round();
    } finally {
      const endMs = this.now();
      this.#restUntilMs = endMs + Math.min(MAX_PAUSE_MS, (endMs - startMs) / 2);
    }
  }

  /** True when the next round may begin. */
  get isRested(): boolean {
    return this.now() >= this.#restUntilMs;
  }

  /** Milliseconds from a change until the round that looks it up. */
  get pauseMs(): number {
    return Math.max(GATHER_MS, this.#restUntilMs - this.now());
  }
}
