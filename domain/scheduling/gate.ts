/**
 * Lets a few expensive tasks run at once, a bounded number wait their turn in order of arrival, and turns the rest
 * away at once, so that a flood of logins costs its sender time and others no memory.
 */
import { DomainError } from '../errors.js';

export interface GateOptions {
  /** Tasks that run at the same time. */
  readonly concurrent: number;
  /** Tasks that may wait. */
  readonly waiting: number;
}

/** Runs a task when it is its turn. */
export type Turn = <T>(task: () => Promise<T>) => Promise<T>;

export interface Gate {
  /** @throws DomainError `tooManyRequests` with `retry-after: 1`, before the task starts */
  run<T>(task: () => Promise<T>): Promise<T>;
  /**
   * The same for work of which only a part is expensive: it is refused before it starts, and what it passes to `turn`
   * runs in its turn. It counts as one that waits until it ends.
   */
  admit<T>(work: (turn: Turn) => Promise<T>): Promise<T>;
  readonly load: GateLoad;
}

export interface GateLoad {
  readonly running: number;
  readonly waiting: number;
  /** Since the start: tasks that ended, well or not, and those that were turned away. */
  readonly done: number;
  readonly refused: number;
}

/** @throws RangeError for fewer than one place or a negative queue */
export function createGate({ concurrent, waiting }: GateOptions): Gate {
  if (!Number.isInteger(concurrent) || concurrent < 1) throw new RangeError('a gate needs at least one place');
  if (!Number.isInteger(waiting) || waiting < 0) throw new RangeError('a gate cannot have a negative queue');
  const queue: (() => void)[] = [];
  let running = 0;
  let admitted = 0;
  let done = 0;
  let refused = 0;

  /** A place that comes free goes straight to the longest waiting: none that arrives in between can take it. */
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
    return new Promise((resolve) => queue.push(resolve));
  };
  const turn: Turn = async (task) => {
    await enter();
    try {
      return await task();
    } finally {
      done += 1;
      leave();
    }
  };
  const admit: Gate['admit'] = async (work) => {
    if (admitted >= concurrent + waiting) {
      refused += 1;
      throw new DomainError('tooManyRequests', { headers: { 'retry-after': '1' } });
    }
    admitted += 1;
    try {
      return await work(turn);
    } finally {
      admitted -= 1;
    }
  };

  return {
    run: (task) => admit((inTurn) => inTurn(task)),
    admit,
    get load() {
      return { running, waiting: admitted - running, done, refused };
    },
  };
}
