/** The address that is shown and logged for a client. */
import { expect } from 'chai';
import { networkOf, plainAddress } from '../../server/base/client-address.js';

describe('the address of a client', () => {
  it('is plain IPv4 also when it came over an IPv6 socket', () => {
    expect(plainAddress('::ffff:10.0.0.1')).to.equal('10.0.0.1');
    expect(plainAddress('10.0.0.1')).to.equal('10.0.0.1');
    expect(plainAddress('::ffff:1')).to.equal('::ffff:1');
  });

  for (const [address, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['2001:db8::', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ] as const) {
    it(`${address === '' ? 'that is unknown' : address} is counted as ${network === '' ? 'one' : network}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }
});
