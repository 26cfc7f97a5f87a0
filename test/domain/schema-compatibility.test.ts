/** Which releases can work with a schema, by what its migrations did. */
import { expect } from 'chai';
import { EXPANDING, isCompatible, keepLeastKnown, leastKnown } from '../../db/schema/compatibility.js';
import { migrationNames } from '../../db/schema/migrate.js';

const commentOf = (statement: string): string => /IS '(.*)'$/.exec(statement)?.[1] ?? '';

describe('the migrations that a release must know', () => {
  const all = ['0001-schema', '0002-more', '0003-column', '0004-rename', '0005-table', '0006-index'];
  const expanding = new Set(['0002-more', '0003-column', '0005-table', '0006-index']);

  it('are those up to the last that did more than expand', () => {
    expect(all.map((_, index) => leastKnown(all.slice(0, index + 1), expanding))).to.deep.equal([
      '0001-schema',
      '0001-schema',
      '0001-schema',
      '0004-rename',
      '0004-rename',
      '0004-rename',
    ]);
  });

  it('are all where nothing is said of a migration', () => {
    expect(leastKnown(all, new Set())).to.equal('0006-index');
  });

  it('decide whether an earlier release can work with a schema', () => {
    const comment = commentOf(keepLeastKnown('0004-rename'));
    const can = (count: number) => isCompatible(all.slice(0, count), comment);
    expect([1, 2, 3, 4, 5].map(can)).to.deep.equal([false, false, false, true, true]);
  });

  it('are unknown to a release that reads other words, or none', () => {
    for (const comment of [null, '', 'anything', `${commentOf(keepLeastKnown('0001-schema'))} x`, 'x 0001-schema'])
      expect(isCompatible(all, comment), String(comment)).to.equal(false);
    expect(isCompatible([], commentOf(keepLeastKnown('0001-schema')))).to.equal(false);
  });

  it('cannot bring another statement into the one that keeps them', () => {
    expect(() => keepLeastKnown("x'; DROP TABLE identities; --")).to.throw('no name of a migration');
  });

  it('are named as the files of this release are', () => {
    expect([...EXPANDING].filter((name) => !migrationNames.includes(name))).to.deep.equal([]);
  });
});
