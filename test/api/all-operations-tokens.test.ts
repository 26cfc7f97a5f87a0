/**
 * The net over all operations for callers whose auth policy requires a token of a signer with every request: with it
 * they are let through, and without it they can do as little as those who owe a code.
 */
import { expect } from 'chai';
import { basePaths } from '../../generated/routes.js';
import { exampleOf } from '../contract/examples.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { contentsOf } from '../support/contents.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import {
  closed as allClosed,
  endsSession,
  faultsOf,
  pathOf,
  refusal,
  show,
  undeclared,
} from '../support/operations.js';
import { bearing, makeSigner, nowSeconds, tokenOf } from '../support/tokens.js';

/** Those of single sign-on take access tokens alone, and nobody gets one without the token that is owed. */
const closed = allClosed.filter(({ api }) => api !== 'oidc');

describe(`the ${closed.length} operations with a session, for those who need a token besides`, function tokens() {
  this.timeout(120_000);
  let controller: TestController;
  let administrator: Client;
  let withToken: { headers: { authorization: string[] } };

  before(async () => {
    controller = await startTestController();
    const { admin } = controller;
    const signer = await makeSigner(admin);
    const secondary = { requireTotp: false, requireExtJwtSigner: signer.id };
    const body = { ...exampleOf('management', 'POST', '/auth-policies'), secondary };
    const { data } = expectStatus(await admin.post(`${basePaths.management}/auth-policies`, body), 201);
    const { id, client } = await controller.newCaller({ isAdmin: true });
    const change = { authPolicyId: (data as { id: string }).id };
    expectStatus(await admin.patch(`${basePaths.management}/identities/${id}`, change), 200);
    administrator = client;
    withToken = bearing(await tokenOf(signer, id, { exp: nowSeconds() + 3_600 }));
  });
  after(() => controller.stop());

  const bodyOf = ({ api, method, path, body }: (typeof closed)[number]) =>
    body?.kind === 'json' ? (exampleOf(api, method, path) ?? {}) : undefined;

  it('refuse an administrator without it, but for those that are partial, and change nothing', async () => {
    const before = await contentsOf(controller.database);
    const faults = await faultsOf(
      closed.filter(({ permission }) => permission !== 'partial'),
      async (operation) => {
        const answer = await administrator.send(operation.method, pathOf(operation), bodyOf(operation));
        return refusal({ ...operation, refusalStatus: 401 }, answer, undefined);
      },
    );
    expect(faults).to.deep.equal([]);
    expect(await contentsOf(controller.database)).to.deep.equal(before);
  });

  it('refuse none of those that are partial', async () => {
    const faults = await faultsOf(
      // deleteMfa asks more than its permission does: test/api/second-factor-undo.test.ts.
      closed.filter(
        (operation) =>
          operation.permission === 'partial' && !endsSession(operation) && operation.operationId !== 'deleteMfa',
      ),
      async (operation) => {
        const answer = await administrator.send(operation.method, pathOf(operation), bodyOf(operation));
        if (answer.error?.code === 'UNAUTHORIZED' || answer.status >= 500) return show(answer);
        return undeclared(operation, answer);
      },
    );
    expect(faults).to.deep.equal([]);
  });

  it('are open to an administrator with it', async () => {
    const faults = await faultsOf(
      closed.filter((operation) => !endsSession(operation)),
      async (operation) => {
        const answer = await administrator.send(operation.method, pathOf(operation), bodyOf(operation), withToken);
        if (answer.error?.code === 'UNAUTHORIZED') return show(answer);
        return undeclared(operation, answer);
      },
    );
    expect(faults).to.deep.equal([]);
  });
});
