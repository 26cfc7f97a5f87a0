/** Places shared out among holders: so many in all, so many each, in turn, and not without end. */
import { expect } from 'chai';
import { createShares } from '../../domain/scheduling/shares.js';
import type { Release } from '../../domain/scheduling/shares.js';
import type { DomainError } from '../../domain/errors.js';

describe('shares of places', () => {
  /** Asks for a place and notes under `name` when it is there. */
  const world = (options: { places: number; each: number; waiting: number }) => {
    const shares = createShares(options);
    const order: string[] = [];
    const leaves = new Map<string, Release>();
    const ask = async (holder: string, name: string, signal?: AbortSignal) => {
      const leave = await shares.enter(holder, signal);
      order.push(name);
      leaves.set(name, leave);
    };
    const turn = () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      });
    const leave = async (name: string) => {
      leaves.get(name)?.();
      await turn();
    };
    return { shares, order, ask, leave, turn };
  };
  const kindOf = async (act: () => Promise<unknown>) =>
    act().then(
      () => 'none',
      (error: unknown) => (error as DomainError).kind,
    );

  it('are given at once while there are any', () => {
    const shares = createShares({ places: 2, each: 2, waiting: 0 });
    expect(shares.enter('a')).to.be.a('function');
    expect(shares.load).to.deep.equal({ running: 1, waiting: 0 });
  });

  it('leave one holder no more than its own, and others theirs', async () => {
    const { order, ask, leave, shares, turn } = world({ places: 3, each: 2, waiting: 5 });
    const all = Promise.all([ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')]);
    await turn();
    expect(order).to.deep.equal(['a1', 'a2', 'b1']);
    await leave('a1');
    expect(order).to.include('a3');
    await all;
    expect(shares.load.waiting).to.equal(0);
  });

  it('go to those who wait in turn, whoever asked more', async () => {
    const { order, ask, leave } = world({ places: 1, each: 1, waiting: 5 });
    await ask('a', 'a1');
    const all = Promise.all([ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1'), ask('b', 'b2')]);
    for (let index = 0; index < 6; index += 1) await leave(order[index] ?? '');
    await all;
    expect(order.slice(0, 4).sort()).to.deep.equal(['a1', 'a2', 'b1', 'c1']);
    expect(order).to.have.lengthOf(6);
  });

  it('are refused to a holder of whom too many wait, and to that one only', async () => {
    const { ask, leave, shares } = world({ places: 4, each: 1, waiting: 2 });
    await ask('a', 'a1');
    const waiting = [ask('a', 'a2'), ask('a', 'a3')];
    expect(await kindOf(() => ask('a', 'a4'))).to.equal('rateLimited');
    expect(await kindOf(() => ask('b', 'b1'))).to.equal('none');
    for (const name of ['a1', 'a2', 'a3', 'b1']) await leave(name);
    await Promise.all(waiting);
    expect(shares.load).to.deep.equal({ running: 0, waiting: 0 });
  });

  it('are not waited for once nobody wants them', async () => {
    const { order, ask, leave, shares } = world({ places: 1, each: 1, waiting: 5 });
    await ask('a', 'a1');
    const gone = new AbortController();
    const second = kindOf(() => ask('b', 'b1', gone.signal));
    const third = ask('c', 'c1');
    gone.abort();
    expect(await second).to.equal('timeout');
    expect(await kindOf(() => ask('b', 'b2', gone.signal))).to.equal('timeout');
    await leave('a1');
    await third;
    expect(order).to.deep.equal(['a1', 'c1']);
    await leave('c1');
    expect(shares.load).to.deep.equal({ running: 0, waiting: 0 });
  });
});
