/**
 * Texts of the elements of lists, each beside the row that it was made of, as the database wrote that row. A list still
 * reads its rows. An element whose row and context are what they were is sent again as it was checked and written: it
 * is not read, mapped, checked and written once more. So nothing here can be out of date, and nothing has to be
 * forgotten: all that an element shows is in its row or in its context. Bounded in bytes; what was not used for longest
 * goes.
 */
import { LRUCache } from 'lru-cache';
import type { Unread } from '../domain/model.js';
import { ListElement } from './reply.js';

/** How an element of one kind is made. */
export interface ElementKind<T, D, C extends string = string> {
  /** Another one for another kind, and for another way in which it is made. */
  readonly name: string;
  /** All that it depends on apart from its row and its kind. */
  readonly contextOf: (row: Unread<T>) => C;
  /** Looks at nothing else that may change, so that an element of equal row and context is the same. */
  readonly make: (entity: T, context: C) => D;
}

interface Kept {
  readonly kind: string;
  readonly texts: readonly (string | null)[];
  readonly context: string;
  /** By which the element was checked. */
  readonly validator: string;
  readonly text: string;
}

/** Of one element, beside its characters: objects, and a header for each text. */
const OVERHEAD = 400;
const HEADER = 24;
/** The largest element that is kept, as a part of all. */
const LARGEST = 1 / 16;

export class KeptTexts {
  readonly #kept: LRUCache<string, Kept> | undefined;

  /** @param maxBytes  0: nothing is kept */
  constructor(maxBytes: number) {
    if (maxBytes > 0)
      this.#kept = new LRUCache({
        maxSize: maxBytes,
        maxEntrySize: Math.ceil(maxBytes * LARGEST),
        sizeCalculation: sizeOf,
      });
  }

  /** An element of a list. */
  element<T, D, C extends string>(row: Unread<T>, kind: ElementKind<T, D, C>): ListElement<D> {
    return new KeptElement(row, kind, this.#kept);
  }

  /** What is held, by the same estimate as the bound. */
  get bytes(): number {
    return this.#kept?.calculatedSize ?? 0;
  }
}

class KeptElement<T, D, C extends string> extends ListElement<D> {
  constructor(
    readonly row: Unread<T>,
    readonly kind: ElementKind<T, D, C>,
    readonly kept: LRUCache<string, Kept> | undefined,
  ) {
    super();
  }

  value(context = this.kind.contextOf(this.row)): D {
    return this.kind.make(this.row.read(), context);
  }

  text(validator: string, write: (value: D) => string): string {
    if (this.kept === undefined) return write(this.value());
    const { texts, id } = this.row;
    const { name } = this.kind;
    const key = `${name} ${id}`;
    const known = this.kept.get(key);
    const context = this.kind.contextOf(this.row);
    if (
      known !== undefined &&
      known.kind === name &&
      known.context === context &&
      known.validator === validator &&
      areEqual(known.texts, texts)
    )
      return known.text;
    const text = write(this.value(context));
    this.kept.set(key, { kind: name, context, validator, texts, text });
    return text;
  }
}

/** The columns of a kind are always the same, in the same order. */
function areEqual(one: readonly (string | null)[], other: readonly (string | null)[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

/** In bytes: a character beyond Latin-1 makes each character of its text take two. */
function sizeOf({ texts, text, context }: Kept, key: string): number {
  let characters = text.length + context.length + key.length;
  for (const column of texts) characters += column?.length ?? 0;
  const width = Buffer.byteLength(text) === text.length ? 1 : 2;
  return OVERHEAD + texts.length * HEADER + characters * width;
}
