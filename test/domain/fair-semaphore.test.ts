/** Permits shared by many holders: so many in all, so many each, in turn, and bounded queues. */
import { expect } from 'chai';
import { FairSemaphore } from '../../domain/scheduling/fair-semaphore.js';
import type { Release } from '../../domain/scheduling/fair-semaphore.js';
import type { DomainError } from '../../domain/errors.js';

describe('permits of a semaphore', () => {
  /** Asks for a permit and notes under `name` when it is there. */
  const world = (options: { permits: number; perHolder: number; waiting: number }) => {
    const semaphore = new FairSemaphore(options);
    const order: string[] = [];
    const releases = new Map<string, Release>();
    const ask = async (holder: string, name: string, signal?: AbortSignal) => {
      const release = await semaphore.acquire(holder, signal);
      order.push(name);
      releases.set(name, release);
    };
    const turn = () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      });
    const release = async (name: string) => {
      releases.get(name)?.();
      await turn();
    };
    return { semaphore, order, ask, release, turn };
  };
  const kindOf = async (act: () => Promise<unknown>) =>
    act().then(
      () => 'none',
      (error: unknown) => (error as DomainError).kind,
    );

  it('are given at once while there are any', () => {
    const semaphore = new FairSemaphore({ permits: 2, perHolder: 2, waiting: 0 });
    expect(semaphore.acquire('a')).to.be.a('function');
    expect(semaphore.load).to.deep.equal({ running: 1, waiting: 0 });
  });

  it('leave one holder no more than its own, and others theirs', async () => {
    const { order, ask, release, semaphore, turn } = world({ permits: 3, perHolder: 2, waiting: 5 });
    const all = Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')]);
    await turn();
    expect(order).to.deep.equal(['a1', 'a2', 'b1']);
    await release('a1');
    expect(order).to.include('a3');
    await all;
    expect(semaphore.load.waiting).to.equal(0);
  });

  it('go to those who wait in turn, whoever asked more', async () => {
    const { order, ask, release } = world({ permits: 1, perHolder: 1, waiting: 5 });
    await ask('a', 'a1');
    const all = Promise.all([ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2')]);
    for (let index = 0; index < 6; index += 1) await release(order[index] ?? '');
    await all;
    expect(order.slice(0, 4).sort()).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
    expect(order).to.have.lengthOf(6);
  });

  it('are refused to a holder of whom too many wait, and to that one only', async () => {
    const { ask, release, semaphore } = world({ permits: 4, perHolder: 1, waiting: 2 });
    await ask('a', 'a1');
    const waiting = [ask('a', 'a2'), ask('a', 'a3')];
    expect(await kindOf(() => ask('a', 'a4'))).to.equal('rateLimited');
    expect(await kindOf(() => ask('b', 'b1'))).to.equal('none');
    for (const name of ['a1', 'a2', 'a3', 'b1']) await release(name);
    await Promise.all(waiting);
    expect(semaphore.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('are not waited for once nobody wants them', async () => {
    const { order, ask, release, semaphore } = world({ permits: 1, perHolder: 1, waiting: 5 });
    await ask('a', 'a1');
    const gone = new AbortController();
    const second = kindOf(() => ask('b', 'b1', gone.signal));
    const third = ask('c', 'c1');
    gone.abort();
    expect(await second).to.equal('timeout');
    expect(await kindOf(() => ask('b', 'b2', gone.signal))).to.equal('timeout');
    await release('a1');
    await third;
    expect(order).to.deep.equal(['a1', 'c1']);
    await release('c1');
    expect(semaphore.load).to.deep.equal({ running: 0, waiting: 0 });
  });
});
