/**
 * Allowances: each of many callers may spend so much in a period, at once or bit by bit. Stores for each only the time
 * at which its allowance will be full again.
 */

/** Those with less than a whole allowance that are remembered; beyond, who did something longest ago is forgotten. */
const MOST_NAMES = 50_000;
/** More than the sums of a million steps can be wrong by. */
const ROUNDING_MS = 0.01;

export interface AllowanceOptions {
  readonly most: number;
  readonly periodMs: number;
  readonly nowMs?: () => number;
}

export class Allowances {
  /** Times by name, in the order of the last use. */
  readonly #wholeMs = new Map<string, number>();
  readonly #stepMs: number;
  readonly #periodMs: number;
  readonly #nowMs: () => number;

  constructor({ most, periodMs, nowMs = () => performance.now() }: AllowanceOptions) {
    this.#stepMs = periodMs / most;
    this.#periodMs = periodMs;
    this.#nowMs = nowMs;
  }

  /** Takes one. Answers 0, or in how many milliseconds there will be one; then nothing was taken. */
  take(name: string): number {
    const now = this.#nowMs();
    const whole = Math.max(now, this.#wholeMs.get(name) ?? 0) + this.#stepMs;
    const waitMs = whole - now - this.#periodMs;
    if (waitMs > ROUNDING_MS) return waitMs;
    this.#wholeMs.delete(name);
    this.#wholeMs.set(name, whole);
    this.#forget(now);
    return 0;
  }

  get size(): number {
    return this.#wholeMs.size;
  }

  /** A few at each time, so that no time takes long. */
  #forget(now: number): void {
    let looked = 0;
    for (const [name, whole] of this.#wholeMs) {
      if (whole > now && this.#wholeMs.size <= MOST_NAMES) return;
      this.#wholeMs.delete(name);
      if ((looked += 1) === 2) return;
    }
  }
}
