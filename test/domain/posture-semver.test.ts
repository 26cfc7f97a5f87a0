/** Ranges of semantic versions: what is one, and that the reading of any text ends. */
import { expect } from 'chai';
import { parseRange, parseVersion, satisfies } from '../../domain/posture/semver.js';

const cases: readonly (readonly [range: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['1.2.3', ['1.2.3', 'v1.2.3', '1.2.3+build.5'], ['1.2.4', '1.2.3-rc.1']],
  ['=1.2.3', ['1.2.3'], ['1.2.2']],
  ['!=1.2.3', ['1.2.4'], ['1.2.3']],
  ['>=10.0.19041', ['10.0.19041', '10.0.22000', '11.0.0'], ['10.0.19040', '9.9.9']],
  ['> 1.2', ['1.3.0', '2.0.0'], ['1.2.9', '1.2.0']],
  ['<=1.2', ['1.2.9', '0.0.1'], ['1.3.0']],
  ['<1.2', ['1.1.9'], ['1.2.0']],
  ['>=1.2.3 <2.0.0', ['1.2.3', '1.9.9'], ['2.0.0', '1.2.2']],
  ['>=1.2.3, <2', ['1.9.9'], ['2.0.0']],
  ['<1.0.0 || >=2.0.0', ['0.9.0', '2.0.0'], ['1.0.0', '1.9.9']],
  ['1.2 - 1.4.5', ['1.2.0', '1.4.5'], ['1.4.6', '1.1.9']],
  ['1.2.3 - 2', ['2.9.9'], ['3.0.0']],
  ['1.x', ['1.0.0', '1.9.9'], ['2.0.0', '0.9.9']],
  ['1.2.*', ['1.2.7'], ['1.3.0']],
  ['*', ['0.0.0', '99.99.99'], []],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.3.0', '1.2.2']],
  ['~1', ['1.9.9'], ['2.0.0']],
  ['^1.2.3', ['1.9.9'], ['2.0.0', '1.2.2']],
  ['^0.2.3', ['0.2.9'], ['0.3.0', '0.2.2']],
  ['^0.0.3', ['0.0.3'], ['0.0.4']],
  ['>=1.0.0-alpha.2', ['1.0.0-alpha.10', '1.0.0-beta', '1.0.0'], ['1.0.0-alpha.1', '1.0.0-alpha']],
  ['>*', [], ['1.0.0']],
];

describe('ranges of semantic versions', () => {
  for (const [text, inside, outside] of cases) {
    it(`'${text}' holds ${inside.join(', ') || 'nothing'}, not ${outside.join(', ') || 'anything else'}`, () => {
      const range = parseRange(text);
      if (range === undefined) throw new Error('not a range');
      const holds = (version: string) => satisfies(parseVersion(version) ?? expect.fail(version), range);
      expect(inside.filter((version) => !holds(version))).to.deep.equal([]);
      expect(outside.filter(holds)).to.deep.equal([]);
    });
  }

  for (const text of [
    '',
    ' ',
    'latest',
    '1.2.3.4',
    '>=',
    '||',
    '1.0.0 ||',
    '1.2.3 foo',
    '=>1.2.3',
    '1.x.3',
    '1.2-rc',
    '!=1.x',
    '1..2',
    'a'.repeat(2000),
    '1 - ',
    '9'.repeat(20),
  ]) {
    it(`refuses '${text.slice(0, 20)}'`, () => {
      expect(parseRange(text)).to.equal(undefined);
    });
  }

  it('takes a version cut short for one with zeros, and nothing for a version that is none', () => {
    expect(parseVersion('10')).to.deep.equal({ numbers: [10, 0, 0], prerelease: [] });
    for (const text of ['', 'x', 'ten', '1.2.3.4']) expect(parseVersion(text), text).to.equal(undefined);
  });

  // A reading that tries every way through these texts would not end within the time of a test.
  it('comes to an end on hostile text', () => {
    for (const text of [`1${' '.repeat(900)}x`, '>'.repeat(900), '1.1-'.repeat(200), ` - `.repeat(300)])
      parseRange(text);
  });
});
