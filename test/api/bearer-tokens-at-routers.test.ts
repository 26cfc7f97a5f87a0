/** Routers see the access tokens of clients that dial: what one that takes such a token can do with it. */
import { expect } from 'chai';
import { makeRequest } from '../support/certificates.js';
import { exampleOf } from '../contract/examples.js';
import { expectStatus } from '../support/client.js';
import { contentsOf } from '../support/contents.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { bearer, oidcClient } from '../support/oidc.js';
import { closed, faultsOf, pathOf, refusal } from '../support/operations.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { PASSWORD, makeUser } from '../support/users.js';

const administration = closed.filter(({ permission }) => permission === 'admin');

describe('an access token that a router has seen', function tokens() {
  this.timeout(120_000);
  let controller: TestController;
  let token: string;
  before(async () => {
    controller = await startTestController();
    const name = unique('admin');
    await makeUser(controller.admin, name, { isAdmin: true });
    token = (await oidcClient(controller.anonymous).login(name, PASSWORD)).access_token;
    expectStatus(await controller.anonymous.get(`${M}/identities`, bearer(token)), 200);
    // No router takes a client without one: from here on a router may know the token.
    const { pem: csr } = makeRequest();
    const path = `${C}/current-api-session/certificates`;
    expectStatus(await controller.anonymous.post(path, { csr }, bearer(token)), 201);
  });
  after(() => controller.stop());

  it(`opens none of the ${administration.length} operations of administration, and changes nothing`, async () => {
    const before = await contentsOf(controller.database);
    const faults = await faultsOf(administration, async (operation) => {
      const { api, method, path, body } = operation;
      const sent = body?.kind === 'json' ? (exampleOf(api, method, path) ?? {}) : undefined;
      const answer = await controller.anonymous.send(method, pathOf(operation), sent, bearer(token));
      return refusal({ ...operation, refusalStatus: 401 }, answer, undefined);
    });
    expect(faults).to.deep.equal([]);
    expect(await contentsOf(controller.database)).to.deep.equal(before);
  });

  it('gets no certificate that would prove more than the token does', async () => {
    const path = `${C}/current-api-session/certificates`;
    expectStatus(await controller.anonymous.post(path, { csr: makeRequest().pem }, bearer(token)), 201);
    const { rows } = await controller.database.query(
      'SELECT is_proof FROM api_session_certificates ORDER BY created_at',
    );
    expect(rows.map((row) => row['is_proof'])).to.deep.equal([true, false]);
  });
});
