/** A channel of its own for each connection, so that no controller takes the echo of another for its own. */
import { randomBytes } from 'node:crypto';

/** Announces on a channel of PostgreSQL, by a connection other than the feed's own. */
export type Announce = (channel: string, payload: string) => Promise<unknown>;

export class Echo {
  readonly channel = `edge_echo_${randomBytes(8).toString('hex')}`;
  readonly #announce: Announce;
  readonly #patienceMs: number;
  /** Calls that were not heard yet, by what they announced. */
  readonly #waiting = new Map<string, () => void>();
  #calls = 0;
  #lastMs = 0;
  /** Begin of the oldest call that waits, by `performance.now()`. */
  #calledAt: number | undefined;
  #provenMs = -Infinity;

  constructor(announce: Announce, patienceMs: number) {
    this.#announce = announce;
    this.#patienceMs = patienceMs;
  }

  /** Announces something new. @throws Error unless it was heard in time */
  async call(): Promise<void> {
    const payload = String((this.#calls += 1));
    let overdue: NodeJS.Timeout | undefined;
    const since = performance.now();
    this.#calledAt ??= since;
    const heard = new Promise<void>((resolve, reject) => {
      this.#waiting.set(payload, () => {
        this.#provenMs = Math.max(this.#provenMs, since);
        resolve();
      });
      overdue = setTimeout(() => {
        reject(
          new Error(
            'its own announcement did not come back: the connection hangs, ' +
              'or a pooler in transaction mode is in between',
          ),
        );
      }, this.#patienceMs);
    });
    try {
      await Promise.all([this.#announce(this.channel, payload), heard]);
      this.#lastMs = performance.now() - since;
    } finally {
      clearTimeout(overdue);
      this.#waiting.delete(payload);
      if (this.#waiting.size === 0) this.#calledAt = undefined;
    }
  }

  /** A notification came on the channel. */
  heard(payload: string): void {
    this.#waiting.get(payload)?.();
  }

  /**
   * Begin of the newest call that was heard, by `performance.now()`. PostgreSQL delivers in the order of commits, so
   * all that was announced before it has been heard too.
   */
  get provenMs(): number {
    return this.#provenMs;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns how long the last call took, or the one that is under way when that has taken longer by now. */
  lagMs(): number {
    return Math.max(this.#lastMs, this.#calledAt === undefined ? 0 : performance.now() - this.#calledAt);
  }
}
