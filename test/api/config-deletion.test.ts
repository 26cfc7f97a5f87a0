/**
 * Configs that are deleted while services, routers and identities have them: these lose them, as clients of the field
 * expect, who delete configs before services. Against a whole controller.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, make, read } from '../support/entities.js';
import {
  makeConfig,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const HOST = 'NH5p4FpGR';
const DATA = { address: 'localhost', port: 80, protocol: 'tcp' };
const FOR_ROUTERS = { configTypeId: 'router.link.v1', data: {} };

interface Recorded {
  readonly kind: string;
  readonly entityId: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly requestId: string;
}

describe('a config that is deleted', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const config = (extra: object = {}) => makeConfig(controller, { configTypeId: HOST, data: DATA, ...extra });
  const configsOf = async (path: string) => (await read(controller, path))['configs'];
  const remove = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    controller.admin.delete(`${MANAGEMENT}/${path}`, undefined, { headers });
  /** The configs that an identity has for services. */
  const overridesOf = async (identity: string) =>
    itemsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/identities/${identity}/service-configs`), 200)).map(
      (pair) => pair['configId'],
    );
  const records = async (requestId: unknown): Promise<Recorded[]> => {
    const filter = encodeURIComponent(`requestId = "${String(requestId)}"`);
    return expectStatus(await controller.admin.get(`${MANAGEMENT}/audit?filter=${filter}`), 200).data as Recorded[];
  };

  describe('while it is used', () => {
    let caller: Caller;
    let id: string;
    let ofRouters: string;
    let carriers: Readonly<Record<'services' | 'edge-routers' | 'transit-routers', string>>;
    let other: string;
    let gone: Answer;
    let goneFromRouters: Answer;
    let before_: { readonly lastChangeAt: string; readonly tags: readonly (string | undefined)[] };

    const tagOf = async (collection: string, entity: string) =>
      expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}/${entity}`), 200).headers['etag'];
    const tags = () => Promise.all(Object.entries(carriers).map(([collection, entity]) => tagOf(collection, entity)));
    const lastChange = async () =>
      String(
        entityOf(expectStatus(await caller.client.get(`${CLIENT}/current-api-session/service-updates`), 200))[
          'lastChangeAt'
        ],
      );
    const seen = async () =>
      entityOf(expectStatus(await caller.client.get(`${CLIENT}/services/${carriers.services}`), 200))['config'];

    before(async () => {
      caller = await controller.newCaller({ configTypes: ['all'] });
      id = await config();
      ofRouters = await config(FOR_ROUTERS);
      const type = await make(controller, 'config-types', { name: unique('type') });
      other = await config({ configTypeId: type, data: {} });
      carriers = {
        'services': await makeService(controller, { configs: [id, other] }),
        'edge-routers': await makeRouter(controller, { configs: [ofRouters] }),
        'transit-routers': await make(controller, 'transit-routers', { name: unique('router'), configs: [ofRouters] }),
      };
      await makeServicePolicy(controller, {
        serviceRoles: [`@${carriers.services}`],
        identityRoles: [`@${caller.id}`],
      });
      expectStatus(
        await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/service-configs`, [
          { serviceId: carriers.services, configId: id },
          { serviceId: carriers.services, configId: other },
        ]),
        200,
      );
      expect(await seen()).to.have.property('host.v1');
      before_ = { lastChangeAt: await lastChange(), tags: await tags() };
      gone = await remove(`configs/${id}`);
      goneFromRouters = await remove(`configs/${ofRouters}`);
    });

    it('is gone', async () => {
      expectStatus(gone, 200);
      expectStatus(goneFromRouters, 200);
      expectStatus(await controller.admin.get(`${MANAGEMENT}/configs/${id}`), 404);
    });

    it('is taken from services, routers and identities, which keep others', async () => {
      expect(await configsOf(`services/${carriers.services}`)).to.deep.equal([other]);
      expect(await configsOf(`edge-routers/${carriers['edge-routers']}`)).to.deep.equal([]);
      expect(await configsOf(`transit-routers/${carriers['transit-routers']}`)).to.deep.equal([]);
      expect(await overridesOf(caller.id)).to.deep.equal([other]);
    });

    it('moves the entity tags of services and routers that lose it', async () => {
      const versionOf = (tag: string | undefined) => tag?.split('.')[0];
      const after = await tags();
      after.forEach((tag, index) => {
        expect(versionOf(tag)).to.be.a('string').and.not.equal(versionOf(before_.tags[index]));
      });
    });

    it('is no longer shown to clients, who hear of the change', async () => {
      expect(await seen()).not.to.have.property('host.v1');
      expect(await lastChange()).to.be.a('string');
      expect((await lastChange()) > before_.lastChangeAt).to.equal(true);
    });

    it('has a record for itself and for each that lost it', async () => {
      const lost = (configId: string) => ({ configs: [{ configId }] });
      const recorded = async (answer: Answer) =>
        (await records(answer.headers['x-request-id'])).map(({ kind, entityId, before }) => [
          kind,
          entityId,
          kind === 'config.deleted' ? null : before,
        ]);
      expect(await recorded(goneFromRouters)).to.have.deep.members([
        ['config.deleted', ofRouters, null],
        ['edgeRouter.updated', carriers['edge-routers'], lost(ofRouters)],
        ['router.updated', carriers['transit-routers'], lost(ofRouters)],
      ]);
      expect(await recorded(gone)).to.have.deep.members([
        ['config.deleted', id, null],
        ['service.updated', carriers.services, lost(id)],
        ['identity.updated', caller.id, { serviceConfigs: [{ serviceId: carriers.services, configId: id }] }],
      ]);
    });
  });

  it('stays with all who have it when its If-Match is out of date', async () => {
    const id = await config();
    const carrier = await makeService(controller, { configs: [id] });
    const before = await read(controller, `services/${carrier}`);
    expectStatus(await remove(`configs/${id}`, { 'if-match': '"old.tag"' }), 412);
    expect(await read(controller, `services/${carrier}`)).to.deep.equal(before);
    const tag = (await controller.admin.get(`${MANAGEMENT}/configs/${id}`)).headers['etag'];
    expectStatus(await remove(`configs/${id}`, { 'if-match': String(tag) }), 200);
    expect(await configsOf(`services/${carrier}`)).to.deep.equal([]);
  });

  it('leaves its type, which is not deleted before all its configs are', async () => {
    const type = await make(controller, 'config-types', { name: unique('type') });
    const id = await config({ configTypeId: type, data: {} });
    expectStatus(await remove(`config-types/${type}`), 409);
    expectStatus(await remove(`configs/${id}`), 200);
    expectStatus(await remove(`config-types/${type}`), 200);
  });

  it('holds up no service, identity or router that takes it up or gives it away', async () => {
    const { admin } = controller;
    const identity = (await controller.newCaller()).id;
    const services = await Promise.all([1, 2, 3].map(() => makeService(controller)));
    const routers = await Promise.all([1, 2, 3].map(() => makeRouter(controller, { isTunnelerEnabled: true })));
    for (let round = 0; round < 6; round += 1) {
      const configs = await Promise.all([1, 2, 3, 4].map(() => config()));
      const forRouters = await Promise.all([1, 2, 3, 4].map(() => config(FOR_ROUTERS)));
      const at = (index: number, from = configs) => from[index % from.length] ?? '';
      const give = (index: number) => [
        ...services.map((id, n) => admin.patch(`${MANAGEMENT}/services/${id}`, { configs: [at(n + index)] })),
        ...routers.map((id, n) =>
          admin.patch(`${MANAGEMENT}/edge-routers/${id}`, { configs: [at(n + index, forRouters)] }),
        ),
        admin.post(
          `${MANAGEMENT}/identities/${identity}/service-configs`,
          services.map((serviceId, n) => ({ serviceId, configId: at(n + index) })),
        ),
      ];
      for (const answer of await Promise.all(give(0))) expectStatus(answer, 200);
      const [changed, deleted] = await Promise.all([
        Promise.all([...give(1), admin.delete(`${MANAGEMENT}/identities/${identity}/service-configs`)]),
        Promise.all([...configs, ...forRouters].map((id) => remove(`configs/${id}`))),
      ]);
      for (const answer of changed) expect([200, 404]).to.include(answer.status);
      for (const answer of deleted) expectStatus(answer, 200);
      for (const id of services) expect(await configsOf(`services/${id}`)).to.deep.equal([]);
      for (const id of routers) expect(await configsOf(`edge-routers/${id}`)).to.deep.equal([]);
      expect(await overridesOf(identity)).to.deep.equal([]);
    }
  });

  describe('in the order of calls of zrok', () => {
    const EXCLUDING = (tag: string, value: string) => encodeURIComponent(`tags.${tag}="${value}"`);
    /** Lists by a tag without bound and deletes what was found, as its automation does for each kind. */
    const removeAll = async (collection: string, filter: string) => {
      const found = idsOf(
        expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}?filter=${filter}&limit=0&offset=0`), 200),
      );
      for (const id of found) expectStatus(await remove(`${collection}/${id}`), 200);
      return found.length;
    };
    const left = async (collection: string, filter: string) =>
      itemsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/${collection}?filter=${filter}`), 200));

    it('unshare and unbootstrap leave nothing', async () => {
      const proxy = unique('zrok.proxy.v1');
      const type = await make(controller, 'config-types', { name: proxy, tags: { zrok: 'v2' } });
      const token = unique('token');
      const tags = { zrok: 'v2', zrokShareToken: token };
      const configId = await config({ configTypeId: type, data: {}, tags });
      const serviceId = await makeService(controller, { name: token, configs: [configId], tags });
      const roles = { semantic: 'AllOf' as const, serviceRoles: [`@${serviceId}`] };
      for (const kind of ['Bind', 'Dial'] as const)
        await makeServicePolicy(controller, {
          name: `${token}-${kind}`,
          type: kind,
          ...roles,
          identityRoles: ['#all'],
          tags,
        });
      await makeServiceEdgeRouterPolicy(controller, {
        name: `${token}-serp`,
        ...roles,
        edgeRouterRoles: ['#all'],
        tags,
      });

      const share = EXCLUDING('zrokShareToken', token);
      const kinds = ['service-edge-router-policies', 'service-policies', 'configs', 'services'];
      const removed: number[] = [];
      for (const kind of kinds) removed.push(await removeAll(kind, share));
      expect(removed).to.deep.equal([1, 2, 1, 1]);
      for (const kind of kinds) expect(await left(kind, share), kind).to.deep.equal([]);

      const all = EXCLUDING('zrok', 'v2');
      for (const kind of [...kinds, 'config-types']) await removeAll(kind, all);
      for (const kind of [...kinds, 'config-types']) expect(await left(kind, all), kind).to.deep.equal([]);
    });
  });
});
