/**
 * Lets a few expensive tasks run at once, a bounded number wait their turn in order of arrival, and turns the rest
 * away at once, so that a flood of logins costs the flooder time and nobody else memory.
 */
import { DomainError } from '../errors.js';

export interface GateOptions {
  /** Tasks that run at the same time. */
  readonly concurrent: number;
  /** Tasks that may wait. */
  readonly waiting: number;
}

export interface Gate {
  /** @throws DomainError `tooManyRequests` with `retry-after: 1`, before the task starts */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** For metrics. */
  readonly load: { readonly running: number; readonly waiting: number };
}

/** @throws RangeError for fewer than one place or a negative queue */
export function createGate({ concurrent, waiting }: GateOptions): Gate {
  if (!Number.isInteger(concurrent) || concurrent < 1) throw new RangeError('a gate needs at least one place');
  if (!Number.isInteger(waiting) || waiting < 0) throw new RangeError('a gate cannot have a negative queue');
  const queue: (() => void)[] = [];
  let running = 0;

  /** A place that comes free goes straight to the longest waiting: nobody who arrives in between can take it. */
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  const enter = (): Promise<void> | undefined => {
    if (running < concurrent) {
      running += 1;
      return undefined;
    }
    if (queue.length >= waiting) throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
    return new Promise((resolve) => queue.push(resolve));
  };

  return {
    run: async (task) => {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
    get load() { return { running, waiting: queue.length }; },
  };
}
