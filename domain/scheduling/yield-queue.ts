/**
 * Spreads work that holds the processor for a millisecond or so over iterations of the event loop, one task each, in
 * order of arrival: however many come at once, everything else runs in between.
 */
import { DomainError } from '../errors.js';

export class YieldQueue {
  readonly #queue: (() => void)[] = [];
  readonly #waiting: number;

  /** @param waiting  tasks that may wait */
  constructor({ waiting }: { readonly waiting: number }) {
    this.#waiting = waiting;
  }

  /** @throws what the task throws; DomainError `tooManyRequests` with `retry-after: 1` when too many wait */
  async run<T>(task: () => T): Promise<T> {
    const queue = this.#queue;
    if (queue.length >= this.#waiting) throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
    return new Promise((resolve, reject) => {
      queue.push(() => {
        try {
          resolve(task());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      if (queue.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    this.#queue.shift()?.();
    if (this.#queue.length > 0) setImmediate(this.#next);
  };
}
