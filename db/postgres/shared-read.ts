/** One read for all who ask at the same time. */

/**
 * A call gets what a read answered that began after it: those that come while one runs share the next one.
 * @throws as `read`
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    if (next !== undefined) return next;
    const begin = () => {
      next = undefined;
      const begun = read();
      running = begun.catch(() => undefined);
      return begun;
    };
    return (next = running.then(begin));
  };
}
