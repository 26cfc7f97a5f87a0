/** Entity tags of compressed answers: weak, and good for the same conditions. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectFault } from '../support/expect.js';
import { MANAGEMENT as M } from '../support/paths.js';

const asking = (more: Readonly<Record<string, string>> = {}) => ({ headers: { 'accept-encoding': 'gzip', ...more } });

describe('the entity tag of a compressed answer', () => {
  let controller: TestController;
  let admin: Client;
  let path: string;
  before(async () => {
    controller = await startTestController();
    ({ admin } = controller);
    const made = await admin.post(`${M}/services`, {
      name: unique('tagged'),
      encryptionRequired: true,
      tags: { words: 'again and '.repeat(200) },
    });
    path = `${M}/services/${(expectStatus(made, 201).data as { id: string }).id}`;
  });
  after(() => controller.stop());

  it('is the weak form of that of the same answer as it is', async () => {
    for (const at of [path, `${M}/swagger.json`, '/docs/swagger-ui.css']) {
      const [plain, packed] = [
        expectStatus(await admin.get(at), 200),
        expectStatus(await admin.get(at, asking()), 200),
      ];
      expect(plain.headers.etag, at).to.match(/^"/);
      expect(packed.headers['content-encoding'], at).to.equal('gzip');
      expect(packed.headers.etag, at).to.equal(`W/${plain.headers.etag ?? ''}`);
    }
  });

  it('spares its reader the same answer in either form, and caches learn what it depends on', async () => {
    for (const at of [path, `${M}/swagger.json`]) {
      const tag = (await admin.get(at, asking())).headers.etag ?? '';
      for (const options of [asking({ 'if-none-match': tag }), { headers: { 'if-none-match': tag } }])
        for (const method of ['GET', 'HEAD']) {
          const answer = expectStatus(await admin.send(method, at, undefined, options), 304);
          expect([answer.bytes, answer.headers['content-encoding']], at).to.deep.equal([0, undefined]);
          expect(answer.headers.vary, at).to.contain('Accept-Encoding');
        }
    }
  });

  it('lets a change through while it is current, and none after', async () => {
    const tag = (await admin.get(path, asking())).headers.etag ?? '';
    expect(tag).to.match(/^W\//);
    expectStatus(await admin.patch(path, { name: unique('tagged') }, { headers: { 'if-match': tag } }), 200);
    const late = await admin.patch(path, { name: unique('tagged') }, { headers: { 'if-match': tag } });
    expectFault(late, 412, 'PRECONDITION_FAILED');
  });
});
