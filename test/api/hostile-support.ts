/**
 * What the hostile suites share: numbers that look random and repeat, and values and PEM texts that no client should
 * send.
 */
import { base64Lines, toPem } from '../../domain/pki/pem.js';

export interface Picker {
  /** From 0 to below 1. */
  next(): number;
  chance(probability: number): boolean;
  of<T>(items: readonly T[]): T;
}

/** The same sequence for the same seed (mulberry32). */
export function picker(seed: number): Picker {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    of: <T>(items: readonly T[]) => items[Math.floor(next() * items.length)] as T,
  };
}

export const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  '\u{1f4a9}'.repeat(300),
  "'; DROP TABLE identities; --",
  '[caName]',
  '%',
  'a'.repeat(20_000),
  [],
  {},
  [null],
  [[]],
  ['#all', '@x'],
  ['\u0000'],
  { toString: 1 },
  { constructor: { prototype: { isAdmin: true } } },
  '__proto__',
  '-----BEGIN CERTIFICATE-----',
  '../../etc/passwd',
  '2030-01-01T00:00:00Z',
  'NaN',
];

/** Texts around good bytes, and bytes that are nothing, as a certificate and as a request. */
export function oddPems({ csr, certificate }: { readonly csr: Buffer; readonly certificate: Buffer }): string[] {
  return [['CERTIFICATE REQUEST', csr] as const, ['CERTIFICATE', certificate] as const].flatMap(([label, der]) => {
    const pem = toPem(label, der);
    const wrapped = (bytes: Buffer) => toPem(label, bytes);
    return [
      pem.replaceAll('\n', '\r\n'),
      `leading text\n\n${pem}`,
      pem + pem,
      pem.replace('-----END', '----END'),
      pem.slice(0, -40),
      pem.replace(/^(.{40})/m, '$1!'),
      `\ufeff${pem}`,
      pem.replaceAll('\n', ''),
      pem.replaceAll('-----', '\u2014'),
      pem.replace('=', ''),
      wrapped(Buffer.from(pem)),
      wrapped(der.subarray(0, der.length >> 1)),
      wrapped(Buffer.concat([der, der])),
      wrapped(Buffer.alloc(9_000, 0x30)),
      wrapped(Buffer.from('3080'.repeat(3_000), 'hex')),
      wrapped(nested(2_500)),
      wrapped(Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])),
      wrapped(Buffer.from([0x30, 0])),
      wrapped(Buffer.alloc(1)),
      `-----BEGIN ${label}-----\n-----END ${label}-----\n`,
      `-----BEGIN ${label}-----\n${base64Lines(der)}-----END SOMETHING-----\n`,
      der.toString('latin1'),
      base64Lines(der),
      `-----BEGIN ${label}-----\nProc-Type: 4,ENCRYPTED\n\n${base64Lines(der)}-----END ${label}-----\n`,
      pem.repeat(200),
    ];
  });
}

/** Sequences in sequences. */
export function nested(depth: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1) {
    const { length } = bytes;
    const header =
      length < 0x80 ? [0x30, length] : length < 0x100 ? [0x30, 0x81, length] : [0x30, 0x82, length >> 8, length & 0xff];
    bytes = Buffer.concat([Buffer.from(header), bytes]);
  }
  return bytes;
}
