/**
 * Lets a few expensive tasks run at once, a bounded number wait their turn in order of arrival, and turns the rest
 * away at once, so that a flood of logins costs its sender time and others no memory.
 */
import { DomainError } from '../errors.js';

export interface ConcurrencyBounds {
  /** Tasks that run at the same time. */
  readonly concurrent: number;
  /** Tasks that may wait. */
  readonly waiting: number;
}

/** Runs a task as soon as fewer than the bound run. */
export type RunLimited = <T>(task: () => Promise<T>) => Promise<T>;

export interface LimitLoad {
  readonly running: number;
  readonly waiting: number;
  /** Tasks that ended since the start, well or not. */
  readonly done: number;
  /** Tasks that were turned away since the start. */
  readonly refused: number;
}

export class ConcurrencyLimit {
  readonly #concurrent: number;
  readonly #waiting: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  #admitted = 0;
  #done = 0;
  #refused = 0;

  /** @throws RangeError for fewer than one concurrent task or a negative queue */
  constructor({ concurrent, waiting }: ConcurrencyBounds) {
    if (!Number.isInteger(concurrent) || concurrent < 1) throw new RangeError('a limit must let one task run');
    if (!Number.isInteger(waiting) || waiting < 0) throw new RangeError('a limit cannot have a negative queue');
    this.#concurrent = concurrent;
    this.#waiting = waiting;
  }

  /** @throws DomainError `tooManyRequests` with `retry-after: 1`, before the task starts */
  run<T>(task: () => Promise<T>): Promise<T> {
    return this.admit((limited) => limited(task));
  }

  /**
   * Runs work of which only a part is expensive: `work` is refused or starts at once, and what it passes to its
   * argument is limited. The work counts as waiting until it ends.
   * @throws DomainError as `run` does
   */
  async admit<T>(work: (limited: RunLimited) => Promise<T>): Promise<T> {
    if (this.#admitted >= this.#concurrent + this.#waiting) {
      this.#refused += 1;
      throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
    }
    this.#admitted += 1;
    try {
      return await work((task) => this.#limited(task));
    } finally {
      this.#admitted -= 1;
    }
  }

  get load(): LimitLoad {
    const running = this.#running;
    return { running, waiting: this.#admitted - running, done: this.#done, refused: this.#refused };
  }

  async #limited<T>(task: () => Promise<T>): Promise<T> {
    await this.#acquire();
    try {
      return await task();
    } finally {
      this.#done += 1;
      this.#release();
    }
  }

  #acquire(): Promise<void> | undefined {
    if (this.#running < this.#concurrent) {
      this.#running += 1;
      return undefined;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  /** Passes the permit straight to the longest waiting: a task that arrives in between cannot take it. */
  #release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#running -= 1;
  }
}
