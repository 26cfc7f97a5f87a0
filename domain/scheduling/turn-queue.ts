/**
 * Spreads work that holds the processor for a millisecond or so over turns of the event loop, one task a turn, in order
 * of arrival: however many come at once, everything else gets its turn in between.
 */
import { DomainError } from '../errors.js';

export interface TurnQueue {
  /** @throws what the task throws; DomainError `tooManyRequests` with `retry-after: 1` when too many wait */
  run<T>(task: () => T): Promise<T>;
}

/** @param waiting  tasks that may wait */
export function createTurnQueue({ waiting }: { readonly waiting: number }): TurnQueue {
  const queue: (() => void)[] = [];
  const turn = () => {
    queue.shift()?.();
    if (queue.length > 0) setImmediate(turn);
  };
  return {
    async run(task) {
      if (queue.length >= waiting) throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
      return new Promise((resolve, reject) => {
        queue.push(() => {
          try {
            resolve(task());
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
        if (queue.length === 1) setImmediate(turn);
      });
    },
  };
}
