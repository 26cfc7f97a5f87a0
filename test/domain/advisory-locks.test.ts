/** Advisory locks: two with one number would wait for each other. */
import { expect } from 'chai';
import * as locks from '../../db/postgres/advisory-locks.js';

describe('the advisory locks', () => {
  it('have a number each', () => {
    const numbers = Object.values(locks);
    expect(new Set(numbers).size, JSON.stringify(locks)).to.equal(numbers.length);
  });
});
