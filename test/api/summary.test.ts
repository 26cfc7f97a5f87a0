/** The totals of the summary. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

const KEYS = [
  'apiSessionCertificates',
  'apiSessions',
  'authPolicies',
  'authenticators',
  'cas',
  'configTypes',
  'configs',
  'controllers',
  'edgeRouterPolicies',
  'enrollments',
  'eventualEvents',
  'externalJwtSigners',
  'identities',
  'identityTypes',
  'mfas',
  'postureCheckTypes',
  'postureChecks',
  'revocations',
  'routers',
  'routers.edge',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'services',
  'services.edge',
  'sessions',
  'terminators',
];

describe('summary', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const summary = async () =>
    expectStatus(await controller.admin.get(`${MANAGEMENT}/summary`), 200).data as Record<string, number>;

  it('counts every kind, 0 where there is none', async () => {
    const counts = await summary();
    expect(Object.keys(counts)).to.have.members(KEYS);
    expect(counts).to.include({
      identities: 1,
      authenticators: 1,
      identityTypes: 5,
      postureCheckTypes: 6,
      services: 0,
      routers: 0,
      'routers.edge': 0,
      mfas: 0,
      cas: 0,
    });
  });

  it('follows creates and deletes', async () => {
    const before = await summary();
    const service = await makeService(controller);
    await make(controller, 'posture-checks', { name: unique('check'), typeId: 'MFA' });
    await controller.database.query(
      "INSERT INTO routers (id, name, is_edge) VALUES ('edge', 'edge', true), ('transit', 'transit', false)",
    );
    const after = await summary();
    const changeOf = (key: string) => (after[key] ?? NaN) - (before[key] ?? NaN);
    const grown = Object.fromEntries(KEYS.filter((key) => changeOf(key) !== 0).map((key) => [key, changeOf(key)]));
    expect(grown).to.deep.equal({ services: 1, 'services.edge': 1, postureChecks: 1, routers: 2, 'routers.edge': 1 });
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${service}`), 200);
    expect(await summary()).to.include({
      services: before['services'] ?? NaN,
      'services.edge': before['services.edge'] ?? NaN,
    });
  });

  it('is for administrators only', async () => {
    const { client } = await controller.newCaller();
    for (const caller of [client, controller.anonymous]) expectStatus(await caller.get(`${MANAGEMENT}/summary`), 401);
  });
});
