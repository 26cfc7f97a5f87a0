import { expect } from 'chai';
import { KeyedMutex } from '../../domain/scheduling/keyed-mutex.js';

describe('a queue by key', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('runs one task of a key at a time, in order, and other keys meanwhile', async () => {
    const queue = new KeyedMutex();
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const task = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise<void>((resolve) => ends.push(resolve));
      events.push(`${name} ends`);
      return name;
    };
    const results = [queue.run('a', task('a1')), queue.run('a', task('a2')), queue.run('b', task('b1'))];
    await settled();
    expect(events).to.deep.equal(['a1 begins', 'b1 begins']);
    expect(queue.size).to.equal(2);
    for (let n = 0; n < 3; n += 1) {
      ends[n]?.();
      await settled();
    }
    expect(events.slice(2)).to.deep.equal(['a1 ends', 'a2 begins', 'b1 ends', 'a2 ends']);
    expect(await Promise.all(results)).to.deep.equal(['a1', 'a2', 'b1']);
    expect(queue.size).to.equal(0);
  });

  it('goes on after a task that fails, and tells who asked', async () => {
    const queue = new KeyedMutex();
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve('next'));
    const caught = await failed.catch((error: unknown) => (error as Error).message);
    expect([caught, await next]).to.deep.equal(['no', 'next']);
    await settled();
    expect(queue.size).to.equal(0);
  });
});
