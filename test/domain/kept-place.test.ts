/** The place of a list is kept until its answer is text, and never by a request that waits for another one. */
import { expect } from 'chai';
import { KeptPlace } from '../../db/postgres/kept-place.js';

describe('the place of a list', () => {
  let given: string[];
  let place: KeptPlace;
  beforeEach(() => {
    given = [];
    place = new KeptPlace();
  });
  const leave = (name: string) => () => {
    given.push(name);
  };

  it('is kept until the answer is text, and given back once', () => {
    place.begin();
    place.end(leave('a'));
    expect(given).to.deep.equal([]);
    place.close();
    place.close();
    expect(given).to.deep.equal(['a']);
  });

  it('is given back before the next list asks for one', () => {
    place.begin();
    place.end(leave('a'));
    place.begin();
    expect(given).to.deep.equal(['a']);
    place.end(leave('b'));
    expect(given).to.deep.equal(['a']);
    place.close();
    expect(given).to.deep.equal(['a', 'b']);
  });

  it('is given back at once while another list of the request waits', () => {
    place.begin();
    place.begin();
    place.end(leave('a'));
    expect(given).to.deep.equal(['a']);
    place.end(leave('b'));
    expect(given).to.deep.equal(['a']);
    place.close();
    expect(given).to.deep.equal(['a', 'b']);
  });

  it('is given back at once by a list that ends after the answer', () => {
    place.begin();
    place.close();
    place.end(leave('a'));
    expect(given).to.deep.equal(['a']);
  });

  it('need not have been had', () => {
    place.begin();
    place.end();
    place.close();
    expect(given).to.deep.equal([]);
  });
});
