/** Tasks of a queue that yields: one in each iteration of the event loop, in order, and not without end. */
import { expect } from 'chai';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { DomainError } from '../../domain/errors.js';

describe('a yield queue', () => {
  it('runs one task a turn, in order of arrival, and lets others in between', async () => {
    const turns = new YieldQueue({ waiting: 10 });
    const seen: string[] = [];
    const between = () => {
      if (!seen.includes('three')) {
        seen.push('-');
        setImmediate(between);
      }
    };
    const all = Promise.all(
      ['one', 'two', 'three'].map((word) =>
        turns.run(() => {
          seen.push(word);
          return word;
        }),
      ),
    );
    setImmediate(between);
    expect(await all).to.deep.equal(['one', 'two', 'three']);
    expect(seen.slice(0, 5)).to.deep.equal(['one', '-', 'two', '-', 'three']);
  });

  it('passes on what a task throws, and goes on', async () => {
    const turns = new YieldQueue({ waiting: 10 });
    const fault = new Error('no');
    const [first, second] = await Promise.allSettled([
      turns.run(() => {
        throw fault;
      }),
      turns.run(() => 2),
    ]);
    expect(first).to.deep.equal({ status: 'rejected', reason: fault });
    expect(second).to.deep.equal({ status: 'fulfilled', value: 2 });
    expect(await turns.run(() => 3)).to.equal(3);
  });

  it('turns away what comes when too many wait, and takes more afterwards', async () => {
    const turns = new YieldQueue({ waiting: 2 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((value) => turns.run(() => value)));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected']);
    const [, , last] = outcomes;
    expect(last?.status === 'rejected' && (last.reason as DomainError).kind).to.equal('tooManyRequests');
    expect(await turns.run(() => 4)).to.equal(4);
  });
});
