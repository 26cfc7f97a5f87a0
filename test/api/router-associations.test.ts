/** What edge routers may reach, and who may reach them. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { enrollRouter } from '../support/certified.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, itemsOf, make, totalOf } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

describe('associations of edge routers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const identity = async (extra: object = {}) =>
    make(controller, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...extra });
  const service = async (extra: object = {}) =>
    make(controller, 'services', { name: unique('service'), encryptionRequired: false, ...extra });
  const router = async (extra: object = {}) => make(controller, 'edge-routers', { name: unique('router'), ...extra });
  const forIdentities = async (edgeRouterRoles: string[], identityRoles: string[], semantic = 'AnyOf') =>
    make(controller, 'edge-router-policies', { name: unique('policy'), semantic, edgeRouterRoles, identityRoles });
  const forServices = async (edgeRouterRoles: string[], serviceRoles: string[], semantic = 'AnyOf') =>
    make(controller, 'service-edge-router-policies', {
      name: unique('policy'),
      semantic,
      edgeRouterRoles,
      serviceRoles,
    });
  const nested = async (path: string) => expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}`), 200);
  const routersOf = (answer: Answer) => (answer.data as { edgeRouters: { name: string }[] }).edgeRouters;

  it('lists the policies that select an edge router, an identity and a service', async () => {
    const attribute = unique('a');
    const [routerId, identityId, serviceId] = [
      await router({ roleAttributes: [attribute] }),
      await identity({ roleAttributes: [attribute] }),
      await service({ roleAttributes: [attribute] }),
    ];
    const edge = [
      await forIdentities([`@${routerId}`], [`#${attribute}`]),
      await forIdentities([`#${attribute}`], [`@${identityId}`], 'AllOf'),
    ].sort();
    const ofService = [
      await forServices([`@${routerId}`], [`#${attribute}`]),
      await forServices([`#${attribute}`], [`@${serviceId}`], 'AllOf'),
    ].sort();
    await forIdentities([`#${attribute}`, '#other'], [`#${attribute}`, '#other'], 'AllOf');
    await forServices([`#${attribute}`, '#other'], [`#${attribute}`, '#other'], 'AllOf');
    for (const path of [
      `edge-routers/${routerId}/edge-router-policies`,
      `identities/${identityId}/edge-router-policies`,
    ])
      expect(idsOf(await nested(path)), path).to.deep.equal(edge);
    for (const path of [
      `edge-routers/${routerId}/service-edge-router-policies`,
      `services/${serviceId}/service-edge-router-policies`,
    ]) {
      expect(idsOf(await nested(path)), path).to.deep.equal(ofService);
      const page = await nested(`${path}?limit=1&sort=id%20desc`);
      expect([idsOf(page), totalOf(page)]).to.deep.equal([ofService.slice(1), 2]);
      expect(idsOf(await nested(`${path}?filter=${encodeURIComponent('semantic = "AllOf"')}`))).to.have.length(1);
    }
  });

  it('lists the other side of those policies, each one once', async () => {
    const attribute = unique('a');
    const [one, two, apart] = [await router({ roleAttributes: [attribute] }), await router(), await router()];
    const [person, loner] = [await identity({ roleAttributes: [attribute] }), await identity()];
    const [shop, closed] = [await service({ roleAttributes: [attribute] }), await service()];
    await forIdentities([`#${attribute}`, `@${two}`], [`#${attribute}`]);
    await forIdentities([`@${one}`], [`@${person}`], 'AllOf');
    await forServices([`#${attribute}`, `@${two}`], [`#${attribute}`]);
    for (const path of [`identities/${person}/edge-routers`, `services/${shop}/edge-routers`]) {
      expect(idsOf(await nested(path)), path).to.deep.equal([one, two].sort());
      expect(
        idsOf(await nested(`${path}?filter=${encodeURIComponent(`anyOf(roleAttributes) = "${attribute}"`)}`)),
        path,
      ).to.deep.equal([one]);
    }
    for (const id of [one, two]) {
      expect(idsOf(await nested(`edge-routers/${id}/identities`))).to.deep.equal([person]);
      expect(idsOf(await nested(`edge-routers/${id}/services`))).to.deep.equal([shop]);
    }
    for (const path of [
      `identities/${loner}/edge-routers`,
      `services/${closed}/edge-routers`,
      `edge-routers/${apart}/identities`,
      `edge-routers/${apart}/services`,
    ]) {
      expect(idsOf(await nested(path)), path).to.deep.equal([]);
    }
  });

  it('pages and sorts what an edge router is for', async () => {
    const attribute = unique('a');
    const id = await router();
    const services = await Promise.all(
      [0, 1, 2].map((index) => service({ name: unique(`s${index}`), roleAttributes: [attribute] })),
    );
    const people = await Promise.all(
      [0, 1, 2].map((index) => identity({ name: unique(`i${index}`), roleAttributes: [attribute] })),
    );
    await forServices([`@${id}`], [`#${attribute}`]);
    await forIdentities([`@${id}`], [`#${attribute}`]);
    for (const [path, ids] of [
      [`edge-routers/${id}/services`, services],
      [`edge-routers/${id}/identities`, people],
    ] as const) {
      const page = await nested(`${path}?limit=2&offset=1&sort=name%20desc`);
      expect([idsOf(page), totalOf(page)]).to.deep.equal([[...ids].reverse().slice(1), 3]);
    }
  });

  it('knows nothing of what is not there', async () => {
    for (const [collection, singular, lists] of [
      ['edge-routers', 'router', ['edge-router-policies', 'service-edge-router-policies', 'identities', 'services']],
      ['identities', 'identity', ['edge-router-policies', 'edge-routers']],
      ['services', 'service', ['edge-routers', 'service-edge-router-policies']],
    ] as const) {
      for (const list of lists) {
        expectNotFound(
          await controller.admin.get(`${MANAGEMENT}/${collection}/nope/${list}`),
          `${singular} with id nope not found`,
        );
        expectStatus(await controller.anonymous.get(`${MANAGEMENT}/${collection}/nope/${list}`), 401);
      }
    }
  });

  describe('as a client sees them', () => {
    let client: Client;
    let callerId: string;
    beforeEach(async () => {
      const caller = await controller.newCaller();
      client = caller.client;
      callerId = (expectStatus(await client.get(`${CLIENT}/current-identity`), 200).data as { id: string }).id;
    });

    it('lists the edge routers of the caller, and no secret of theirs', async () => {
      expect(idsOf(expectStatus(await client.get(`${CLIENT}/current-identity/edge-routers`), 200))).to.deep.equal([]);
      const ids = [await router({ cost: 5, noTraversal: true }), await router()];
      await router();
      for (const id of ids) await enrollRouter(controller, id);
      await forIdentities(
        ids.map((id) => `@${id}`),
        [`@${callerId}`],
      );
      const items = itemsOf(expectStatus(await client.get(`${CLIENT}/current-identity/edge-routers`), 200));
      expect(items.map(({ id }) => id)).to.deep.equal([...ids].sort());
      const { _links, id, createdAt, updatedAt, name, ...rest } =
        items.find((item) => item.id === ids[0]) ?? items[0] ?? expect.fail('no router');
      expect(rest).to.deep.equal({
        appData: {},
        cost: 5,
        disabled: false,
        hostname: '',
        isOnline: false,
        noTraversal: true,
        supportedProtocols: {},
        syncStatus: 'SYNC_UNKNOWN',
        tags: {},
      });
      expect([_links, id, createdAt, updatedAt, name]).to.not.include(undefined);
      expect(
        idsOf(expectStatus(await client.get(`${CLIENT}/current-identity/edge-routers?filter=cost%3D5`), 200)),
      ).to.deep.equal([ids[0]]);
    });

    it('lists none that has not enrolled or shall enroll again, not to administrators either', async () => {
      const [id, waiting] = [await router(), await router()];
      await enrollRouter(controller, id);
      const administrator = await controller.newCaller({ isAdmin: true });
      await forIdentities([`@${id}`, `@${waiting}`], [`@${callerId}`, `@${administrator.id}`]);
      const expectListed = async (ids: readonly string[]) => {
        for (const each of [client, administrator.client]) {
          const answer = expectStatus(await each.get(`${CLIENT}/current-identity/edge-routers`), 200);
          expect([idsOf(answer), totalOf(answer)]).to.deep.equal([ids, ids.length]);
        }
      };
      await expectListed([id]);
      expectStatus(await controller.admin.post(`${MANAGEMENT}/edge-routers/${id}/re-enroll`), 200);
      await expectListed([]);
    });

    it('lists for a service only what both it and the caller may use', async () => {
      const names = [unique('both'), unique('mine'), unique('its')];
      const [both, mine, its] = [
        await router({ name: names[0] }),
        await router({ name: names[1] }),
        await router({ name: names[2] }),
      ];
      const id = await service();
      const path = `${CLIENT}/services/${id}/edge-routers`;
      expectNotFound(await client.get(path), `service with id ${id} not found`);
      await make(controller, 'service-policies', {
        name: unique('policy'),
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [`@${callerId}`],
        serviceRoles: [`@${id}`],
      });
      expect(routersOf(expectStatus(await client.get(path), 200))).to.deep.equal([]);
      await forIdentities([`@${both}`, `@${mine}`], [`@${callerId}`]);
      expect(routersOf(expectStatus(await client.get(path), 200))).to.deep.equal([]);
      await forServices([`@${both}`, `@${its}`], [`@${id}`]);
      for (const query of ['', '?limit=-1', '?limit=1']) {
        const answer = expectStatus(await client.get(`${path}${query}`), 200);
        expect(routersOf(answer).map(({ name }) => name)).to.deep.equal([names[0]]);
        expect(totalOf(answer)).to.equal(1);
      }
      await forServices(['#all'], [`@${id}`]);
      expect(routersOf(expectStatus(await client.get(path), 200)).map(({ name }) => name)).to.have.members(
        names.slice(0, 2),
      );
    });
  });
});
