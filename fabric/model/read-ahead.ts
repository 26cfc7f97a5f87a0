/** Most parts that are being read at a time. */
const AHEAD = 2;

/**
 * Reads the next parts while one is worked on, so that the database and this process are busy at the same time. Nothing
 * is being read any more when this resolves or rejects.
 */
export async function readAhead<Part, Found>(
  parts: readonly Part[],
  read: (part: Part) => Promise<Found>,
  work: (part: Part, found: Found) => Promise<void>,
): Promise<void> {
  const reading: Promise<Found>[] = [];
  const begin = (part: Part | undefined) => {
    if (part === undefined) return;
    const found = read(part);
    found.catch(() => undefined); // reported when it is awaited
    reading.push(found);
  };
  parts.slice(0, AHEAD).forEach(begin);
  try {
    for (const [index, part] of parts.entries()) {
      const found = (await reading[0]) as Found;
      void reading.shift();
      begin(parts[index + AHEAD]);
      await work(part, found);
    }
  } finally {
    await Promise.allSettled(reading);
  }
}
