/** Pages of what belongs to an owner: one that shows some of it does not ask for the owner. */
import { expect } from 'chai';
import { DomainError, notFound } from '../../domain/errors.js';
import { pageOf } from '../../handlers/handler.js';

describe('a page of what belongs to an owner', () => {
  let asked: number;
  beforeEach(() => {
    asked = 0;
  });
  const there = () => Promise.resolve((asked += 1));
  const gone = () => Promise.reject(notFound('service', 'gone'));

  const faultOf = (page: Promise<unknown>): Promise<unknown> =>
    page.then(
      () => undefined,
      (error: unknown) => (error instanceof DomainError ? error.kind : error),
    );

  it('does not ask for the owner when it shows some of it, on whichever page', async () => {
    for (const page of [
      { items: [1], totalCount: 1 },
      { items: [], totalCount: 7 },
    ])
      expect(await pageOf(Promise.resolve(page), there)).to.equal(page);
    expect(asked).to.equal(0);
  });

  it('asks when it shows nothing, and is refused without one', async () => {
    const page = { items: [], totalCount: 0 };
    expect(await pageOf(Promise.resolve(page), there)).to.equal(page);
    expect(asked).to.equal(1);
    expect(await faultOf(pageOf(Promise.resolve(page), gone))).to.equal('notFound');
  });

  it('is refused for the owner first, and then for the request', async () => {
    const refused = () => Promise.reject<{ totalCount: number }>(new RangeError('filter'));
    expect(await faultOf(pageOf(refused(), gone))).to.equal('notFound');
    expect(await faultOf(pageOf(refused(), there))).to.be.instanceOf(RangeError);
    expect(asked).to.equal(1);
  });
});
