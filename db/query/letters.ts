/**
 * Chooses the parts of a text that a trigram index is asked for. The index keeps words of letters and digits, in lower
 * case and followed by a blank. Asking for every part would read the list of each, however common it is.
 */

const PART = 3;
/** A text with no more parts is asked for as it is. */
const FEWEST = 4;
const TAKEN = 2;
const WITHIN = /^[a-z0-9]{3}$/;
const AT_END = /^[a-z0-9]{2}[ -/:-@]$/;
const PLAIN = /^[\x20-\x7e]*$/;

/** How many of the names have each part. */
export function letterCounts(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) for (const part of partsOf(name)) counts.set(part, (counts.get(part) ?? 0) + 1);
  return counts;
}

function partsOf(text: string): Set<string> {
  const parts = new Set<string>();
  const lower = text.toLowerCase();
  for (let at = 0; at + PART <= lower.length; at += 1) {
    const part = lower.slice(at, at + PART);
    if (WITHIN.test(part) || AT_END.test(part)) parts.add(part);
  }
  return parts;
}

/** Parts of `text`, as they stand in it, that few names have; none where the whole text is as good. */
export function rarestParts(text: string, counts: ReadonlyMap<string, number>): readonly string[] {
  if (!PLAIN.test(text)) return [];
  const parts = [...partsOf(text)];
  if (parts.length < FEWEST) return [];
  parts.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const lower = text.toLowerCase();
  return parts.slice(0, TAKEN).map((part) => text.substr(lower.indexOf(part), PART));
}
