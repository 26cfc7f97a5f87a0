/** Random choices that can be made again: by a seed, which a failure or the log names. */

/** `EDGE_TEST_SEED`, to repeat a run; else another one each time. */
export const seedOfRun = (): number => Number(process.env['EDGE_TEST_SEED'] ?? Date.now() % 1_000_000_007);

/** Whole numbers from 0 to below a limit, the same for the same seed. */
export function randomly(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
