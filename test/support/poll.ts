/** Waiting for something to become true, with a deadline instead of a sleep. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 30_000,
): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/**
 * For what one controller announces to the others, on a machine that is busy: below the 5 seconds after which a change
 * is found without an announcement.
 */
export const HEARD_MS = 4_500;
