/** Terminators of services at routers. Against a whole controller. */
import { expect } from 'chai';
import { MOST_MADE_BY_HAND } from '../../domain/fabric/terminator.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, incompressible, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { makeService, makeServicePolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/terminators`;

describe('terminators', () => {
  let controller: TestController;
  let service: string;
  let router: string;
  const serviceName = unique('service');
  const routerName = unique('router');
  before(async () => {
    controller = await startTestController();
    service = await makeService(controller, { name: serviceName });
    router = await addRouter(routerName);
  });
  after(() => controller.stop());

  const addRouter = async (name: string): Promise<string> => {
    const id = unique('id');
    await controller.database.query('INSERT INTO routers (id, name, is_edge) VALUES ($1, $2, true)', [id, name]);
    return id;
  };
  const newService = async () => makeService(controller);
  const body = (extra: object = {}) => ({ service, router, binding: 'edge', address: 'tcp:db:5432', ...extra });
  const create = async (extra: object = {}) => make(controller, 'terminators', body(extra));
  const detail = async (id: string) => read(controller, `terminators/${id}`);
  const matching = async (filter: string) =>
    idsOf(expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`), 200));

  it('refuses one more than a service may have, and says so', async () => {
    const full = await newService();
    await controller.database.query(
      `INSERT INTO terminators (id, service_id, router_id, binding, address)
      SELECT 'full-' || n, $1, $2, 'edge', 'a' FROM generate_series(1, $3::integer) n`,
      [full, router, MOST_MADE_BY_HAND - 1],
    );
    await create({ service: full });
    expectField(await controller.admin.post(PATH, body({ service: full })), 'service', /has 10000 terminators/);
    const [other, own] = [await create(), `${PATH}/full-1`];
    const moved = [
      await controller.admin.patch(`${PATH}/${other}`, { service: full }),
      await controller.admin.put(`${PATH}/${other}`, body({ service: full })),
    ];
    for (const answer of moved) expectField(answer, 'service', /as many terminators/);
    expectStatus(await controller.admin.patch(own, { service: full, cost: 3 }), 200);
    await controller.database.query('DELETE FROM terminators WHERE service_id = $1', [full]);
    expectStatus(await controller.admin.patch(`${PATH}/${other}`, { service: full }), 200);
    await create({ service: full });
  });

  it('answers a create with id, link and Location, and reads back what was given', async () => {
    const given = {
      identity: 'instance-1',
      identitySecret: Buffer.from('hidden').toString('base64'),
      cost: 7,
      precedence: 'required',
      tags: { a: 1, nested: {} },
    };
    const answer = expectStatus(await controller.admin.post(PATH, body(given)), 201);
    const { id } = entityOf(answer);
    expect(answer.data).to.deep.equal({ _links: { self: { href: `./terminators/${id}` } }, id });
    expect(answer.headers.location).to.equal(`${PATH}/${id}`);
    const { createdAt, updatedAt, router: routerRef, service: serviceRef, ...rest } = await detail(id);
    expect(createdAt).to.equal(updatedAt);
    expect(rest).to.deep.equal({
      _links: { self: { href: `./terminators/${id}` } },
      id,
      tags: { a: 1 },
      address: 'tcp:db:5432',
      binding: 'edge',
      cost: 7,
      dynamicCost: 0,
      identity: 'instance-1',
      precedence: 'required',
      routerId: router,
      serviceId: service,
    });
    expect(routerRef).to.deep.equal({
      _links: { self: { href: `./transit-routers/${router}` } },
      entity: 'transit-routers',
      id: router,
      name: routerName,
    });
    expect(serviceRef).to.deep.include({ entity: 'services', id: service, name: serviceName });
    expect((await controller.admin.get(`${PATH}/${id}`)).text)
      .to.not.contain('hidden')
      .and.not.contain(given.identitySecret);
    const {
      rows: [row],
    } = await controller.database.query('SELECT instance_secret FROM terminators WHERE id = $1', [id]);
    expect(String(row?.['instance_secret'])).to.equal('hidden');
  });

  it('starts with its defaults, also for explicit nulls', async () => {
    for (const extra of [
      {},
      { cost: null, precedence: null, identity: null, identitySecret: null, tags: null, id: 'mine' },
    ]) {
      const made = await detail(await create(extra));
      expect(made).to.deep.include({ cost: 0, dynamicCost: 0, precedence: 'default', identity: '', tags: {} });
      expect(made.id).to.match(/^[0-9A-Za-z]{22}$/);
    }
  });

  it('wants address, binding, router and service, and a cost and precedence that there are', async () => {
    for (const field of ['address', 'binding', 'router', 'service']) {
      expectField(
        await controller.admin.post(PATH, body({ [field]: undefined })),
        field,
        `${field} in body is required`,
        '<nil>',
      );
    }
    expectField(await controller.admin.post(PATH, body({ cost: 65536 })), 'cost', /65535/, '65536');
    expectField(await controller.admin.post(PATH, body({ cost: -1 })), 'cost', /0/, '-1');
    expectField(
      await controller.admin.post(PATH, body({ precedence: 'best' })),
      'precedence',
      'precedence in body should be one of [default required failed]',
      'best',
    );
  });

  it('names the service or router that is not there, in create, PUT and PATCH, and changes nothing', async () => {
    const id = await create();
    const before = await detail(id);
    const long = incompressible(4000);
    for (const field of ['service', 'router']) {
      for (const value of ['nope', '', `@${serviceName}`]) {
        const message = `${field} with id ${value} not found`;
        expectNotFound(await controller.admin.post(PATH, body({ [field]: value })), message);
        expectNotFound(await controller.admin.put(`${PATH}/${id}`, body({ [field]: value })), message);
        expectNotFound(await controller.admin.patch(`${PATH}/${id}`, { cost: 9, [field]: value }), message);
      }
      expectField(
        await controller.admin.post(PATH, body({ [field]: long })),
        field,
        `${field} in body should be at most 512 chars long`,
      );
    }
    expect(await detail(id)).to.deep.equal(before);
  });

  it('replaces with PUT all but the instance, and changes with PATCH only what is given', async () => {
    const id = await create({ identity: 'one', cost: 5, precedence: 'failed', tags: { a: 1 } });
    const [otherService, otherRouter] = [await newService(), await addRouter(unique('router'))];
    const first = await detail(id);
    expectStatus(
      await controller.admin.patch(`${PATH}/${id}`, {
        address: null,
        binding: null,
        cost: null,
        precedence: null,
        router: null,
        service: null,
        tags: null,
      }),
      200,
    );
    expect(await detail(id)).to.deep.equal(first);
    expect(
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, { router: otherRouter, cost: 0, tags: {} }), 200).data,
    ).to.deep.equal({});
    const patched = await detail(id);
    expect(patched).to.deep.include({
      routerId: otherRouter,
      serviceId: service,
      cost: 0,
      precedence: 'failed',
      identity: 'one',
      tags: {},
    });
    expect(patched.updatedAt > first.updatedAt).to.equal(true);
    expectStatus(
      await controller.admin.put(`${PATH}/${id}`, {
        service: otherService,
        router,
        binding: 'udp',
        address: 'udp:dns:53',
      }),
      200,
    );
    expect(await detail(id)).to.deep.include({
      serviceId: otherService,
      routerId: router,
      binding: 'udp',
      address: 'udp:dns:53',
      cost: 0,
      precedence: 'default',
      identity: 'one',
      tags: {},
    });
  });

  it('tells of an unknown id alike for every verb, and counts what there is', async () => {
    const message = 'terminator with id nope not found';
    expectNotFound(await controller.admin.get(`${PATH}/nope`), message);
    expectNotFound(await controller.admin.put(`${PATH}/nope`, body()), message);
    expectNotFound(await controller.admin.patch(`${PATH}/nope`, { cost: 1 }), message);
    expectNotFound(await controller.admin.patch(`${PATH}/nope`, {}), message);
    expectNotFound(await controller.admin.delete(`${PATH}/nope`), message);
    const total = async () => totalOf(expectStatus(await controller.admin.get(`${PATH}?limit=1`), 200));
    const before = await total();
    const id = await create();
    expect(await total()).to.equal(before + 1);
    expect(expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200).data).to.deep.equal({});
    expect(await total()).to.equal(before);
    expectNotFound(await controller.admin.get(`${PATH}/${id}`), `terminator with id ${id} not found`);
  });

  it('is filtered and sorted by its own fields and by the names of service and router', async () => {
    const [name, host] = [unique('service'), unique('host')];
    const own = await makeService(controller, { name });
    const gate = unique('gate');
    const gateId = await addRouter(gate);
    const [a, b] = [
      await create({ service: own, address: `tcp:${host}:1`, identity: `${host}-x` }),
      await create({ router: gateId, binding: host, address: `tcp:${host}:2` }),
    ];
    expect(await matching(`address contains "${host}"`)).to.deep.equal([a, b].sort());
    for (const filter of [
      `service = "${own}"`,
      `service.name = "${name}"`,
      `address = "tcp:${host}:1"`,
      `instanceId = "${host}-x"`,
      `address contains "${host}" and router.name != "${gate}"`,
    ]) {
      expect(await matching(filter), filter).to.deep.equal([a]);
    }
    for (const filter of [
      `router = "${gateId}"`,
      `router.name = "${gate}"`,
      `binding = "${host}"`,
      `router.name icontains "${gate.toUpperCase()}"`,
      `hostId = "" and binding = "${host}"`,
    ]) {
      expect(await matching(filter), filter).to.deep.equal([b]);
    }
    expect(await matching(`address contains "${host}" sort by address desc`)).to.deep.equal([b, a]);
    expect(await matching(`address contains "${host}" sort by service.name`)).to.have.members([a, b]);
    expectStatus(await controller.admin.get(`${PATH}?filter=${encodeURIComponent('instanceSecret = "x"')}`), 400);
    const { meta } = await controller.admin.get(PATH);
    expect(meta.filterableFields).to.have.members([
      'id',
      'createdAt',
      'updatedAt',
      'tags',
      'isSystem',
      'binding',
      'address',
      'instanceId',
      'hostId',
      'sourceCtrl',
      'service',
      'router',
      'service.name',
      'router.name',
    ]);
  });

  it('is listed under its service: whole for administrators, short for clients that reach the service', async () => {
    const own = await newService();
    const ids = (
      await Promise.all([create({ service: own, identity: 'x' }), create({ service: own, cost: 3 })])
    ).sort();
    await create();
    const whole = expectStatus(await controller.admin.get(`${MANAGEMENT}/services/${own}/terminators`), 200);
    expect([idsOf(whole), totalOf(whole)]).to.deep.equal([ids, 2]);
    expect(itemsOf(whole)[0]).to.have.any.keys('address');
    expectNotFound(
      await controller.admin.get(`${MANAGEMENT}/services/nope/terminators`),
      'service with id nope not found',
    );
    const { client, id } = await controller.newCaller();
    const path = `${CLIENT}/services/${own}/terminators`;
    expectNotFound(await client.get(path), `service with id ${own} not found`);
    expectNotFound(await controller.admin.get(path), `service with id ${own} not found`);
    expectNotFound(await client.get(`${CLIENT}/services/nope/terminators`), 'service with id nope not found');
    await makeServicePolicy(controller, {
      type: 'Dial',
      identityRoles: [`@${id}`],
      serviceRoles: [`@${own}`],
    });
    const short = expectStatus(await client.get(`${path}?limit=1&sort=id%20desc`), 200);
    expect([idsOf(short), totalOf(short)]).to.deep.equal([ids.slice(1), 2]);
    const [item] = itemsOf(
      expectStatus(await client.get(`${path}?filter=${encodeURIComponent('instanceId = "x"')}`), 200),
    );
    expect(item).to.have.all.keys(
      '_links',
      'createdAt',
      'id',
      'tags',
      'updatedAt',
      'identity',
      'routerId',
      'service',
      'serviceId',
    );
    expect(item).to.deep.include({ identity: 'x', routerId: router, serviceId: own });
    if (item !== undefined) expect(linksOf(item)).to.deep.equal({ self: `./terminators/${item.id}` });
  });

  it('goes with its service and with its router', async () => {
    const [own, gate] = [await newService(), await addRouter(unique('router'))];
    const [a, b] = [await create({ service: own }), await create({ router: gate })];
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${own}`), 200);
    await controller.database.query('DELETE FROM routers WHERE id = $1', [gate]);
    for (const id of [a, b])
      expectNotFound(await controller.admin.get(`${PATH}/${id}`), `terminator with id ${id} not found`);
  });

  it('never keeps one of a service that was deleted at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const own = await newService();
      const [made, gone] = await Promise.all([
        controller.admin.post(PATH, body({ service: own })),
        controller.admin.delete(`${MANAGEMENT}/services/${own}`),
      ]);
      expect([201, 404]).to.include(made.status);
      expectStatus(gone, 200);
      expect(await matching(`service = "${own}"`)).to.deep.equal([]);
    }
  });

  it('is for administrators only', async () => {
    const { client } = await controller.newCaller();
    const id = await create();
    for (const caller of [client, controller.anonymous]) {
      expectStatus(await caller.get(PATH), 401);
      expectStatus(await caller.get(`${PATH}/${id}`), 401);
      expectStatus(await caller.post(PATH, body()), 401);
      expectStatus(await caller.delete(`${PATH}/${id}`), 401);
    }
    expectStatus(await controller.anonymous.get(`${CLIENT}/services/${service}/terminators`), 401);
  });
});
