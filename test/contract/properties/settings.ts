/** What a run is asked for by environment variables; docs/contract.md has the table. */
import { seedOfRun } from '../../support/random.js';

/** Runs that are asked for nothing all have this one, so that the suite says the same each time. */
const USUAL_SEED = 20_261_122;
const USUAL_BUDGET = 8;

const asked = process.env['EDGE_TEST_SEED'];

export const seed = asked === undefined ? USUAL_SEED : asked === 'random' ? Date.now() % 1_000_000_007 : seedOfRun();

/** Valid cases of an operation with a body; all other numbers follow from it. */
export const budget = Number(process.env['EDGE_TEST_CASES'] ?? USUAL_BUDGET);

/** The operations that are run, by their ids. */
export const chosen = new RegExp(process.env['EDGE_TEST_OPERATIONS'] ?? '.');

/** Only then must the lists of this folder be met in full. */
export const isUsual =
  asked === undefined && budget === USUAL_BUDGET && process.env['EDGE_TEST_OPERATIONS'] === undefined;
