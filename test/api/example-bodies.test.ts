/**
 * The example bodies of the documents work as they stand: each is sent to a network that has nothing but what every
 * network has, and the identity, service and router that examples refer to.
 */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../db/postgres/db.js';
import { openStores } from '../../db/stores/stores.js';
import { bodyExample } from '../../scripts/examples/entities.js';
import { loadSpecs } from '../../scripts/spec-bundle.js';
import type { JsonObject } from '../../scripts/spec-document.js';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { identityDraft, routerDraft, serviceDraft, STORE_LIMITS } from '../support/stores.js';
import { projectDir } from '../fixtures/specs/zoo.js';

const documents = loadSpecs(projectDir);
const BASES = { client: CLIENT, management: MANAGEMENT } as const;

/** Operations that create something from a body. */
const creating = (['client', 'management'] as const).flatMap((api) =>
  Object.entries(documents[api].paths).flatMap(([path, { post }]) => {
    const body = post === undefined ? undefined : bodyExample(documents[api], post);
    if (post?.responses['201'] === undefined || body === undefined) return [];
    const removal = documents[api].paths[`${path}/{id}`]?.delete;
    return [{ api, path, body, operationId: post.operationId, isRemovable: removal !== undefined }];
  }),
);
const exampleOf = (operationId: string): JsonObject => {
  const found = creating.find((one) => one.operationId === operationId);
  if (found === undefined) throw new Error(`${operationId} creates nothing`);
  return found.body as JsonObject;
};

describe('the example bodies of the documents', function examples() {
  this.timeout(120_000);
  let controller: TestController;
  let admin: Client;
  /** The administrator with a session of the client API, as one needs to dial. */
  let dialer: Client;

  before(async () => {
    controller = await startTestController();
    ({ admin } = controller);
    dialer = await controller.login(ADMIN.username, ADMIN.password);
    await addReferred(controller);
  });
  after(() => controller.stop());

  it('are there for every operation that creates something', () => {
    expect(creating.map(({ operationId }) => operationId)).to.include.members(['createIdentity', 'createSession']);
    expect(creating.length).to.be.at.least(22);
  });

  for (const { api, path, body, operationId, isRemovable } of creating.filter((one) => !one.path.includes('{'))) {
    it(`create with ${operationId} of the ${api} API`, async () => {
      const by = operationId === 'createSession' ? dialer : admin;
      const { headers } = expectStatus(await by.post(BASES[api] + path, body), 201);
      // The next finds the network as it was.
      if (isRemovable) expectStatus(await admin.delete(headers.location ?? ''), 200);
    });
  }

  it('let an identity log in with what its authenticator was created with', async () => {
    const authenticator = expectStatus(
      await admin.post(`${MANAGEMENT}/authenticators`, exampleOf('createAuthenticator')),
      201,
    );
    const login = documents.client.paths['/authenticate']?.post;
    const body = login === undefined ? undefined : bodyExample(documents.client, login);
    expectStatus(await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, body), 200);
    const { id } = authenticator.data as { id: string };
    expectStatus(await admin.delete(`${MANAGEMENT}/authenticators/${id}`), 200);
  });

  it('enroll an authenticator again', async () => {
    const { identityId } = exampleOf('createEnrollment') as { identityId: string };
    const enrollment = expectStatus(await admin.post(`${MANAGEMENT}/enrollments`, exampleOf('createEnrollment')), 201);
    const { id } = enrollment.data as { id: string };
    const { token } = expectStatus(await admin.get(`${MANAGEMENT}/enrollments/${id}`), 200).data as { token: string };
    const request = { token, clientCsr: makeRequest().pem };
    expectStatus(await controller.anonymous.post(`${CLIENT}/enroll/ott`, request), 200);
    const [authenticator] = expectStatus(await admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`), 200)
      .data as { id: string }[];
    const path = `/authenticators/${authenticator?.id ?? ''}/re-enroll`;
    expectStatus(await admin.post(MANAGEMENT + path, exampleOf('reEnrollAuthenticator')), 201);
  });
});

/** What examples refer to, under the ids that they name. */
async function addReferred({ database, admin }: TestController): Promise<void> {
  const { identityId } = exampleOf('createEnrollment') as { identityId: string };
  const { service, router } = exampleOf('createTerminator') as { service: string; router: string };
  const connection = openDatabase({ connection: database.connection, poolSize: 4, patienceMs: 5_000 });
  try {
    const stores = openStores(connection, STORE_LIMITS);
    await stores.transaction(async (tx) => {
      await tx.identities.create(identityId, identityDraft('identity of the examples'), []);
      await tx.services.create(service, serviceDraft('service of the examples'));
      await tx.routers.create(router, routerDraft('router of the examples'), {
        id: 'enrollment',
        token: randomUUID(),
        jwt: '',
        expiresAt: new Date('2036-01-15T09:30:00.000Z'),
      });
    });
  } finally {
    await connection.close();
  }
  const roles = {
    'service-policies': { type: 'Dial', identityRoles: ['#all'], serviceRoles: [`@${service}`] },
    'edge-router-policies': { identityRoles: ['#all'], edgeRouterRoles: [`@${router}`] },
    'service-edge-router-policies': { serviceRoles: [`@${service}`], edgeRouterRoles: [`@${router}`] },
  };
  for (const [collection, body] of Object.entries(roles))
    expectStatus(await admin.post(`${MANAGEMENT}/${collection}`, { name: 'all', semantic: 'AnyOf', ...body }), 201);
}
