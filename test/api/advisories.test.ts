/** What has gone wrong in this field before, tried here: each is an advisory of another controller. */
import { expect } from 'chai';
import { HelloHeader, encodeText } from '../../fabric/channel/headers.js';
import { operations } from '../../generated/operations.js';
import type { OperationSpec } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import { makeSelfSigned } from '../support/certificates.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { expectRawFault, postHead, sendRaw } from './server-support.js';

const MIB = 1_048_576;

describe('advisories of the field', function advisories() {
  this.timeout(300_000);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const changing: readonly OperationSpec[] = Object.values(operations)
    .flatMap((specs: Readonly<Record<string, OperationSpec>>) => Object.values(specs))
    .filter(({ method }) => method === 'POST');
  const pathOf = ({ api, path }: OperationSpec) => basePaths[api] + path.replaceAll(/\{[^}]+\}/g, 'x');
  const OTHERS = ['/', '/oidc/oauth/token', '/fabric/v1/services', '/metrics', '/version'];

  it('no path reads a body beyond the cap before it knows who sends it, declared or in chunks', async () => {
    const chunk = `${(64 * 1024).toString(16)}\r\n${' '.repeat(64 * 1024)}\r\n`;
    // What takes no session, or is no operation; of the rest test/api/server-limits.test.ts sends one in chunks.
    const open = new Set([...changing.filter(({ permission }) => permission === 'public').map(pathOf), ...OTHERS]);
    for (const path of new Set([...changing.map(pathOf), ...OTHERS])) {
      const declared = await sendRaw(controller.url, postHead(path, `content-length: ${2 * MIB}`));
      expect(declared.status, path).to.equal(413);
      // Clients of the login endpoints read their errors without an envelope.
      if (path.startsWith('/oidc/')) expect(declared.json, path).to.include({ code: 'REQUEST_ENTITY_TOO_LARGE' });
      else expectRawFault(declared, 413, 'REQUEST_ENTITY_TOO_LARGE');
      if (!open.has(path)) continue;
      const chunked = postHead(path, 'content-type: application/json', 'transfer-encoding: chunked');
      const answer = await sendRaw(controller.url, `${chunked}${chunk.repeat(20)}0\r\n\r\n`);
      // What is refused for other reasons is refused without the rest of the body.
      expect(answer.status, path).to.be.oneOf([401, 404, 405, 413, 415]);
    }
  });

  it('no type of hello lets a stranger in under the id of a router', async () => {
    const router = await newRouter(controller);
    const made = makeSelfSigned({ commonName: router.id });
    for (const type of ['ctrl.mesh', 'link.default', 'x', '', null]) {
      const refused = await ScriptedRouter.knock(
        controller.url,
        { id: router.id, cert: made.pem + router.cert, key: made.privateKeyPem },
        [[HelloHeader.Type, type === null ? null : encodeText(type)]],
      );
      await refused.cut();
      expect(refused.received, String(type)).to.deep.equal([]);
    }
  });
});
