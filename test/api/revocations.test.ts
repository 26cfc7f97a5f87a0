/** Revocations over HTTPS: what they end, on every controller, and what they leave. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeRequest } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, itemsOf, read } from '../support/entities.js';
import {
  makeEdgeRouterPolicy,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const REVOCATIONS = `${MANAGEMENT}/revocations`;
const YEAR_MS = 365 * 86_400_000;

describe('revocations', () => {
  let controller: TestController;
  let second: LoggedController;
  before(async () => {
    controller = await startTestController();
    const env = { EDGE_NAME: 'second', EDGE_DATA_DIR: controller.dataDir, EDGE_MASTER_KEY: '' };
    second = await startLogged(controller.database, env);
  });
  after(async () => {
    await second.stop();
    await controller.stop();
  });

  const revoke = async (type: string, id: string, extra: object = {}) =>
    expectStatus(await controller.admin.post(REVOCATIONS, { type, id, ...extra }), 201);
  const isOpen = async (client: Client) => (await client.get(`${CLIENT}/current-api-session`)).status === 200;
  const idOfSession = async (client: Client) =>
    entityOf(expectStatus(await client.get(`${CLIENT}/current-api-session`), 200)).id;
  /** The same session, by the other controller, which has it in memory from then on. */
  const elsewhere = async (client: Client) => {
    const other = second.client(client.token);
    expect(await isOpen(other)).to.equal(true);
    return other;
  };
  const isEnded = (what: string, client: Client) => until(`${what} to end`, async () => !(await isOpen(client)));

  describe('are refused', () => {
    it('to callers who are no administrators, reading to those without admin_readonly', async () => {
      const id = randomUUID();
      await revoke('JTI', id);
      const { client } = await controller.newCaller({ permissions: ['ops', 'identity'] });
      const reader = (await controller.newCaller({ permissions: ['admin_readonly'] })).client;
      for (const caller of [client, reader])
        expectStatus(await caller.post(REVOCATIONS, { type: 'JTI', id: randomUUID() }), 401);
      expectStatus(await client.get(REVOCATIONS), 401);
      expectStatus(await client.get(`${REVOCATIONS}/${id}`), 401);
      expectStatus(await reader.get(`${REVOCATIONS}/${id}`), 200);
    });

    it('without an id or a type, with another type, and for an id that is none', async () => {
      const id = randomUUID();
      const { admin } = controller;
      expectField(await admin.post(REVOCATIONS, { type: 'JTI' }), 'id', 'id in body is required');
      expectField(await admin.post(REVOCATIONS, { id }), 'type', 'type in body is required');
      expectField(await admin.post(REVOCATIONS, { id, type: 'jti' }), 'type', /should be one of/);
      for (const type of ['JTI', 'API_SESSION'])
        for (const bad of ['', 'nope', `${id}x`, '0'.repeat(64)])
          expectField(await admin.post(REVOCATIONS, { id: bad, type }), 'id', /must be a UUID, or an id of 22/, bad);
      expectNotFound(await admin.get(`${REVOCATIONS}/${id}`), `revocation with id ${id} not found`);
    });

    it('for an unknown identity, and to be changed or deleted', async () => {
      const id = randomUUID();
      expectNotFound(
        await controller.admin.post(REVOCATIONS, { type: 'IDENTITY', id }),
        `identity with id ${id} not found`,
      );
      await revoke('JTI', id);
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        expectStatus(await controller.admin.send(method, `${REVOCATIONS}/${id}`, undefined), 405);
    });
  });

  it('are read back with their type and end, and begin again with the same id', async () => {
    const id = randomUUID();
    const answer = await revoke('JTI', id, { tags: { a: 1 } });
    expect(answer.data).to.deep.equal({ _links: { self: { href: `./revocations/${id}` } }, id });
    const first = await read<{ expiresAt: string }>(controller, `revocations/${id}`);
    expect(first).to.deep.include({ id, type: 'JTI', tags: { a: 1 } });
    const lasts = new Date(first.expiresAt).getTime() - new Date(first.createdAt).getTime();
    expect(lasts).to.be.within(YEAR_MS, YEAR_MS + 60_000);
    await revoke('JTI', id);
    const again = await read<{ expiresAt: string }>(controller, `revocations/${id}`);
    expect(again.tags).to.deep.equal({});
    expect(again.createdAt).to.equal(first.createdAt);
    expect(again.updatedAt > first.updatedAt && again.expiresAt > first.expiresAt).to.equal(true);
    const list = await controller.admin.get(`${REVOCATIONS}?filter=${encodeURIComponent(`id="${id}" and type="JTI"`)}`);
    expect(itemsOf(expectStatus(list, 200))).to.deep.equal([again]);
  });

  it('end one API session with its certificates and sessions, on every controller, and no other', async () => {
    const caller = await controller.newCaller();
    const [client, other] = [caller.client, await controller.login(caller.username, caller.password)];
    const id = await idOfSession(client);
    expectStatus(await client.post(`${CLIENT}/current-api-session/certificates`, { csr: makeRequest().pem }), 201);
    const there = await elsewhere(client);
    await revoke('API_SESSION', id);
    expect(await isOpen(client)).to.equal(false);
    await isEnded('the session at the other controller', there);
    expect(await isOpen(other)).to.equal(true);
    const left = await controller.database.query('SELECT FROM api_session_certificates WHERE api_session_id = $1', [
      id,
    ]);
    expect(left.rows).to.deep.equal([]);
    expect(await read(controller, `revocations/${id}`)).to.include({ type: 'API_SESSION' });
  });

  it('end all API sessions of an identity on every controller; later logins work', async () => {
    const caller = await controller.newCaller();
    const bystander = await controller.newCaller();
    const sessions = [caller.client, await controller.login(caller.username, caller.password)];
    const there = await Promise.all(sessions.map((client) => elsewhere(client)));
    await revoke('IDENTITY', caller.id);
    for (const client of sessions) expect(await isOpen(client)).to.equal(false);
    for (const client of there) await isEnded('a session at the other controller', client);
    expect(await isOpen(bystander.client)).to.equal(true);
    expect(await isOpen(await controller.login(caller.username, caller.password))).to.equal(true);
  });

  it('end the session of a service whose token is revoked', async () => {
    const serviceId = await makeService(controller, { encryptionRequired: true });
    const policy = { identityRoles: ['#all'] };
    await makeServicePolicy(controller, { ...policy, serviceRoles: [`@${serviceId}`] });
    await makeRouter(controller);
    await makeEdgeRouterPolicy(controller, { ...policy, edgeRouterRoles: ['#all'] });
    await makeServiceEdgeRouterPolicy(controller, { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    const { client } = await controller.newCaller();
    const made = await client.post(`${CLIENT}/sessions`, { serviceId, type: 'Dial' });
    const { id } = entityOf(expectStatus(made, 201));
    await revoke('JTI', id);
    expectStatus(await client.get(`${CLIENT}/sessions/${id}`), 404);
    expect(await isOpen(client)).to.equal(true);
  });
});
