/** What a caller reads and changes of itself. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { Caller, TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

for (const [api, base] of [
  ['client', CLIENT],
  ['management', MANAGEMENT],
] as const) {
  describe(`the own identity on the ${api} API`, () => {
    const PATH = `${base}/current-identity`;
    let controller: TestController;
    let caller: Caller;
    let other: Caller;
    let own: string;
    let foreign: string;
    before(async () => {
      controller = await startTestController();
    });
    after(() => controller.stop());
    beforeEach(async () => {
      [caller, other] = [await controller.newCaller(), await controller.newCaller()];
      own = idsOf(await caller.client.get(`${PATH}/authenticators`))[0] ?? '';
      foreign = idsOf(await other.client.get(`${PATH}/authenticators`))[0] ?? '';
    });

    const login = async (username: string, password: string) =>
      controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });

    it('is the one behind the session', async () => {
      const item = entityOf(expectStatus(await caller.client.get(PATH), 200));
      expect(item).to.include({ id: caller.id, name: caller.name, isAdmin: false });
      expect(linksOf(item)).to.deep.equal({ self: './current-identity', mfa: './current-identity/mfa' });
      expectStatus(await controller.anonymous.get(PATH), 401);
    });

    it('has its own authenticators and no other', async () => {
      const [item, ...more] = itemsOf(expectStatus(await caller.client.get(`${PATH}/authenticators?limit=500`), 200));
      expect(more).to.have.length(0);
      expect(item).to.include({ method: 'updb', username: caller.username, identityId: caller.id });
      expect(linksOf(item ?? { id: '', createdAt: '', updatedAt: '', tags: {}, _links: {} })).to.deep.equal({
        self: `./current-identity/authenticators/${own}`,
      });
      expect(entityOf(await caller.client.get(`${PATH}/authenticators/${own}`))).to.deep.equal(item);
      expect(
        idsOf(await caller.client.get(`${PATH}/authenticators?filter=true%20or%20identity%3D%22${other.id}%22`)),
      ).to.deep.equal([own]);
    });

    it('changes username and password with the present one', async () => {
      const username = unique('renamed');
      expectStatus(
        await caller.client.put(`${PATH}/authenticators/${own}`, {
          username,
          password: 'a new password',
          currentPassword: caller.password,
        }),
        200,
      );
      expectStatus(await login(caller.username, caller.password), 403);
      expectStatus(await login(username, 'a new password'), 200);
      expectStatus(
        await caller.client.patch(`${PATH}/authenticators/${own}`, {
          password: 'an even newer one',
          currentPassword: 'a new password',
        }),
        200,
      );
      expectStatus(await login(username, 'an even newer one'), 200);
      expectStatus(
        await caller.client.patch(`${PATH}/authenticators/${own}`, { currentPassword: 'an even newer one' }),
        200,
      );
      expectStatus(await login(username, 'an even newer one'), 200);
    });

    it('changes nothing without the present password', async () => {
      for (const answer of [
        await caller.client.put(`${PATH}/authenticators/${own}`, {
          username: caller.username,
          password: 'a new password',
          currentPassword: 'wrong password',
        }),
        await caller.client.patch(`${PATH}/authenticators/${own}`, {
          password: 'a new password',
          currentPassword: 'wrong password',
        }),
      ]) {
        expectStatus(answer, 401);
        expect(answer.error?.code).to.equal('UNAUTHORIZED');
        expect(answer.error?.cause).to.include({ field: 'currentPassword', reason: 'invalid current password' });
        expect(answer.text).to.not.include('wrong password');
      }
      expectField(
        await caller.client.patch(`${PATH}/authenticators/${own}`, { password: 'a new password' }),
        'currentPassword',
        'currentPassword in body is required',
      );
      expectField(
        await caller.client.put(`${PATH}/authenticators/${own}`, {
          username: caller.username,
          password: 'a new password',
        }),
        'currentPassword',
        'currentPassword in body is required',
      );
      expectStatus(await login(caller.username, caller.password), 200);
    });

    it("does not know another's authenticator, even with its password", async () => {
      const body = { username: unique('stolen'), password: 'a new password', currentPassword: other.password };
      const message = `authenticator with id ${foreign} not found`;
      expectNotFound(await caller.client.get(`${PATH}/authenticators/${foreign}`), message);
      expectNotFound(await caller.client.put(`${PATH}/authenticators/${foreign}`, body), message);
      expectNotFound(await caller.client.patch(`${PATH}/authenticators/${foreign}`, body), message);
      expectStatus(await caller.client.delete(`${PATH}/authenticators/${own}`), 405);
      expectStatus(await login(other.username, other.password), 200);
    });

    it('cannot take a username that another has', async () => {
      const changes = [
        { username: other.username, currentPassword: caller.password },
        { username: other.username, password: caller.password, currentPassword: caller.password },
      ] as const;
      for (const answer of [
        await caller.client.patch(`${PATH}/authenticators/${own}`, changes[0]),
        await caller.client.put(`${PATH}/authenticators/${own}`, changes[1]),
      ]) {
        expectField(answer, 'updbUsername', 'not available', '');
        expect(answer.error?.code).to.equal('COULD_NOT_VALIDATE');
        expect(answer.text).not.to.include(other.username);
      }
      expectStatus(await login(caller.username, caller.password), 200);
    });
  });
}
