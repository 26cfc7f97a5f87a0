/** What edge routers may reach, and who may reach them. Against a whole controller. */
import { expect } from 'chai';
import type { Semantic } from '../../domain/entity.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { enrollRouter } from '../support/certified.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, itemsOf, totalOf } from '../support/entities.js';
import {
  makeEdgeRouterPolicy,
  makeIdentity,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

describe('associations of edge routers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  const forIdentities = async (edgeRouterRoles: string[], identityRoles: string[], semantic: Semantic = 'AnyOf') =>
    makeEdgeRouterPolicy(controller, { semantic, edgeRouterRoles, identityRoles });
  const forServices = async (edgeRouterRoles: string[], serviceRoles: string[], semantic: Semantic = 'AnyOf') =>
    makeServiceEdgeRouterPolicy(controller, { semantic, edgeRouterRoles, serviceRoles });
  const nested = async (path: string) => expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}`), 200);
  const routersOf = (answer: Answer) => (answer.data as { edgeRouters: { name: string }[] }).edgeRouters;

  it('lists the policies that select an edge router, an identity and a service', async () => {
    const attribute = unique('a');
    const [routerId, identityId, serviceId] = [
      await makeRouter(controller, { roleAttributes: [attribute] }),
      await makeIdentity(controller, { roleAttributes: [attribute] }),
      await makeService(controller, { roleAttributes: [attribute] }),
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
    const [one, two, apart] = [
      await makeRouter(controller, { roleAttributes: [attribute] }),
      await makeRouter(controller),
      await makeRouter(controller),
    ];
    const [person, loner] = [
      await makeIdentity(controller, { roleAttributes: [attribute] }),
      await makeIdentity(controller),
    ];
    const [shop, closed] = [
      await makeService(controller, { roleAttributes: [attribute] }),
      await makeService(controller),
    ];
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
    const id = await makeRouter(controller);
    const services = await Promise.all(
      [0, 1, 2].map((index) => makeService(controller, { name: unique(`s${index}`), roleAttributes: [attribute] })),
    );
    const people = await Promise.all(
      [0, 1, 2].map((index) => makeIdentity(controller, { name: unique(`i${index}`), roleAttributes: [attribute] })),
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
      const ids = [await makeRouter(controller, { cost: 5, noTraversal: true }), await makeRouter(controller)];
      await makeRouter(controller);
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
        capabilities: null,
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
      const [id, waiting] = [await makeRouter(controller), await makeRouter(controller)];
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
      const names = [unique('both'), unique('mine'), unique('its')] as const;
      const [both, mine, its] = [
        await makeRouter(controller, { name: names[0] }),
        await makeRouter(controller, { name: names[1] }),
        await makeRouter(controller, { name: names[2] }),
      ];
      const id = await makeService(controller);
      const path = `${CLIENT}/services/${id}/edge-routers`;
      expectNotFound(await client.get(path), `service with id ${id} not found`);
      await makeServicePolicy(controller, { identityRoles: [`@${callerId}`], serviceRoles: [`@${id}`] });
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
