/** Which controllers routers are told of and where they find them, by who lives there, and the ids of controllers. */
import { expect } from 'chai';
import {
  MISSED,
  STOOD_FOR_MS,
  areEqual,
  controllerIdAt,
  otherWriting,
  placesNow,
} from '../../domain/fabric/controller-list.js';

const EVERY_MS = 1_000;
const GONE_MS = MISSED * EVERY_MS;
const places = (addresses: readonly string[], ...standIns: (readonly [string, string])[]) => ({
  addresses,
  standIns: standIns.map(([address, by]) => ({ address, by })),
});
const NONE = { told: places([]), seen: [], own: 'a:1', isSteady: true };
const seen = (address: string, unseenMs = 0, everyMs = EVERY_MS) => ({ address, unseenMs, everyMs });

describe('the list of controllers for routers', () => {
  it('has its writer, even when nobody has seen it', () => {
    expect(placesNow(NONE)).to.deep.equal(places(['a:1']));
    expect(placesNow({ ...NONE, seen: [seen('a:1', 10 * GONE_MS)] })).to.deep.equal(places(['a:1']));
  });

  it('has each address with a live controller once, in one order', () => {
    const rows = [seen('c:1'), seen('b:1', GONE_MS - 1), seen('b:1', GONE_MS), seen('a:1')];
    expect(placesNow({ ...NONE, seen: rows })).to.deep.equal(places(['a:1', 'b:1', 'c:1']));
  });

  it('waits for a controller that gives signs of life less often', () => {
    const told = places(['a:1', 'b:1']);
    const rows = [seen('b:1', GONE_MS, 5_000)];
    expect(placesNow({ ...NONE, told, seen: rows })).to.deep.equal(told);
  });

  it('has another one in the place of each that is gone, the next in order', () => {
    const told = places(['a:1', 'b:1', 'c:1', 'd:1']);
    const rows = [seen('b:1', GONE_MS), seen('c:1'), seen('d:1', GONE_MS)];
    const now = placesNow({ ...NONE, told, seen: rows });
    expect(now).to.deep.equal(places(['a:1', 'c:1'], ['b:1', 'c:1'], ['d:1', 'a:1']));
    expect(placesNow({ ...NONE, told: now, seen: rows, own: 'c:1' })).to.deep.equal(
      places(['c:1'], ['b:1', 'c:1'], ['d:1', 'c:1']),
    );
    expect(placesNow({ ...NONE, told: now, seen: [seen('b:1'), ...rows] })).to.deep.equal(
      places(['a:1', 'b:1', 'c:1'], ['d:1', 'a:1']),
    );
  });

  it('has none in the place of one that routers were never told of, and of none for ever', () => {
    const told = places(['a:1', 'b:1']);
    expect(placesNow({ ...NONE, told, seen: [seen('never:1', GONE_MS), seen('b:1')] })).to.deep.equal(told);
    expect(placesNow({ ...NONE, told, seen: [seen('b:1', STOOD_FOR_MS)] })).to.deep.equal(places(['a:1']));
  });

  it('judges nobody while its writer was itself away', () => {
    const told = places(['a:1', 'b:1', 'gone:1'], ['c:1', 'b:1']);
    const rows = [seen('b:1', 10 * GONE_MS), seen('c:1', 10 * GONE_MS), seen('never-told:1', 10 * GONE_MS)];
    const kept = places(['a:1', 'b:1'], ['c:1', 'a:1']);
    expect(placesNow({ ...NONE, told, seen: rows, isSteady: false })).to.deep.equal(kept);
  });

  it('has another one in the place of a controller that said that it ends, whoever looks', () => {
    const told = places(['a:1', 'b:1']);
    const gone = places(['a:1'], ['b:1', 'a:1']);
    for (const isSteady of [true, false])
      expect(placesNow({ ...NONE, told, seen: [seen('b:1', 0, 0)], isSteady })).to.deep.equal(gone);
  });

  it('is equal to one with the same places', () => {
    const one = places(['a:1'], ['b:1', 'a:1']);
    expect(areEqual(one, places(['a:1'], ['b:1', 'a:1']))).to.equal(true);
    for (const other of [places(['a:1']), places(['a:1', 'b:1']), places(['a:1'], ['b:1', 'c:1'])])
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
