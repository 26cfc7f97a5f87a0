/** The drill of several controllers, for two minutes: fabric-drill.ts says what it does and checks. */
import { expect } from 'chai';
import { openTestDatabase } from '../support/database.js';
import { seedOfRun } from '../support/random.js';
import { ONLY_INTEROP, describeStock, itUnless } from '../support/unless.js';
import { fabricDrill } from './fabric-drill.js';

const MINUTES = 2;

describeStock('two controllers, three routers and steady traffic', (binary) => {
  const seed = seedOfRun();
  itUnless(ONLY_INTEROP, `survive random kills (seed ${seed})`, async function survive(this: Mocha.Context) {
    this.timeout((MINUTES + 8) * 60_000);
    const database = await openTestDatabase();
    try {
      const { figures, faults } = await fabricDrill({ minutes: MINUTES, seed, binary, database, say: () => undefined });
      expect(faults, figures).to.deep.equal([]);
    } finally {
      await database.close();
    }
  });
});
