/**
 * Reads DER (X.690) strictly: definite lengths in their shortest form, one-byte tags, nothing left over. Elements are
 * views of the bytes that they came from; nothing is copied, and what is not asked for is not decoded.
 */

/** Bytes that are not what they should be. */
export class DerFault extends Error {}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  none: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Header and content. */
  readonly raw: Buffer;
}

/** Goes through the elements of a content one after another. */
export class DerReader {
  private offset = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.offset === this.bytes.length;
  }

  isNext(tag: number): boolean {
    return this.bytes[this.offset] === tag;
  }

  /** @throws DerFault when there is no whole element */
  next(): Element {
    const start = this.offset;
    const tag = this.byte();
    if ((tag & 0x1f) === 0x1f) throw new DerFault('a tag of several bytes');
    const length = this.length();
    const from = this.offset;
    if (length > this.bytes.length - from) throw new DerFault('an element goes beyond its end');
    this.offset = from + length;
    return { tag, content: this.bytes.subarray(from, this.offset), raw: this.bytes.subarray(start, this.offset) };
  }

  /** @throws DerFault when the next element is another or missing */
  expect(tag: number): Element {
    if (!this.isNext(tag)) throw new DerFault(`expected an element 0x${tag.toString(16)}`);
    return this.next();
  }

  /** The next element if it is this one. */
  optional(tag: number): Element | undefined {
    return this.isNext(tag) ? this.next() : undefined;
  }

  /** Returns the rest of the bytes without advancing. */
  rest(): Buffer {
    return this.bytes.subarray(this.offset);
  }

  /** @throws DerFault when something is left */
  end(): void {
    if (!this.isAtEnd) throw new DerFault('bytes are left over');
  }

  private byte(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined) throw new DerFault('an element goes beyond its end');
    this.offset += 1;
    return byte;
  }

  private length(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count < 1 || count > 3) throw new DerFault('a length that is indefinite or too large');
    let length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + this.byte();
    if (length < 0x80 || length < 256 ** (count - 1)) throw new DerFault('a length that is not in its shortest form');
    return length;
  }
}

/** A reader of what is inside the one element that the bytes are. @throws DerFault */
export function inside(bytes: Buffer, tag: number): DerReader {
  const outer = new DerReader(bytes);
  const { content } = outer.expect(tag);
  outer.end();
  return new DerReader(content);
}

/** Every element of a content. @throws DerFault */
export function elementsOf(content: Buffer): Element[] {
  const reader = new DerReader(content);
  const elements: Element[] = [];
  while (!reader.isAtEnd) elements.push(reader.next());
  return elements;
}

const CONSTRUCTED = 0x20;
/** Bytes for which one element is counted where the encoding cannot be read. */
const BYTES_PER_UNREAD = 4;

/**
 * How much work a general decoder has with these bytes: the elements in them, also within octet and bit strings.
 * Counted no further than `limit`, which is exceeded then. Never throws.
 */
export function countElements(bytes: Buffer, limit: number): number {
  const left = [bytes];
  let count = 0;
  for (let next = left.pop(); next !== undefined && count <= limit; next = left.pop()) {
    const elements = elementsIn(next);
    count += elements?.length ?? Math.ceil(next.length / BYTES_PER_UNREAD);
    for (const { tag, content } of elements ?? []) {
      if ((tag & CONSTRUCTED) !== 0 || tag === tags.octets) left.push(content);
      else if (tag === tags.bits) left.push(content.subarray(1));
    }
  }
  return count;
}

function elementsIn(bytes: Buffer): Element[] | undefined {
  try {
    return elementsOf(bytes);
  } catch {
    return undefined;
  }
}

/** @throws DerFault when it is neither TRUE (0xff) nor FALSE (0) */
export function readDerBoolean({ content }: Element): boolean {
  const [byte] = content;
  if (content.length !== 1 || (byte !== 0 && byte !== 0xff))
    throw new DerFault('a boolean that is neither true nor false');
  return byte === 0xff;
}

/** @throws DerFault when negative, empty, above 2^31, or padded */
export function readSmallInteger({ content }: Element): number {
  const [first = 0x80, second = 0x80] = content;
  if (first >= 0x80 || content.length > 4 || (first === 0 && content.length > 1 && second < 0x80))
    throw new DerFault('a number that is out of range');
  return content.readUIntBE(0, content.length);
}

/** The bytes of a positive integer without leading zeros. @throws DerFault when zero, negative, empty or padded */
export function readMagnitude({ content }: Element): Buffer {
  const [first = 0x80, second = 0] = content;
  if (first >= 0x80 || (first === 0 && second < 0x80)) throw new DerFault('a number that is not positive');
  return first === 0 ? content.subarray(1) : content;
}

/** A bit string of whole bytes, such as a key or a signature. @throws DerFault */
export function readWholeBits({ content }: Element): Buffer {
  if (content[0] !== 0) throw new DerFault('a bit string that is not of whole bytes');
  return content.subarray(1);
}

/** Positions of the bits that are set, of at most 16. @throws DerFault */
export function readFlags({ content }: Element): Set<number> {
  const [unused = 8, ...bytes] = content;
  if (unused > 7 || bytes.length > 2 || (bytes.length === 0 && unused > 0))
    throw new DerFault('a bit string that is malformed');
  const flags = new Set<number>();
  bytes.forEach((byte, index) => {
    for (let bit = 0; bit < 8; bit += 1) if ((byte & (0x80 >> bit)) !== 0) flags.add(index * 8 + bit);
  });
  return flags;
}

/** Reads an object identifier in dotted form. @throws DerFault */
export function readOid({ tag, content }: Element): string {
  if (tag !== tags.oid || content.length === 0 || content.length > 64)
    throw new DerFault('a malformed object identifier');
  const arcs: bigint[] = [];
  let arc = 0n;
  let isOpen = false;
  for (const byte of content) {
    if (!isOpen && byte === 0x80) throw new DerFault('a malformed object identifier');
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    isOpen = byte >= 0x80;
    if (!isOpen) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  if (isOpen) throw new DerFault('a malformed object identifier');
  const [both = 0n, ...rest] = arcs;
  const first = both < 80n ? both / 40n : 2n;
  return [first, both - first * 40n, ...rest].join('.');
}

/**
 * Milliseconds since 1970 of a time as certificates have it (RFC 5280 section 4.1.2.5): seconds, Zulu.
 * @throws DerFault
 */
export function readTime({ tag, content }: Element): number {
  const written = content.toString('latin1');
  const match = (
    tag === tags.utcTime ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
  ).exec(written);
  if (match === null || (tag !== tags.utcTime && tag !== tags.generalizedTime)) throw new DerFault('a malformed time');
  const [short = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const year = tag === tags.utcTime ? short + (short < 50 ? 2000 : 1900) : short;
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hour, minute, second);
  const isSame =
    time.getUTCMonth() === month - 1 &&
    time.getUTCDate() === day &&
    time.getUTCHours() === hour &&
    time.getUTCMinutes() === minute &&
    time.getUTCSeconds() === second;
  if (!isSame) throw new DerFault('a time that does not exist');
  return time.getTime();
}
