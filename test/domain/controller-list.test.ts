/** Which controllers routers are told of and where they find them, by who lives there, and the ids of controllers. */
import { expect } from 'chai';
import {
  MISSED,
  STOOD_FOR_MS,
  areEqual,
  controllerIdAt,
  otherWriting,
  addressesNow,
} from '../../domain/fabric/controller-list.js';

const EVERY_MS = 1_000;
const GONE_MS = MISSED * EVERY_MS;
const list = (addresses: readonly string[], ...standIns: (readonly [string, string])[]) => ({
  addresses,
  standIns: standIns.map(([address, by]) => ({ address, by })),
});
const NONE = { current: list([]), seen: [], own: 'a:1', isSteady: true };
const seen = (address: string, unseenMs = 0, everyMs = EVERY_MS) => ({ address, unseenMs, everyMs });

describe('the list of controllers for routers', () => {
  it('has its writer, even when nobody has seen it', () => {
    expect(addressesNow(NONE)).to.deep.equal(list(['a:1']));
    expect(addressesNow({ ...NONE, seen: [seen('a:1', 10 * GONE_MS)] })).to.deep.equal(list(['a:1']));
  });

  it('has each address with a live controller once, in one order', () => {
    const rows = [seen('c:1'), seen('b:1', GONE_MS - 1), seen('b:1', GONE_MS), seen('a:1')];
    expect(addressesNow({ ...NONE, seen: rows })).to.deep.equal(list(['a:1', 'b:1', 'c:1']));
  });

  it('waits for a controller that gives signs of life less often', () => {
    const current = list(['a:1', 'b:1']);
    const rows = [seen('b:1', GONE_MS, 5_000)];
    expect(addressesNow({ ...NONE, current, seen: rows })).to.deep.equal(current);
  });

  it('has another one in the place of each that is gone, the next in order', () => {
    const current = list(['a:1', 'b:1', 'c:1', 'd:1']);
    const rows = [seen('b:1', GONE_MS), seen('c:1'), seen('d:1', GONE_MS)];
    const now = addressesNow({ ...NONE, current, seen: rows });
    expect(now).to.deep.equal(list(['a:1', 'c:1'], ['b:1', 'c:1'], ['d:1', 'a:1']));
    expect(addressesNow({ ...NONE, current: now, seen: rows, own: 'c:1' })).to.deep.equal(
      list(['c:1'], ['b:1', 'c:1'], ['d:1', 'c:1']),
    );
    expect(addressesNow({ ...NONE, current: now, seen: [seen('b:1'), ...rows] })).to.deep.equal(
      list(['a:1', 'b:1', 'c:1'], ['d:1', 'a:1']),
    );
  });

  it('has none in the place of one that routers were never told of, and of none for ever', () => {
    const current = list(['a:1', 'b:1']);
    expect(addressesNow({ ...NONE, current, seen: [seen('never:1', GONE_MS), seen('b:1')] })).to.deep.equal(current);
    expect(addressesNow({ ...NONE, current, seen: [seen('b:1', STOOD_FOR_MS)] })).to.deep.equal(list(['a:1']));
  });

  it('judges nobody while its writer was itself away', () => {
    const current = list(['a:1', 'b:1', 'gone:1'], ['c:1', 'b:1']);
    const rows = [seen('b:1', 10 * GONE_MS), seen('c:1', 10 * GONE_MS), seen('never-told:1', 10 * GONE_MS)];
    const kept = list(['a:1', 'b:1'], ['c:1', 'a:1']);
    expect(addressesNow({ ...NONE, current, seen: rows, isSteady: false })).to.deep.equal(kept);
  });

  it('has another one in the place of a controller that said that it ends, whoever looks', () => {
    const current = list(['a:1', 'b:1']);
    const gone = list(['a:1'], ['b:1', 'a:1']);
    for (const isSteady of [true, false])
      expect(addressesNow({ ...NONE, current, seen: [seen('b:1', 0, 0)], isSteady })).to.deep.equal(gone);
  });

  it('is equal to one with the same addresses', () => {
    const one = list(['a:1'], ['b:1', 'a:1']);
    expect(areEqual(one, list(['a:1'], ['b:1', 'a:1']))).to.equal(true);
    for (const other of [list(['a:1']), list(['a:1', 'b:1']), list(['a:1'], ['b:1', 'c:1'])])
      expect(areEqual(one, other)).to.equal(false);
  });

  it('writes an address in other ways, each of which leads to the same port', () => {
    expect(otherWriting('one.example:6262', 1)).to.equal('one.example:06262');
    expect(otherWriting('[::1]:6262', 2)).to.equal('[::1]:006262');
  });

  it('names the controller at an address the same at any time, and no other alike', () => {
    const id = controllerIdAt('network.example', 'a:1');
    expect(id).to.match(/^[\w-]{22}$/);
    expect(controllerIdAt('network.example', 'a:1')).to.equal(id);
    expect(controllerIdAt('network.example', 'a:2')).not.to.equal(id);
    expect(controllerIdAt('other.example', 'a:1')).not.to.equal(id);
  });
});
