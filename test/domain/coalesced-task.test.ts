/** Runs of a background task: one at a time, one more when it is scheduled meanwhile, none after a close. */
import { expect } from 'chai';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { until } from '../support/poll.js';

describe('a coalesced task', () => {
  const counted = () => {
    const ends: (() => void)[] = [];
    let most = 0;
    let running = 0;
    const turns = new CoalescedTask(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      return ends.length;
    });
    return { turns, ends, most: () => most };
  };

  it('is joined by whoever runs it meanwhile', async () => {
    const { turns, ends, most } = counted();
    const results = [turns.runNow(), turns.runNow()];
    ends[0]?.();
    expect(await Promise.all(results)).to.deep.equal([1, 1]);
    expect([ends.length, most(), turns.isRunning]).to.deep.equal([1, 1, false]);
  });

  it('is followed by one more, however often it was asked for meanwhile', async () => {
    const { turns, ends, most } = counted();
    for (let asked = 0; asked < 5; asked += 1) turns.schedule();
    ends[0]?.();
    await until('another', () => ends.length === 2);
    ends[1]?.();
    await until('its end', () => !turns.isRunning);
    expect([ends.length, most()]).to.deep.equal([2, 1]);
  });

  it('is the last when it is closed', async () => {
    const { turns, ends } = counted();
    turns.schedule();
    turns.schedule();
    const closed = turns.close();
    ends[0]?.();
    await closed;
    turns.schedule();
    expect([ends.length, turns.isRunning]).to.deep.equal([1, false]);
  });
});
