/** How often something happened in this minute, by name, so that what each time would leave can be bounded. */

const MINUTE_MS = 60_000;
/** Names of one minute. Beyond them each counts as one that happened too often. */
const MOST_NAMES = 50_000;

export class MinuteCounts {
  readonly #counts = new Map<string, number>();
  #endsMs = 0;

  /** @param most  of one name in a minute */
  constructor(
    private readonly most: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts it. Whether it is beyond what a minute may have. */
  add(name: string): boolean {
    const now = this.nowMs();
    if (now >= this.#endsMs) {
      this.#counts.clear();
      this.#endsMs = now + MINUTE_MS;
    }
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.most || (count === 0 && this.#counts.size >= MOST_NAMES)) return true;
    this.#counts.set(name, count + 1);
    return false;
  }
}
