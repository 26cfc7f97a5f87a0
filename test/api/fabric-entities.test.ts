/** Routers, services, terminators and the rest of the fabric API over HTTPS: what it shows, hides, does and refuses. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { CLIENT, FABRIC, MANAGEMENT } from '../support/paths.js';

type Item = Record<string, unknown> & { id: string; name: string };

describe('the fabric API', function fabricApi() {
  this.timeout(60_000);
  let controller: TestController;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    admin = controller.admin;
  });
  after(() => controller.stop());

  const create = async (path: string, body: object) =>
    (expectStatus(await admin.post(path, body), 201).data as Item).id;
  const list = async (path: string) => expectStatus(await admin.get(path), 200).data as Item[];
  const named = (name: string) => `?filter=${encodeURIComponent(`name = "${name}"`)}`;

  it('is named by /version, and served with its documents', async () => {
    const { apiVersions } = expectStatus(await controller.anonymous.get(`${MANAGEMENT}/version`), 200).data as {
      apiVersions: Record<string, { v1: { path: string } }>;
    };
    expect(apiVersions['fabric']?.v1.path).to.equal(FABRIC);
    for (const document of ['swagger.json', 'openapi.json'])
      expectStatus(await controller.anonymous.get(`${FABRIC}/${document}`), 200);
  });

  it('refuses sessions that routers know, and callers without a session', async () => {
    expectStatus(await controller.anonymous.get(`${FABRIC}/routers`), 401);
    expectStatus(await controller.anonymous.get(`${FABRIC}/nothing`), 404);
  });

  describe('services', () => {
    it('that are made here are shown here alone, and no policy can name them', async () => {
      const id = await create(`${FABRIC}/services`, { name: 'hidden', maxIdleTimeMillis: 5 });
      const [shown] = await list(`${FABRIC}/services${named('hidden')}`);
      expect(shown).to.deep.include({ id, terminatorStrategy: 'smartrouting', maxIdleTimeMillis: 5 });
      for (const api of [MANAGEMENT, CLIENT]) {
        expect(await list(`${api}/services${named('hidden')}`)).to.deep.equal([]);
        expectStatus(await admin.get(`${api}/services/${id}`), 404);
      }
      for (const path of ['terminators', 'identities', 'service-policies', 'configs', 'edge-routers'])
        expectStatus(await admin.get(`${MANAGEMENT}/services/${id}/${path}`), 404);
      expectStatus(await admin.patch(`${MANAGEMENT}/services/${id}`, { name: 'taken-over' }), 404);
      expectStatus(await admin.delete(`${MANAGEMENT}/services/${id}`), 404);
      const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: [`@${id}`] };
      expectStatus(await admin.post(`${MANAGEMENT}/service-policies`, policy), 400);
      const routing = { name: 'p', semantic: 'AnyOf', edgeRouterRoles: ['#all'], serviceRoles: [`@${id}`] };
      expectStatus(await admin.post(`${MANAGEMENT}/service-edge-router-policies`, routing), 400);
      await create(`${MANAGEMENT}/service-policies`, { ...policy, name: 'all', serviceRoles: ['#all'] });
      expect(await list(`${CLIENT}/services${named('hidden')}`)).to.deep.equal([]);
    });

    it('have names that are unique over all APIs, both ways', async () => {
      await create(`${FABRIC}/services`, { name: 'of-fabric' });
      const edge = await create(`${MANAGEMENT}/services`, { name: 'of-management', encryptionRequired: true });
      for (const [path, name] of [
        [`${FABRIC}/services`, 'of-fabric'],
        [`${FABRIC}/services`, 'of-management'],
        [`${MANAGEMENT}/services`, 'of-fabric'],
      ] as const) {
        const answer = expectStatus(await admin.post(path, { name, encryptionRequired: true }), 400);
        expect(answer.error?.cause).to.deep.include({ field: 'name', value: name });
        expect(answer.error?.cause?.['reason']).to.match(/^name must be unique(\. The service that has it is \w+\.)?$/);
      }
      expectStatus(await admin.patch(`${MANAGEMENT}/services/${edge}`, { name: 'of-fabric' }), 400);
      expectStatus(await admin.patch(`${FABRIC}/services/${edge}`, { name: 'of-fabric' }), 400);
      expectStatus(await admin.patch(`${MANAGEMENT}/services/${edge}`, { name: 'renamed' }), 200);
      await create(`${FABRIC}/services`, { name: 'of-management' });
      expectStatus(await admin.delete(`${MANAGEMENT}/services/${edge}`), 200);
      await create(`${FABRIC}/services`, { name: 'renamed' });
    });

    it('of the management API are listed, changed and deleted here too, but for what is not known here', async () => {
      const id = await create(`${MANAGEMENT}/services`, {
        name: 'both',
        encryptionRequired: true,
        roleAttributes: ['kept'],
      });
      expectStatus(await admin.put(`${FABRIC}/services/${id}`, { name: 'both2', terminatorStrategy: 'random' }), 200);
      const { data } = expectStatus(await admin.get(`${MANAGEMENT}/services/${id}`), 200);
      expect(data).to.deep.include({ name: 'both2', terminatorStrategy: 'random', encryptionRequired: true });
      expect(data).to.have.property('roleAttributes').that.deep.equals(['kept']);
      expectStatus(await admin.delete(`${FABRIC}/services/${id}`), 200);
      expectStatus(await admin.get(`${MANAGEMENT}/services/${id}`), 404);
      expectStatus(await admin.delete(`${FABRIC}/services/${id}`), 404);
    });

    it('refuse an unknown strategy and an empty name', async () => {
      expectStatus(await admin.post(`${FABRIC}/services`, { name: 'x', terminatorStrategy: 'nothing' }), 404);
      expectStatus(await admin.post(`${FABRIC}/services`, { name: '' }), 400);
    });
  });

  describe('routers', () => {
    it('are all listed, and changed whatever their kind', async () => {
      const edge = await create(`${MANAGEMENT}/edge-routers`, { name: 'edge', isTunnelerEnabled: true });
      const transit = await create(`${FABRIC}/routers`, {
        id: 'given-id',
        name: 'transit',
        cost: 3,
        noTraversal: true,
      });
      expect(transit).to.equal('given-id');
      expect((await list(`${FABRIC}/routers?sort=name`)).map(({ name }) => name)).to.deep.equal(['edge', 'transit']);
      for (const id of [edge, transit]) {
        expectStatus(await admin.patch(`${FABRIC}/routers/${id}`, { cost: 7 }), 200);
        const { data } = expectStatus(await admin.get(`${FABRIC}/routers/${id}`), 200);
        expect(data).to.deep.include({ cost: 7, connected: false, fingerprint: null });
      }
      expectStatus(await admin.put(`${FABRIC}/routers/${edge}`, { name: 'edge2' }), 200);
      const { data } = expectStatus(await admin.get(`${MANAGEMENT}/edge-routers/${edge}`), 200);
      expect(data).to.deep.include({ name: 'edge2', cost: 0, isTunnelerEnabled: true });
      expect(await list(`${MANAGEMENT}/identities${named('edge2')}`)).to.have.length(1);
      expect((await list(`${FABRIC}/routers?filter=${encodeURIComponent('connected = false')}`)).length).to.equal(2);
      for (const id of [edge, transit]) {
        expectStatus(await admin.delete(`${FABRIC}/routers/${id}`), 200);
        expectStatus(await admin.get(`${FABRIC}/routers/${id}`), 404);
      }
    });

    it('get their certificates by enrollment alone', async () => {
      const fingerprint = '5f3c1b7a90e2d4c6b8a1f0e9d8c7b6a594837261';
      expectStatus(await admin.post(`${FABRIC}/routers`, { name: 'r', fingerprint }), 400);
      const id = await create(`${FABRIC}/routers`, { name: 'r' });
      expectStatus(await admin.patch(`${FABRIC}/routers/${id}`, { fingerprint }), 400);
      expectStatus(await admin.put(`${FABRIC}/routers/${id}`, { name: 'r', fingerprint }), 400);
      const { data } = expectStatus(await admin.get(`${MANAGEMENT}/transit-routers/${id}`), 200);
      expect(data).to.have.property('enrollmentJwt').that.is.a('string');
      expectStatus(await admin.delete(`${FABRIC}/routers/${id}`), 200);
    });

    it('refuse an id or a name that another one has, and ids that are no names', async () => {
      const id = await create(`${FABRIC}/routers`, { id: 'one', name: 'one' });
      expectStatus(await admin.post(`${FABRIC}/routers`, { id: 'one', name: 'two' }), 400);
      expectStatus(await admin.post(`${FABRIC}/routers`, { id: 'two', name: 'one' }), 400);
      expectStatus(await admin.post(`${FABRIC}/routers`, { id: 'a/b', name: 'two' }), 400);
      expectStatus(await admin.delete(`${FABRIC}/routers/${id}`), 200);
    });
  });

  describe('terminators', () => {
    it('of services of both kinds are made, listed, changed and deleted', async () => {
      const router = await create(`${FABRIC}/routers`, { name: 'carrier' });
      const services = [
        await create(`${FABRIC}/services`, { name: 'hidden-end' }),
        await create(`${MANAGEMENT}/services`, { name: 'shown-end', encryptionRequired: true }),
      ];
      for (const [index, service] of services.entries()) {
        const address = `tcp:localhost:${index + 1}`;
        const made = { service, router, binding: 'transport', address, hostId: 'host', instanceId: 'a', cost: 2 };
        const id = await create(`${FABRIC}/terminators`, made);
        const { data } = expectStatus(await admin.get(`${FABRIC}/terminators/${id}`), 200);
        expect(data).to.deep.include({ address, hostId: 'host', instanceId: 'a', cost: 2, serviceId: service });
        expectStatus(await admin.patch(`${FABRIC}/terminators/${id}`, { cost: 9 }), 200);
        const put = { service, router, binding: 'transport', address, precedence: 'required' };
        expectStatus(await admin.put(`${FABRIC}/terminators/${id}`, put), 200);
        const [listed] = await list(`${FABRIC}/services/${service}/terminators`);
        expect(listed).to.deep.include({ id, cost: 0, hostId: '', instanceId: 'a', precedence: 'required' });
        expectStatus(await admin.patch(`${FABRIC}/terminators/${id}`, { service: services[1 - index] }), 404);
        expectStatus(await admin.get(`${MANAGEMENT}/terminators/${id}`), index === 0 ? 404 : 200);
      }
      const filter = encodeURIComponent('service.name contains "end" and router.name = "carrier" sort by service.name');
      const found = (await list(`${FABRIC}/terminators?filter=${filter}`)) as unknown as { service: Item }[];
      expect(found.map(({ service }) => service.name)).to.deep.equal(['hidden-end', 'shown-end']);
      expect(await list(`${FABRIC}/routers/${router}/terminators`)).to.have.length(2);
      expect(await list(`${MANAGEMENT}/terminators`)).to.have.length(1);
      const missing = { binding: 'transport', address: 'tcp:x:1', router, service: 'nothing' };
      expectStatus(await admin.post(`${FABRIC}/terminators`, missing), 404);
      for (const service of services)
        expectStatus(await admin.post(`${FABRIC}/terminators`, { ...missing, service, router: 'nothing' }), 404);
      expectStatus(await admin.delete(`${FABRIC}/services/${services[0]}`), 200);
      expect(await list(`${FABRIC}/terminators`)).to.have.length(1);
      expectStatus(await admin.delete(`${FABRIC}/routers/${router}`), 200);
      expect(await list(`${FABRIC}/terminators`)).to.deep.equal([]);
    });
  });

  it('lists the controllers, and neither adds nor removes one', async () => {
    const [member] = await list(`${FABRIC}/cluster/list-members`);
    expect(member).to.deep.include({ connected: true, leader: false, voter: true });
    for (const [path, body] of [
      ['add-member', { address: 'tls:ctrl2:1280', isVoter: true }],
      ['remove-member', { id: 'x' }],
      ['transfer-leadership', {}],
    ] as const) {
      const answer = expectStatus(await admin.post(`${FABRIC}/cluster/${path}`, body), 400);
      expect(answer.error?.code).to.equal('SERVER_NOT_RUNNING_IN_HA_MODE');
    }
  });

  it('takes snapshots where the controller keeps them, and no others', async () => {
    expectStatus(await admin.post(`${FABRIC}/database`), 200);
    const { data } = expectStatus(await admin.post(`${FABRIC}/database/snapshot`, {}), 200);
    expect(data).to.have.property('path').that.contains('/snapshots/');
    expectStatus(await admin.post(`${FABRIC}/database/snapshot`, { path: '/tmp/x' }), 400);
  });

  it('answers empty lists of links and circuits, and 404 for one that is not there', async () => {
    for (const kind of ['links', 'circuits']) {
      expect(await list(`${FABRIC}/${kind}`)).to.deep.equal([]);
      expectStatus(await admin.get(`${FABRIC}/${kind}/nothing`), 404);
      expectStatus(await admin.delete(`${FABRIC}/${kind}/nothing`), 404);
    }
    expectStatus(await admin.patch(`${FABRIC}/links/nothing`, { staticCost: 5 }), 404);
  });
});
