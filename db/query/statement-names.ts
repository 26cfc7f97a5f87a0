/**
 * Names under which statements of lists are kept prepared. A caller shapes the text of a list, so names are for short
 * texts that come again, the least recently used gives way, and a name is a counter: no two texts ever have the same.
 * Those of a bounded set of texts stay, and are named after their shapes.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** How often a shape must have come to be named: one that is not asked for again takes no place. */
export const SIGHTINGS = 3;

const MAX_NAMES = 100;
const MAX_SEEN = 1_000;
const NAME_LETTERS = 22;

export type ListName = `list-${string}`;

export class StatementNames {
  readonly #names = new LRUCache<string, ListName>({ max: MAX_NAMES });
  readonly #seen = new LRUCache<string, number>({ max: MAX_SEEN });
  readonly #lasting = new Map<string, ListName>();
  #count = 0;

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
    this.#count += 1;
    const name: ListName = `list-${this.#count}`;
    this.#names.set(shape, name);
    return name;
  }

  /** @param shape  one of a set that no caller can make larger; of one text, whoever asks */
  lastingNameFor(shape: string): ListName {
    let name = this.#lasting.get(shape);
    if (name === undefined) {
      name = `list-${createHash('sha256').update(shape).digest('base64url').slice(0, NAME_LETTERS)}`;
      this.#lasting.set(shape, name);
    }
    return name;
  }
}
