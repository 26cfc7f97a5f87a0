/** What routers forward for a circuit. */
import { expect } from 'chai';
import { routesOf } from '../../domain/fabric/circuit.js';

const ENDS = { ingressId: 'in', egressId: 'out' };
const pathOf = (...routerIds: string[]) => ({
  routerIds,
  linkIds: routerIds.slice(1).map((_, index) => `L${index + 1}`),
  cost: 0,
});
const textOf = (...routerIds: string[]) =>
  routesOf(pathOf(...routerIds), ENDS).map(
    ({ routerId, forwards, isTerminating }) =>
      `${routerId}: ${forwards.map(({ from, to, destination }) => `${from}>${to} ${destination}`).join(', ')}` +
      (isTerminating ? ', dials' : ''),
  );

describe('the routes of a circuit', () => {
  it('on one router lead from its client to its host', () => {
    expect(textOf('a')).to.deep.equal(['a: in>out end, out>in start, dials']);
  });

  it('over links name them on both sides', () => {
    expect(textOf('a', 'b')).to.deep.equal(['a: in>L1 link, L1>in start', 'b: L1>out end, out>L1 link, dials']);
    expect(textOf('a', 'b', 'c')).to.deep.equal([
      'a: in>L1 link, L1>in start',
      'b: L1>L2 link, L2>L1 link',
      'c: L2>out end, out>L2 link, dials',
    ]);
  });
});
