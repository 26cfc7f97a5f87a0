/** Identity types, which can only be read. Against a whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, linksOf, read, totalOf } from '../support/entities.js';
import { expectNotFound } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

describe('identity types', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('are the five, each with its id as name', async () => {
    const list = expectStatus(await controller.admin.get(`${MANAGEMENT}/identity-types`), 200);
    expect(idsOf(list)).to.deep.equal(['Default', 'Device', 'Router', 'Service', 'User']);
    expect(totalOf(list)).to.equal(5);
    const item = await read(controller, 'identity-types/User');
    expect(item['name']).to.equal('User');
    expect(linksOf(item)).to.deep.equal({ self: './identity-types/User' });
  });

  it('are filtered and told by id, byte for byte', async () => {
    expect(
      idsOf(
        await controller.admin.get(
          `${MANAGEMENT}/identity-types?filter=name%20contains%20%22e%22&sort=name%20desc&limit=2`,
        ),
      ),
    ).to.deep.equal(['User', 'Service']);
    expectNotFound(
      await controller.admin.get(`${MANAGEMENT}/identity-types/user`),
      'identityType with id user not found',
    );
  });

  it('are read by every session, and cannot be made, changed or deleted', async () => {
    for (const answer of [
      await controller.admin.post(`${MANAGEMENT}/identity-types`, { name: 'x' }),
      await controller.admin.delete(`${MANAGEMENT}/identity-types/User`),
    ])
      expectStatus(answer, 405);
    const { client } = await controller.newCaller();
    expectStatus(await client.get(`${MANAGEMENT}/identity-types`), 200);
  });
});
