/** Waiting for something to become true, with a deadline instead of a sleep. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 30_000,
): Promise<T> {
  const started = Date.now();
  const end = started + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    // What takes longer may be found a little later: many probes ask a controller.
    const restMs = Date.now() - started < 1_000 ? 20 : 50;
    await new Promise((resolve) => {
      setTimeout(resolve, restMs);
    });
  }
}

/**
 * For what one controller announces to the others, on a machine that is busy: below the 5 seconds after which a change
 * is found without an announcement.
 */
export const HEARD_MS = 4_500;
