/** Lines that are fitted to what a controller holds: which of them rise. */
import { expect } from 'chai';
import { isRising, lineOf } from '../interop/steady-slopes.js';

const MINUTE_MS = 60_000;

describe('lines of what a controller holds', () => {
  const points = (value: (minute: number) => number) =>
    Array.from({ length: 40 }, (_, minute) => [minute * MINUTE_MS, value(minute)] as const);
  const noise = (minute: number) => ((minute * 7_919) % 13) - 6;

  it('have the slope of their values', () => {
    const { first, rise, error } = lineOf(points((minute) => 100 + minute / 2));
    expect([first, rise, error].map((value) => Math.round(value * 1_000) / 1_000)).to.deep.equal([100, 30, 0]);
  });

  it('rise where something is lost all the time, however the values scatter', () => {
    expect(isRising(lineOf(points((minute) => 100 + minute + noise(minute))), 24)).to.equal(true);
    expect(isRising(lineOf(points((minute) => 100 + noise(minute))), 24)).to.equal(false);
    expect(isRising(lineOf(points((minute) => 100 - minute)), 24)).to.equal(false);
  });

  it('do not rise by less than their bound, nor by one value alone', () => {
    expect(isRising(lineOf(points((minute) => 100 + minute / 4)), 24)).to.equal(false);
    expect(isRising(lineOf(points((minute) => (minute === 30 ? 130 : 100))), 24)).to.equal(false);
  });
});
