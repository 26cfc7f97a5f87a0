/**
 * Spaces out costly work that may be asked for at will, by a router most of all. A request that comes too soon is done
 * when the time is over; the last of several replaces the others.
 */
import type { RouterChannel } from './channel.js';

interface Request {
  at: number;
  /** Work that waits for the time to be over. */
  pending: (() => void) | undefined;
}

export class Spacing {
  readonly #requests = new WeakMap<object, Request>();

  /** @param everyMs  time from one piece of work to the next, asked for at each request */
  constructor(
    private readonly everyMs: number | (() => number),
    private readonly now: () => number = () => performance.now(),
  ) {}

  run(channel: Pick<RouterChannel, 'isClosed'>, act: () => void): void {
    const request = this.#requests.get(channel) ?? { at: -Infinity, pending: undefined };
    this.#requests.set(channel, request);
    const everyMs = typeof this.everyMs === 'number' ? this.everyMs : this.everyMs();
    const waitMs = request.at + everyMs - this.now();
    if (waitMs <= 0 && request.pending === undefined) {
      request.at = this.now();
      act();
      return;
    }
    const isWaiting = request.pending !== undefined;
    request.pending = act;
    if (!isWaiting) this.#runLater(channel, request, waitMs);
  }

  #runLater(channel: Pick<RouterChannel, 'isClosed'>, request: Request, waitMs: number): void {
    setTimeout(() => {
      const { pending } = request;
      request.pending = undefined;
      request.at = this.now();
      if (!channel.isClosed) pending?.();
    }, waitMs).unref();
  }
}
