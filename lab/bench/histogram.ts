/**
 * Latencies in microseconds, counted in buckets whose width grows with the value: exact below 1,024 us, within 1/512
 * (0.2 %) above. Plain numbers in a typed array, so that counting costs nothing and threads can hand it over.
 */
const LINEAR_BITS = 10;
const LINEAR = 1 << LINEAR_BITS;
const PER_OCTAVE = LINEAR / 2;
/** Up to 2^36 us, some 19 hours. */
const OCTAVES = 26;

export class Histogram {
  constructor(readonly counts: Uint32Array = new Uint32Array(LINEAR + OCTAVES * PER_OCTAVE)) {}

  add(microseconds: number): void {
    const index = bucketOf(microseconds);
    this.counts[index] = (this.counts[index] ?? 0) + 1;
  }

  merge(other: Histogram): void {
    other.counts.forEach((count, index) => {
      if (count > 0) this.counts[index] = (this.counts[index] ?? 0) + count;
    });
  }

  /** The latency in milliseconds that this share (0 to 1) of all stayed within; NaN when nothing was counted. */
  quantileMs(share: number): number {
    const total = this.counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return NaN;
    let left = Math.ceil(total * share);
    const index = this.counts.findIndex((count) => (left -= count) <= 0);
    return valueOf(index) / 1000;
  }
}

function bucketOf(microseconds: number): number {
  const value = Math.max(0, Math.round(microseconds));
  if (value < LINEAR) return value;
  const octave = Math.floor(Math.log2(value)) - LINEAR_BITS;
  const index = LINEAR + octave * PER_OCTAVE + (Math.floor(value / 2 ** (octave + 1)) - PER_OCTAVE);
  return Math.min(index, LINEAR + OCTAVES * PER_OCTAVE - 1);
}

/** The middle of a bucket. */
function valueOf(index: number): number {
  if (index < LINEAR) return index;
  const octave = Math.floor((index - LINEAR) / PER_OCTAVE);
  const width = 2 ** (octave + 1);
  return (((index - LINEAR) % PER_OCTAVE) + PER_OCTAVE + 0.5) * width;
}
