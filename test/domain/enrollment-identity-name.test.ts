/** The name of an identity that enrolls by the certificate of a CA. */
import { expect } from 'chai';
import { identityName, numberedName } from '../../domain/enrollment/identity-name.js';

const symbols = { caName: 'Corp CA', caId: 'c1', commonName: 'host', requestedName: '', identityId: 'i1' };

describe('the name of an identity that enrolls by itself', () => {
  const cases: readonly (readonly [format: string, name: string, changes?: Partial<typeof symbols>])[] = [
    ['[caName]-[commonName]', 'Corp CA-host'],
    ['[caId][identityId] [caId]', 'c1i1 c1'],
    ['[requestedName]', 'mine', { requestedName: 'mine' }],
    ['[requestedName]', 'i1'],
    ['', 'i1'],
    ['[nothing] [CANAME] [[caId]]', '[nothing] [CANAME] [c1]'],
    ['[commonName]', '[caName][identityId]', { commonName: '[caName][identityId]' }],
    ['[commonName]', '$& $1 \\', { commonName: '$& $1 \\' }],
    ['a[commonName]', 'axy', { commonName: 'x\0\n\u009fy' }],
    ['[commonName]', 'a\ufffd', { commonName: 'a\ud800' }],
    ['[commonName]', '名'.repeat(500), { commonName: '名'.repeat(501) }],
  ];
  for (const [format, name, changes] of cases) {
    it(`is ${JSON.stringify(name.slice(0, 30))} by ${format}`, () => {
      expect(identityName(format, { ...symbols, ...changes })).to.equal(name);
    });
  }

  it('gets a number of six digits when it is taken', () => {
    expect([numberedName('a', 1), numberedName('a', 999_999)]).to.deep.equal(['a000001', 'a999999']);
  });
});
