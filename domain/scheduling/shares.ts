/**
 * Shares out a few places among many holders: each has a few at most, waits for more in a queue of its own, and a place
 * that comes free goes to the holders in turn. So a flood of one holder makes only itself wait.
 */
import { DomainError } from '../errors.js';
import type { StopSignal } from './stop-signal.js';

export interface ShareOptions {
  /** Places there are. */
  readonly places: number;
  /** Places that one holder may have. */
  readonly each: number;
  /** Tasks of one holder that may wait for a place. */
  readonly waiting: number;
}

/** Gives the place back; call it once. */
export type Release = () => void;

export interface Shares {
  /** A place when there is one now. */
  tryEnter(holder: string): Release | undefined;
  /**
   * @returns at once when there is a place, else a promise of one
   * @throws DomainError `rateLimited` with `retry-after: 1` when too many of this holder wait; `timeout` once `signal`
   * is aborted
   */
  enter(holder: string, signal?: StopSignal): Release | Promise<Release>;
  /** For metrics and tests. */
  readonly load: { readonly running: number; readonly waiting: number };
}

interface Holder {
  readonly name: string;
  running: number;
  readonly queue: (() => void)[];
}

/** @throws RangeError for fewer than one place or a negative queue */
export function createShares({ places, each, waiting }: ShareOptions): Shares {
  const isCount = (count: number) => Number.isInteger(count) && count >= 1;
  if (!isCount(places) || !isCount(each)) throw new RangeError('shares need at least one place');
  if (!Number.isInteger(waiting) || waiting < 0) throw new RangeError('shares cannot have a negative queue');
  const holders = new Map<string, Holder>();
  /** Those that wait and may have one more place, in the order of their turns. */
  const turns = new Set<Holder>();
  let running = 0;

  const mayRun = (holder: Holder) => holder.queue.length > 0 && holder.running < each;
  const start = (holder: Holder): Release => {
    holder.running += 1;
    running += 1;
    return () => {
      leave(holder);
    };
  };
  const leave = (holder: Holder) => {
    holder.running -= 1;
    running -= 1;
    if (mayRun(holder)) turns.add(holder);
    if (holder.running === 0 && holder.queue.length === 0) holders.delete(holder.name);
    if (running < places) serve();
  };
  const serve = () => {
    const [next] = turns;
    if (next === undefined) return;
    turns.delete(next);
    next.queue.shift()?.();
    if (mayRun(next)) turns.add(next);
  };
  const wait = (holder: Holder, signal: StopSignal | undefined) =>
    new Promise<Release>((resolve, reject) => {
      const giveUp = () => {
        holder.queue.splice(holder.queue.indexOf(begin), 1);
        if (!mayRun(holder)) turns.delete(holder);
        if (holder.running === 0 && holder.queue.length === 0) holders.delete(holder.name);
        reject(new DomainError('timeout'));
      };
      const begin = () => {
        signal?.removeEventListener('abort', giveUp);
        resolve(start(holder));
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      holder.queue.push(begin);
      if (mayRun(holder)) turns.add(holder);
    });

  const holderOf = (name: string): Holder => {
    let holder = holders.get(name);
    if (holder === undefined) holders.set(name, (holder = { name, running: 0, queue: [] }));
    return holder;
  };

  return {
    tryEnter(name) {
      if (running >= places || (holders.get(name)?.running ?? 0) >= each) return undefined;
      return start(holderOf(name));
    },
    enter(name, signal) {
      if (signal?.aborted === true) throw new DomainError('timeout');
      const holder = holderOf(name);
      if (running < places && holder.running < each) return start(holder);
      if (holder.queue.length < waiting) return wait(holder, signal);
      if (holder.running === 0 && holder.queue.length === 0) holders.delete(name);
      const causeMessage = 'too many lists of this identity are under way';
      throw new DomainError('rateLimited', { causeMessage, headers: { 'retry-after': '1' } });
    },
    get load() {
      let queued = 0;
      for (const { queue } of holders.values()) queued += queue.length;
      return { running, waiting: queued };
    },
  };
}
