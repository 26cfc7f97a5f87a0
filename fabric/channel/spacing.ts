/**
 * Spaces out what a router may ask for at will and what costs much. Asked again too soon, it is done once more when the
 * time is over, the way it was asked for last.
 */
import type { RouterChannel } from './channel.js';

interface Asked {
  at: number;
  last: (() => void) | undefined;
}

export class Spacing {
  readonly #asked = new WeakMap<object, Asked>();

  constructor(
    private readonly everyMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  run(channel: Pick<RouterChannel, 'isClosed'>, act: () => void): void {
    const asked = this.#asked.get(channel) ?? { at: -Infinity, last: undefined };
    this.#asked.set(channel, asked);
    const waitMs = asked.at + this.everyMs - this.now();
    if (waitMs <= 0 && asked.last === undefined) {
      asked.at = this.now();
      act();
      return;
    }
    const isWaiting = asked.last !== undefined;
    asked.last = act;
    if (!isWaiting) this.#runLater(channel, asked, waitMs);
  }

  #runLater(channel: Pick<RouterChannel, 'isClosed'>, asked: Asked, waitMs: number): void {
    setTimeout(() => {
      const { last } = asked;
      asked.last = undefined;
      asked.at = this.now();
      if (!channel.isClosed) last?.();
    }, waitMs).unref();
  }
}
