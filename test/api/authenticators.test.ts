/**
 * Authenticators with passwords: made, changed and removed by administrators, and the rules for passwords. Against a
 * whole controller.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { entityOf, idsOf, itemsOf, linksOf, make, read, totalOf } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const PATH = `${MANAGEMENT}/authenticators`;
const PASSWORD = 'pass word 1';

describe('authenticators', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const identity = async (extra: object = {}) => makeIdentity(controller, extra);
  const create = async (identityId: string, extra: object = {}) =>
    make(controller, 'authenticators', {
      method: 'updb',
      identityId,
      username: unique('user'),
      password: PASSWORD,
      ...extra,
    });
  const post = async (body: object) =>
    controller.admin.post(PATH, { method: 'updb', username: unique('user'), password: PASSWORD, ...body });
  const login = async (username: string, password: string) =>
    controller.anonymous.post(`${CLIENT}/authenticate?method=password`, { username, password });
  const detail = async (id: string) => read(controller, `authenticators/${id}`);
  const authenticatorOf = async (identityId: string) =>
    itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`))[0]?.id ?? '';

  it('reads back all but the password', async () => {
    const name = unique('identity');
    const identityId = await identity({ name });
    const username = unique('user');
    const answer = expectStatus(await post({ identityId, username, tags: { a: 1, nested: {} } }), 201);
    const { id } = entityOf(answer);
    expect(answer.headers.location).to.equal(`${PATH}/${id}`);
    const { createdAt, updatedAt, _links, identity: reference, ...rest } = await detail(id);
    expect(rest).to.deep.equal({ id, identityId, method: 'updb', tags: { a: 1 }, username });
    expect(reference).to.include({ entity: 'identities', id: identityId, name });
    expect(createdAt).to.equal(updatedAt);
    expect(linksOf(await detail(id))).to.deep.equal({
      self: `./authenticators/${id}`,
      identities: `./identities/${identityId}`,
    });
    const list = await controller.admin.get(`${PATH}?filter=updbUsername%3D%22${username}%22`);
    expect(idsOf(list)).to.deep.equal([id]);
    expect(list.text).to.not.match(/argon2|password/i);
    expect(list.meta.filterableFields)
      .to.include('updbUsername')
      .and.to.not.include.any.members(['updbPassword', 'updbSalt']);
    expect(_links).to.be.an('object');
  });

  it('refuses what cannot log in', async () => {
    const identityId = await identity();
    expectField(
      await post({ identityId, method: 'magic' }),
      'method',
      'method in body should be one of [updb cert]',
      'magic',
    );
    expectNotFound(await post({ identityId: 'nope' }), 'identity with id nope not found');
    expectField(await post({ identityId, password: null }), 'password', 'password is required');
    expectField(await post({ identityId, password: '' }), 'password', 'password is required');
    expectField(await post({ identityId, username: '' }), 'username', /required/);
    expectField(
      await post({ identityId, username: 'abc' }),
      'username',
      'username in body should be at least 4 chars long',
      'abc',
    );
    expectField(
      await post({ identityId, username: 'a'.repeat(101) }),
      'username',
      'username in body should be at most 100 chars long',
    );
    for (const password of ['four', 'x'.repeat(101)]) {
      const answer = await post({ identityId, password });
      expectField(answer, 'password', /.+/);
      expect(answer.text).to.not.include(password);
    }
    expectField(
      await controller.admin.post(PATH, { method: 'updb', username: 'user', password: PASSWORD }),
      'identityId',
      'identityId in body is required',
    );
    expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/authenticators`))).to.equal(0);
  });

  it('gives an identity one with a password, and a username to one identity', async () => {
    const [first, second] = [await identity(), await identity()];
    const username = unique('user');
    await create(first, { username });
    const limit = expectStatus(await post({ identityId: first }), 409);
    expect(limit.error?.code).to.equal('MAX_AUTHENTICATOR_METHODS_REACHED');
    expect(limit.error).to.not.have.property('cause');
    const reason = `duplicate value '${username}' in unique index on authenticators store`;
    expectField(await post({ identityId: second, username }), 'updbUsername', reason, username);
    const id = await create(second);
    expectField(await controller.admin.patch(`${PATH}/${id}`, { username }), 'updbUsername', reason, username);
    expectField(
      await controller.admin.put(`${PATH}/${id}`, { username, password: PASSWORD }),
      'updbUsername',
      reason,
      username,
    );
  });

  it('refuses usernames that look like another one, wherever they are set', async () => {
    const [holder, other] = [await identity(), await identity()];
    const id = await create(holder);
    const caller = await controller.newCaller();
    const { data } = await caller.client.get(`${CLIENT}/current-identity/authenticators`);
    const own = `${CLIENT}/current-identity/authenticators/${(data as { id: string }[])[0]?.id ?? ''}`;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    for (const username of ['low-user ', 'low-user\u200b', ' low-user', 'low-use\u0301r', 'low\tuser']) {
      expectField(await post({ identityId: other, username }), 'username', /invisible|white space|NFC/, username);
      expectField(
        await controller.admin.patch(`${PATH}/${id}`, { username }),
        'username',
        /invisible|white space|NFC/,
        username,
      );
      expectField(
        await controller.admin.put(`${PATH}/${id}`, { username, password: PASSWORD }),
        'username',
        /invisible|white space|NFC/,
        username,
      );
      expectField(
        await caller.client.patch(own, { username, currentPassword: caller.password }),
        'username',
        /invisible|white space|NFC/,
        username,
      );
      expectField(
        await controller.admin.post(`${MANAGEMENT}/enrollments`, {
          method: 'updb',
          identityId: other,
          username,
          expiresAt,
        }),
        'username',
        /invisible|white space|NFC/,
        username,
      );
      const body = { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { updb: username } };
      expectField(
        await controller.admin.post(`${MANAGEMENT}/identities`, body),
        'enrollment.updb',
        /invisible|white space|NFC/,
        username,
      );
    }
    expectStatus(
      await caller.client.patch(own, { username: 'Ἀθηνᾶ 山田 ｌｏｗ', currentPassword: caller.password }),
      200,
    );
  });

  it('keeps a username of before that would be refused now', async () => {
    const username = `${unique('user')} `;
    const id = await create(await identity());
    await controller.database.query('UPDATE authenticators SET username = $2 WHERE id = $1', [id, username]);
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { username, password: 'another password' }), 200);
    expectStatus(
      await controller.anonymous.post(`${CLIENT}/authenticate?method=password`, {
        username,
        password: 'another password',
      }),
      200,
    );
  });

  it('gives exactly one of twenty that are asked for at once', async () => {
    const identityId = await identity();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ identityId })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('logs in with what PUT and PATCH set', async () => {
    const caller = await controller.newCaller();
    const id = await authenticatorOf(caller.id);
    const { updatedAt } = await detail(id);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { password: 'another one' }), 200);
    expect((await detail(id)).updatedAt > updatedAt).to.equal(true);
    expectStatus(await login(caller.username, caller.password), 403);
    expectStatus(await login(caller.username, 'another one'), 200);
    const username = unique('renamed');
    expectStatus(await controller.admin.put(`${PATH}/${id}`, { username, password: 'a third one' }), 200);
    expectStatus(await login(caller.username, 'a third one'), 403);
    expectStatus(await login(username, 'a third one'), 200);
  });

  it('keeps what a PATCH does not supply', async () => {
    const caller = await controller.newCaller();
    const id = await authenticatorOf(caller.id);
    const before = await detail(id);
    for (const body of [{}, { username: null, password: null, tags: null }])
      expectStatus(await controller.admin.patch(`${PATH}/${id}`, body), 200);
    expect(await detail(id)).to.deep.equal(before);
    expectStatus(await controller.admin.patch(`${PATH}/${id}`, { tags: { a: 1 } }), 200);
    expect((await detail(id)).tags).to.deep.equal({ a: 1 });
    expectStatus(await login(caller.username, caller.password), 200);
    expectField(
      await controller.admin.put(`${PATH}/${id}`, { username: caller.username }),
      'password',
      'password in body is required',
    );
    expectField(
      await controller.admin.put(`${PATH}/${id}`, { password: PASSWORD }),
      'username',
      'username in body is required',
    );
    expectField(
      await controller.admin.patch(`${PATH}/${id}`, { username: 'abc' }),
      'username',
      'username in body should be at least 4 chars long',
    );
  });

  it('deletes, and the login is refused from then on', async () => {
    const caller = await controller.newCaller();
    const id = await authenticatorOf(caller.id);
    const total = async () => totalOf(await controller.admin.get(`${PATH}?limit=1`));
    const before = await total();
    expectStatus(await controller.admin.delete(`${PATH}/${id}`), 200);
    expect(await total()).to.equal(before - 1);
    expectStatus(await login(caller.username, caller.password), 403);
    await create(caller.id, { username: caller.username });
  });

  it('tells of an unknown id alike for every verb', async () => {
    const message = 'authenticator with id nope not found';
    expectNotFound(await controller.admin.get(`${PATH}/nope`), message);
    expectNotFound(await controller.admin.put(`${PATH}/nope`, { username: 'user', password: PASSWORD }), message);
    expectNotFound(await controller.admin.patch(`${PATH}/nope`, {}), message);
    expectNotFound(await controller.admin.delete(`${PATH}/nope`), message);
  });

  describe('under an auth policy with password rules', () => {
    const policyId = 'strict';
    before(async () => {
      await controller.database.query(
        `INSERT INTO auth_policies (id, name, cert_allowed, cert_allow_expired, ext_jwt_allowed, updb_allowed,
          updb_min_password_length,
          updb_require_mixed_case, updb_require_number_char, updb_require_special_char, updb_max_attempts,
          updb_lockout_minutes, require_totp)
        VALUES ($1, 'Strict', true, true, true, true, 10, true, true, true, 0, 0, false)`,
        [policyId],
      );
    });
    const weak = ['Short1!', 'no upper case 1!', 'NO LOWER CASE 1!', 'No Digit At All!', 'No Special 1234'];
    const strong = 'Long Enough 1!';

    it('refuses weak passwords in create, PUT, PATCH, the own change and enrollment', async () => {
      const identityId = await identity({ authPolicyId: policyId });
      const username = unique('user');
      for (const password of weak)
        expectField(await post({ identityId, username, password }), 'password', /^password must /);
      const id = await create(identityId, { username, password: strong });
      const own = await controller.login(username, strong);
      const other = await identity({ authPolicyId: policyId, enrollment: { updb: unique('user') } });
      const [invitation] = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${other}/enrollments`));
      const token = String(invitation?.['token']);
      for (const password of weak) {
        for (const answer of [
          await controller.admin.put(`${PATH}/${id}`, { username, password }),
          await controller.admin.patch(`${PATH}/${id}`, { password }),
          await own.put(`${CLIENT}/current-identity/authenticators/${id}`, {
            username,
            password,
            currentPassword: strong,
          }),
          await own.patch(`${CLIENT}/current-identity/authenticators/${id}`, { password, currentPassword: strong }),
          await controller.anonymous.post(`${CLIENT}/enroll?method=updb&token=${token}`, { password }),
          await controller.anonymous.post(`${CLIENT}/enroll/updb?token=${token}`, { password, username }),
        ]) {
          expectField(answer, 'password', /^password must /);
          expect(answer.text).to.not.include(password);
        }
        expectStatus(await login(username, password), 403);
      }
      expectStatus(await login(username, strong), 200);
      expectStatus(
        await controller.anonymous.post(`${CLIENT}/enroll?method=updb&token=${token}`, { password: strong }),
        200,
      );
    });
  });
});
