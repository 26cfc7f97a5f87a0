/** Edge routers: their fields, enrollments and lists. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, itemsOf, read, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { makeConfig, makeEdgeRouterPolicy, makeIdentity, makeRouter, makeServicePolicy } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/edge-routers`;

describe('edge routers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}) => makeRouter(controller, { ...extra });
  const detail = async (id: string) => read(controller, `edge-routers/${id}`);
  const claimsOf = (entity: Entity) =>
    JSON.parse(Buffer.from(String(entity['enrollmentJwt']).split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
  const enrollmentsOf = async (id: string) =>
    itemsOf(
      expectStatus(
        await controller.admin.get(`${MANAGEMENT}/enrollments?filter=${encodeURIComponent(`edgeRouter = "${id}"`)}`),
        200,
      ),
    );
  const find = async (filter: string) =>
    idsOf(expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`), 200));

  behavesLikeAnyResource({
    collection: 'edge-routers',
    singular: 'router',
    controller: () => controller,
    body: (name) => ({ name }),
    nestedLinks: ['edge-router-policies'],
  });

  it('starts with its defaults and an enrollment', async () => {
    const {
      _links,
      id,
      createdAt,
      updatedAt,
      name,
      enrollmentCreatedAt,
      enrollmentExpiresAt,
      enrollmentJwt,
      enrollmentToken,
      ...rest
    } = await detail(await create());
    expect(rest).to.deep.equal({
      appData: {},
      capabilities: null,
      certPem: null,
      configs: [],
      cost: 0,
      ctrlChanListeners: {},
      disabled: false,
      fingerprint: null,
      hostname: '',
      interfaces: [],
      isOnline: false,
      isTunnelerEnabled: false,
      isVerified: false,
      namesLeftOut: [],
      noTraversal: false,
      roleAttributes: [],
      supportedProtocols: {},
      syncStatus: 'SYNC_UNKNOWN',
      tags: {},
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
    });
    expect([_links, id, updatedAt, name, enrollmentJwt, enrollmentToken]).to.not.include(undefined);
    expect(enrollmentCreatedAt).to.equal(createdAt);
    expect(Date.parse(String(enrollmentExpiresAt)) - Date.parse(createdAt)).to.be.closeTo(180 * 60_000, 60_000);
  });

  it('keeps all that is set, changes with PATCH what is given, and with PUT everything', async () => {
    const name = unique('router');
    const config = await makeConfig(controller, {
      configTypeId: 'router.link.v1',
      data: {},
    });
    const all = {
      appData: { a: 1, b: 'x' },
      configs: [config],
      cost: 65535,
      ctrlChanListeners: { 'tls:10.0.0.1:6262': ['default'] },
      disabled: true,
      noTraversal: true,
      roleAttributes: ['a', 'b'],
      tags: { x: true },
    };
    const id = await create({ ...all, name, roleAttributes: ['b', 'a', 'b'] });
    const before = await detail(id);
    expect(before).to.deep.include(all);
    expectStatus(
      await controller.admin.patch(`${PATH}/${id}`, {
        name: null,
        appData: null,
        configs: null,
        cost: null,
        ctrlChanListeners: null,
        disabled: null,
        isTunnelerEnabled: null,
        noTraversal: null,
        roleAttributes: null,
        tags: null,
      }),
      200,
    );
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(
      await controller.admin.patch(`${PATH}/${id}`, {
        cost: 0,
        roleAttributes: [],
        appData: {},
        ctrlChanListeners: {},
        configs: [],
      }),
      200,
    );
    expect(await detail(id)).to.deep.include({
      cost: 0,
      roleAttributes: [],
      appData: {},
      ctrlChanListeners: {},
      configs: [],
      disabled: true,
      noTraversal: true,
    });
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { name }), 200);
    expect(await detail(id)).to.deep.include({ disabled: false, noTraversal: false, tags: {}, name });
  });

  it('refuses what is out of range or names nothing', async () => {
    const post = async (extra: object) => controller.admin.post(PATH, { name: unique('router'), ...extra });
    expectField(await post({ cost: 65536 }), 'cost', 'cost in body should be less than or equal to 65535');
    expectField(await post({ cost: -1 }), 'cost', /greater than or equal to 0/);
    expectField(
      await post({ roleAttributes: ['#a'] }),
      'roleAttributes',
      'role attributes may not be prefixed with #',
      '#a',
    );
    expectNotFound(await post({ configs: ['nope'] }), 'configs with id nope not found');
    const id = await create();
    expectNotFound(
      await controller.admin.patch(`${PATH}/${id}`, { configs: ['nope'] }),
      'configs with id nope not found',
    );
  });

  it('is found by its fields and its roles', async () => {
    const attributes = [unique('a'), unique('b')];
    const [one, two] = [
      await create({ roleAttributes: attributes, cost: 7, noTraversal: true }),
      await create({ roleAttributes: attributes.slice(1), disabled: true }),
    ];
    const here = `anyOf(roleAttributes) = "${attributes[1] ?? ''}"`;
    expect(
      await find(
        `${here} and cost = 7 and noTraversal = true and isVerified = false and online = false and connected = false`,
      ),
    ).to.deep.equal([one]);
    expect(await find(`${here} and (disabled = true or isTunnelerEnabled = true)`)).to.deep.equal([two]);
    expect(await find(`${here} and fingerprint = null sort by online, isVerified, ctrlChanListeners`)).to.have.members([
      one,
      two,
    ]);
    expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent('isOnline = true')}`), 400);
    const roles = attributes.map((attribute) => `roleFilter=${encodeURIComponent(`#${attribute}`)}`).join('&');
    expect(idsOf(expectStatus(await controller.admin.get(`${PATH}?${roles}`), 200))).to.deep.equal([one]);
    expect(idsOf(expectStatus(await controller.admin.get(`${PATH}?${roles}&roleSemantic=AnyOf`), 200))).to.have.members(
      [one, two],
    );
    expect(idsOf(expectStatus(await controller.admin.get(`${PATH}?limit=-1`), 200))).to.include.members([one, two]);
  });

  it('enrolls by erott, with a JWT about the router', async () => {
    const name = unique('router');
    const id = await create({ name });
    const router = await detail(id);
    expect(claimsOf(router)).to.deep.include({
      sub: id,
      em: 'erott',
      jti: router['enrollmentToken'],
      exp: Math.floor(Date.parse(String(router['enrollmentExpiresAt'])) / 1000),
    });
    const [enrollment] = await enrollmentsOf(id);
    expect(enrollment).to.deep.include({
      method: 'erott',
      token: router['enrollmentToken'],
      jwt: router['enrollmentJwt'],
      edgeRouterId: id,
    });
    expect(enrollment?.['edgeRouter']).to.deep.include({ entity: 'edge-routers', id, name });
    expect(enrollment).to.not.have.any.keys('identity', 'identityId', 'transitRouter', 'transitRouterId');
    expect(await read(controller, `enrollments/${enrollment?.id ?? ''}`)).to.deep.equal(enrollment);
  });

  it('gets a new token from a refresh of its enrollment', async () => {
    const id = await create();
    const before = await detail(id);
    const [enrollment] = await enrollmentsOf(id);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/enrollments/${enrollment?.id ?? ''}/refresh`, { expiresAt }),
      200,
    );
    const after = await detail(id);
    expect(after['enrollmentToken']).to.not.equal(before['enrollmentToken']);
    expect(after['enrollmentExpiresAt']).to.equal(expiresAt);
    expect(claimsOf(after)).to.deep.include({ sub: id, em: 'erott', jti: after['enrollmentToken'] });
  });

  it('shows no enrollment once it is gone', async () => {
    const id = await create();
    const [enrollment] = await enrollmentsOf(id);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/enrollments/${enrollment?.id ?? ''}`), 200);
    expect(await detail(id)).to.not.have.any.keys(
      'enrollmentCreatedAt',
      'enrollmentExpiresAt',
      'enrollmentJwt',
      'enrollmentToken',
    );
  });

  it('returns to enrollment: the certificate is forgotten and the token replaced', async () => {
    const id = await create();
    const before = await detail(id);
    await controller.database.query("UPDATE routers SET fingerprint = 'abc', cert_pem = 'pem' WHERE id = $1", [id]);
    expect(await detail(id)).to.deep.include({ isVerified: true, fingerprint: 'abc', certPem: 'pem' });
    expect(expectStatus(await controller.admin.post(`${PATH}/${id}/re-enroll`), 200).data).to.deep.equal({});
    const after = await detail(id);
    expect(after).to.deep.include({ isVerified: false, fingerprint: null, certPem: null });
    expect(after['enrollmentToken']).to.be.a('string').and.not.equal(before['enrollmentToken']);
    expect(await enrollmentsOf(id)).to.have.length(1);
    expectNotFound(await controller.admin.post(`${PATH}/nope/re-enroll`), 'router with id nope not found');
    expectStatus(await controller.anonymous.post(`${PATH}/${id}/re-enroll`), 401);
  });

  it('takes its enrollment along when it goes', async () => {
    const id = await create();
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
    expect(await enrollmentsOf(id)).to.deep.equal([]);
  });

  describe('with a tunneler', () => {
    const tunneler = async (extra: object = {}) => create({ isTunnelerEnabled: true, ...extra });
    const policy = async (id: string) => controller.admin.get(`${MANAGEMENT}/edge-router-policies/${id}`);
    const identity = async (id: string) => controller.admin.get(`${MANAGEMENT}/identities/${id}`);

    it('owns an identity and a system policy', async () => {
      const name = unique('router');
      const id = await tunneler({ name });
      expect(entityOf(expectStatus(await identity(id), 200))).to.deep.include({
        id,
        name,
        typeId: 'Router',
        isAdmin: false,
        authenticators: {},
        enrollment: {},
      });
      expect(entityOf(expectStatus(await policy(id), 200))).to.deep.include({
        id,
        name: `edge-router-${id}-system`,
        semantic: 'AnyOf',
        edgeRouterRoles: [`@${id}`],
        identityRoles: [`@${id}`],
        isSystem: true,
      });
    });

    it('comes and goes with the flag, and with the router', async () => {
      const id = await create();
      for (const isTunnelerEnabled of [true, true, false, false, true]) {
        expectStatus(await controller.admin.patch(`${PATH}/${id}`, { isTunnelerEnabled }), 200);
        for (const answer of [await identity(id), await policy(id)])
          expectStatus(answer, isTunnelerEnabled ? 200 : 404);
      }
      expectStatus(await controller.admin.put(`${PATH}/${id}`, { name: unique('router') }), 200);
      for (const answer of [await identity(id), await policy(id)]) expectStatus(answer, 404);
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, { isTunnelerEnabled: true }), 200);
      const other = await makeServicePolicy(controller, {
        type: 'Dial',
        identityRoles: [`@${id}`],
      });
      expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
      for (const answer of [await identity(id), await policy(id)]) expectStatus(answer, 404);
      expect((await read(controller, `service-policies/${other}`))['identityRoles']).to.deep.equal([]);
    });

    it('renames its identity, unless the name is taken there', async () => {
      const [id, renamed, taken] = [await tunneler(), unique('renamed'), unique('person')];
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, { name: renamed }), 200);
      expect(entityOf(await identity(id))['name']).to.equal(renamed);
      await makeIdentity(controller, { name: taken });
      const reason = `duplicate value '${taken}' in unique index on identities store`;
      expectField(await controller.admin.patch(`${PATH}/${id}`, { name: taken }), 'name', reason, taken);
      expectField(await controller.admin.post(PATH, { name: taken, isTunnelerEnabled: true }), 'name', reason, taken);
      expect([(await detail(id))['name'], entityOf(await identity(id))['name']]).to.deep.equal([renamed, renamed]);
      expect(await find(`name = "${taken}"`)).to.deep.equal([]);
    });

    it('lets nobody rename or delete its identity, and keeps its type', async () => {
      const name = unique('router');
      const id = await tunneler({ name });
      const path = `${MANAGEMENT}/identities/${id}`;
      const reason = 'may not change name of router identities';
      expectField(await controller.admin.patch(path, { name: 'other' }), 'name', reason, 'other');
      expectField(
        await controller.admin.put(path, { name: 'other', type: 'User', isAdmin: false }),
        'name',
        reason,
        'other',
      );
      expectStatus(await controller.admin.patch(path, { type: 'User', roleAttributes: ['a'] }), 200);
      expectStatus(await controller.admin.patch(path, { name, serviceHostingCosts: {} }), 200);
      expect(entityOf(await identity(id))).to.deep.include({ name, typeId: 'Router', roleAttributes: ['a'] });
      expectStatus(await controller.admin.put(path, { name, type: 'User', isAdmin: false, tags: { a: 1 } }), 200);
      expect(entityOf(await identity(id))).to.deep.include({
        name,
        typeId: 'Router',
        roleAttributes: [],
        tags: { a: 1 },
      });
      const refused = expectStatus(await controller.admin.delete(path), 400);
      expect(refused.error?.code).to.equal('ENTITY_CAN_NOT_BE_DELETED');
      expect(refused.error?.cause?.['message']).to.equal(
        `cannot delete router identity ${name} until associated router is deleted`,
      );
      expectStatus(await identity(id), 200);
    });

    it('lets nobody change or delete its policy', async () => {
      const id = await tunneler();
      const path = `${MANAGEMENT}/edge-router-policies/${id}`;
      for (const [answer, code, verb] of [
        [await controller.admin.delete(path), 'ENTITY_CAN_NOT_BE_DELETED', 'delete'],
        [await controller.admin.patch(path, { name: 'other' }), 'ENTITY_CAN_NOT_BE_UPDATED', 'update'],
        [await controller.admin.put(path, { name: 'other', semantic: 'AllOf' }), 'ENTITY_CAN_NOT_BE_UPDATED', 'update'],
      ] as const) {
        expectStatus(answer, 400);
        expect(answer.error?.code).to.equal(code);
        expect(answer.error?.cause?.['message']).to.equal(
          `cannot ${verb} system edgeRouterPolicy in a non-system context (id=${id})`,
        );
      }
      expect(entityOf(expectStatus(await policy(id), 200))['name']).to.equal(`edge-router-${id}-system`);
    });

    it('leaves nothing behind under concurrent changes and deletes', async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, () => tunneler()));
      const named = ids.map((id) => `@${id}`);
      const shared = await makeEdgeRouterPolicy(controller, {
        edgeRouterRoles: named,
        identityRoles: named,
      });
      const answers = await Promise.all(
        ids.flatMap((id, index) => [
          controller.admin.patch(`${PATH}/${id}`, { isTunnelerEnabled: index % 2 === 0 }),
          controller.admin.delete(`${PATH}/${id}`),
        ]),
      );
      expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).to.deep.equal(
        [],
      );
      expect(await read(controller, `edge-router-policies/${shared}`)).to.deep.include({
        edgeRouterRoles: [],
        identityRoles: [],
      });
      for (const id of ids) for (const answer of [await identity(id), await policy(id)]) expectStatus(answer, 404);
      expect(
        totalOf(
          await controller.admin.get(
            `${MANAGEMENT}/enrollments?filter=` +
              encodeURIComponent(`edgeRouter in [${ids.map((id) => `"${id}"`).join(', ')}]`),
          ),
        ),
      ).to.equal(0);
    });
  });
});
