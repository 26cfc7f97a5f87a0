/** Times in answers are written as JavaScript itself writes them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { isoTime } from '../../handlers/fields.js';

describe('the text of a time', () => {
  it('is that of toISOString, for any time there is', () => {
    const time = fc.oneof(fc.date({ noInvalidDate: true }), fc.date({ min: new Date(0), noInvalidDate: true }));
    fc.assert(
      fc.property(time, (date) => isoTime(date) === date.toISOString()),
      { numRuns: 2_000 },
    );
  });

  it('has all its digits', () => {
    expect(isoTime(new Date(0))).to.equal('1970-01-01T00:00:00.000Z');
    expect(isoTime(new Date('2026-02-03T04:05:06.007Z'))).to.equal('2026-02-03T04:05:06.007Z');
    expect(isoTime(new Date('9999-12-31T23:59:59.999Z'))).to.equal('9999-12-31T23:59:59.999Z');
  });

  it('fails for what is no time', () => {
    expect(() => isoTime(new Date(NaN))).to.throw(RangeError);
  });
});
