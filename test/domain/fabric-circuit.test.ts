/** What routers forward for a circuit, and how an attempt to build one ends. */
import { expect } from 'chai';
import { afterAnswer, routesOf, startAttempt } from '../../domain/fabric/circuit.js';
import type { RouterAnswer } from '../../domain/fabric/circuit.js';

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

describe('an attempt to build a circuit', () => {
  /** Answers such as `a+` (succeeded), `a-` (failed), `a?` (lost). */
  const RESULTS = { '+': 'succeeded', '-': 'failed', '?': 'lost' } as const;
  const answerOf = (text: string): RouterAnswer => ({
    routerId: text.slice(0, -1),
    result: RESULTS[text.slice(-1) as keyof typeof RESULTS],
  });
  for (const [routers, answers, outcome] of [
    ['a', '', 'waiting'],
    ['a', 'a+', 'built a'],
    ['a', 'a-', 'failed by a'],
    ['a', 'a?', 'failed by a'],
    ['a b', 'a+', 'waiting a'],
    ['a b', 'b+ a+', 'built b a'],
    ['a b', 'a+ b-', 'failed by b a'],
    ['a b', 'b- a+', 'failed by b a'],
    ['a b', 'b? a- b+', 'failed by b b'],
    ['a b', 'a+ a+', 'waiting a'],
    ['a b', 'c+ c-', 'waiting'],
    ['a b', 'a+ a-', 'waiting a'],
    ['a b', 'a+ b+ b-', 'built a b'],
  ] as const) {
    it(`over ${routers} that hears '${answers}' is '${outcome}'`, () => {
      let state = startAttempt(pathOf(...routers.split(' ')));
      for (const answer of answers.split(' ').filter((text) => text !== ''))
        state = afterAnswer(state, answerOf(answer));
      const phase = state.phase === 'failed' ? `failed by ${state.routerId}` : state.phase;
      expect([phase, ...state.built].join(' ')).to.equal(outcome);
    });
  }
});
