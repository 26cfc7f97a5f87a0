/** Sessions: opened by clients, read and ended by administrators. Against a whole controller. */
import { createHash, verify, X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${CLIENT}/sessions`;
const ADMIN_PATH = `${MANAGEMENT}/sessions`;

describe('sessions', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
    await controller.database.query(
      `INSERT INTO routers (id, name, is_edge, role_attributes)
        VALUES ('gate', 'gate', true, '{public}'), ('transit', 'transit', false, '{inner}')`,
    );
    await erp('everyone', '#edge-users', '#public');
    await serp('everywhere', '#reachable', '#public');
  });
  after(() => controller.stop());

  const erp = async (name: string, identity: string, router: string) =>
    controller.database.query(
      `INSERT INTO edge_router_policies (id, name, semantic, identity_roles, edge_router_roles)
        VALUES ($1, $1, 'AnyOf', ARRAY[$2], ARRAY[$3])`,
      [name, identity, router],
    );
  const serp = async (name: string, service: string, router: string) =>
    controller.database.query(
      `INSERT INTO service_edge_router_policies (id, name, semantic, service_roles, edge_router_roles)
        VALUES ($1, $1, 'AnyOf', ARRAY[$2], ARRAY[$3])`,
      [name, service, router],
    );
  const newCaller = async (extra: readonly string[] = []) =>
    controller.newCaller({ roleAttributes: ['edge-users', ...extra] });
  const newService = async (roleAttributes = ['reachable']) => makeService(controller, { roleAttributes });
  const allow = async (identityRole: string, serviceRole: string, type: 'Dial' | 'Bind' = 'Dial') =>
    makeServicePolicy(controller, {
      type,
      identityRoles: [identityRole],
      serviceRoles: [serviceRole],
    });
  const open = async (client: Client, serviceId: string, extra: object = {}): Promise<Entity> =>
    entityOf(expectStatus(await client.post(PATH, { serviceId, ...extra }), 201));
  /** A caller with a service that it may dial. */
  const ready = async (): Promise<{ caller: Caller; service: string; policy: string }> => {
    const [caller, service] = [await newCaller(), await newService()];
    return { caller, service, policy: await allow(`@${caller.id}`, `@${service}`) };
  };
  const rowsOf = async (id: string) =>
    (await controller.database.query('SELECT id FROM sessions WHERE id = $1', [id])).rows.length;
  const listed = async (client: Client, path: string, filter: string) =>
    expectStatus(await client.get(`${path}?filter=${encodeURIComponent(filter)}`), 200);

  describe('being made', () => {
    it('answers the whole session, for dialling unless told otherwise, and reads back the same', async () => {
      const { caller, service } = await ready();
      const current = entityOf(await caller.client.get(`${CLIENT}/current-api-session`));
      const answer = expectStatus(
        await caller.client.post(PATH, { serviceId: service, type: null, tags: { a: 1, nested: {} } }),
        201,
      );
      const session = entityOf(answer);
      expect(answer.headers.location).to.equal(`${PATH}/${session.id}`);
      const { createdAt, updatedAt, token, service: serviceRef, ...rest } = session;
      expect(createdAt).to.equal(updatedAt).and.match(/Z$/);
      expect(token).to.be.a('string');
      expect(rest).to.deep.equal({
        _links: {
          self: { href: `./sessions/${session.id}` },
          'route-path': { href: `./sessions/${session.id}/route-path` },
        },
        id: session.id,
        tags: { a: 1 },
        apiSession: {
          _links: {
            self: { href: `./api-sessions/${current.id}` },
            sessions: { href: `./api-sessions/${current.id}/sessions` },
          },
          entity: 'api-sessions',
          id: current.id,
        },
        apiSessionId: current.id,
        edgeRouters: [],
        identityId: caller.id,
        serviceId: service,
        type: 'Dial',
      });
      expect(serviceRef).to.deep.include({ entity: 'services', id: service });
      expect(entityOf(expectStatus(await caller.client.get(`${PATH}/${session.id}`), 200))).to.deep.equal(session);
    });

    it('signs its token with the key that serves TLS', async () => {
      const { caller, service } = await ready();
      const { id, token, apiSessionId } = await open(caller.client, service);
      const [head = '', claims = '', signature = ''] = String(token).split('.');
      const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
      const der = await servedCertificate(controller.url);
      expect(decode(head)).to.deep.include({ kid: createHash('sha1').update(der).digest('hex'), typ: 'JWT' });
      const key = new X509Certificate(der).publicKey;
      expect(
        verify(
          'sha256',
          Buffer.from(`${head}.${claims}`),
          key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key,
          Buffer.from(signature, 'base64url'),
        ),
      ).to.equal(true);
      const { exp, iat, ...rest } = decode(claims);
      expect(rest).to.deep.equal({
        iss: 'https://localhost:1280',
        sub: service,
        aud: ['openziti'],
        jti: id,
        z_asid: apiSessionId,
        z_iid: caller.id,
        z_t: 's',
        z_st: 'Dial',
        z_leg: true,
      });
      expect(Number(exp) - Number(iat)).to.equal(365 * 86_400);
    });

    it('answers the same session for the same use, also at the same time, and another for another', async () => {
      const { caller, service } = await ready();
      await allow(`@${caller.id}`, `@${service}`, 'Bind');
      const made = await Promise.all(Array.from({ length: 8 }, () => open(caller.client, service, { tags: { a: 1 } })));
      const [first] = made;
      expect(new Set(made.map(({ id }) => id)).size).to.equal(1);
      expect(await open(caller.client, service, { type: 'Dial', tags: { other: 2 } })).to.deep.equal(first);
      const bind = await open(caller.client, service, { type: 'Bind' });
      expect([bind['type'], bind.id === first?.id]).to.deep.equal(['Bind', false]);
      const again = await controller.login(caller.username, caller.password);
      expect((await open(again, service)).id).to.not.equal(first?.id);
      expect(totalOf(await caller.client.get(PATH))).to.equal(3);
    });

    it('tells of a service that is not there, or out of reach, alike', async () => {
      const { caller } = await ready();
      const hidden = await newService();
      expectNotFound(await caller.client.post(PATH, { serviceId: hidden }), `service with id ${hidden} not found`);
      const admin = await controller.login(ADMIN.username, ADMIN.password);
      expectNotFound(await admin.post(PATH, { serviceId: hidden }), `service with id ${hidden} not found`);
      expectNotFound(await caller.client.post(PATH, { serviceId: 'nope' }), 'service with id nope not found');
      for (const body of [{}, { serviceId: null }, { serviceId: '' }])
        expectNotFound(await caller.client.post(PATH, body), 'service with id  not found');
    });

    it('refuses a use that is not granted, and one that does not exist', async () => {
      const { caller, service } = await ready();
      expectField(
        await caller.client.post(PATH, { serviceId: service, type: 'Bind' }),
        'ServiceId',
        'service not found',
        service,
      );
      expectField(
        await caller.client.post(PATH, { serviceId: service, type: 'Invalid' }),
        'ServiceId',
        'service not found',
        service,
      );
      expectField(await caller.client.post(PATH, { serviceId: service, type: 'dial' }), 'type', /one of/, 'dial');
      expect(totalOf(await caller.client.get(PATH))).to.equal(0);
    });

    it('wants an edge router that both policies of routers allow', async () => {
      const refuse = async (client: Client, serviceId: string) => {
        const answer = expectStatus(await client.post(PATH, { serviceId }), 400);
        expect(answer.error).to.deep.include({ code: 'NO_EDGE_ROUTERS_AVAILABLE' }).and.not.have.property('cause');
      };
      const { caller } = await ready();
      const cut = await newService([]);
      await allow('#all', `@${cut}`);
      await refuse(caller.client, cut);
      await serp(unique('serp'), `@${cut}`, '@transit');
      await erp(unique('erp'), `@${caller.id}`, '@transit');
      await refuse(caller.client, cut);
      await controller.database.query(`INSERT INTO routers (id, name, is_edge) VALUES ('other', 'other', true)`);
      await serp(unique('serp'), `@${cut}`, '@other');
      await refuse(caller.client, cut);
      const stranger = await controller.newCaller();
      await refuse(stranger.client, cut);
      await erp(unique('erp'), `@${caller.id}`, '#all');
      await open(caller.client, cut);
      await refuse(stranger.client, cut);
    });
  });

  describe('of a client', () => {
    it('are those of its identity only', async () => {
      const [mine, other] = [await ready(), await ready()];
      const session = await open(mine.caller.client, mine.service);
      const strange = await open(other.caller.client, other.service);
      const again = await controller.login(mine.caller.username, mine.caller.password);
      for (const client of [mine.caller.client, again])
        expect(idsOf(await client.get(PATH))).to.deep.equal([session.id]);
      const message = `session with id ${strange.id} not found`;
      for (const client of [mine.caller.client, controller.admin]) {
        expectNotFound(await client.get(`${PATH}/${strange.id}`), message);
        expectNotFound(await client.delete(`${PATH}/${strange.id}`), message);
      }
      expect(idsOf(await listed(mine.caller.client, PATH, `id = "${strange.id}"`))).to.deep.equal([]);
      expectStatus(await other.caller.client.get(`${PATH}/${strange.id}`), 200);
      expectNotFound(await mine.caller.client.get(`${PATH}/nope`), 'session with id nope not found');
      for (const path of [PATH, `${PATH}/${session.id}`]) expectStatus(await controller.anonymous.get(path), 401);
      expectStatus(await controller.anonymous.post(PATH, { serviceId: mine.service }), 401);
    });

    it('end when it says so, and a new one takes their place', async () => {
      const { caller, service } = await ready();
      const { id } = await open(caller.client, service);
      expect(expectStatus(await caller.client.delete(`${PATH}/${id}`), 200).data).to.deep.equal({});
      expectNotFound(await caller.client.get(`${PATH}/${id}`), `session with id ${id} not found`);
      expectNotFound(await caller.client.delete(`${PATH}/${id}`), `session with id ${id} not found`);
      expect((await open(caller.client, service)).id).to.not.equal(id);
    });
  });

  describe('for administrators', () => {
    it('are all there, with the policies that grant them', async () => {
      const { caller, service, policy } = await ready();
      const second = await allow(`@${caller.id}`, '#reachable');
      await allow(`@${caller.id}`, `@${service}`, 'Bind');
      const session = await open(caller.client, service);
      const { servicePolicies, ...rest } = entityOf(
        expectStatus(await controller.admin.get(`${ADMIN_PATH}/${session.id}`), 200),
      );
      expect(rest).to.deep.equal(session);
      expect((servicePolicies as Entity[]).map(({ id, entity }) => [entity, id])).to.deep.equal(
        [policy, second].sort().map((id) => ['service-policies', id]),
      );
      const link = linksOf(session)['route-path']?.slice(1) ?? '';
      expect(expectStatus(await controller.admin.get(`${MANAGEMENT}${link}`), 200).data).to.deep.equal({
        routePath: [],
      });
      expectNotFound(await controller.admin.get(`${ADMIN_PATH}/nope/route-path`), 'session with id nope not found');
      expect(expectStatus(await controller.admin.delete(`${ADMIN_PATH}/${session.id}`), 200).data).to.deep.equal({});
      for (const verb of ['GET', 'DELETE'])
        expectNotFound(
          await controller.admin.send(verb, `${ADMIN_PATH}/${session.id}`),
          `session with id ${session.id} not found`,
        );
      for (const client of [caller.client, controller.anonymous])
        for (const path of ['', '/nope', '/nope/route-path'])
          expectStatus(await client.get(`${ADMIN_PATH}${path}`), 401);
    });

    it('are filtered by type, API session, service, and by token only as a whole', async () => {
      const { caller, service } = await ready();
      await allow(`@${caller.id}`, `@${service}`, 'Bind');
      const [dial, bind] = [await open(caller.client, service), await open(caller.client, service, { type: 'Bind' })];
      const find = async (filter: string) => idsOf(await listed(controller.admin, ADMIN_PATH, filter));
      expect(await find(`service = "${service}"`)).to.deep.equal([dial.id, bind.id].sort());
      expect(await find(`service = "${service}" and type = "Bind"`)).to.deep.equal([bind.id]);
      expect(await find(`apiSession = "${String(dial['apiSessionId'])}" sort by type desc`)).to.deep.equal([
        dial.id,
        bind.id,
      ]);
      expect(await find(`token = "${String(dial['token'])}"`)).to.deep.equal([dial.id]);
      for (const filter of ['token contains "e"', 'token > "a"', 'true sort by token', 'identity = "x"']) {
        expectStatus(await controller.admin.get(`${ADMIN_PATH}?filter=${encodeURIComponent(filter)}`), 400);
      }
      const page = await listed(controller.admin, ADMIN_PATH, `service = "${service}" limit 1 `);
      expect([itemsOf(page).length, totalOf(page)]).to.deep.equal([1, 2]);
      expect(page.meta.filterableFields).to.have.members([
        'id',
        'createdAt',
        'updatedAt',
        'tags',
        'isSystem',
        'token',
        'type',
        'apiSession',
        'service',
      ]);
    });
  });

  describe('whose API session, service or identity goes', () => {
    const endings: readonly [what: string, end: (caller: Caller, service: string) => Promise<unknown>][] = [
      ['logout', async ({ client }) => client.delete(`${CLIENT}/current-api-session`)],
      ['service', async (_, service) => controller.admin.delete(`${MANAGEMENT}/services/${service}`)],
      ['identity', async ({ id }) => controller.admin.delete(`${MANAGEMENT}/identities/${id}`)],
    ];
    for (const [what, end] of endings) {
      it(`go along with it: ${what}`, async () => {
        const { caller, service } = await ready();
        const { id } = await open(caller.client, service);
        await end(caller, service);
        expect(await rowsOf(id)).to.equal(0);
        expectNotFound(await controller.admin.get(`${ADMIN_PATH}/${id}`), `session with id ${id} not found`);
      });
    }
  });
});

/** The DER of the certificate that TLS serves. */
async function servedCertificate(url: string): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
