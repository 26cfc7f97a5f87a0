/** Batches of a list that are mapped as they are read. */
import { expect } from 'chai';
import { mapBatches } from '../../domain/batches.js';

function source(batches: readonly (readonly number[])[]) {
  const state = { asked: 0, ended: 0 };
  const iterator: AsyncIterableIterator<readonly number[]> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => {
      const value = batches[state.asked];
      state.asked += 1;
      return Promise.resolve(value === undefined ? { done: true, value: undefined } : { done: false, value });
    },
    return: () => {
      state.ended += 1;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  return { state, iterator };
}

describe('mapped batches', () => {
  it('come mapped, in order', async () => {
    const { iterator } = source([[1, 2], [], [3]]);
    const got: string[][] = [];
    for await (const batch of mapBatches(iterator, String)) got.push(batch);
    expect(got).to.deep.equal([['1', '2'], [], ['3']]);
  });

  it('end those below when they are ended before the first', async () => {
    const { state, iterator } = source([[1]]);
    await mapBatches(mapBatches(iterator, String), String).return?.();
    expect(state).to.deep.equal({ asked: 0, ended: 1 });
  });

  it('end those below when the reader stops', async () => {
    const { state, iterator } = source([[1], [2]]);
    for await (const batch of mapBatches(iterator, String)) if (batch.length > 0) break;
    expect(state).to.deep.equal({ asked: 1, ended: 1 });
  });

  it('end those below when an item cannot be mapped', async () => {
    const { state, iterator } = source([[1]]);
    const failing = mapBatches(iterator, () => {
      throw new Error('no');
    });
    let fault: unknown;
    try {
      await failing.next();
    } catch (error) {
      fault = error;
    }
    expect(fault).to.be.instanceOf(Error);
    expect(state.ended).to.equal(1);
  });
});
