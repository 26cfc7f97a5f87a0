/**
 * Names under which statements of lists are kept prepared. A caller shapes the text of a list, so names are for short
 * texts that come again, the least recently used gives way, and a name is a counter: no two texts ever have the same.
 */
import { LRUCache } from 'lru-cache';

/** How often a shape must have come to be named: one that is not asked for again takes no place. */
export const SIGHTINGS = 3;

const MAX_NAMES = 100;
const MAX_SEEN = 1_000;

type ListName = `list-${number}`;

export class StatementNames {
  readonly #names = new LRUCache<string, ListName>({ max: MAX_NAMES });
  readonly #seen = new LRUCache<string, number>({ max: MAX_SEEN });
  /** Names of a bounded set of texts: they stay. */
  readonly #lasting = new Map<string, ListName>();
  #count = 0;

  #next(): ListName {
    this.#count += 1;
    return `list-${this.#count}`;
  }

  /** @param shape  equal for equal SQL. @returns null for a shape that is not kept prepared yet */
  nameFor(shape: string): ListName | null {
    const known = this.#names.get(shape);
    if (known !== undefined) return known;
    const sightings = (this.#seen.get(shape) ?? 0) + 1;
    if (sightings < SIGHTINGS) {
      this.#seen.set(shape, sightings);
      return null;
    }
    this.#seen.delete(shape);
    const name = this.#next();
    this.#names.set(shape, name);
    return name;
  }

  /** @param shape  one of a set that no caller can make larger */
  lastingNameFor(shape: string): ListName {
    let name = this.#lasting.get(shape);
    if (name === undefined) this.#lasting.set(shape, (name = this.#next()));
    return name;
  }
}
