/** Enrollments by password: what they take and refuse, and whose the username is. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { PASSWORD, PATH, enrollmentCalls } from '../support/enrollments.js';
import { itemsOf, knownControllers, make, read, totalOf } from '../support/entities.js';
import type { Entity } from '../support/entities.js';
import { expectField, expectNotFound, expectError } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

describe('enrollments by password', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());
  const { identity, create, detail, enroll, login, updb, expire } = enrollmentCalls(() => controller);

  it('end in a login, through either endpoint; the username is the stored one', async () => {
    for (const path of ['enroll?method=updb', 'enroll?', 'enroll/updb?']) {
      const { token, username, id, identityId } = await updb();
      const answer = expectStatus(
        await controller.anonymous.post(`${CLIENT}/${path}&token=${token}`.replace('?&', '?'), {
          password: PASSWORD,
          username: 'somebody else',
        }),
        200,
      );
      expect(answer.data).to.deep.equal({ username, controllers: await knownControllers(controller) });
      expectStatus(await login(username), 200);
      expectNotFound(await controller.admin.get(`${PATH}/${id}`), `enrollment with id ${id} not found`);
      const item = await read(controller, `identities/${identityId}`);
      expect(item).to.deep.include({ enrollment: {} });
      expect((item['authenticators'] as { updb: { username: string } }).updb.username).to.equal(username);
    }
  });

  it('work once, however many try at the same time', async () => {
    const { token, username, identityId } = await updb();
    const total = async () => totalOf(await controller.admin.get(`${MANAGEMENT}/authenticators?limit=1`));
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => enroll(token, { password: `pass word ${index}` })),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(winners).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 404, 'INVALID_ENROLLMENT_TOKEN');
    expect(await total()).to.equal(before + 1);
    expectStatus(await login(username, `pass word ${winners[0] ?? -1}`), 200);
    expect(totalOf(await controller.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`))).to.equal(0);
    expectError(await enroll(token), 404, 'INVALID_ENROLLMENT_TOKEN');
  });

  it('refuse a token that is unknown, no UUID or absent', async () => {
    for (const token of ['00000000-0000-4000-8000-000000000000', 'nope', '', '%00', "' or 1=1 --"])
      expectError(await enroll(encodeURIComponent(token)), 404, 'INVALID_ENROLLMENT_TOKEN');
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll?method=updb`, { password: PASSWORD }),
      404,
      'INVALID_ENROLLMENT_TOKEN',
    );
  });

  it('refuse another method than that of the record, and stay usable', async () => {
    const { token } = await updb();
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll?method=erott&token=${token}`, { password: PASSWORD }),
      400,
      'INVALID_ENROLL_METHOD',
    );
    const other = await identity({ enrollment: { ott: true } });
    const ott = itemsOf(await controller.admin.get(`${MANAGEMENT}/identities/${other}/enrollments`))[0] as Entity;
    expectError(await enroll(ott['token'] as string), 400, 'INVALID_ENROLL_METHOD');
    expectError(
      await controller.anonymous.post(`${CLIENT}/enroll/updb?token=${ott['token'] as string}`, {
        password: PASSWORD,
        username: 'user',
      }),
      400,
      'INVALID_ENROLL_METHOD',
    );
    await detail(ott.id);
    expectStatus(await enroll(token), 200);
  });

  it('refuse when expired, and the record stays', async () => {
    const { id, token, username } = await updb();
    await expire(id);
    expectError(await enroll(token), 400, 'ENROLLMENT_EXPIRED');
    await detail(id);
    expectStatus(await login(username), 403);
  });

  it('refuse a password that is missing, short or long, and stay usable', async () => {
    const { token, username } = await updb();
    for (const body of [{}, { password: null }, { password: 'four' }, { password: 'x'.repeat(101) }, { password: '' }])
      expect((await enroll(token, body)).status, JSON.stringify(body)).to.equal(400);
    expectStatus(await enroll(token), 200);
    expectStatus(await login(username), 200);
  });

  it('keep their username for their identity, whoever asks for it, until they are used or gone', async () => {
    const { identityId, token, username } = await updb();
    const thief = await identity();
    const named = (name: string) => `duplicate value '${name}' in unique index on`;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const takeAs = (identityId: string) =>
      controller.admin.post(`${MANAGEMENT}/authenticators`, {
        method: 'updb',
        identityId,
        username,
        password: PASSWORD,
      });
    expectField(await takeAs(thief), 'updbUsername', `${named(username)} authenticators store`, username);
    expectField(
      await controller.admin.post(`${MANAGEMENT}/enrollments`, {
        method: 'updb',
        identityId: thief,
        username,
        expiresAt,
      }),
      'username',
      `${named(username)} enrollments store`,
      username,
    );
    const body = { name: unique('identity'), type: 'User', isAdmin: false, enrollment: { updb: username } };
    expectField(
      await controller.admin.post(`${MANAGEMENT}/identities`, body),
      'username',
      `${named(username)} enrollments store`,
      username,
    );
    expectStatus(await enroll(token), 200);
    expectStatus(await login(username), 200);
    expectField(await takeAs(thief), 'updbUsername', `${named(username)} authenticators store`, username);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/identities/${identityId}`), 200);
    expectStatus(await takeAs(thief), 201);
  });

  it('give their username back when they are deleted', async () => {
    const { id, username } = await updb();
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/enrollments/${id}`), 200);
    await make(controller, 'authenticators', {
      method: 'updb',
      identityId: await identity(),
      username,
      password: PASSWORD,
    });
  });

  it('refuse an identity that has a password already', async () => {
    const caller = await controller.newCaller();
    const id = await create({ identityId: caller.id, method: 'updb', username: unique('user') });
    expectError(await enroll((await detail(id))['token'] as string), 409, 'MAX_AUTHENTICATOR_METHODS_REACHED');
    expectStatus(await login(caller.username, caller.password), 200);
  });
});
