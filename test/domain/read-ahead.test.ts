/** Parts that are read ahead: order, overlap, ends. */
import { expect } from 'chai';
import { inParts } from '../../domain/in-parts.js';
import { readAhead } from '../../fabric/model/read-ahead.js';

describe('reading ahead', () => {
  it('works on each part in order, and reads two parts at a time and no more', async () => {
    const steps: string[] = [];
    await readAhead(
      [1, 2, 3, 4],
      async (part) => {
        steps.push(`read ${part}`);
        return Promise.resolve(part * 10);
      },
      async (part, found) => {
        await Promise.resolve();
        steps.push(`work on ${part}: ${found}`);
      },
    );
    expect(steps).to.deep.equal([
      'read 1',
      'read 2',
      'read 3',
      'work on 1: 10',
      'read 4',
      'work on 2: 20',
      'work on 3: 30',
      'work on 4: 40',
    ]);
  });

  it('rejects with what fails, after what is being read has ended', async () => {
    let reading = 0;
    const read = async (part: number) => {
      reading += 1;
      await Promise.resolve();
      reading -= 1;
      if (part === 2) throw new Error('part 2 cannot be read');
      return part;
    };
    const fails = (parts: readonly number[], work: () => Promise<void>) =>
      readAhead(parts, read, work).then(
        () => undefined,
        ({ message }: Error) => ({ message, reading }),
      );
    expect(await fails([1, 2, 3], () => Promise.resolve())).to.eql({ message: 'part 2 cannot be read', reading: 0 });
    expect(await fails([1, 3, 4], () => Promise.reject(new Error('no work')))).to.eql({
      message: 'no work',
      reading: 0,
    });
    expect(await fails([], () => Promise.reject(new Error('no work')))).to.equal(undefined);
  });

  it('cuts lists into parts', () => {
    expect(inParts([1, 2, 3, 4, 5], 2)).to.deep.equal([[1, 2], [3, 4], [5]]);
    expect(inParts([], 2)).to.deep.equal([]);
  });
});
