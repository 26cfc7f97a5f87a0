/** Runs tasks of the same key one after the other, in order of arrival, and those of different keys side by side. */
export interface KeyQueue {
  /** A task that fails holds up none of those behind it. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Keys with a task that runs or waits. For tests. */
  readonly size: number;
}

/** Without a bound of its own: whoever adds tasks bounds how many there are. */
export function createKeyQueue(): KeyQueue {
  const ends = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = ends.get(key);
      const result = before === undefined ? task() : before.then(task);
      const end = result.then(
        () => undefined,
        () => undefined,
      );
      ends.set(key, end);
      void end.then(() => {
        if (ends.get(key) === end) ends.delete(key);
      });
      return result;
    },
    get size() {
      return ends.size;
    },
  };
}
