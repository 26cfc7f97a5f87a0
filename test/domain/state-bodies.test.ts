/** Whole states that are kept for the routers that come next: which are, and how many bytes. */
import { expect } from 'chai';
import { StateBodies } from '../../fabric/sessions/state-bodies.js';

const MIB = 1 << 20;
const body = (text: string) => Buffer.from(text);

describe('bodies of whole states', () => {
  it('are kept when all of them were made of the same sessions', () => {
    const bodies = new StateBodies();
    const making = bodies.begin('roles', 1);
    for (const text of ['one', 'two']) making?.add(body(text));
    expect(bodies.get('roles', 1)).to.equal(undefined);
    making?.end(1);
    expect(bodies.get('roles', 1)?.map(String)).to.deep.equal(['one', 'two']);
    expect(bodies.get('roles', 2)).to.equal(undefined);
    expect(bodies.get('others', 1)).to.equal(undefined);
    bodies.clear();
    expect(bodies.get('roles', 1)).to.equal(undefined);
  });

  it('are not kept when sessions changed meanwhile, or the router went', () => {
    for (const now of [2, undefined]) {
      const bodies = new StateBodies();
      const making = bodies.begin('roles', 1);
      making?.add(body('one'));
      making?.end(now);
      for (const version of [1, 2]) expect(bodies.get('roles', version)).to.equal(undefined);
      expect(bodies.begin('roles', 2)).not.to.equal(undefined);
    }
  });

  it('are gathered by one of several routers, and never beyond their bound', () => {
    const bodies = new StateBodies();
    const large = bodies.begin('large', 1);
    expect(bodies.begin('large', 1)).to.equal(undefined);
    const small = bodies.begin('small', 1);
    small?.add(body('one'));
    for (let at = 0; at < 40; at += 1) large?.add(Buffer.alloc(MIB));
    large?.end(1);
    small?.add(body('two'));
    small?.end(1);
    expect(bodies.get('large', 1)).to.equal(undefined);
    expect(bodies.get('small', 1)?.map(String)).to.deep.equal(['one', 'two']);
    const again = bodies.begin('large', 2);
    for (let at = 0; at < 30; at += 1) again?.add(Buffer.alloc(MIB));
    again?.end(2);
    expect(bodies.get('large', 2)).to.have.length(30);
  });
});
