// Auth policies over HTTPS: the resource itself, and what a policy does to logins and to sessions that are open.
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { itemsOf, make, read } from '../support/entities.js';
import { expectFault, expectField, expectLoginRefused, expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';
import { makeSigner } from '../support/tokens.js';

const POLICIES = `${MANAGEMENT}/auth-policies`;
const LOGIN = '/edge/client/v1/authenticate?method=password';

const updb = {
  allowed: true,
  lockoutDurationMinutes: 0,
  maxAttempts: 0,
  minPasswordLength: 5,
  requireMixedCase: false,
  requireNumberChar: false,
  requireSpecialChar: false,
};
const settings = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] as string[] },
    updb,
  },
  secondary: { requireTotp: false },
};
const withUpdb = (changes: Partial<typeof updb>) => ({
  ...settings,
  primary: { ...settings.primary, updb: { ...updb, ...changes } },
});

describe('auth policies', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const create = async (extra: object = {}) =>
    make(controller, 'auth-policies', { name: unique('policy'), ...settings, ...extra });
  const patch = async (id: string, changes: object) =>
    expectStatus(await controller.admin.patch(`${POLICIES}/${id}`, changes), 200);
  const setPolicy = async (identity: string, authPolicyId: string) =>
    expectStatus(await controller.admin.patch(`${MANAGEMENT}/identities/${identity}`, { authPolicyId }), 200);
  const login = (username: string, password: string) => controller.anonymous.post(LOGIN, { username, password });

  behavesLikeAnyResource({
    collection: 'auth-policies',
    singular: 'authPolicy',
    controller: () => controller,
    body: (name) => ({ name, ...settings }),
  });

  describe('as a resource', () => {
    it('has the built-in policy from the start, which nothing deletes', async () => {
      const policy = await read(controller, 'auth-policies/default');
      expect(policy['name']).to.equal('Default');
      expect(policy['primary']).to.deep.equal({
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [] },
        updb,
      });
      expect(policy['secondary']).to.deep.equal({ requireTotp: false, requireExtJwtSigner: null });
      const refused = expectStatus(await controller.admin.delete(`${POLICIES}/default`), 409);
      expect(refused.error?.code).to.equal('CAN_NOT_DELETE_REFERENCED_ENTITY');
    });

    it('reads back what was given, a short least length of passwords raised to 5', async () => {
      const given = withUpdb({
        minPasswordLength: 1,
        maxAttempts: 3,
        lockoutDurationMinutes: 7,
        requireNumberChar: true,
      });
      const policy = await read(controller, `auth-policies/${await create(given)}`);
      expect(policy['primary']).to.deep.equal({
        ...given.primary,
        updb: { ...given.primary.updb, minPasswordLength: 5 },
      });
    });

    it('reads negative numbers as the least that means something', async () => {
      const negative = { minPasswordLength: -1, maxAttempts: -2, lockoutDurationMinutes: -2_147_483_648 };
      const least = { minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 };
      const id = await create(withUpdb(negative));
      const shown = async () => (await read<typeof settings>(controller, `auth-policies/${id}`)).primary.updb;
      expect(await shown()).to.include(least);
      await patch(id, { primary: { updb: { minPasswordLength: 9, maxAttempts: 9, lockoutDurationMinutes: 9 } } });
      await patch(id, { primary: { updb: negative } });
      expect(await shown()).to.include(least);
    });

    it('shows the number that is refused as the least length of passwords', async () => {
      const body = { name: unique('policy'), ...withUpdb({ minPasswordLength: 2_147_483_648 }) };
      const field = 'primary.updb.minPasswordLength';
      const reason = `${field} in body should be less than or equal to 2147483647`;
      expectField(await controller.admin.post(POLICIES, body), field, reason, '2147483648');
    });

    it('changes one setting with a PATCH and leaves its neighbours', async () => {
      const id = await create(withUpdb({ maxAttempts: 3 }));
      await patch(id, { primary: { updb: { minPasswordLength: 9, maxAttempts: null } }, secondary: null });
      const { primary, secondary } = await read<typeof settings>(controller, `auth-policies/${id}`);
      expect(primary.updb).to.deep.equal({ ...updb, maxAttempts: 3, minPasswordLength: 9 });
      expect(primary.cert).to.deep.equal(settings.primary.cert);
      expect(secondary).to.deep.equal({ requireTotp: false, requireExtJwtSigner: null });
    });

    for (const path of ['primary', 'primary.cert', 'primary.updb.maxAttempts', 'secondary.requireTotp']) {
      it(`is refused without ${path}`, async () => {
        const body = structuredClone({ name: unique('policy'), ...settings }) as Record<string, unknown>;
        const keys = path.split('.');
        const last = keys.pop() ?? '';
        const holder = keys.reduce((part, key) => part[key] as Record<string, unknown>, body);
        Reflect.deleteProperty(holder, last);
        expectField(await controller.admin.post(POLICIES, body), path, `${path} in body is required`);
      });
    }

    it('is refused with an allowed signer that does not exist', async () => {
      const body = { name: unique('policy'), ...settings };
      const allowed = { ...body, primary: { ...body.primary, extJwt: { allowed: true, allowedSigners: ['nope'] } } };
      expectStatus(await controller.admin.post(POLICIES, allowed), 404);
    });

    it('is refused with a required signer that does not exist', async () => {
      const id = await create();
      const secondary = { requireTotp: false, requireExtJwtSigner: 'nope' };
      const body = { name: unique('policy'), ...settings, secondary };
      for (const answer of [
        await controller.admin.post(POLICIES, body),
        await controller.admin.put(`${POLICIES}/${id}`, body),
        await controller.admin.patch(`${POLICIES}/${id}`, { secondary }),
      ]) {
        const { cause } = expectFault(answer, 404, 'NOT_FOUND');
        expect(cause).to.include({ field: 'secondary.requiredExtJwtSigner', reason: 'not found', value: 'nope' });
      }
    });

    it('requires a signer until it is set to another, or to none', async () => {
      const [first, second] = [await makeSigner(controller.admin), await makeSigner(controller.admin)];
      const id = await create({ secondary: { requireTotp: true, requireExtJwtSigner: first.id } });
      const required = async () => (await read(controller, `auth-policies/${id}`))['secondary'];
      expect(await required()).to.deep.equal({ requireTotp: true, requireExtJwtSigner: first.id });
      await patch(id, { secondary: { requireExtJwtSigner: null, requireTotp: false } });
      expect(await required()).to.deep.equal({ requireTotp: false, requireExtJwtSigner: first.id });
      await patch(id, { secondary: { requireExtJwtSigner: second.id } });
      expect(await required()).to.deep.equal({ requireTotp: false, requireExtJwtSigner: second.id });
      await patch(id, { secondary: { requireExtJwtSigner: '' } });
      expect(await required()).to.deep.equal({ requireTotp: false, requireExtJwtSigner: null });
    });

    it('is not deleted while an identity has it, and the answer names that identity', async () => {
      const id = await create();
      const { id: identity } = await controller.newCaller();
      await setPolicy(identity, id);
      const { error } = expectStatus(await controller.admin.delete(`${POLICIES}/${id}`), 409);
      expect(error?.cause?.['field']).to.equal('authPolicyId');
      const reason = `entity type authPolicy referenced by identity: [${identity}]. It is used by `;
      expect(error?.cause?.['reason']).to.contain(reason);
      await setPolicy(identity, '');
      expectStatus(await controller.admin.delete(`${POLICIES}/${id}`), 200);
    });

    it('is found by every setting that filters offer', async () => {
      const id = await create(withUpdb({ maxAttempts: 77, requireSpecialChar: true }));
      const filter =
        'primary.updb.maxAttempts = 77 and primary.updb.requireSpecialChar = true and primary.cert.allowed = true';
      const found = await controller.admin.get(`${POLICIES}?filter=${encodeURIComponent(filter)}`);
      expect(itemsOf(expectStatus(found, 200)).map((item) => item.id)).to.deep.equal([id]);
    });

    it('is 404 for an identity that asks for one that does not exist', async () => {
      const body = { name: unique('who'), type: 'User', isAdmin: false, authPolicyId: 'nope' };
      expectNotFound(
        await controller.admin.post(`${MANAGEMENT}/identities`, body),
        'authPolicy with id nope not found',
      );
    });
  });

  describe('at a login', () => {
    it('refuses passwords where it does not allow them, in the words of a wrong one', async () => {
      const caller = await controller.newCaller();
      await setPolicy(caller.id, await create(withUpdb({ allowed: false })));
      expectLoginRefused(await login(caller.username, caller.password));
    });

    it('locks the identity at the last allowed attempt; a right password before that starts over', async () => {
      const caller = await controller.newCaller();
      await setPolicy(caller.id, await create(withUpdb({ maxAttempts: 3 })));
      for (const wrong of ['wrong-1', 'wrong-2']) expectLoginRefused(await login(caller.username, wrong));
      expectStatus(await login(caller.username, caller.password), 200);
      for (const wrong of ['wrong-1', 'wrong-2']) expectLoginRefused(await login(caller.username, wrong));
      expectStatus(await login(caller.username, caller.password), 200);
      for (const wrong of ['wrong-1', 'wrong-2', 'wrong-3']) expectLoginRefused(await login(caller.username, wrong));
      expectLoginRefused(await login(caller.username, caller.password));
      expect((await read(controller, `identities/${caller.id}`))['disabled']).to.equal(true);
      expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${caller.id}/enable`), 200);
      expectStatus(await login(caller.username, caller.password), 200);
    });

    it('lets no parallel guess through beyond the allowed attempts', async () => {
      const caller = await controller.newCaller();
      await setPolicy(caller.id, await create(withUpdb({ maxAttempts: 3 })));
      const guesses = Array.from({ length: 12 }, (_, index) => login(caller.username, `wrong-${index}`));
      for (const answer of await Promise.all(guesses)) expectLoginRefused(answer);
      expectLoginRefused(await login(caller.username, caller.password));
    });
  });

  describe('for open sessions', () => {
    it('ends those made in a way that it no longer allows, at the next request', async () => {
      const caller = await controller.newCaller();
      const id = await create();
      await setPolicy(caller.id, id);
      expectStatus(await caller.client.get('/edge/client/v1/current-identity'), 200);
      await patch(id, { primary: { updb: { allowed: false } } });
      expectStatus(await caller.client.get('/edge/client/v1/current-identity'), 401);
    });

    it('ends them when the identity gets another policy', async () => {
      const caller = await controller.newCaller();
      expectStatus(await caller.client.get('/edge/client/v1/current-identity'), 200);
      await setPolicy(caller.id, await create(withUpdb({ allowed: false })));
      expectStatus(await caller.client.get('/edge/client/v1/current-identity'), 401);
    });

    it('keeps those made in a way that it still allows', async () => {
      const caller = await controller.newCaller();
      const id = await create();
      await setPolicy(caller.id, id);
      await patch(id, { primary: { cert: { allowed: false }, extJwt: { allowed: false } } });
      expectStatus(await caller.client.get('/edge/client/v1/current-identity'), 200);
    });
  });

  describe('for administrators', () => {
    it('cannot forbid the last way in that any of them has', async () => {
      const { error } = expectStatus(
        await controller.admin.patch(`${POLICIES}/default`, { primary: { updb: { allowed: false } } }),
        400,
      );
      expect(error?.code).to.equal('ENTITY_CAN_NOT_BE_UPDATED');
      expect((await read<typeof settings>(controller, 'auth-policies/default')).primary.updb.allowed).to.equal(true);
    });
  });

  describe('for passwords', () => {
    const rules = withUpdb({ minPasswordLength: 8, requireMixedCase: true, requireNumberChar: true });

    it('refuses one that breaks its rules wherever a password is set', async () => {
      const caller = await controller.newCaller();
      await setPolicy(caller.id, await create(rules));
      const own = `${MANAGEMENT}/current-identity/authenticators`;
      const [authenticator] = itemsOf(expectStatus(await caller.client.get(own), 200));
      const change = { currentPassword: caller.password, password: 'alllowercase', username: caller.username };
      expectStatus(await caller.client.put(`${own}/${authenticator?.id}`, change), 400);
      const byAdmin = `${MANAGEMENT}/authenticators/${authenticator?.id}`;
      expectStatus(await controller.admin.patch(byAdmin, { password: 'Short1' }), 400);
      expectStatus(await controller.admin.patch(byAdmin, { password: 'Longer-enough-1' }), 200);
    });
  });
});
