/**
 * All APIs held against their documents by cases that follow from a seed: docs/contract.md says what is judged and how
 * to run it longer, or with another seed.
 */
import { expect } from 'chai';
import type { Api } from '../../../generated/operation.js';
import { startTestController } from '../../support/controller.js';
import type { TestController } from '../../support/controller.js';
import { describeUnless } from '../../support/unless.js';
import { fetchDocument } from './document.js';
import { hintsOf } from './hints.js';
import { openNetwork } from './network.js';
import type { Network } from './network.js';
import { exceptions, reasons } from './reasons.js';
import type { Reason } from './reasons.js';
import { runOperations, seekReasons } from './run.js';
import type { Result } from './run.js';
import { careOf, cares, unreached } from './special.js';
import { budget, chosen, isUsual, seed } from './settings.js';
import { makeValidator } from './validator.js';

const met = new Set<Reason>();
const known = new Set<string>();
const successful = new Set<string>();

/** The client and the management API have operations in common; what the fabric API calls alike is another. */
const nameIn = (api: Api, id: string): string => (api === 'fabric' ? `fabric ${id}` : id);

// Most reasons are met in the management API, so that what is left to look for in the others is little.
for (const api of ['management', 'client', 'fabric', 'oidc'] as const) {
  describe(`the ${api} API, by its document and the seed ${seed}`, function properties() {
    this.timeout(600_000);
    let controller: TestController;
    let network: Network;
    let result: Result;
    before(async () => {
      controller = await startTestController({
        EDGE_LIMIT_OWN_CHANGES: '1000000',
        EDGE_LIMIT_CERTIFICATES_PER_IDENTITY: '1000000',
      });
      network = await openNetwork(controller);
      const document = await fetchDocument(controller.anonymous, api);
      const maker = {
        document,
        requests: makeValidator(document, false),
        hints: (operationId: string) => hintsOf(network.pool, operationId),
        seed,
        budget,
      };
      const operations = document.operations.filter(({ id }) => chosen.test(id));
      const run = { maker, answers: makeValidator(document, true), network };
      result = await runOperations(run, operations);
      const idle = [...reasons, ...exceptions].filter((reason) => !met.has(reason));
      if (isUsual) await seekReasons(run, operations, result, idle);
      for (const reason of result.reasons) met.add(reason);
      for (const { id } of operations) known.add(nameIn(api, id));
      for (const id of result.successes) successful.add(nameIn(api, id));
    });
    after(async () => {
      network.close();
      await controller.stop();
    });

    it('answers as declared, takes what is valid and refuses what is not', () => {
      const { faults, cases, statuses } = result;
      if (!isUsual) console.log(`seed ${seed}: ${cases} cases, ${JSON.stringify(Object.fromEntries(statuses))}`);
      if (faults.length > 0)
        throw new Error(
          `${faults.length} faults in ${cases} cases; EDGE_TEST_SEED=${seed} EDGE_TEST_CASES=${budget} repeats ` +
            `them\n\n${faults.join('\n\n')}`,
        );
    });
  });
}

const UNUSUAL = isUsual ? undefined : 'only a whole run of the usual seed meets them all';
describeUnless(UNUSUAL, 'the lists of the property run', () => {
  it('have only reasons that are needed', () => {
    const idle = [...reasons, ...exceptions].filter((reason) => !met.has(reason));
    expect(idle.map(({ rule }) => rule)).to.deep.equal([]);
  });

  it('name exactly the operations whose success is not reached', () => {
    expect([...known].filter((name) => !successful.has(name) && careOf(name).isLeftOut !== true).sort()).to.deep.equal(
      Object.keys(unreached).sort(),
    );
  });

  it('take care of operations that are there', () => {
    expect(cares.filter(({ operation }) => ![...known].some((id) => operation.test(id)))).to.deep.equal([]);
  });
});
