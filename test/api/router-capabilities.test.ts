/** Abilities of the programs of edge routers, over REST. Against a whole controller with scripted routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { HelloHeader } from '../../fabric/channel/headers.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeEdgeRouterPolicy } from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { newRouter, ScriptedRouter } from '../support/scripted-router.js';

const ALL = ['MULTI_CHANNEL', 'CONNECT_V2', 'SERVICE_SUBSCRIPTIONS', 'POSTURE_CHECKS', 'BIND_SUCCESS'];

describe('capabilities of routers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  /** Answers about one router: of the management API, and as a client that may use it reads them. */
  const texts = async (id: string, client: Pick<TestController['admin'], 'get'>) => {
    const detail = await controller.admin.get(`${MANAGEMENT}/edge-routers/${id}`);
    const own = await client.get(`${CLIENT}/current-identity/edge-routers?filter=${encodeURIComponent(`id="${id}"`)}`);
    const [first] = expectStatus(own, 200).data as Record<string, unknown>[];
    return { detail: expectStatus(detail, 200), own: first };
  };

  it('are unknown before the first connect, follow each, and stay when the router has gone', async () => {
    const router = await newRouter(controller);
    const caller = await controller.newCaller();
    await makeEdgeRouterPolicy(controller, {
      identityRoles: [`@${caller.id}`],
      edgeRouterRoles: [`@${router.id}`],
    });
    const before = await texts(router.id, caller.client);
    expect(before.detail.data).to.include({ capabilities: null }).and.not.have.any.keys('capabilitiesMask', 'version');
    expect(before.own).to.include({ capabilities: null }).and.not.have.property('version');
    for (const [bytes, digits, capabilities] of [
      ['4000000000000076', '4611686018427388022', ALL],
      ['02', '2', ['MULTI_CHANNEL']],
      ['8000000000000004', '-9223372036854775804', ['CONNECT_V2']],
      ['00', undefined, []],
    ] as const) {
      const connected = await ScriptedRouter.knock(controller.url, router, [
        [HelloHeader.Capabilities, Buffer.from(bytes, 'hex')],
      ]);
      await connected.next(ContentType.Result);
      const shownAs = (state: string, isOnline: boolean) =>
        until(`the router shows ${bytes}, ${state}`, async () => {
          const shown = await texts(router.id, caller.client);
          const data = shown.detail.data as Record<string, unknown>;
          return String(data['capabilities']) === String(capabilities) && data['isOnline'] === isOnline && shown;
        });
      // One that goes before it was written leaves nothing.
      await shownAs('connected', true);
      connected.close();
      const { detail, own } = await shownAs('gone', false);
      // A number of JavaScript would not keep all of its bits.
      const mask = /"capabilitiesMask":(-?\d+)/.exec(detail.text)?.[1];
      expect(mask, bytes).to.equal(digits);
      expect(own).to.deep.include({
        capabilities: capabilities.filter((name) => name !== 'SERVICE_SUBSCRIPTIONS'),
        version: 'v2.0.3',
      });
    }
    const filter = encodeURIComponent(`id="${router.id}"`);
    const list = await controller.admin.get(`${MANAGEMENT}/edge-routers?filter=${filter}`);
    expect((expectStatus(list, 200).data as object[])[0]).to.deep.include({ capabilities: [] });
  });

  it('are listed for whoever has a session, and for nobody else', async () => {
    const caller = await controller.newCaller();
    const path = 'enumerated-router-capabilities';
    for (const [client, api] of [
      [controller.admin, MANAGEMENT],
      [caller.client, CLIENT],
    ] as const)
      expect(expectStatus(await client.get(`${api}/${path}`), 200).data).to.deep.equal(ALL);
    for (const api of [MANAGEMENT, CLIENT]) expectStatus(await controller.anonymous.get(`${api}/${path}`), 401);
  });
});
