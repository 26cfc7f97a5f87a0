/**
 * Terminators that one router takes back. One statement at a time, for all that were named since the last: a host that
 * makes and drops terminators in a loop costs no more than one that does so now and then.
 */
import { DomainError } from '../../domain/errors.js';

export interface RemovalBounds {
  /** Ids of one statement. */
  readonly slice: number;
  /** Ids and requests that wait. */
  readonly ids: number;
  readonly requests: number;
}

const BOUNDS: RemovalBounds = { slice: 1_000, ids: 20_000, requests: 2_000 };

interface Request {
  readonly ids: readonly string[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Removals {
  #waiting: Request[] = [];
  #waitingIds = 0;
  #isRunning = false;

  constructor(
    private readonly remove: (ids: readonly string[]) => Promise<void>,
    private readonly bounds: RemovalBounds = BOUNDS,
  ) {}

  /** Resolves when they are gone. @throws DomainError `tooManyRequests` */
  take(ids: readonly string[]): Promise<void> {
    if (this.#waiting.length >= this.bounds.requests || this.#waitingIds + ids.length > this.bounds.ids)
      return Promise.reject(new DomainError('tooManyRequests'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ids, resolve, reject });
      this.#waitingIds += ids.length;
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#waitingIds = 0;
      const ids = [...new Set(batch.flatMap((request) => request.ids))];
      try {
        for (let at = 0; at < ids.length; at += this.bounds.slice)
          await this.remove(ids.slice(at, at + this.bounds.slice));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
