/** Criteria of posture checks: what is kept of them and what is refused. */
import { expect } from 'chai';
import {
  normalAddress,
  parseAddresses,
  parseOperatingSystems,
  parseOsName,
  parseProcess,
  parseTimeout,
} from '../../domain/posture/criteria.js';

describe('criteria of posture checks', () => {
  for (const [given, name] of [
    ['WINDOWS', 'Windows'],
    ['Windows Server', 'WindowsServer'],
    ['WINDOWS_SERVER', 'WindowsServer'],
    ['windowsserver', 'WindowsServer'],
    ['ANDROID', 'Android'],
    ['IOS', 'iOS'],
    ['LINUX', 'Linux'],
    ['MAC_OS', 'macOS'],
    ['MacOS', 'macOS'],
    ['mac-os', 'macOS'],
  ] as const) {
    it(`take ${given} for ${name}`, () => {
      expect(parseOsName('type', given)).to.equal(name);
    });
  }

  it('refuse names of no system, and none', () => {
    for (const name of ['', 'Darwin', 'Win', 'toString'])
      expect(() => parseOsName('type', name), name).to.throw('type in body should be one of');
    for (const name of [null, undefined]) expect(() => parseOsName('type', name)).to.throw('type in body is required');
  });

  it('bring hardware addresses into one form, as a set', () => {
    expect(['02:FC:00:aa:12:34', '02-fc-00-AA-12-34', '02fc.00aa.1234'].map(normalAddress)).to.deep.equal(
      Array(3).fill('02fc00aa1234'),
    );
    expect(normalAddress('zz')).to.equal('');
    expect(parseAddresses(['B0', 'a:0', 'b0'])).to.deep.equal(['a0', 'b0']);
  });

  it('sort systems by name and keep several of one', () => {
    expect(
      parseOperatingSystems([
        { type: 'macos', versions: [] },
        { type: 'LINUX', versions: ['1'] },
        { type: 'linux', versions: ['2'] },
      ]),
    ).to.deep.equal([
      { type: 'Linux', versions: ['1'] },
      { type: 'Linux', versions: ['2'] },
      { type: 'macOS', versions: [] },
    ]);
  });

  it('prefer osType to os, and leave out a signer that is not given', () => {
    expect(parseProcess({ os: 'Linux', osType: 'Windows', path: 'P', signerFingerprint: '' })).to.deep.equal({
      osType: 'Windows',
      path: 'P',
      hashes: [],
    });
  });

  it('count a timeout only above 0', () => {
    expect([60, 1, 0, -1, -60].map(parseTimeout)).to.deep.equal([60, 1, -1, -1, -1]);
    expect(() => parseTimeout(2 ** 60)).to.throw('less than or equal');
  });
});
