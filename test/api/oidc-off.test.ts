/**
 * Logins by OpenID Connect are offered by default, and `oidc.enabled` takes all of them away: nothing of them is left,
 * and what clients do without them works in the same way with either value.
 */
import { expect } from 'chai';
import type { OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { bearer, oidcClient, tokensIn } from '../support/oidc.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerRoute, answerTo, bind, dial, dialDirectly, routeAt } from '../support/traffic.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

interface Offer {
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly apiVersions: Readonly<Record<string, unknown>>;
}

const VALUES = [
  { isOn: true, env: {} },
  { isOn: false, env: { EDGE_OIDC_ENABLED: 'false' } },
] as const;
const ENDPOINTS: readonly OperationSpec[] = Object.values(operations.oidc);
const CAPABILITIES = ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'];

for (const { isOn, env } of VALUES)
  describe(`with logins by OpenID Connect ${isOn ? 'on, as by default' : 'off'}`, () => {
    let controller: TestController;
    let own: EnrolledRouter;
    let router: ScriptedRouter;
    let world: TrafficWorld;
    before(async () => {
      controller = await startTestController(env);
      own = await newRouter(controller);
      router = await ScriptedRouter.online(controller.url, own);
      world = await new TrafficWorld(controller).prepare([`@${own.id}`]);
    });
    after(async () => {
      router.close();
      await controller.stop();
    });

    const get = async (path: string) => expectStatus(await controller.anonymous.get(path), 200).data;

    it(`says ${isOn ? 'that they are' : 'nothing of them'} wherever clients look`, async () => {
      for (const path of [`${C}/version`, `${M}/version`, '/version']) {
        const { version, capabilities, apiVersions } = (await get(path)) as Offer;
        expect(capabilities, path).to.have.members(['EDGE_CONTROLLER', ...(isOn ? CAPABILITIES : [])]);
        expect('edge-oidc' in apiVersions, path).to.equal(isOn);
        const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)\.\d+$/.exec(version) ?? []).map(Number);
        expect(major > 1 || (major === 1 && minor >= 1), `${version}: programs look for 1.1.0`).to.equal(true);
      }
      const client = await controller.login(ADMIN.username, ADMIN.password);
      const [listed] = expectStatus(await client.get(`${C}/controllers`), 200).data as { apiAddresses: object }[];
      expect('edge-oidc' in (listed?.apiAddresses ?? {})).to.equal(isOn);
    });

    it(`has ${isOn ? 'each' : 'none'} of the ${ENDPOINTS.length} endpoints`, async () => {
      for (const { method, path } of ENDPOINTS) {
        const answer = await controller.anonymous.send(method, `/oidc${path}`, undefined, {
          headers: { host: 'localhost:1280' },
        });
        if (isOn) expect(answer.status, path).to.not.equal(404);
        else expect([answer.status, answer.error?.code], path).to.deep.equal([404, 'NOT_FOUND']);
      }
    });

    it('lets clients log in by authenticate, find routers with and without a session, host and dial', async () => {
      expect((await bind(router, await world.host())).msg).to.equal('');
      const dialer = await world.dialer();
      const asked = dial(router, dialer);
      answerRoute(router, await routeAt(router, 0));
      expect((await answerTo(router, asked)).refusal).to.equal(undefined);
      const path = `${C}/services/${world.serviceId}/edge-routers`;
      for (const headers of [{}, { 'session-token': dialer.sessionToken }]) {
        const answer = expectStatus(await dialer.caller.client.get(path, { headers }), 200);
        const { edgeRouters } = answer.data as { edgeRouters: readonly { name: string }[] };
        expect(edgeRouters.map(({ name }) => name)).to.deep.equal([own.name]);
      }
      expectStatus(await dialer.caller.client.get(`${C}/current-api-session`), 200);
    });
  });

describe('tokens of a network whose logins by OpenID Connect were switched off', function tokens() {
  this.timeout(60_000);
  let database: TestDatabase;
  let controller: LoggedController | undefined;
  const restart = async (env: Readonly<Record<string, string>>): Promise<LoggedController> => {
    await controller?.stop();
    controller = await startLogged(database, env);
    return controller;
  };
  before(async () => {
    database = await openTestDatabase();
  });
  after(async () => {
    await controller?.stop();
    await database.close();
  });

  it('open nothing, at the APIs or by a router, and are good again when they are switched on', async () => {
    const { username, password } = ADMIN;
    const first = oidcClient((await restart({})).client());
    const { access_token: accessToken, refresh_token: refreshToken } = await first.login(username, password);
    const off = await restart({ EDGE_OIDC_ENABLED: 'false' });
    const stranger = off.client();
    for (const path of [`${C}/current-identity`, `${M}/identities`, '/fabric/v1/routers', '/oidc/userinfo'])
      expect((await stranger.get(path, bearer(accessToken))).status, path).to.be.oneOf([401, 404]);
    expectStatus(await oidcClient(stranger).refresh(refreshToken), 404);
    const admin = await off.login();
    const { id: identityId } = expectStatus(await admin.get(`${C}/current-identity`), 200).data as { id: string };
    const own = await newRouter({ admin, anonymous: stranger });
    const router = await ScriptedRouter.online(off.url, own);
    const { refusal, retryHint } = await answerTo(
      router,
      dialDirectly(router, { accessToken, identityId, serviceId: 'any' }),
    );
    expect([refusal?.[0], retryHint], 'a dial is answered always').to.deep.equal([2, 2]);
    router.close();
    const again = oidcClient((await restart({})).client());
    expectStatus(await again.get(`${C}/current-identity`, bearer(accessToken)), 200);
    tokensIn(await again.refresh(refreshToken));
  });
});
