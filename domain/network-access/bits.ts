/** Sets of small numbers as bits. */

export type Bits = Uint32Array;

const WORD = 32;

export const bitsFor = (size: number): Bits => new Uint32Array(Math.ceil(size / WORD));

export function addBit(bits: Bits, index: number): void {
  const at = Math.floor(index / WORD);
  bits[at] = (bits[at] ?? 0) | (1 << (index % WORD));
}

export function removeBit(bits: Bits, index: number): void {
  const at = Math.floor(index / WORD);
  bits[at] = (bits[at] ?? 0) & ~(1 << (index % WORD));
}

export const hasBit = (bits: Bits, index: number): boolean =>
  ((bits[Math.floor(index / WORD)] ?? 0) & (1 << (index % WORD))) !== 0;

export function addBits(bits: Bits, others: Bits): void {
  for (let at = 0; at < bits.length; at += 1) bits[at] = (bits[at] ?? 0) | (others[at] ?? 0);
}

export function haveCommonBit(some: Bits, others: Bits): boolean {
  for (let at = 0; at < some.length; at += 1) if (((some[at] ?? 0) & (others[at] ?? 0)) !== 0) return true;
  return false;
}

export const commonBits = (some: Bits, others: Bits): Bits => some.map((word, at) => word & (others[at] ?? 0));

export function bitsIn(bits: Bits): number[] {
  const found: number[] = [];
  bits.forEach((word, at) => {
    for (let bit = 0; bit < WORD; bit += 1) if ((word & (1 << bit)) !== 0) found.push(at * WORD + bit);
  });
  return found;
}
