/** One body that needs no session holds up others for 15 ms of the processor at most, whatever its shape. */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { costOf, handleBody, SHAPES } from '../support/body-shapes.js';

const MOST_MS = 15;
/** The least of so many: what else runs on the machine takes part in some of them. */
const TIMES = 20;
/** Of an answer: what is shown of a value, and the envelope. */
const MOST_CHARACTERS = 8_000;

describe('a body without a session', () => {
  const bytes = operations.client.authenticate.maxBodyBytes ?? 0;

  for (const [shape, make] of Object.entries(SHAPES)) {
    it(`costs little, and its refusal is short: ${shape}`, () => {
      const body = make(bytes);
      expect(body.length).to.be.within(bytes - 100, bytes);
      expect(costOf(body, TIMES)).to.be.below(MOST_MS);
      expect(handleBody(body).length).to.be.below(MOST_CHARACTERS);
    });
  }
});
