/**
 * Counts what a protobuf message has before it is decoded: two bytes can make an object of a hundred. Only tags and
 * lengths are read. A list that may be long is decoded in pieces, so that the event loop turns in between.
 */
import { ScalarType } from '@bufbuild/protobuf';
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { malformed } from './malformed.js';

/** Fields of a message that is decoded at once, in all its depths. */
const MOST_FIELDS = 5_000;
/** Fields of one element of a list that is decoded in pieces, such as an identity with its connections. */
const MOST_FIELDS_OF_ELEMENT = 4_000;
/** Fields beside the lists. */
const MOST_OTHERS = 100;
/** Fields and bytes decoded in one turn of the event loop, if no element alone has more: some 2 ms. */
const FIELDS_OF_PIECE = 2_000;
const BYTES_OF_PIECE = 64 << 10;
/** Elements of lists that are decoded in pieces. */
export const MOST_ELEMENTS = 40_000;
const MOST_DEPTH = 16;

interface Shape {
  /** Messages within, by the number of their field. */
  readonly nested: ReadonlyMap<number, () => Shape>;
  /** Lists and maps. */
  readonly lists: ReadonlySet<number>;
  /** Lists of numbers, which may come as one field. */
  readonly packed: ReadonlySet<number>;
}

const SHAPES = new WeakMap<DescMessage, Shape>();
const NOTHING: Shape = { nested: new Map(), lists: new Set(), packed: new Set() };
/** The value of an entry of a map. */
const VALUE = 2;

function messageIn(field: DescField): DescMessage | undefined {
  if (field.fieldKind === 'message') return field.message;
  return field.fieldKind === 'list' || field.fieldKind === 'map' ? field.message : undefined;
}

const isPacked = (field: DescField): boolean =>
  field.fieldKind === 'list' &&
  (field.listKind === 'enum' ||
    (field.listKind === 'scalar' && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES));

function shapeOf(schema: DescMessage): Shape {
  const known = SHAPES.get(schema);
  if (known !== undefined) return known;
  const nested = new Map<number, () => Shape>();
  for (const field of schema.fields) {
    const within = messageIn(field);
    if (within !== undefined && field.fieldKind !== 'map') nested.set(field.number, () => shapeOf(within));
    if (field.fieldKind !== 'map') continue;
    const entry: Shape =
      within === undefined ? NOTHING : { ...NOTHING, nested: new Map([[VALUE, () => shapeOf(within)]]) };
    nested.set(field.number, () => entry);
  }
  const numbersOf = (fits: (field: DescField) => boolean) =>
    new Set(schema.fields.filter(fits).map(({ number }) => number));
  const shape: Shape = {
    nested,
    lists: numbersOf(({ fieldKind }) => fieldKind === 'list' || fieldKind === 'map'),
    packed: numbersOf(isPacked),
  };
  SHAPES.set(schema, shape);
  return shape;
}

/** Reads tags and lengths. @throws MalformedError */
class Scanner {
  fields = 0;
  #at = 0;

  constructor(
    readonly bytes: Uint8Array,
    private most: number,
  ) {}

  get at(): number {
    return this.#at;
  }

  /** Sets how many more fields may follow. */
  allow(fields: number): void {
    this.most = this.fields + fields;
  }

  #count(fields: number): void {
    this.fields += fields;
    if (this.fields > this.most) throw malformed(`the body has more than ${this.most} fields`);
  }

  /** A number of up to 32 bits; of a longer one the rest is passed over. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.#at];
      if (byte === undefined) throw malformed('the body ends within a field');
      this.#at += 1;
      if (shift < 35) value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw malformed('the body has a number of more than ten bytes');
  }

  /** Passes over one field and what is in it. @returns its number */
  field(shape: Shape, depth = 0): number {
    if (depth > MOST_DEPTH) throw malformed('the body is nested too deeply');
    this.#count(1);
    const tag = this.#varint();
    const number = Math.floor(tag / 8);
    switch ((tag % 8) as WireType) {
      case WireType.Varint:
        this.#varint();
        break;
      case WireType.Bit64:
        this.#at += 8;
        break;
      case WireType.Bit32:
        this.#at += 4;
        break;
      case WireType.LengthDelimited:
        this.#within(shape, number, depth);
        break;
      case WireType.StartGroup:
      case WireType.EndGroup:
      default:
        throw malformed('the body has a field of an unknown kind');
    }
    if (this.#at > this.bytes.length) throw malformed('the body ends within a field');
    return number;
  }

  #within(shape: Shape, number: number, depth: number): void {
    const length = this.#varint();
    const end = this.#at + length;
    if (end > this.bytes.length) throw malformed('the body ends within a field');
    const nested = shape.nested.get(number)?.();
    if (nested !== undefined) {
      while (this.#at < end) this.field(nested, depth + 1);
      if (this.#at > end) throw malformed('a field of the body is longer than what it is in');
    } else if (shape.packed.has(number)) this.#count(length);
    this.#at = end;
  }
}

/** @throws MalformedError when there are more than can be decoded at once */
export function requireFields(schema: DescMessage, body: Uint8Array): void {
  // Each takes two bytes at least.
  if (body.length <= MOST_FIELDS) return;
  const scanner = new Scanner(body, MOST_FIELDS);
  const shape = shapeOf(schema);
  while (scanner.at < body.length) scanner.field(shape);
}

/**
 * The body as bodies of the same kind: together they hold its lists, in order, and each has all its other fields.
 * @throws MalformedError
 */
export function piecesOf(schema: DescMessage, body: Uint8Array): Uint8Array[] {
  const shape = shapeOf(schema);
  const scanner = new Scanner(body, 0);
  const others: Uint8Array[] = [];
  const pieces: Uint8Array[][] = [[]];
  /** Elements that follow each other stay together. */
  let runStart = -1;
  const endRun = (end: number) => {
    if (runStart >= 0) pieces.at(-1)?.push(body.subarray(runStart, end));
    runStart = -1;
  };
  let [elements, fieldsBefore, bytesBefore] = [0, 0, 0];
  while (scanner.at < body.length) {
    const start = scanner.at;
    scanner.allow(MOST_FIELDS_OF_ELEMENT);
    const number = scanner.field(shape);
    if (!shape.lists.has(number)) {
      endRun(start);
      if (others.push(body.subarray(start, scanner.at)) > MOST_OTHERS) throw malformed('the body has too many fields');
      continue;
    }
    if ((elements += 1) > MOST_ELEMENTS) throw malformed(`the body lists more than ${MOST_ELEMENTS} elements`);
    if (runStart < 0) runStart = start;
    if (scanner.fields - fieldsBefore < FIELDS_OF_PIECE && scanner.at - bytesBefore < BYTES_OF_PIECE) continue;
    endRun(scanner.at);
    pieces.push([]);
    [fieldsBefore, bytesBefore] = [scanner.fields, scanner.at];
  }
  endRun(body.length);
  return pieces.map((parts) => {
    const [only] = parts;
    return parts.length === 1 && others.length === 0 && only !== undefined
      ? only
      : Buffer.concat([...others, ...parts]);
  });
}
