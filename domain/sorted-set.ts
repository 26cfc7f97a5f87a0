/** A set as stored and answered: sorted by bytes, each once. */
export function sortedSet(values: readonly string[]): string[] {
  return [...new Set(values)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
