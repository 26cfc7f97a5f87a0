/** Identities in use: services they host, disabling, deleting, and what the default administrator is safe from. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { itemsOf, make, read, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { makeIdentity, makeService, makeServicePolicy } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/identities`;
const identity = (name: string) => ({ name, type: 'User', isAdmin: false }) as const;

describe('identities in use', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}, name = unique('identity')) =>
    makeIdentity(controller, { ...identity(name), ...extra });
  const detail = async (id: string) => read(controller, `identities/${id}`);
  const patch = async (id: string, changes: object) => controller.admin.patch(`${PATH}/${id}`, changes);
  const defaultAdmin = async () =>
    itemsOf(await controller.admin.get(`${PATH}?filter=isDefaultAdmin=true`))[0] as Entity;

  describe('hosting of services', () => {
    const hosting = async (id: string) => {
      const { serviceHostingCosts, serviceHostingPrecedences } = await detail(id);
      return { serviceHostingCosts, serviceHostingPrecedences };
    };

    it('keeps costs and precedences by service; PATCH replaces one map and leaves the other', async () => {
      const [a, b] = [await makeService(controller), await makeService(controller)];
      const id = await create({
        serviceHostingCosts: { [a]: 7 },
        serviceHostingPrecedences: { [a]: 'required', [b]: 'failed' },
      });
      expect(await hosting(id)).to.deep.equal({
        serviceHostingCosts: { [a]: 7 },
        serviceHostingPrecedences: { [a]: 'required', [b]: 'failed' },
      });
      const { updatedAt } = await detail(id);
      expectStatus(await patch(id, { serviceHostingCosts: { [b]: 9 } }), 200);
      expect(await hosting(id)).to.deep.equal({
        serviceHostingCosts: { [b]: 9 },
        serviceHostingPrecedences: { [a]: 'required', [b]: 'failed' },
      });
      expect((await detail(id)).updatedAt > updatedAt, 'updatedAt rises').to.equal(true);
      expectStatus(await patch(id, { serviceHostingPrecedences: {} }), 200);
      expect(await hosting(id)).to.deep.equal({ serviceHostingCosts: { [b]: 9 }, serviceHostingPrecedences: {} });
    });

    it('forgets both maps with a PUT that lacks them, and a service with its deletion', async () => {
      const [a, b] = [await makeService(controller), await makeService(controller)];
      const name = unique('identity');
      const id = await create({ serviceHostingCosts: { [a]: 7, [b]: 8 } }, name);
      expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${a}`), 200);
      expect(await hosting(id)).to.deep.equal({ serviceHostingCosts: { [b]: 8 }, serviceHostingPrecedences: {} });
      expectStatus(await controller.admin.put(`${PATH}/${id}`, identity(name)), 200);
      expect(await hosting(id)).to.deep.equal({ serviceHostingCosts: {}, serviceHostingPrecedences: {} });
    });

    it('refuses an unknown service, and then changes nothing at all', async () => {
      const a = await makeService(controller);
      const name = unique('identity');
      const id = await create({ serviceHostingCosts: { [a]: 7 } }, name);
      expectNotFound(
        await controller.admin.post(PATH, { ...identity(unique('x')), serviceHostingCosts: { nope: 1 } }),
        'services with id nope not found',
      );
      expectNotFound(
        await patch(id, { name: 'changed', serviceHostingPrecedences: { nope: 'failed' } }),
        'services with id nope not found',
      );
      expect(await detail(id)).to.deep.include({
        name,
        serviceHostingCosts: { [a]: 7 },
        serviceHostingPrecedences: {},
      });
      expectField(
        await patch(id, { serviceHostingCosts: { [a]: 70000 } }),
        `serviceHostingCosts.${a}`,
        /less than or equal to 65535/,
      );
      expectField(
        await patch(id, { serviceHostingPrecedences: { [a]: 'first' } }),
        `serviceHostingPrecedences.${a}`,
        /one of \[default required failed\]/,
      );
    });

    it('loses neither of two maps that are patched at the same time', async () => {
      const a = await makeService(controller);
      const id = await create();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => [
          patch(id, { serviceHostingCosts: { [a]: i } }),
          patch(id, { serviceHostingPrecedences: { [a]: 'failed' } }),
        ]).flat(),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
      const { serviceHostingCosts, serviceHostingPrecedences } = await hosting(id);
      expect(serviceHostingCosts).to.have.property(a);
      expect(serviceHostingPrecedences).to.deep.equal({ [a]: 'failed' });
    });
  });

  describe('the default administrator', () => {
    it('cannot be deleted', async () => {
      const { id } = await defaultAdmin();
      const answer = expectStatus(await controller.admin.delete(`${PATH}/${id}`), 400);
      expect(answer.error).to.include({ code: 'ENTITY_CAN_NOT_BE_DELETED' });
      expect(answer.error).to.not.have.property('cause');
      await detail(id);
    });

    it('cannot be demoted', async () => {
      const { id, name } = await defaultAdmin();
      const answer = expectStatus(await patch(id, { isAdmin: false }), 400);
      expect(answer.error).to.include({ code: 'ENTITY_CAN_NOT_BE_UPDATED' });
      expect(await detail(id)).to.deep.include({ isAdmin: true, isDefaultAdmin: true, name });
    });
  });

  describe('disabling', () => {
    it('ends sessions at once, refuses logins, and is over when enabled', async () => {
      const caller = await controller.newCaller();
      expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 200);
      expectStatus(await controller.admin.post(`${PATH}/${caller.id}/disable`, { durationMinutes: 0 }), 200);
      expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 401);
      const disabled = await detail(caller.id);
      expect(disabled).to.deep.include({ disabled: true, disabledUntil: null, hasApiSession: false });
      expect(disabled['disabledAt']).to.be.a('string');
      const credentials = { username: caller.username, password: caller.password };
      expectStatus(await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, credentials), 403);
      expectStatus(await controller.admin.post(`${PATH}/${caller.id}/enable`), 200);
      expect(await detail(caller.id))
        .to.include({ disabled: false })
        .and.to.not.have.any.keys('disabledAt', 'disabledUntil');
      await controller.login(caller.username, caller.password);
      expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 401);
    });

    it('lasts as many minutes as asked, and is over by itself', async () => {
      const caller = await controller.newCaller();
      expectStatus(await controller.admin.post(`${PATH}/${caller.id}/disable`, { durationMinutes: 90 }), 200);
      const { disabledAt, disabledUntil } = await detail(caller.id);
      expect(Date.parse(disabledUntil as string) - Date.parse(disabledAt as string)).to.equal(90 * 60_000);
      await controller.database.query(
        `UPDATE identities SET disabled_at = now() - interval '2 minutes',
          disabled_until = now() - interval '1 minute' WHERE id = $1`,
        [caller.id],
      );
      expect((await detail(caller.id))['disabled']).to.equal(false);
      await controller.login(caller.username, caller.password);
    });

    it('takes 0, less, and more minutes than a calendar has', async () => {
      const id = await create();
      for (const [durationMinutes, isForever] of [
        [-5, true],
        [-Number.MAX_SAFE_INTEGER, true],
        [Number.MAX_SAFE_INTEGER, false],
        [0, true],
      ] as const) {
        expectStatus(await controller.admin.post(`${PATH}/${id}/disable`, { durationMinutes }), 200);
        const item = await detail(id);
        expect(item['disabled']).to.equal(true);
        expect(item['disabledUntil'] === null, `${durationMinutes}`).to.equal(isForever);
      }
      const beyond = await controller.admin.post(`${PATH}/${id}/disable`, { durationMinutes: -1e30 });
      expectField(beyond, 'durationMinutes', /must be|greater|between/);
      expectField(
        await controller.admin.post(`${PATH}/${id}/disable`, {}),
        'durationMinutes',
        'durationMinutes in body is required',
      );
    });

    it('knows no unknown identity', async () => {
      expectNotFound(
        await controller.admin.post(`${PATH}/nope/disable`, { durationMinutes: 1 }),
        'identity with id nope not found',
      );
      expectNotFound(await controller.admin.post(`${PATH}/nope/enable`), 'identity with id nope not found');
    });
  });

  describe('deleting', () => {
    it('takes authenticators, enrollments and sessions along, and refuses the token at once', async () => {
      const caller = await controller.newCaller();
      await make(controller, 'enrollments', {
        method: 'ott',
        identityId: caller.id,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      });
      const totals = async () =>
        Promise.all(
          ['authenticators', 'enrollments', 'api-sessions'].map(async (collection) =>
            totalOf(await controller.admin.get(`${MANAGEMENT}/${collection}?limit=1`)),
          ),
        );
      const before = await totals();
      expectStatus(await controller.admin.delete(`${PATH}/${caller.id}`), 200);
      expectStatus(await caller.client.get(`${CLIENT}/current-identity`), 401);
      expect(await totals()).to.deep.equal(before.map((total) => total - 1));
      expect(
        totalOf(await controller.admin.get(`${MANAGEMENT}/authenticators?filter=identity%3D%22${caller.id}%22`)),
      ).to.equal(0);
      const { rows } = await controller.database.query('SELECT FROM authenticators WHERE username = $1', [
        caller.username,
      ]);
      expect(rows).to.have.length(0);
    });

    it('takes its @id out of every policy', async () => {
      const [gone, stays] = [await create(), await create()];
      const policy = await makeServicePolicy(controller, { identityRoles: [`@${gone}`, `@${stays}`, '#x'] });
      expectStatus(await controller.admin.delete(`${PATH}/${gone}`), 200);
      expect((await read(controller, `service-policies/${policy}`))['identityRoles']).to.deep.equal([
        '#x',
        `@${stays}`,
      ]);
    });
  });
});
