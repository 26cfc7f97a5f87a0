/** Durations as clients in Go write them: what they mean, and the reasons that Go gives for refusing one. */
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { parseGoDuration } from '../../domain/go-duration.js';

const refused: readonly (readonly [text: string, reason: string])[] = [
  ['', 'time: invalid duration ""'],
  ['zz', 'time: invalid duration "zz"'],
  ['-', 'time: invalid duration "-"'],
  ['.', 'time: invalid duration "."'],
  ['.s', 'time: invalid duration ".s"'],
  ['1m.', 'time: invalid duration "1m."'],
  ['m1', 'time: invalid duration "m1"'],
  ['--1s', 'time: invalid duration "--1s"'],
  ['5', 'time: missing unit in duration "5"'],
  ['1h5', 'time: missing unit in duration "1h5"'],
  ['5x', 'time: unknown unit "x" in duration "5x"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
  ['1m 2s', 'time: unknown unit "m " in duration "1m 2s"'],
  [`${'1'.repeat(60)}..`, `time: missing unit in duration "${'1'.repeat(60)}.."`],
];

const taken: readonly (readonly [text: string, ms: number])[] = [
  ['0', 0],
  ['-0', 0],
  ['1m', 60_000],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['1.s', 1_000],
  ['+2s', 2_000],
  ['-2s', -2_000],
  ['3ms', 3],
  ['1000us', 1],
  ['1000µs', 1],
  ['1000000ns', 1],
];

describe('durations as Go writes them', () => {
  for (const [text, reason] of refused) {
    it(`do not include ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(() => parseGoDuration('duration', text))
        .to.throw(DomainError)
        .with.property('field')
        .that.includes({ field: 'duration', reason });
    });
  }
  for (const [text, ms] of taken) {
    it(`give ${ms} ms for ${text}`, () => {
      expect(parseGoDuration('duration', text)).to.equal(ms);
    });
  }
});
