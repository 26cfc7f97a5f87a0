/** What an epoch in memory believes, read by read: the order of reads and changes is set by hand. */
import { expect } from 'chai';
import { keepEpoch } from '../../server/changes/epochs.js';
import type { Stores } from '../../db/stores/stores.js';

const STORES = {} as Stores;

/** An epoch whose reads are answered one by one. */
function started() {
  const answers: ((value: number) => void)[] = [];
  const epoch = keepEpoch<number>(
    () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }),
  );
  epoch.setTrusted(() => true);
  return { epoch, answers };
}

describe('an epoch in memory', () => {
  it('is read once, and by those who ask meanwhile together', async () => {
    const { epoch, answers } = started();
    const both = Promise.all([epoch.current(STORES), epoch.current(STORES)]);
    expect(answers).to.have.length(1);
    answers[0]?.(7);
    expect(await both).to.deep.equal([7, 7]);
    expect(epoch.current(STORES)).to.equal(7);
    expect(answers).to.have.length(1);
  });

  it('is read again after a change, and the change shares no read that began before it', async () => {
    const { epoch, answers } = started();
    const before = epoch.current(STORES);
    epoch.moved();
    const after = epoch.current(STORES);
    expect(answers).to.have.length(2);
    answers[1]?.(8);
    expect(await after).to.equal(8);
    answers[0]?.(7);
    expect(await before).to.equal(7);
    expect(epoch.current(STORES), 'what was overtaken is not kept').to.equal(8);
  });

  it('does not keep what was read while something changed', async () => {
    const { epoch, answers } = started();
    const overtaken = epoch.current(STORES);
    epoch.moved();
    answers[0]?.(7);
    await overtaken;
    void epoch.current(STORES);
    expect(answers).to.have.length(2);
  });

  it('keeps the later of two reads that end the other way round', async () => {
    const { epoch, answers } = started();
    const first = epoch.current(STORES);
    while (performance.now() === performance.now());
    const second = epoch.read(STORES);
    answers[1]?.(8);
    await second;
    answers[0]?.(7);
    await first;
    expect(epoch.current(STORES)).to.equal(8);
  });

  it('is read by each for itself while changes cannot be heard, and nothing of that is kept', async () => {
    const { epoch, answers } = started();
    epoch.setTrusted(() => false);
    const both = Promise.all([epoch.current(STORES), epoch.current(STORES)]);
    expect(answers).to.have.length(2);
    epoch.setTrusted(() => true);
    answers.forEach((answer) => {
      answer(7);
    });
    await both;
    void epoch.current(STORES);
    expect(answers).to.have.length(3);
  });

  it('is asked for again after a read that failed', async () => {
    let attempts = 0;
    const epoch = keepEpoch<number>(async () => {
      if ((attempts += 1) === 1) throw new Error('unavailable');
      return 7;
    });
    epoch.setTrusted(() => true);
    const failures = await Promise.allSettled([epoch.current(STORES), epoch.current(STORES)]);
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(attempts).to.equal(1);
    expect(await epoch.current(STORES)).to.equal(7);
  });
});
