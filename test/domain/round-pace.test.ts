/** The pauses between rounds that look up changes. */
import { expect } from 'chai';
import { RoundPace } from '../../fabric/model/round-pace.js';

describe('the pace of rounds', () => {
  let nowMs = 0;
  const roundOf = (ms: number) => () => {
    nowMs += ms;
    return Promise.resolve();
  };

  beforeEach(() => {
    nowMs = 1_000;
  });

  it('gathers changes for a moment when nothing went before', () => {
    const pace = new RoundPace(() => nowMs);
    expect([pace.isRested, pace.pauseMs]).to.deep.equal([true, 50]);
  });

  it('rests half as long as the last round took, whether or not it failed', async () => {
    const pace = new RoundPace(() => nowMs);
    await pace.run(roundOf(400));
    expect([pace.isRested, pace.pauseMs]).to.deep.equal([false, 200]);
    const failure = await pace
      .run(async () => {
        await roundOf(300)();
        throw new Error('the database is away');
      })
      .catch((error: unknown) => error);
    expect(failure).to.be.an('error');
    expect([pace.isRested, pace.pauseMs]).to.deep.equal([false, 150]);
  });

  it('counts what has passed since the last round', async () => {
    const pace = new RoundPace(() => nowMs);
    await pace.run(roundOf(400));
    nowMs += 50;
    expect([pace.isRested, pace.pauseMs]).to.deep.equal([false, 150]);
    nowMs += 150;
    expect([pace.isRested, pace.pauseMs]).to.deep.equal([true, 50]);
  });

  it('never rests longer than two seconds', async () => {
    const pace = new RoundPace(() => nowMs);
    await pace.run(roundOf(60_000));
    expect(pace.pauseMs).to.equal(2_000);
  });
});
