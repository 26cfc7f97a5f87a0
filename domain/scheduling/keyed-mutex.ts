/**
 * Runs tasks of the same key one after the other, in order of arrival, and those of different keys side by side. Sets
 * no bound on the number of tasks: callers do.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the task after those before it with this key; one that fails does not hold up the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : before.then(task);
    const end = result.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, end);
    void end.then(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    return result;
  }

  /** Number of keys with a task that runs or waits, for tests. */
  get size(): number {
    return this.#last.size;
  }
}
