/** API sessions as administrators list, read and end them. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, linksOf, read, totalOf } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/api-sessions`;

describe('API sessions as administrators see them', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('show whose they are and never the token', async () => {
    const caller = await controller.newCaller({ configTypes: ['host.v1'] });
    const own = entityOf(await caller.client.get(`${CLIENT}/current-api-session`));
    const item = await read(controller, `api-sessions/${own.id}`);
    expect(item).to.deep.include({
      id: own.id,
      identityId: caller.id,
      ipAddress: '127.0.0.1',
      configTypes: ['NH5p4FpGR'],
      authQueries: [],
      isMfaRequired: false,
      isMfaComplete: false,
    });
    expect(item['identity']).to.include({ entity: 'identities', id: caller.id, name: caller.name });
    expect(linksOf(item)).to.deep.equal({
      self: `./api-sessions/${own.id}`,
      sessions: `./api-sessions/${own.id}/sessions`,
    });
    expect(item['token'])
      .to.match(/^[0-9a-f-]{36}$/)
      .and.not.to.equal(own['token']);
    expect((await controller.admin.get(`${PATH}?limit=500`)).text).to.not.include(own['token']);
    expect(item).to.not.have.any.keys('expiresAt', 'expirationSeconds');
  });

  it('are found by token only by one who has it, and not by its shown form', async () => {
    const caller = await controller.newCaller();
    const { id } = entityOf(await caller.client.get(`${CLIENT}/current-api-session`));
    const find = async (filter: string) => controller.admin.get(`${PATH}?filter=${encodeURIComponent(filter)}`);
    expect(idsOf(await find(`token = "${caller.client.token ?? ''}"`))).to.deep.equal([id]);
    expect(idsOf(await find(`identity = "${caller.id}"`))).to.deep.equal([id]);
    const shown = (await read(controller, `api-sessions/${id}`))['token'] as string;
    expect(totalOf(await find(`token = "${shown}"`))).to.equal(0);
    expectStatus(await find('token > "0"'), 400);
    expectStatus(await find('token contains "a"'), 400);
    expectStatus(await controller.admin.get(`${PATH}?sort=token`), 400);
  });

  it('end at once when they are deleted, and the others of the identity stay', async () => {
    const caller = await controller.newCaller();
    const second = await controller.login(caller.username, caller.password);
    const { id } = entityOf(await caller.client.get(`${CLIENT}/current-api-session`));
    const before = totalOf(await controller.admin.get(`${PATH}?limit=1`));
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
    const refused = expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 401);
    expect(refused.headers['www-authenticate']).to.match(/^zt-session .*error="invalid"/);
    expectStatus(await second.get(`${CLIENT}/current-identity`), 200);
    expect(totalOf(await controller.admin.get(`${PATH}?limit=1`))).to.equal(before - 1);
    expectNotFound(await controller.admin.get(`${PATH}/${id}`), `apiSession with id ${id} not found`);
    expectNotFound(await controller.admin.delete(`${PATH}/${id}`), `apiSession with id ${id} not found`);
  });

  it('are not for other callers', async () => {
    const caller = await controller.newCaller();
    const { id } = entityOf(await caller.client.get(`${CLIENT}/current-api-session`));
    expectStatus(await caller.client.get(PATH), 401);
    expectStatus(await caller.client.get(`${PATH}/${id}`), 401);
    expectStatus(await caller.client.delete(`${PATH}/${id}`), 403);
    expectStatus(await controller.anonymous.delete(`${PATH}/${id}`), 401);
    expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 200);
  });

  it('count right when many open and close at once', async () => {
    const caller = await controller.newCaller();
    const total = async () => totalOf(await controller.admin.get(`${PATH}?limit=1`));
    const before = await total();
    const clients = await Promise.all(
      Array.from({ length: 12 }, () => controller.login(caller.username, caller.password)),
    );
    expect(await total()).to.equal(before + 12);
    await Promise.all(clients.slice(0, 8).map((client) => client.delete(`${CLIENT}/current-api-session`)));
    expect(await total()).to.equal(before + 4);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${caller.id}`), 200);
    expect(await total()).to.equal(before - 1);
    const { rows } = await controller.database.query('SELECT count(*)::int AS n FROM api_sessions');
    expect(rows[0]?.['n']).to.equal(before - 1);
  });
});
