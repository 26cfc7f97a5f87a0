/** Writes DER (X.690): each function returns one whole element. */
import { tags } from './der.js';

/** Tag, length in its shortest form (X.690 section 10.1), value. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const size = contents.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.of(tag), lengthOf(size), ...contents]);
}

function lengthOf(size: number): Buffer {
  if (size < 0x80) return Buffer.of(size);
  const hex = size.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => element(tags.sequence, ...contents);

export const octets = (content: Uint8Array): Buffer => element(tags.octets, content);

/** A bit string of whole bytes. */
export const wholeBits = (content: Uint8Array): Buffer => element(tags.bits, Buffer.of(0), content);

/**
 * A bit string of flags without the zeros at its end (X.690 section 11.2.2).
 * @param set  positions of the bits that are set, 0 to 15
 */
export function flags(set: readonly number[]): Buffer {
  const last = Math.max(...set);
  const bytes = Buffer.alloc(1 + Math.floor(last / 8));
  for (const bit of set) {
    const at = Math.floor(bit / 8);
    bytes.writeUInt8(bytes.readUInt8(at) | (0x80 >> (bit % 8)), at);
  }
  return element(tags.bits, Buffer.of(7 - (last % 8)), bytes);
}

/** @param magnitude  of a number that is not negative, its most significant byte first; one byte at least */
export function positiveInteger(magnitude: Uint8Array): Buffer {
  const first = magnitude.findIndex((byte) => byte !== 0);
  const shortest = magnitude.subarray(first < 0 ? magnitude.length - 1 : first);
  return element(tags.integer, ...((shortest[0] as number) >= 0x80 ? [Buffer.of(0), shortest] : [shortest]));
}

/** @param dotted  with a first number of 0 to 2, a second below 40 */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest].flatMap(baseOf128)));
}

/** Digits to the base of 128, all but the last marked. */
function baseOf128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** A time of a certificate in whole seconds, the rest cut off: two digits of the year until 2049 (RFC 5280 4.1.2.5). */
export function timeOfCertificate(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  const isShort = date.getUTCFullYear() >= 1950 && date.getUTCFullYear() < 2050;
  return isShort
    ? element(tags.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(tags.generalizedTime, Buffer.from(digits, 'latin1'));
}
