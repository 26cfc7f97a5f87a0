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
/** No name has it, nor any text that is asked for. */
const BETWEEN = '\0';
const PLAIN = /^[\x20-\x7e]*$/;

/** Names of some rows of a table, which stand for all of them. */
export class NameSample {
  /** All of them in one text, which is searched faster than each of them. */
  readonly #names: string;
  readonly #upper: string;
  /** How many of the names have each part. */
  readonly #counts = new Map<string, number>();

  constructor(names: readonly string[]) {
    this.#names = names.join(BETWEEN);
    this.#upper = this.#names.toUpperCase();
    for (const name of names)
      for (const part of partsOf(name)) this.#counts.set(part, (this.#counts.get(part) ?? 0) + 1);
  }

  /** Parts of `text`, as they stand in it, that few names have; none where the whole text is as good. */
  readonly partsOf = (text: string): readonly string[] => rarestParts(text, this.#counts);

  /** No name of the sample contains the text. */
  lacks(text: string, ignoresCase: boolean): boolean {
    return ignoresCase ? !this.#upper.includes(text.toUpperCase()) : !this.#names.includes(text);
  }
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

function rarestParts(text: string, counts: ReadonlyMap<string, number>): readonly string[] {
  if (!PLAIN.test(text)) return [];
  const parts = [...partsOf(text)];
  if (parts.length < FEWEST) return [];
  parts.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const lower = text.toLowerCase();
  return parts.slice(0, TAKEN).map((part) => text.substr(lower.indexOf(part), PART));
}
