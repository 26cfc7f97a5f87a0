/** The drill of several controllers, for two minutes with routers of both releases: see fabric-drill.ts. */
import { expect } from 'chai';
import { openTestDatabase } from '../support/database.js';
import { seedOfRun } from '../support/random.js';
import { RELEASES, findStockBinary, missing } from '../support/stock-binary.js';
import { ONLY_INTEROP, describeUnless } from '../support/unless.js';
import { fabricDrill } from './fabric-drill.js';

const MINUTES = 2;
const lacking = RELEASES.filter((release) => findStockBinary(release) === undefined).map(missing);

describeUnless(lacking[0] ?? ONLY_INTEROP, 'two controllers, three routers of both releases and steady traffic', () => {
  const seed = seedOfRun();
  it(`survive random kills (seed ${seed})`, async function survive(this: Mocha.Context) {
    this.timeout((MINUTES + 8) * 60_000);
    const database = await openTestDatabase();
    try {
      const binaries = RELEASES.map((release) => findStockBinary(release) ?? '');
      const options = { minutes: MINUTES, seed, binaries, database, say: () => undefined };
      const { figures, faults } = await fabricDrill(options);
      expect(faults, figures).to.deep.equal([]);
    } finally {
      await database.close();
    }
  });
});
