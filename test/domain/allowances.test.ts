/** Allowances: whole at once or in the course of the period, each name for itself, and bounded in number. */
import { expect } from 'chai';
import { Allowances } from '../../domain/scheduling/allowances.js';

describe('allowances', () => {
  let nowMs = 0;
  const of = (most: number, periodMs: number) => {
    nowMs = 5_000;
    return new Allowances({ most, periodMs, nowMs: () => nowMs });
  };

  it('can be used up at once, and come back one by one', () => {
    const allowances = of(3, 60_000);
    expect([1, 2, 3, 4, 5].map(() => allowances.take('a'))).to.deep.equal([0, 0, 0, 20_000, 20_000]);
    expect(allowances.take('b')).to.equal(0);
    nowMs += 19_999;
    expect(allowances.take('a')).to.be.within(0.5, 1.5);
    nowMs += 1;
    expect([allowances.take('a'), allowances.take('a')]).to.deep.equal([0, 20_000]);
    nowMs += 60_000;
    expect([1, 2, 3, 4].map(() => allowances.take('a'))).to.deep.equal([0, 0, 0, 20_000]);
  });

  for (const most of [1, 7, 120, 1_000, 999_983]) {
    it(`are exactly ${most}`, () => {
      const allowances = of(most, 3_600_000);
      let taken = 0;
      while (taken < most && allowances.take('a') === 0) taken += 1;
      expect(taken).to.equal(most);
      expect(allowances.take('a')).to.be.above(0);
    });
  }

  it('are forgotten once they are whole, and never too many', () => {
    const allowances = of(2, 1_000);
    for (let n = 0; n < 1_000; n += 1) allowances.take(`first ${n}`);
    nowMs += 1_000;
    for (let n = 0; n < 600; n += 1) allowances.take(`second ${n}`);
    expect(allowances.size).to.equal(600);
    for (let n = 0; n < 70_000; n += 1) allowances.take(`third ${n}`);
    expect(allowances.size).to.be.at.most(50_000);
  });
});
