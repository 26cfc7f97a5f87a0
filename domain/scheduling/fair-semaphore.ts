/**
 * A semaphore that many holders share: each has a few permits at most, waits for more in a queue of its own, and a
 * permit that comes free goes to the holders in turn. So a flood of one holder makes only itself wait.
 */
import { DomainError } from '../errors.js';
import type { StopSignal } from './stop-signal.js';

export interface SemaphoreBounds {
  /** Permits there are. */
  readonly permits: number;
  /** Permits that one holder may have. */
  readonly perHolder: number;
  /** Tasks of one holder that may wait for a permit. */
  readonly waiting: number;
}

export interface SemaphoreLoad {
  readonly running: number;
  readonly waiting: number;
}

/** Gives the permit back; call it once. */
export type Release = () => void;

interface Holder {
  readonly name: string;
  running: number;
  readonly queue: (() => void)[];
}

const isCount = (count: number) => Number.isInteger(count) && count >= 1;

export class FairSemaphore {
  readonly #bounds: SemaphoreBounds;
  readonly #holders = new Map<string, Holder>();
  /** Holders that wait and may have one more permit, in the order of their turns. */
  readonly #turns = new Set<Holder>();
  #running = 0;

  /** @throws RangeError for fewer than one permit or a negative queue */
  constructor(bounds: SemaphoreBounds) {
    const { permits, perHolder, waiting } = bounds;
    if (!isCount(permits) || !isCount(perHolder)) throw new RangeError('a semaphore needs at least one permit');
    if (!Number.isInteger(waiting) || waiting < 0) throw new RangeError('a semaphore cannot have a negative queue');
    this.#bounds = bounds;
  }

  /** Takes a permit if there is one now. */
  tryAcquire(name: string): Release | undefined {
    const { permits, perHolder } = this.#bounds;
    if (this.#running >= permits || (this.#holders.get(name)?.running ?? 0) >= perHolder) return undefined;
    return this.#start(this.#holderOf(name));
  }

  /**
   * @returns at once when there is a permit, else a promise of one
   * @throws DomainError `rateLimited` with `retry-after: 1` when too many of this holder wait; `timeout` once `signal`
   * is aborted
   */
  acquire(name: string, signal?: StopSignal): Release | Promise<Release> {
    if (signal?.aborted === true) throw new DomainError('timeout');
    const { permits, perHolder, waiting } = this.#bounds;
    const holder = this.#holderOf(name);
    if (this.#running < permits && holder.running < perHolder) return this.#start(holder);
    if (holder.queue.length < waiting) return this.#wait(holder, signal);
    this.#forgetIdle(holder);
    const causeMessage = 'too many lists of this identity are under way';
    throw new DomainError('rateLimited', { causeMessage, headers: { 'retry-after': '1' } });
  }

  /** Counts for metrics and tests. */
  get load(): SemaphoreLoad {
    let waiting = 0;
    for (const { queue } of this.#holders.values()) waiting += queue.length;
    return { running: this.#running, waiting };
  }

  #start(holder: Holder): Release {
    holder.running += 1;
    this.#running += 1;
    return () => {
      this.#release(holder);
    };
  }

  #release(holder: Holder): void {
    holder.running -= 1;
    this.#running -= 1;
    if (this.#mayRun(holder)) this.#turns.add(holder);
    this.#forgetIdle(holder);
    if (this.#running < this.#bounds.permits) this.#startNext();
  }

  #startNext(): void {
    const [next] = this.#turns;
    if (next === undefined) return;
    this.#turns.delete(next);
    next.queue.shift()?.();
    if (this.#mayRun(next)) this.#turns.add(next);
  }

  #wait(holder: Holder, signal: StopSignal | undefined): Promise<Release> {
    return new Promise<Release>((resolve, reject) => {
      const giveUp = () => {
        holder.queue.splice(holder.queue.indexOf(begin), 1);
        if (!this.#mayRun(holder)) this.#turns.delete(holder);
        this.#forgetIdle(holder);
        reject(new DomainError('timeout'));
      };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve(this.#start(holder));
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      holder.queue.push(begin);
      if (this.#mayRun(holder)) this.#turns.add(holder);
    });
  }

  #mayRun(holder: Holder): boolean {
    return holder.queue.length > 0 && holder.running < this.#bounds.perHolder;
  }

  #holderOf(name: string): Holder {
    let holder = this.#holders.get(name);
    if (holder === undefined) this.#holders.set(name, (holder = { name, running: 0, queue: [] }));
    return holder;
  }

  #forgetIdle(holder: Holder): void {
    if (holder.running === 0 && holder.queue.length === 0) this.#holders.delete(holder.name);
  }
}
