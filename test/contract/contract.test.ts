/** All specs against a real controller, by Dredd: every built operation, its success and its usual errors. */
import { expect } from 'chai';
import type { OperationSpec } from '../../generated/operation.js';
import { bindOperations } from '../../server/sessions/binder.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { watchHandedOver } from '../support/handed-over.js';
import type { Announced, HandedOverNet } from '../support/handed-over.js';
import { dreddDocument, readDocument } from './dredd-document.js';
import type { JsonObject } from './dredd-document.js';
import { runDredd } from './run-dredd.js';
import type { DreddRun } from './run-dredd.js';
import { skips, skipsOf } from './skips.js';
import type { Skip } from './skips.js';
import type { Outcome } from './transaction.js';
import { unrecorded } from './unrecorded.js';

/** Lines of the skip list. A new line needs a reason and a larger number here. */
const SKIPS = 45;

/** What requests of each API announce at least: else the net over announcements has a hole. */
const SUBJECTS = {
  client: ['ended', 'grants', 'identity', 'posture', 'session'],
  fabric: ['access'],
  management: [
    'access',
    'cas',
    'ended',
    'grants',
    'identity',
    'posture',
    'prints',
    'router',
    'routing',
    'session',
    'terminators',
    'webhooks',
  ],
  oidc: ['clients', 'grants', 'identity', 'posture', 'session'],
};

const describeFault = ({ operationId, status, contentType, detail }: Outcome) =>
  `${operationId} ${status} (${contentType})\n${detail}`;
const built = [...bindOperations()].filter(([, bound]) => bound !== 'pending').map(([operation]) => operation);
const used = new Set<Skip>();

for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
  describe(`the ${api} API keeps its contract`, function contract() {
    this.timeout(600_000);
    const own = built.filter((operation) => operation.api === api);
    let controller: TestController;
    let run: DreddRun;
    let net: HandedOverNet;
    before(async () => {
      controller = await startTestController();
      net = await watchHandedOver(controller.database);
      run = await runDredd(
        api,
        controller,
        dreddDocument(readDocument(api), (operationId) =>
          own.some((operation) => operation.operationId === operationId),
        ),
      );
    });
    after(async () => {
      await net.close();
      await controller.stop();
    });

    const isSkipped = (operationId: string, status: number) =>
      skipsOf({ api, operationId, status, contentType: '' }).length > 0;
    /**
     * Operations without an answer that passed, among those that declare such an answer and are not on the skip list.
     */
    const lacking = (operations: readonly OperationSpec[], isWanted: (status: number) => boolean): string[] =>
      operations
        .filter(
          ({ operationId, responses }) =>
            !Object.keys(responses).some(
              (status) => isWanted(Number(status)) && isSkipped(operationId, Number(status)),
            ),
        )
        .map(({ operationId }) => operationId)
        .filter(
          (operationId) =>
            !run.outcomes.some(
              (one) => one.operationId === operationId && one.result === 'pass' && isWanted(one.status),
            ),
        );

    it('in every answer that Dredd provokes', () => {
      const faults = run.outcomes.filter(({ result }) => result === 'fail' || result === 'error');
      if (faults.length > 0)
        throw new Error(`${faults.length} answers break the spec\n\n${faults.map(describeFault).join('\n\n')}`);
      expect(run.outcomes, run.output).to.not.be.empty;
      expect(run.exitCode, run.output).to.equal(0);
    });

    it('with a success of every built operation', () => {
      // A redirect is what some endpoints of single sign-on are there for.
      expect(lacking(own, (status) => status >= 200 && status < 400 && status !== 304)).to.deep.equal([]);
    });

    it('with 401 of every operation that needs a session', () => {
      expect(
        lacking(
          own.filter(({ permission }) => permission !== 'public'),
          (status) => status === 401,
        ),
      ).to.deep.equal([]);
    });

    it('with 404 of every operation with an id', () => {
      expect(
        lacking(
          own.filter(({ path }) => path.includes('{')),
          (status) => status === 404,
        ),
      ).to.deep.equal([]);
    });

    if (api === 'management')
      it('with an audit record of every change, but for those that a list names with a reason', async () => {
        const isChange = ({ method }: OperationSpec) => method !== 'GET';
        const changed = run.outcomes.filter(
          ({ operationId, status, result }) =>
            result === 'pass' && status < 300 && own.some((one) => one.operationId === operationId && isChange(one)),
        );
        const { rows } = await controller.database.query(
          'SELECT DISTINCT request_id AS id FROM audit_records WHERE request_id = ANY ($1)',
          [changed.map(({ requestId }) => requestId)],
        );
        const recorded = new Set(rows.map(({ id }) => String(id)));
        const without = changed.filter(({ requestId }) => !recorded.has(requestId));
        expect([...new Set(without.map(({ operationId }) => operationId))].sort()).to.deep.equal(
          Object.keys(unrecorded).sort(),
        );
      });

    it('with all that other controllers hear of a change handed over by its own commit', async () => {
      const { announced, missed } = await net.look();
      const operationOf = new Map(run.outcomes.map(({ requestId, operationId }) => [requestId, operationId]));
      const name = ({ requestId, payload }: Announced) => `${operationOf.get(requestId) ?? 'preparing'}: ${payload}`;
      expect([...new Set(missed.map(name))].sort()).to.deep.equal([]);
      const subjects = new Set(announced.map(({ payload }) => payload.split(' ')[0]));
      expect([...subjects]).to.include.members(SUBJECTS[api]);
    });

    it('and leaves out exactly what the skip list names', () => {
      for (const outcome of run.outcomes) {
        const lines = skipsOf({ api, ...outcome });
        lines.forEach((line) => used.add(line));
        expect(outcome.result === 'skip', `${outcome.operationId} ${outcome.status} ${outcome.contentType}`).to.equal(
          lines.length === 1,
        );
      }
      for (const operation of own) {
        for (const status of Object.keys(operation.responses)
          .filter((one) => one !== 'default')
          .map(Number)) {
          const isSeen = run.outcomes.some(
            (outcome) => outcome.operationId === operation.operationId && outcome.status === status,
          );
          expect(
            isSeen || isSkipped(operation.operationId, status),
            `${operation.operationId} ${status} was never looked at`,
          ).to.equal(true);
        }
      }
    });
  });
}

describe('Dredd', function dredd() {
  this.timeout(120_000);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('notices an answer that the document does not allow', async () => {
    const document = dreddDocument(
      readDocument('client'),
      (operationId) => operationId === 'listVersion' || operationId === 'listProtocols',
    );
    const { version } = document['definitions'] as Record<string, JsonObject>;
    if (version === undefined) throw new Error('the spec has no definition of a version');
    (version['properties'] as JsonObject)['flavour'] = { type: 'string' };
    version['required'] = ['flavour'];
    const { outcomes, exitCode, output } = await runDredd('client', controller, document);
    const results = outcomes
      .filter(({ status }) => status === 200)
      .map(({ operationId, result }) => `${operationId} ${result}`);
    expect(results, output).to.have.members(['listProtocols pass', 'listVersion fail']);
    expect(exitCode, output).to.equal(1);
  });
});

describe('the skip list of the contract tests', () => {
  it(`has ${SKIPS} lines, each needed and each with a reason`, () => {
    expect(skips).to.have.length(SKIPS);
    expect(skips.filter((skip) => !used.has(skip))).to.deep.equal([]);
    expect(skips.filter(({ reason }) => reason.length < 10)).to.deep.equal([]);
  });
});
