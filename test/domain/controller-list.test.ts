/** Which addresses routers are told, by who lives there, and the ids by which they know controllers. */
import { expect } from 'chai';
import { LEASE_MS, addressesNow, controllerIdAt } from '../../domain/fabric/controller-list.js';

const NONE = { told: [], seen: [], own: 'a:1', isSteady: true };
const seen = (address: string, unseenMs = 0) => ({ address, unseenMs });

describe('the list of controllers for routers', () => {
  it('has its writer, even when nobody has seen it', () => {
    expect(addressesNow(NONE)).to.deep.equal(['a:1']);
    expect(addressesNow({ ...NONE, seen: [seen('a:1', 10 * LEASE_MS)] })).to.deep.equal(['a:1']);
  });

  it('has each address with a live controller once, in one order', () => {
    const rows = [seen('c:1'), seen('b:1', LEASE_MS - 1), seen('b:1'), seen('a:1')];
    expect(addressesNow({ ...NONE, seen: rows })).to.deep.equal(['a:1', 'b:1', 'c:1']);
  });

  it('loses an address whose controllers are silent', () => {
    expect(addressesNow({ ...NONE, told: ['a:1', 'b:1'], seen: [seen('b:1', LEASE_MS)] })).to.deep.equal(['a:1']);
  });

  it('keeps a silent one while its writer was itself away, but none that no controller claims', () => {
    const told = ['a:1', 'b:1', 'gone:1'];
    const rows = [seen('b:1', 10 * LEASE_MS), seen('never-told:1', 10 * LEASE_MS)];
    expect(addressesNow({ ...NONE, told, seen: rows, isSteady: false })).to.deep.equal(['a:1', 'b:1']);
  });

  it('names the controller at an address the same at any time, and no other alike', () => {
    const id = controllerIdAt('network.example', 'a:1');
    expect(id).to.match(/^[\w-]{22}$/);
    expect(controllerIdAt('network.example', 'a:1')).to.equal(id);
    expect(controllerIdAt('network.example', 'a:2')).not.to.equal(id);
    expect(controllerIdAt('other.example', 'a:1')).not.to.equal(id);
  });
});
