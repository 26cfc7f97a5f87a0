/** Work on many things, a few at a time. */

/** The first failure is thrown once the work that is under way has ended; no more is begun. */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const lane = async () => {
    for (const item of rest) {
      if (failure !== undefined) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (failure !== undefined) throw failure.error;
}
