/** Reads that are gathered: each sees what was there after it was asked for, and a failure is that of its own read. */
import { expect } from 'chai';
import { GatheredReads } from '../../domain/scheduling/gathered-reads.js';
import { Pace } from '../../domain/scheduling/pace.js';

describe('gathered reads', () => {
  interface Pending {
    readonly ids: readonly string[];
    readonly answer: (ids: readonly string[]) => void;
    readonly fail: (error: Error) => void;
  }
  let pending: Pending[];
  let reads: GatheredReads<{ id: string }>;
  beforeEach(() => {
    pending = [];
    reads = new GatheredReads((ids) => {
      return new Promise((resolve, reject) => {
        pending.push({ ids, answer: (found) => resolve(found.map((id) => ({ id }))), fail: reject });
      });
    });
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('do together what came while one was under way, and no sooner', async () => {
    const first = reads.of('a');
    await turn();
    const others = [reads.of('b'), reads.of('c'), reads.of('b'), reads.of('a')];
    await turn();
    expect(pending.map(({ ids }) => ids)).to.deep.equal([['a']]);
    pending[0]?.answer(['a']);
    expect(await first).to.deep.equal({ id: 'a' });
    await turn();
    expect(pending[1]?.ids).to.deep.equal(['b', 'c', 'a']);
    pending[1]?.answer(['b', 'a']);
    expect(await Promise.all(others)).to.deep.equal([{ id: 'b' }, undefined, { id: 'b' }, { id: 'a' }]);
  });

  it('fail for those who asked, and go on for others', async () => {
    const first = reads.of('a').catch((error: unknown) => error);
    await turn();
    const second = reads.of('b');
    const fault = new Error('no');
    pending[0]?.fail(fault);
    expect(await first).to.equal(fault);
    await turn();
    pending[1]?.answer(['b']);
    expect(await second).to.deep.equal({ id: 'b' });
  });
});

describe('the pace of turns', () => {
  it('is slower after a turn for which the process was late, and as before when it is not any more', async () => {
    let nowMs = 0;
    const pace = new Pace(5, () => nowMs);
    const turnThatEndsAt = async (endMs: number) => {
      const startMs = performance.now();
      const turn = pace.turn();
      nowMs = endMs;
      await turn;
      return performance.now() - startMs;
    };
    await turnThatEndsAt(0);
    await turnThatEndsAt(45); // 40 ms after its time
    expect(await turnThatEndsAt(45 + 8 * 40)).to.be.at.least(300);
    expect(await turnThatEndsAt(400)).to.be.below(300);
  });

  it('lets the first after a rest begin at once, and the next no sooner than its time', async () => {
    const startMs = performance.now();
    let restMs = 0;
    const now = () => performance.now() + restMs;
    const pace = new Pace(40, now);
    await pace.turn();
    await pace.turn();
    expect(performance.now() - startMs).to.be.at.least(35);
    restMs = 3_600_000;
    const pausedMs = performance.now();
    await pace.turn();
    expect(performance.now() - pausedMs).to.be.below(30);
  });
});
