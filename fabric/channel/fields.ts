/**
 * Fields of a protobuf message, one after another, in one pass and without objects for what is not read: for bodies
 * that are large and of which little is used.
 */
import { WireType } from '@bufbuild/protobuf/wire';
import { malformed } from './malformed.js';
import { textFrom } from './text.js';

const MOST_TEXT_BYTES = 128;
const MOST_VARINT_BYTES = 10;

/**
 * Stands on one field after another: `while (fields.next()) …`. It throws a MalformedError when there is no field
 * where one should be.
 */
export class MessageFields {
  /** Number of the field; 0 before the first. */
  number = 0;
  type: WireType = WireType.Varint;
  /** The value of a varint, near enough for counts: beyond 2^53 its last digits are lost. */
  value = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #next: number;
  /** Start of the value of the field. */
  #from = 0;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#next = from;
    this.#end = end;
  }

  next(): boolean {
    if (this.#next >= this.#end) return false;
    const tag = this.#varint();
    this.number = Math.floor(tag / 8);
    this.type = tag % 8;
    this.value = this.type === WireType.Varint ? this.#varint() : 0;
    const length = this.type === WireType.LengthDelimited ? this.#varint() : fixedLength(this.type);
    this.#from = this.#next;
    this.#next += length;
    if (this.#next > this.#end) throw malformed('the body ends within a field');
    return true;
  }

  /** Whether it is this field, with a text or a message. */
  has(number: number): boolean {
    return this.number === number && this.type === WireType.LengthDelimited;
  }

  /** The fields of the message in this field. */
  within(): MessageFields {
    return new MessageFields(this.#bytes, this.#from, this.#next);
  }

  /** The text in this field, as much of it as a name of ours can have. */
  text(): string {
    return textFrom(this.#bytes.subarray(this.#from, Math.min(this.#next, this.#from + MOST_TEXT_BYTES)));
  }

  /** The number in this field, when it has eight bytes; otherwise 0. */
  double(): number {
    if (this.type !== WireType.Bit64) return 0;
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + this.#from, 8).getFloat64(0, true);
  }

  #varint(): number {
    let value = 0;
    for (let [scale, read] = [1, 0]; read < MOST_VARINT_BYTES; scale *= 128, read += 1) {
      const byte = this.#next < this.#end ? this.#bytes[this.#next] : undefined;
      if (byte === undefined) throw malformed('the body ends within a field');
      this.#next += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw malformed('the body has a number of more than ten bytes');
  }
}

function fixedLength(type: WireType): number {
  switch (type) {
    case WireType.Varint:
      return 0;
    case WireType.Bit64:
      return 8;
    case WireType.Bit32:
      return 4;
    case WireType.LengthDelimited:
    case WireType.StartGroup:
    case WireType.EndGroup:
    default:
      throw malformed('the body has a field of an unknown kind');
  }
}
