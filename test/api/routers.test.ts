/** Transit routers: their fields, enrollments and lists. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { entityOf, idsOf, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { makeRouter } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';

describe('routers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}) =>
    make(controller, 'transit-routers', { name: unique('transit'), ...extra });
  const edge = async (extra: object = {}) => makeRouter(controller, { name: unique('edge'), ...extra });

  behavesLikeAnyResource({
    collection: 'transit-routers',
    singular: 'router',
    controller: () => controller,
    body: (name) => ({ name }),
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
    } = await read(controller, `routers/${await create()}`);
    expect(rest).to.deep.equal({
      configs: [],
      cost: 0,
      ctrlChanListeners: {},
      disabled: false,
      fingerprint: null,
      interfaces: [],
      isOnline: false,
      isVerified: false,
      namesLeftOut: [],
      noTraversal: false,
      tags: {},
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
    });
    expect([_links, createdAt, updatedAt, name, enrollmentCreatedAt, enrollmentExpiresAt]).to.not.include(undefined);
    const claims = JSON.parse(Buffer.from(String(enrollmentJwt).split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).to.deep.include({ sub: id, em: 'trott', jti: enrollmentToken });
  });

  it('takes null for the groups of a listener, as stock clients send it', async () => {
    const name = unique('router');
    const listening = (address: string) => ({ ctrlChanListeners: { [address]: null } });
    const listens = (address: string) => ({ ctrlChanListeners: { [address]: [] } });
    for (const collection of ['edge-routers', 'transit-routers']) {
      const id = await make(controller, collection, {
        name: `${name}-${collection}`,
        ...listening('tls:10.0.0.1:6262'),
      });
      const path = `${MANAGEMENT}/${collection}/${id}`;
      expect(await read(controller, `${collection}/${id}`)).to.deep.include(listens('tls:10.0.0.1:6262'));
      expectStatus(await controller.admin.patch(path, listening('tls:10.0.0.2:6262')), 200);
      expect(await read(controller, `${collection}/${id}`)).to.deep.include(listens('tls:10.0.0.2:6262'));
      expectStatus(
        await controller.admin.put(path, { name: unique('router'), ...listening('tls:10.0.0.3:6262') }),
        200,
      );
      expect(await read(controller, `${collection}/${id}`)).to.deep.include(listens('tls:10.0.0.3:6262'));
    }
  });

  it('is one list under two names, with the links of the second', async () => {
    const id = entityOf(
      expectStatus(await controller.admin.post(`${MANAGEMENT}/routers`, { name: unique('transit') }), 201),
    ).id;
    const edgeId = await edge();
    for (const collection of ['routers', 'transit-routers']) {
      for (const known of [id, edgeId]) {
        expect(linksOf(await read(controller, `${collection}/${known}`))).to.deep.equal({
          self: `./transit-routers/${known}`,
        });
        const filter = encodeURIComponent(`id = "${known}"`);
        expect(
          idsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}?filter=${filter}`), 200)),
        ).to.deep.equal([known]);
      }
      expectNotFound(await controller.admin.get(`${MANAGEMENT}/${collection}/nope`), 'router with id nope not found');
    }
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/routers/${id}`, { cost: 3 }), 200);
    expect((await read(controller, `transit-routers/${id}`))['cost']).to.equal(3);
    expectStatus(await controller.admin.put(`${MANAGEMENT}/routers/${id}`, { name: unique('transit') }), 200);
    expect((await read(controller, `transit-routers/${id}`))['cost']).to.equal(0);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/routers/${id}`), 200);
    expectNotFound(await controller.admin.delete(`${MANAGEMENT}/routers/${id}`), `router with id ${id} not found`);
  });

  it('counts edge routers too, which share their names', async () => {
    const total = async (collection: string) =>
      totalOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}?limit=1`), 200));
    const before = [await total('routers'), await total('edge-routers')];
    const name = unique('edge');
    await edge({ name });
    await create();
    expect([await total('routers'), await total('edge-routers')]).to.deep.equal([
      (before[0] ?? 0) + 2,
      (before[1] ?? 0) + 1,
    ]);
    expectField(await controller.admin.post(`${MANAGEMENT}/routers`, { name }), 'name', 'name must be unique', name);
  });

  it('does not change edge routers', async () => {
    const id = await edge();
    const before = await read(controller, `edge-routers/${id}`);
    for (const path of [`${MANAGEMENT}/routers/${id}`, `${MANAGEMENT}/transit-routers/${id}`]) {
      for (const answer of [
        await controller.admin.put(path, { name: 'x' }),
        await controller.admin.patch(path, { cost: 1 }),
        await controller.admin.patch(path, {}),
        await controller.admin.delete(path),
      ]) {
        expectStatus(answer, 409);
        expect(answer.error).to.deep.include({
          code: 'CAN_NOT_UPDATE_ROUTER',
          message: 'The router was not added via the Edge API and cannot be updated',
        });
      }
    }
    expect(await read(controller, `edge-routers/${id}`)).to.deep.equal(before);
  });

  it('is no edge router', async () => {
    const id = await create();
    const path = `${MANAGEMENT}/edge-routers/${id}`;
    for (const answer of [
      await controller.admin.get(path),
      await controller.admin.put(path, { name: 'x' }),
      await controller.admin.patch(path, { cost: 1 }),
      await controller.admin.delete(path),
      await controller.admin.post(`${path}/re-enroll`),
      await controller.admin.get(`${path}/identities`),
    ]) {
      expectNotFound(answer, `router with id ${id} not found`);
    }
    expect(idsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/edge-routers?limit=-1`), 200))).to.not.include(
      id,
    );
  });

  it('is found by its fields', async () => {
    const id = await create({ cost: 77, noTraversal: true, disabled: true });
    const filter = `id = "${id}" and cost = 77 and noTraversal = true and disabled = true and fingerprint = null`;
    expect(
      idsOf(
        expectStatus(await controller.admin.get(`${MANAGEMENT}/routers?filter=${encodeURIComponent(filter)}`), 200),
      ),
    ).to.deep.equal([id]);
    expectStatus(
      await controller.admin.get(`${MANAGEMENT}/routers?filter=${encodeURIComponent('roleAttributes = "x"')}`),
      400,
    );
    expectField(
      await controller.admin.post(`${MANAGEMENT}/routers`, { name: unique('transit'), cost: 65536 }),
      'cost',
      /less than or equal to 65535/,
    );
  });

  it('takes its enrollment along when it goes', async () => {
    const name = unique('transit');
    const id = await create({ name });
    const list = async () =>
      itemsOf(
        expectStatus(
          await controller.admin.get(
            `${MANAGEMENT}/enrollments?filter=${encodeURIComponent(`transitRouter = "${id}"`)}`,
          ),
          200,
        ),
      );
    const [enrollment] = await list();
    expect(enrollment).to.deep.include({ method: 'trott', transitRouterId: id });
    expect(enrollment?.['transitRouter']).to.deep.include({ entity: 'transit-routers', id, name });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expectStatus(
      await controller.admin.post(`${MANAGEMENT}/enrollments/${enrollment?.id ?? ''}/refresh`, { expiresAt }),
      200,
    );
    expect(await read(controller, `routers/${id}`)).to.deep.include({ enrollmentExpiresAt: expiresAt });
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/transit-routers/${id}`), 200);
    expect(await list()).to.deep.equal([]);
  });
});
