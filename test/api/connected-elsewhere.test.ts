/** Which identities are connected to routers, as a controller shows it that has no channel to these routers. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { ConnectEventsSchema } from '../../generated/fabric/edge_pb.js';
import type { Client } from '../support/client.js';
import { expectStatus } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { itemsOf, read } from '../support/entities.js';
import { makeIdentity } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { unique } from '../support/controller.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

const STATUS = 'edgeRouterConnectionStatus';

describe('identities, at a controller that their router has no channel to', () => {
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let admins: Client[] = [];
  const open: ScriptedRouter[] = [];
  before(async () => {
    database = await openTestDatabase();
    const start = (name: string) => startLogged(database, { EDGE_NAME: name, EDGE_LOG_REQUESTS: 'none' });
    one = await start('one');
    two = await start('two');
    admins = [await one.login(), await two.login()];
  });
  after(async () => {
    for (const router of open) router.close();
    await one.stop();
    await two.stop();
    await database.close();
  });

  const asAdmin = () => ({ admin: admins[0] as Client, anonymous: one.client() });
  const online = async () => {
    const router = await ScriptedRouter.online(one.url, await newRouter(asAdmin()));
    open.push(router);
    return router;
  };
  const report = (router: ScriptedRouter, identityId: string, isConnected: boolean, fullState = false) =>
    router.sendTyped(ContentType.ConnectEvents, ConnectEventsSchema, {
      events: [{ identityId, isConnected }],
      fullState,
    });
  /** Of one identity, by its detail and by a list, at each controller. */
  const states = async (id: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const admin of admins) {
      const detail = await read<Record<string, unknown>>({ admin }, `identities/${id}`);
      const path = `${MANAGEMENT}/identities?filter=${encodeURIComponent(`id = "${id}"`)}`;
      const [item] = itemsOf(expectStatus(await admin.get(path), 200)) as Record<string, unknown>[];
      found.push(detail[STATUS], item?.[STATUS]);
      expect(detail['hasEdgeRouterConnection']).to.equal(detail[STATUS] === 'online');
    }
    return found;
  };
  const becomes = (id: string, state: string) =>
    until(`${id} is ${state} at each controller`, async () => (await states(id)).every((each) => each === state));

  it('are shown as they come and go', async () => {
    const router = await online();
    const id = await makeIdentity(asAdmin(), { name: unique('elsewhere') });
    expect(await states(id)).to.deep.equal(['offline', 'offline', 'offline', 'offline']);
    report(router, id, true);
    await becomes(id, 'online');
    report(router, id, false);
    await becomes(id, 'offline');
    report(router, id, true);
    await becomes(id, 'online');
    const other = await makeIdentity(asAdmin(), { name: unique('elsewhere') });
    report(router, other, true, true);
    await becomes(id, 'offline');
    await becomes(other, 'online');
  });

  it('are unknown when their router goes, and online when another one reports them', async () => {
    const [router, other] = [await online(), await online()];
    const id = await makeIdentity(asAdmin(), { name: unique('elsewhere') });
    report(router, id, true);
    await becomes(id, 'online');
    router.close();
    await becomes(id, 'unknown');
    report(other, id, true);
    await becomes(id, 'online');
  });

  it('of routers are shown as their routers are', async () => {
    const known = await newRouter(asAdmin(), { isTunnelerEnabled: true });
    expect(await states(known.id)).to.deep.equal(['offline', 'offline', 'offline', 'offline']);
    const router = await ScriptedRouter.online(one.url, known);
    open.push(router);
    await becomes(known.id, 'online');
    router.close();
    await becomes(known.id, 'offline');
  });
});
