/** Which terminator a dial goes to, and what terminators cost. */
import { expect } from 'chai';
import { MAX_DYNAMIC_COST, TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import { biasedCost, chooseTerminator, mayMissBetter } from '../../domain/fabric/terminator-choice.js';
import type { Candidate } from '../../domain/fabric/terminator-choice.js';
import { choiceCases } from '../cases/fabric-choices.js';

const PRECEDENCES = { r: 'required', d: 'default', f: 'failed' } as const;

function candidateOf(line: string): Candidate {
  const [id = '', precedence = 'd', cost, dynamicCost, pathCost] = line.split(' ');
  return {
    id,
    precedence: PRECEDENCES[precedence as keyof typeof PRECEDENCES],
    cost: Number(cost),
    dynamicCost: Number(dynamicCost),
    pathCost: Number(pathCost),
  };
}

describe('the choice of a terminator', () => {
  for (const { name, strategy, candidates, sticky, random = 0, chosen } of choiceCases) {
    it(`by ${strategy}: ${name}`, () => {
      const choice = chooseTerminator(candidates.map(candidateOf), {
        strategy,
        stickyToken: sticky,
        random: () => random,
      });
      expect(choice?.terminator.id ?? null).to.equal(chosen);
      expect(choice?.stickyToken).to.equal(strategy === 'sticky' ? chosen : undefined);
    });
  }

  it('may miss a better one only when all that it looks at have more on them than the next one costs', () => {
    const looked = (...lines: string[]) => lines.map(candidateOf);
    expect(mayMissBetter(looked('a d 0 6 0', 'b d 0 8 0', 'c d 5 9 0'), 'smartrouting')).to.equal(true);
    expect(mayMissBetter(looked('a d 0 6 0', 'b d 0 8 0', 'c d 5 0 0'), 'smartrouting')).to.equal(false);
    expect(mayMissBetter(looked('a d 0 5 0', 'b d 0 8 0', 'c d 5 9 0'), 'sticky')).to.equal(false);
    expect(mayMissBetter(looked('a d 0 20 0', 'b d 0 20 10'), 'smartrouting')).to.equal(true);
    expect(mayMissBetter(looked('a r 0 20 0', 'b d 0 20 0'), 'smartrouting')).to.equal(false);
    for (const strategy of ['random', 'weighted'] as const)
      expect(mayMissBetter(looked('a d 0 6 0', 'b d 0 8 0'), strategy)).to.equal(false);
    expect(mayMissBetter([], 'smartrouting')).to.equal(false);
  });

  it('has bands of precedence that no cost leaves', () => {
    for (const [line, cost] of [
      ['a r 0 0 0', 0],
      ['a r 7 2 1', 10],
      ['a d 0 0 0', 1_073_741_823],
      ['a f 1 0 0', 2_147_483_647],
    ] as const)
      expect(biasedCost(candidateOf(line)), line).to.equal(cost);
    const dearest = (precedence: string) => biasedCost(candidateOf(`a ${precedence} 4000000000 0 0`));
    expect([dearest('r'), dearest('d'), dearest('f')]).to.deep.equal([1_073_741_822, 2_147_483_645, 3_221_225_468]);
  });

  it('spreads by weight as the costs say', () => {
    const candidates = ['a d 1 0 0', 'b d 3 0 0'].map(candidateOf);
    let chosen = 0;
    for (let at = 0; at < 1000; at += 1) {
      const choice = chooseTerminator(candidates, { strategy: 'weighted', random: () => at / 1000 });
      if (choice?.terminator.id === 'a') chosen += 1;
    }
    expect(chosen).to.equal(750);
  });
});

describe('the dynamic cost of a terminator', () => {
  const MINUTE = 60_000;
  let nowMs: number;
  let costs: TerminatorCosts;
  beforeEach(() => {
    nowMs = 0;
    costs = new TerminatorCosts(() => nowMs);
  });

  it('is 2 for each open circuit', () => {
    for (let open = 0; open < 3; open += 1) costs.dialSucceeded('a');
    expect([costs.of('a'), costs.of('b')]).to.deep.equal([6, 0]);
    costs.circuitEnded('a');
    expect(costs.of('a')).to.equal(4);
    for (let end = 0; end < 5; end += 1) costs.circuitEnded('a');
    expect(costs.of('a')).to.equal(0);
  });

  it('grows by 20 with each failure, and shrinks by 2 with each success', () => {
    costs.dialFailed('a');
    costs.dialFailed('a');
    expect(costs.of('a')).to.equal(40);
    costs.dialSucceeded('a');
    expect(costs.of('a')).to.equal(40);
    costs.circuitEnded('a');
    expect(costs.of('a')).to.equal(38);
  });

  it('is forgiven by 10 a minute at first, and faster the longer nothing failed', () => {
    for (let failed = 0; failed < 50; failed += 1) costs.dialFailed('a');
    const seen: number[] = [];
    for (let minute = 1; minute <= 26; minute += 1) {
      nowMs = minute * MINUTE;
      costs.credit();
      if (minute % 5 === 0) seen.push(costs.of('a'));
    }
    expect(seen).to.deep.equal([950, 900, 850, 794, 698]);
    expect(costs.of('a')).to.equal(666);
  });

  it('never leaves its range, and is forgotten with the terminator', () => {
    for (let failed = 0; failed < 4000; failed += 1) costs.dialFailed('a');
    costs.dialSucceeded('a');
    expect(costs.of('a')).to.equal(MAX_DYNAMIC_COST);
    costs.forget('a');
    expect(costs.of('a')).to.equal(0);
    costs.circuitEnded('a');
    expect(costs.of('a')).to.equal(0);
  });
});
