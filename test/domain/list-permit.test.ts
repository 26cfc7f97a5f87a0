/** The permit of a list is kept until its answer is text, and never by a request that waits for another one. */
import { expect } from 'chai';
import { ListPermit } from '../../db/postgres/list-permit.js';

describe('the permit of a list', () => {
  let given: string[];
  let permit: ListPermit;
  beforeEach(() => {
    given = [];
    permit = new ListPermit();
  });
  const leave = (name: string) => () => {
    given.push(name);
  };

  it('is kept until the answer is text, and given back once', () => {
    permit.begin();
    permit.end(leave('a'));
    expect(given).to.deep.equal([]);
    permit.close();
    permit.close();
    expect(given).to.deep.equal(['a']);
  });

  it('is given back before the next list asks for one', () => {
    permit.begin();
    permit.end(leave('a'));
    permit.begin();
    expect(given).to.deep.equal(['a']);
    permit.end(leave('b'));
    expect(given).to.deep.equal(['a']);
    permit.close();
    expect(given).to.deep.equal(['a', 'b']);
  });

  it('is given back at once while another list of the request waits', () => {
    permit.begin();
    permit.begin();
    permit.end(leave('a'));
    expect(given).to.deep.equal(['a']);
    permit.end(leave('b'));
    expect(given).to.deep.equal(['a']);
    permit.close();
    expect(given).to.deep.equal(['a', 'b']);
  });

  it('is given back at once by a list that ends after the answer', () => {
    permit.begin();
    permit.close();
    permit.end(leave('a'));
    expect(given).to.deep.equal(['a']);
  });

  it('need not have been had', () => {
    permit.begin();
    permit.end();
    permit.close();
    expect(given).to.deep.equal([]);
  });
});
