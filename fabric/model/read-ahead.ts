/**
 * Reads the next part while the last is worked on, so that the database and this process are busy at the same time.
 * At most one part is being read. Nothing is being read any more when this resolves or rejects.
 */
export async function readAhead<Part, Found>(
  parts: readonly Part[],
  read: (part: Part) => Promise<Found>,
  work: (part: Part, found: Found) => Promise<void>,
): Promise<void> {
  const begin = (part: Part | undefined): Promise<Found> | undefined => {
    const reading = part === undefined ? undefined : read(part);
    reading?.catch(() => undefined); // it is told when it is awaited
    return reading;
  };
  let reading = begin(parts[0]);
  try {
    for (const [index, part] of parts.entries()) {
      const found = (await reading) as Found;
      reading = begin(parts[index + 1]);
      await work(part, found);
    }
  } finally {
    await reading?.catch(() => undefined);
  }
}

/** @returns the elements in order, in lists of at most `size` */
export const inParts = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, part) => all.slice(part * size, (part + 1) * size));
