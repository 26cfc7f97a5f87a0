/** A fresh controller answers. Against a whole controller. */
import { expect } from 'chai';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';

describe('a fresh controller', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('answers the same version document at the root, under both APIs and at their /version', async () => {
    const first = expectStatus(await controller.anonymous.get('/'), 200).text;
    for (const path of [
      '/version',
      '/edge/v1/version',
      '/edge/client/v1',
      '/edge/client/v1/',
      '/edge/management/v1',
      '/edge/client/v1/version',
      '/edge/management/v1/version',
    ]) {
      expect(expectStatus(await controller.anonymous.get(path), 200).text, path).to.equal(first);
    }
  });
});
