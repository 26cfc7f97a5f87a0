/** What a router reports keeps the sessions that use it, for a day after the last request of each, and no others. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { ApiSessionHeartbeatSchema, ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { isSent } from '../support/sent-tokens.js';
import { TrafficWorld, bind, dial, settled } from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';

const LIFE_S = 3;

describe(`sessions that live ${LIFE_S} seconds and that a router names all the time`, function reportedActivity() {
  this.timeout(60_000);
  let controller: TestController;
  let router: ScriptedRouter;
  let world: TrafficWorld;
  before(async () => {
    controller = await startTestController({ EDGE_API_SESSION_TIMEOUT: `${LIFE_S}s` });
    const enrolled = await newRouter(controller);
    world = await new TrafficWorld(controller).prepare([`@${enrolled.id}`]);
    router = await ScriptedRouter.online(controller.url, enrolled);
  });
  after(async () => {
    router.close();
    await controller.stop();
  });

  const idOf = async ({ caller }: Shown): Promise<string> => {
    const { rows } = await controller.database.query('SELECT id FROM api_sessions WHERE identity_id = $1', [caller.id]);
    return String(rows[0]?.['id']);
  };
  const connected = (...shown: readonly Shown[]) => {
    router.sendTyped(ContentType.ConnectEvents, ConnectEventsSchema, {
      events: shown.map(({ caller }) => ({ identityId: caller.id, isConnected: true })),
    });
  };
  const name = (...shown: readonly Shown[]) => {
    const tokens = shown.map(({ apiSessionToken }) => apiSessionToken);
    router.sendTyped(ContentType.ApiSessionHeartbeat, ApiSessionHeartbeatSchema, { tokens });
  };
  const keepAdministrator = () => controller.admin.get(`${MANAGEMENT}/current-api-session`);
  const isThere = async (id: string): Promise<boolean> =>
    (await controller.database.query('SELECT FROM api_sessions WHERE id = $1', [id])).rows.length > 0;

  it('go on when their clients use it, and end when they do not, or made no request for a day', async () => {
    const [idle, online, hosting, silent] = [
      await world.dialer(),
      await world.dialer(),
      await world.host(),
      await world.dialer(),
    ];
    const all = [idle, online, hosting, silent];
    const ids = await Promise.all(all.map(idOf));
    const [idleId = '', onlineId = '', hostingId = '', silentId = ''] = ids;
    for (const { caller } of all) await isSent(router, caller.client);
    connected(online, silent);
    await bind(router, hosting);
    await settled(router);
    const sql = "UPDATE api_sessions SET last_request_at = now() - interval '25 hours' WHERE id = $1";
    await until('those that do not use it, or are silent, have ended', async () => {
      await controller.database.query(sql, [silentId]);
      name(...all);
      await keepAdministrator();
      return !(await isThere(idleId)) && !(await isThere(silentId));
    });
    const end = Date.now() + LIFE_S * 1_500;
    await until('half a life more', async () => {
      name(...all);
      await keepAdministrator();
      return Date.now() > end;
    });
    expect([await isThere(onlineId), await isThere(hostingId)]).to.deep.equal([true, true]);
  });

  it('do not go on by dials for which the router shows no session of theirs', async () => {
    const [guessed, other] = [await world.dialer(), await world.dialer()];
    const id = await idOf(guessed);
    await isSent(router, guessed.caller.client);
    await until('it has ended', async () => {
      dial(router, { apiSessionToken: guessed.apiSessionToken, sessionToken: other.sessionToken });
      await settled(router);
      await keepAdministrator();
      return !(await isThere(id));
    });
  });
});
