/**
 * Tells waiting work that its result is no longer wanted. It has the part of AbortSignal that such work needs; an
 * AbortSignal is one as well. A whole AbortSignal for each list took a tenth of the time of a short one: an event
 * target, an event, and an exception with its stack.
 */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export class StopSource implements StopSignal {
  #listeners: Set<() => void> | undefined;
  #isStopped = false;

  get aborted(): boolean {
    return this.#isStopped;
  }

  /** Calls each listener once. Later calls do nothing. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }

  /** A listener that comes after the stop is never called: look at `aborted` first. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#isStopped) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}
