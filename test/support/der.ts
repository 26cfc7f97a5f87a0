/** Encodes DER (X.690) for test certificates, piece by piece. */

export function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

export const sequence = (...contents: readonly Buffer[]): Buffer => tlv(0x30, ...contents);
export const set = (...contents: readonly Buffer[]): Buffer => tlv(0x31, ...contents);
export const octets = (bytes: Buffer): Buffer => tlv(0x04, bytes);
export const bits = (bytes: Buffer, unused = 0): Buffer => tlv(0x03, Buffer.of(unused), bytes);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.of(value ? 0xff : 0));
export const text = (value: string): Buffer => tlv(0x0c, Buffer.from(value, 'utf8'));
export const printable = (value: string): Buffer => tlv(0x13, Buffer.from(value, 'latin1'));
export const ia5 = (value: string): Buffer => tlv(0x16, Buffer.from(value, 'latin1'));

/** @param value  small and not negative, or the bytes of a positive number */
export function integer(value: number | Buffer): Buffer {
  return tlv(0x02, typeof value === 'number' ? Buffer.of(value) : value);
}

/** Context-specific, implicit: the tag replaces the content's own. */
export function context(tag: number, content: Buffer, isConstructed = true): Buffer {
  return tlv(0x80 | (isConstructed ? 0x20 : 0) | tag, content);
}

/** Context-specific, explicit: around a whole element. */
export const explicit = (tag: number, element: Buffer): Buffer => tlv(0xa0 | tag, element);

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    groups.unshift((left & 0x7f) | 0x80);
  return groups;
}

/** Whole seconds. */
export function generalizedTime(time: Date): Buffer {
  return tlv(
    0x18,
    Buffer.from(
      `${time
        .toISOString()
        .replace(/\.\d+Z$/, '')
        .replace(/\D/g, '')}Z`,
    ),
  );
}

export function utcTime(time: Date): Buffer {
  return tlv(
    0x17,
    Buffer.from(
      `${time
        .toISOString()
        .slice(2)
        .replace(/\.\d+Z$/, '')
        .replace(/\D/g, '')}Z`,
    ),
  );
}
