/** `Accept-Encoding` and `Content-Encoding`, header by header. */
import { expect } from 'chai';
import { DomainError } from '../../domain/errors.js';
import { requirePlain, requirePlainBody, wishOf } from '../../server/http/coding.js';

const caught = (work: () => void): DomainError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};

describe('Accept-Encoding', () => {
  for (const [header, coding, refusesPlain] of [
    ['', null, false],
    ['identity', null, false],
    ['deflate', null, false],
    ['zstd, compress', null, false],
    ['gzip;q=0', null, false],
    ['gzip;q=0.000, br;q=0', null, false],
    ['gzip', 'gzip', false],
    ['GZip', 'gzip', false],
    ['x-gzip', 'gzip', false],
    ['br', 'br', false],
    ['gzip, deflate, br', 'br', false],
    ['gzip, deflate, br, zstd', 'br', false],
    ['gzip;q=1.0, br;q=0.9', 'gzip', false],
    ['gzip ; q=0.5 , br ; q=0.8', 'br', false],
    ['*', 'br', false],
    ['*;q=0.1', 'br', false],
    ['br;q=0, *', 'gzip', false],
    ['gzip, *;q=0', 'gzip', true],
    ['gzip, identity;q=0', 'gzip', true],
    ['identity;q=0', null, true],
    ['*;q=0', null, true],
    ['identity, *;q=0', null, false],
    ['deflate, identity;q=0', null, true],
    ['identity;q=1, gzip;q=0.5', null, false],
    ['identity;q=0.5, gzip;q=0.5', 'gzip', false],
    // What is malformed counts as not named.
    ['gzip;q=abc', null, false],
    ['gzip;q=2', null, false],
    ['gzip;q=-1', null, false],
    ['gzip;q=0.1234', null, false],
    ['gzip;level=9', null, false],
    ['gzip;q=1;q=0', null, false],
    [',,;,', null, false],
    ['gzip;q=x, br', 'br', false],
    [`${'x,'.repeat(250)}gzip`, null, false],
    [`gzip, identity;q=0, ${'x'.repeat(500)}`, null, false],
  ] as const) {
    const meaning = `${coding ?? 'as it is'}${refusesPlain ? ', never as it is' : ''}`;
    it(`${header.slice(0, 40)} means ${meaning}`, () => {
      expect(wishOf(header)).to.deep.equal({ coding, refusesPlain });
    });
  }

  it('is refused with 406 where it refuses the answer as it is, which is all there is', () => {
    const error = caught(() => {
      requirePlain(wishOf('identity;q=0'), 'identity;q=0');
    });
    expect(error?.kind).to.equal('notAcceptable');
    expect(error?.field).to.deep.include({ field: 'Accept-Encoding', value: 'identity;q=0' });
    expect(
      caught(() => {
        requirePlain(wishOf('gzip'), 'gzip');
      }),
    ).to.equal(undefined);
  });
});

describe('Content-Encoding', () => {
  for (const header of ['gzip', 'br', 'deflate', 'GZIP', 'identity, gzip', 'gzip, gzip', 'x', '\u00ff']) {
    it(`${header} is refused, with the one that would do`, () => {
      const error = caught(() => {
        requirePlainBody(header);
      });
      expect(error?.kind).to.equal('unsupportedMedia');
      expect(error?.field?.field).to.equal('Content-Encoding');
      expect(error?.headers).to.deep.equal({ 'accept-encoding': 'identity' });
    });
  }
  for (const header of [undefined, '', 'identity', 'Identity', 'identity, identity']) {
    it(`${header ?? '(none)'} says nothing`, () => {
      requirePlainBody(header);
    });
  }
});
