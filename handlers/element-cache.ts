/**
 * Texts of the elements of lists, each with the row that it was made of, as the database wrote that row. A list still
 * reads its rows. An element whose row and context are what they were is sent again as it was checked and written: it
 * is not read, mapped, checked and written once more. So nothing here can be out of date, and nothing has to be
 * forgotten: all that an element shows is in its row or in its context.
 *
 * Bounded in bytes; what was not used for longest goes. To keep what is never used again would make a list half as slow
 * again as it is without. So a row must have come twice as it is, and once there is no room, only one in several comes
 * in: whoever reads through more than can be kept, over and over, changes little of it.
 */
import { LRUCache } from 'lru-cache';
import type { Rights } from '../domain/auth/rights.js';
import type { CacheUse } from '../domain/cache-use.js';
import type { LazyRow } from '../domain/model.js';
import { ListElement } from './reply.js';

/** How an element of one kind is made. */
export interface ElementKind<T, D, C extends string = string> {
  /** Another one for another kind, and for another way in which it is made. */
  readonly name: string;
  /** All that it depends on apart from its row and its kind. */
  readonly contextOf: (row: LazyRow<T>) => C;
  /** Looks at nothing else that may change, so that an element of equal row and context is the same. */
  readonly make: (entity: T, context: C) => D;
}

/** A kind whose elements depend on their rows alone. */
export const elementOfRow = <T, D>(name: string, make: (entity: T) => D): ElementKind<T, D> => ({
  name,
  contextOf: () => '',
  make,
});

/** A name for what is made in another way for callers with other rights. */
export const nameFor = (name: string, { isAdmin, permissions }: Rights): string =>
  isAdmin ? name : `${name} ${JSON.stringify(permissions)}`;

interface CachedElement {
  readonly kind: string;
  /** Row as the database wrote it. */
  readonly row: string;
  readonly context: string;
  /** Name of the validator used. */
  readonly validator: string;
  readonly text: string;
}

/** Bytes of one element apart from its characters. */
const OVERHEAD = 500;
/** The largest element that is kept, as a part of all. */
const LARGEST = 1 / 16;

/** One in so many of the elements that would displace others is admitted. */
const COMES_IN = 16;
/** How many rows are remembered as seen; a power of two. Four bytes for each. */
const SEEN = 65_536;
/** Characters of a row that are looked at to know it again. */
const LOOKED_AT = 2_048;

export class ElementCache {
  readonly #kept: LRUCache<string, CachedElement> | undefined;
  /**
   * Hashes of rows when their texts were last made, by a hash of their ids. Two ids with one hash replace each other.
   */
  readonly #seen = new Int32Array(SEEN);
  #turn = 0;
  #hits = 0;
  #misses = 0;

  /** @param maxBytes  0: nothing is kept */
  constructor(readonly maxBytes: number) {
    if (maxBytes > 0) this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf });
  }

  /** An element of a list. */
  element<T, D, C extends string>(row: LazyRow<T>, kind: ElementKind<T, D, C>): ListElement<D> {
    return new KeptElement(row, kind, this);
  }

  /** Bytes used, by the same estimate as the bound. */
  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }

  get use(): CacheUse {
    return { entries: this.#kept?.size ?? 0, bytes: this.bytes, hits: this.#hits, misses: this.#misses };
  }

  /** A text was found as it should be, or had to be made. */
  counted(wasFound: boolean): void {
    if (wasFound) this.#hits += 1;
    else this.#misses += 1;
  }

  find(key: string): CachedElement | undefined {
    return this.#kept?.get(key);
  }

  /** Keeps a text that was made for a row, unless that would cost more than it is likely to save. */
  keep(key: string, id: string, made: CachedElement): void {
    if (this.#kept === undefined || !this.#wasSeen(id, made.row)) return;
    const size = sizeOf(made, key);
    if (size > this.maxBytes * LARGEST) return;
    if (this.bytes + size > this.maxBytes && (this.#turn += 1) % COMES_IN !== 0) return;
    this.#kept.set(key, made, { size });
  }

  #wasSeen(id: string, row: string): boolean {
    const slot = hashOf(id) & (SEEN - 1);
    const hash = hashOf(row);
    if (this.#seen[slot] === hash) return true;
    this.#seen[slot] = hash;
    return false;
  }
}

class KeptElement<T, D, C extends string> extends ListElement<D> {
  constructor(
    readonly row: LazyRow<T>,
    readonly kind: ElementKind<T, D, C>,
    readonly kept: ElementCache,
  ) {
    super();
  }

  value(context = this.kind.contextOf(this.row)): D {
    return this.kind.make(this.row.read(), context);
  }

  text(validator: string, write: (value: D) => string): string {
    const { text: row, id } = this.row;
    const { name } = this.kind;
    const key = `${name} ${id}`;
    const known = this.kept.find(key);
    const context = this.kind.contextOf(this.row);
    const isGood =
      known !== undefined &&
      known.kind === name &&
      known.context === context &&
      known.validator === validator &&
      known.row === row;
    this.kept.counted(isGood);
    if (isGood) return known.text;
    const text = write(this.value(context));
    this.kept.keep(key, id, { kind: name, context, validator, row, text });
    return text;
  }
}

/** A number that most often is another one for another row: whoever takes one for the other keeps a text in vain. */
function hashOf(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length && at < LOOKED_AT; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Size in bytes: one character beyond Latin-1 makes every character of its text take two. */
function sizeOf({ row, text, context }: CachedElement, key: string): number {
  const width = Buffer.byteLength(text) === text.length ? 1 : 2;
  return OVERHEAD + (row.length + text.length + context.length + key.length) * width;
}
