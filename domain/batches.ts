/** Batches of a list that is too long to hold. */

/**
 * The same batches with each item mapped as it comes. What ends them ends those below too, which hold a connection of
 * the database. A generator would not do so when it is ended before its first batch is asked for: it would not have
 * begun.
 */
export function mapBatches<A, B>(
  batches: AsyncIterable<readonly A[]>,
  map: (item: A) => B,
): AsyncIterableIterator<B[]> {
  const below = batches[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    await below.return?.();
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const step = await below.next();
      if (step.done === true) return { done: true, value: undefined };
      try {
        return { done: false, value: step.value.map(map) };
      } catch (error) {
        await end();
        throw error;
      }
    },
    return: end,
  };
}
