/** The word that somebody may have meant. */

/** @param most  letters by which they may differ. @returns the first of the nearest, undefined when none is near */
export function nearestWord(word: string, known: readonly string[], most = 2): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  let fewest = most + 1;
  for (const each of known) {
    if (Math.abs(each.length - word.length) >= fewest) continue;
    const count = slips(each.toLowerCase(), lower);
    if (count < fewest) [best, fewest] = [each, count];
  }
  return best;
}

/** Letters to add, drop or change to get from one word to the other (Levenshtein). */
function slips(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
