/** `explain` of the command line, through the database and over the API. */
import { expect } from 'chai';
import { explanationOf, explanationText } from '../../commands/network/explanation.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';
import { openHost, openScene } from '../support/explain-scene.js';
import type { ExplainScene } from '../support/explain-scene.js';
import { makeService } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { through } from './network-files-support.js';
import type { Way } from './network-files-support.js';

describe('the command explain', function commandExplain() {
  this.timeout(60_000);
  let controller: TestController;
  let scene: ExplainScene;
  before(async () => {
    controller = await startTestController();
    await openHost(controller);
    scene = await openScene(controller);
  });
  after(() => controller.stop());

  const asked = (way: Way, identity: string, service: string, more: { router?: string; isBind?: boolean } = {}) =>
    through[way](controller, (access) =>
      access.read((reader) =>
        explanationOf(reader, { identity, service, router: more.router, isBind: more.isBind === true }),
      ),
    );

  for (const way of ['database', 'API'] as const) {
    it(`takes names and ids (${way})`, async () => {
      const { caller, service, serviceName, router } = scene;
      const byName = await asked(way, caller.name, serviceName, { router });
      expect(byName['outcome']).to.equal('works');
      expect(await asked(way, caller.id, service)).to.deep.include({ identityId: caller.id, serviceId: service });
      const bind = await asked(way, caller.name, serviceName, { isBind: true });
      expect([bind['type'], bind['cause']]).to.deep.equal(['Bind', 'NO_POLICY']);
    });

    it(`says what the network does not have (${way})`, async () => {
      const refused = await asked(way, 'no "one"', scene.serviceName).catch((error: unknown) => error);
      expect((refused as Error).message).to.equal('There is no identity with the name or id "no \\"one\\"".');
    });
  }

  it('prints the chain, the verdict and one thing to do, without what moves a cursor', async () => {
    const name = `${unique('odd')}\u001b[2J`;
    const service = await makeService(controller, { name });
    const text = explanationText(await asked('database', scene.caller.name, service));
    expect(text).to.match(/^\+ identity {5}the identity is enabled\.$/m);
    expect(text).to.match(/^x policies {5}no service policy of type Dial selects the two\.$/m);
    expect(text).to.match(/^ {4}x secret-policy.*does not select the service, which lacks #attribute-.*\.$/m);
    expect(text).to.match(/^To do: .*\n$/m);
    expect(text).to.include('\\u{1b}[2J').and.not.include('\u001b');
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/services/${service}`), 200);
  });
});
