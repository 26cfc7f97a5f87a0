/**
 * How long things took, as counts in classes of duration. To add one costs some nanoseconds, and what is held does not
 * grow: it is read when somebody asks, far less often than it is written.
 */

/** Upper ends of the classes, in seconds; beyond the last there is one more. */
export const DURATION_BOUNDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const BOUNDS_MS = DURATION_BOUNDS.map((seconds) => seconds * 1000);

export class DurationCounts {
  readonly #classes = new Float64Array(BOUNDS_MS.length + 1);
  #sumMs = 0;

  add(ms: number): void {
    let at = 0;
    while (at < BOUNDS_MS.length && ms > (BOUNDS_MS[at] as number)) at += 1;
    this.#classes[at] = (this.#classes[at] as number) + 1;
    this.#sumMs += ms;
  }

  get sumSeconds(): number {
    return this.#sumMs / 1000;
  }

  /** Counts per bound, each with those below it, and then the total. */
  cumulative(): number[] {
    let sum = 0;
    return Array.from(this.#classes, (each) => (sum += each));
  }
}
