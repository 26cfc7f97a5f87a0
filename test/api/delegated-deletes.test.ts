/** What callers with permissions must not take from identities with more rights: CAs, routers and sessions. */
import { expect } from 'chai';
import { makeLeaf } from '../support/certificates.js';
import { newVerifiedCa } from '../support/certified.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf } from '../support/entities.js';
import {
  makeEdgeRouterPolicy,
  makeIdentity,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { expectFault } from '../support/expect.js';
import { CLIENT, MANAGEMENT as M } from '../support/paths.js';

describe('delegated deletes and changes', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(async () => {
    await controller.stop();
  });

  const withPermissions = async (...permissions: string[]) => (await controller.newCaller({ permissions })).client;
  const create = async (changes: object) => makeIdentity(controller, { name: unique('target'), ...changes });
  const enrollmentOf = async (id: string) =>
    idsOf(expectStatus(await controller.admin.get(`${M}/identities/${id}/enrollments`), 200))[0] ?? '';
  const expectRefused = (answer: Answer, message: string) => {
    expect(expectFault(answer, 401, 'UNAUTHORIZED').cause).to.deep.equal({ code: 'UNHANDLED', message });
  };

  it('of CAs spares those by which identities above the caller log in or enroll', async () => {
    const delegate = await withPermissions('ca', 'config');
    const message =
      'non-admins may not manage CAs whose certificates admins or identities with permissions that they lack use';
    const refusesAll = async (id: string, settings: object) => {
      const path = `${M}/cas/${id}`;
      expectRefused(await delegate.patch(path, { isAuthEnabled: false }), message);
      expectRefused(await delegate.put(path, { ...settings, name: unique('ca') }), message);
      expectRefused(await delegate.delete(path), message);
    };
    for (const changes of [{ isAdmin: true }, { permissions: ['service.read'] }]) {
      const { id, ca } = await newVerifiedCa(controller);
      const settings = entityOf(expectStatus(await controller.admin.get(`${M}/cas/${id}`), 200));
      const body = { ...settings, externalIdClaim: undefined };
      const identityId = await create({ ...changes, enrollment: { ottca: id } });
      await refusesAll(id, body);
      expectStatus(await controller.admin.delete(`${M}/enrollments/${await enrollmentOf(identityId)}`), 200);
      expectStatus(await delegate.patch(`${M}/cas/${id}`, { tags: {} }), 200);
      const certPem = makeLeaf(ca, { commonName: unique('leaf') }).pem;
      expectStatus(await controller.admin.post(`${M}/authenticators`, { method: 'cert', identityId, certPem }), 201);
      await refusesAll(id, body);
      expectStatus(
        await controller.admin.patch(`${M}/identities/${identityId}`, { permissions: ['config.read'], isAdmin: false }),
        200,
      );
      expectStatus(await delegate.patch(`${M}/cas/${id}`, { isAuthEnabled: true }), 200);
      expectStatus(await delegate.delete(`${M}/cas/${id}`), 200);
    }
  });

  it('of edge routers spares those whose identity is above the caller, in every way to change them', async () => {
    const delegate = await withPermissions('router', 'config');
    const newRouter = () => makeRouter(controller, { isTunnelerEnabled: true });
    for (const [changes, message] of [
      [{ isAdmin: true }, 'non-admins may not manage routers whose identity is an admin'],
      [{ permissions: ['service'] }, 'non-admins may not manage routers whose identity has permissions that they lack'],
    ] as const) {
      const id = await newRouter();
      expectStatus(await controller.admin.patch(`${M}/identities/${id}`, changes), 200);
      const path = `${M}/edge-routers/${id}`;
      expectRefused(await delegate.patch(path, { isTunnelerEnabled: false }), message);
      expectRefused(await delegate.put(path, { name: unique('router'), isTunnelerEnabled: false }), message);
      expectRefused(await delegate.post(`${path}/re-enroll`), message);
      expectRefused(await delegate.delete(path), message);
      expectStatus(await controller.admin.delete(path), 200);
    }
    const path = `${M}/edge-routers/${await newRouter()}`;
    expectStatus(await delegate.patch(path, { cost: 7 }), 200);
    expectStatus(await delegate.post(`${path}/re-enroll`), 200);
    expectStatus(await delegate.delete(path), 200);
    expectStatus(await delegate.delete(path), 404);
  });

  it('ends no API session and no session of identities above the caller', async () => {
    const delegate = await withPermissions('ops', 'config');
    const serviceId = await makeService(controller);
    const [identityRoles, serviceRoles, edgeRouterRoles] = [['#all'], ['#all'], ['#all']];
    await makeRouter(controller);
    await makeServicePolicy(controller, { identityRoles, serviceRoles });
    await makeEdgeRouterPolicy(controller, { identityRoles, edgeRouterRoles });
    await makeServiceEdgeRouterPolicy(controller, { serviceRoles, edgeRouterRoles });
    for (const [rights, whose] of [
      [{ isAdmin: true }, 'admin identities'],
      [{ permissions: ['service'] }, 'identities with permissions that they lack'],
      [{ permissions: ['config.read'] }, undefined],
    ] as const) {
      const { client } = await controller.newCaller(rights);
      const apiSession = entityOf(expectStatus(await client.get(`${CLIENT}/current-api-session`), 200)).id;
      const session = entityOf(expectStatus(await client.post(`${CLIENT}/sessions`, { serviceId }), 201)).id;
      const [ofService, ofLogin] = [
        await delegate.delete(`${M}/sessions/${session}`),
        await delegate.delete(`${M}/api-sessions/${apiSession}`),
      ];
      if (whose === undefined) {
        expectStatus(ofService, 200);
        expectStatus(ofLogin, 200);
        continue;
      }
      const message = `non-admins may not end sessions of ${whose}`;
      expectRefused(ofService, message);
      expectStatus(ofLogin, 403);
      expect(ofLogin.error?.cause).to.deep.equal({ code: 'UNHANDLED', message });
      expectStatus(await client.get(`${CLIENT}/current-identity`), 200);
      expectStatus(await controller.admin.delete(`${M}/sessions/${session}`), 200);
    }
    expectStatus(await delegate.delete(`${M}/api-sessions/none`), 404);
    expectStatus(await delegate.delete(`${M}/sessions/none`), 404);
  });

  it('of routers spares their enrollments too: no token or JWT is shown, none is changed or deleted', async () => {
    const delegate = await withPermissions('router', 'enrollment');
    const id = await makeRouter(controller, { isTunnelerEnabled: true });
    const plain = await makeRouter(controller, { isTunnelerEnabled: true });
    const outstanding = async (routerId: string) => {
      const filter = encodeURIComponent(`edgeRouter="${routerId}"`);
      const [found] = itemsOf(expectStatus(await controller.admin.get(`${M}/enrollments?filter=${filter}`), 200));
      return {
        path: `${M}/enrollments/${found?.id}`,
        list: `${M}/enrollments?filter=${filter}`,
        token: found?.['token'],
      };
    };
    const [own, other] = [await outstanding(id), await outstanding(plain)];
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const shows = async (path: string, { token }: typeof own) =>
      expectStatus(await delegate.get(path), 200).text.includes(String(token));
    for (const changes of [{ isAdmin: true }, { isAdmin: false, permissions: ['service.read'] }]) {
      expectStatus(await controller.admin.patch(`${M}/identities/${id}`, changes), 200);
      for (const path of [`${M}/edge-routers/${id}`, `${M}/edge-routers`, `${M}/routers/${id}`])
        expect(await shows(path, own), path).to.equal(false);
      expect(await shows(own.list, own), own.list).to.equal(false);
      for (const answer of [
        await delegate.get(own.path),
        await delegate.post(`${own.path}/refresh`, { expiresAt }),
        await delegate.delete(own.path),
      ])
        expect(answer.status, answer.text).to.equal(401);
    }
    for (const path of [`${M}/edge-routers/${plain}`, `${M}/routers/${plain}`, other.list, other.path])
      expect(await shows(path, other), path).to.equal(true);
    expectStatus(await delegate.post(`${other.path}/refresh`, { expiresAt }), 200);
    expectStatus(await delegate.delete(other.path), 200);
  });
});
