/** Settings of controllers over HTTPS: of one, of all, and what of them holds. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make, read, totalOf } from '../support/entities.js';
import { expectFault, expectField, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';
import { startLogged } from './server-support.js';

const SETTINGS = `${MANAGEMENT}/controller-settings`;
const CONSOLE = 'https://console.example.com/auth/callback';
const LOOPBACK = 'http://localhost:*/auth/callback';
const LOGOUT = 'https://console.example.com/auth/logout';
const UNKNOWN = 'controllerSetting with id nope not found';

describe('settings of controllers', () => {
  let controller: TestController;
  let id: string;
  before(async () => {
    controller = await startTestController();
    id = itemsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/controllers`), 200))[0]?.id ?? '';
  });
  after(() => controller.stop());
  afterEach(async () => {
    for (const one of itemsOf(await controller.admin.get(SETTINGS)))
      expectStatus(await controller.admin.delete(`${SETTINGS}/${one.id}/effective`), 200);
  });

  const create = (controllerId: string, oidc: object = {}) =>
    make(controller, 'controller-settings', { controllerId, oidc });
  const effective = async (of: string) => {
    const { effective: all, instance } = await read<{ effective: object; instance: object }>(
      controller,
      `controller-settings/${of}/effective`,
    );
    return { all, instance };
  };

  it('are for administrators alone', async () => {
    await create('global', { redirectUris: [CONSOLE] });
    const reader = await controller.newCaller({ permissions: ['admin_readonly'] });
    for (const { client } of [await controller.newCaller(), reader]) {
      expectStatus(await client.get(SETTINGS), 401);
      expectStatus(await client.get(`${SETTINGS}/global`), 401);
      expectStatus(await client.get(`${SETTINGS}/global/effective`), 401);
      expectStatus(await client.post(SETTINGS, { controllerId: id }), 401);
      expectStatus(await client.put(`${SETTINGS}/global/effective`, {}), 401);
      expectStatus(await client.patch(`${SETTINGS}/global/effective`, {}), 401);
      expectStatus(await client.delete(`${SETTINGS}/global/effective`), 401);
    }
    expect((await effective('global')).all).to.deep.equal({ oidc: { redirectUris: [CONSOLE] } });
  });

  it('are refused for an unknown controller, without one, and a second time', async () => {
    const { cause } = expectFault(
      await controller.admin.post(SETTINGS, { controllerId: 'nope' }),
      400,
      'INVALID_FIELD',
    );
    expect(cause).to.have.property('message').that.includes('controller not found');
    expectField(
      await controller.admin.post(SETTINGS, { controllerId: '' }),
      'controllerId',
      'controllerId is required',
    );
    expectField(await controller.admin.post(SETTINGS, {}), 'controllerId', 'controllerId in body is required');
    await create('global');
    expectField(
      await controller.admin.post(SETTINGS, { controllerId: 'global' }),
      'controllerId',
      "duplicate value 'global' in unique index on controllerSettings store",
      'global',
    );
  });

  it('take no URI to which a login must not lead, and no more than a hundred', async () => {
    await create('global', { redirectUris: [CONSOLE] });
    const redirectUris = [CONSOLE, 'http://console.example.com/auth/callback'];
    for (const answer of [
      await controller.admin.post(SETTINGS, { controllerId: id, oidc: { redirectUris } }),
      await controller.admin.put(`${SETTINGS}/global/effective`, { oidc: { redirectUris } }),
      await controller.admin.patch(`${SETTINGS}/global/effective`, { oidc: { redirectUris } }),
    ])
      expectField(answer, 'oidc.redirectUris.1', 'must be https, except on a loopback host', redirectUris[1]);
    const many = Array.from({ length: 101 }, (_, index) => `https://example.com/${index}`);
    expectField(
      await controller.admin.patch(`${SETTINGS}/global/effective`, { oidc: { postLogoutUris: many } }),
      'oidc.postLogoutUris',
      /at most 100 items/,
    );
    expect((await effective('global')).all).to.deep.equal({ oidc: { redirectUris: [CONSOLE] } });
  });

  it('are told to be unknown alike by every verb', async () => {
    expectNotFound(await controller.admin.get(`${SETTINGS}/nope`), UNKNOWN);
    expectNotFound(await controller.admin.get(`${SETTINGS}/nope/effective`), UNKNOWN);
    expectNotFound(await controller.admin.put(`${SETTINGS}/nope/effective`, {}), UNKNOWN);
    expectNotFound(await controller.admin.patch(`${SETTINGS}/nope/effective`, { tags: {} }), UNKNOWN);
    expectNotFound(await controller.admin.delete(`${SETTINGS}/nope/effective`), UNKNOWN);
    expectNotFound(await controller.admin.get(`${SETTINGS}/global/effective`), UNKNOWN.replace('nope', 'global'));
  });

  it('have the id of their controller, and show what is set', async () => {
    const answer = expectStatus(
      await controller.admin.post(SETTINGS, { controllerId: id, oidc: { redirectUris: [CONSOLE, CONSOLE] } }),
      201,
    );
    expect(answer.data).to.deep.equal({ _links: { self: { href: `./controller-settings/${id}` } }, id });
    const made = await read(controller, `controller-settings/${id}`);
    expect(made['oidc']).to.deep.equal({ redirectUris: [CONSOLE] });
    expect(made).to.include({ id, createdAt: made.updatedAt });
    const list = expectStatus(await controller.admin.get(`${SETTINGS}?filter=controllerId="${id}"`), 200);
    expect(itemsOf(list)).to.deep.equal([made]);
    expect(totalOf(list)).to.equal(1);
  });

  it('hold for their controller before those of all, list by list', async () => {
    expect(await effective(id)).to.deep.equal({ all: { oidc: {} }, instance: { oidc: {} } });
    await create('global', { redirectUris: [CONSOLE], postLogoutUris: [LOGOUT] });
    expect(await effective(id)).to.deep.equal({
      all: { oidc: { redirectUris: [CONSOLE], postLogoutUris: [LOGOUT] } },
      instance: { oidc: {} },
    });
    await create(id, { redirectUris: [LOOPBACK] });
    expect(await effective(id)).to.deep.equal({
      all: { oidc: { redirectUris: [LOOPBACK], postLogoutUris: [LOGOUT] } },
      instance: { oidc: { redirectUris: [LOOPBACK] } },
    });
    expectStatus(await controller.admin.delete(`${SETTINGS}/${id}/effective`), 200);
    expect((await effective(id)).all).to.deep.equal({ oidc: { redirectUris: [CONSOLE], postLogoutUris: [LOGOUT] } });
  });

  it('keep with PATCH what is not given, and lose it with PUT', async () => {
    await create('global', { redirectUris: [CONSOLE], postLogoutUris: [LOGOUT] });
    const path = `${SETTINGS}/global/effective`;
    expectStatus(await controller.admin.patch(path, { oidc: { redirectUris: null }, tags: { a: 1 } }), 200);
    const patched = await read(controller, 'controller-settings/global');
    expect([patched['oidc'], patched.tags]).to.deep.equal([
      { redirectUris: [CONSOLE], postLogoutUris: [LOGOUT] },
      { a: 1 },
    ]);
    expectStatus(await controller.admin.patch(path, { oidc: { redirectUris: [] } }), 200);
    expect((await effective('global')).all).to.deep.equal({ oidc: { redirectUris: [], postLogoutUris: [LOGOUT] } });
    expectStatus(await controller.admin.put(path, { oidc: { redirectUris: [LOOPBACK] } }), 200);
    const replaced = await read(controller, 'controller-settings/global');
    expect([replaced['oidc'], replaced.tags]).to.deep.equal([{ redirectUris: [LOOPBACK] }, {}]);
  });

  it('are those of the network: another controller answers the same, and has settings of its own', async () => {
    await create('global', { redirectUris: [CONSOLE] });
    const env = { EDGE_NAME: 'second', EDGE_DATA_DIR: controller.dataDir, EDGE_MASTER_KEY: '' };
    const second = await startLogged(controller.database, env);
    try {
      const client = await second.login();
      const controllers = itemsOf(expectStatus(await client.get(`${MANAGEMENT}/controllers`), 200));
      const other = controllers.find((one) => one['name'] === 'second')?.id ?? '';
      expectStatus(await client.post(SETTINGS, { controllerId: other, oidc: { redirectUris: [LOOPBACK] } }), 201);
      expect((await effective(other)).all).to.deep.equal({ oidc: { redirectUris: [LOOPBACK] } });
      expect((await effective(id)).all).to.deep.equal({ oidc: { redirectUris: [CONSOLE] } });
    } finally {
      await second.stop();
    }
  });
});
