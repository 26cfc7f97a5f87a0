/** The control channel while the database is away or changes go unheard: what routers hear all the same. */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { DataState_Action, DataState_ChangeSetSchema } from '../../generated/fabric/data-model_pb.js';
import { RouterInterfacesUpdateSchema } from '../../generated/fabric/control_pb.js';
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import { FEED_NAME } from '../../server/changes/change-feed.js';
import { newVerifiedCa } from '../support/certified.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { adminQuery, openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { TrafficWorld, answerTo, bind, connectCircuit, dial, endedAt, unrouted } from '../support/traffic.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

/** New connections to the database are refused until the work is done. */
async function closedDatabase<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  const { rows } = await database.query('SELECT current_database() AS name');
  const name = String(rows[0]?.['name']);
  await adminQuery(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  try {
    return await work();
  } finally {
    await adminQuery(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  }
}
const feeds = async (database: TestDatabase) =>
  (
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = $1`,
      [FEED_NAME],
    )
  ).rows.length;

describe('routers of a controller that does not hear of changes', function deaf() {
  this.timeout(120_000);
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  it('hear of sessions in use that ended', async () => {
    const own = await newRouter(controller);
    const router = await ScriptedRouter.online(controller.url, own);
    const world = await new TrafficWorld(controller).prepare([`@${own.id}`]);
    await bind(router, await world.host());
    /** A machine that is very busy may take the database for lost, which then cannot be reached again. */
    const isLost = async () => (await controller.admin.get(`${CLIENT}/current-api-session`)).status === 503;
    const attempt = async () => {
      const dialer = await world.dialer();
      const { circuitId } = await connectCircuit(router, dialer);
      const isTold = () => endedAt(router).includes(dialer.id) && unrouted(router).includes(circuitId);
      return closedDatabase(controller.database, async () => {
        await until('nothing is heard', async () => (await feeds(controller.database)) === 0);
        await controller.database.query('DELETE FROM sessions WHERE id = $1', [dialer.id]);
        return until('the router hears it', async () => (isTold() ? 'told' : (await isLost()) && 'lost'));
      });
    };
    let outcome = await attempt();
    for (let again = 0; again < 3 && outcome === 'lost'; again += 1) {
      await until('the database is back', async () => !(await isLost()));
      outcome = await attempt();
    }
    expect(outcome).to.equal('told');
    router.close();
  });
});

describe('routers of a controller whose database fails', function databaseFails() {
  this.timeout(120_000);
  let database: TestDatabase;
  let one: LoggedController;
  let controller: Pick<TestController, 'admin' | 'anonymous' | 'url'>;
  before(async () => {
    database = await openTestDatabase();
    one = await startLogged(database, { EDGE_LOG_REQUESTS: 'none' });
    controller = { url: one.url, admin: await one.login(), anonymous: one.client() };
  });
  after(async () => {
    await one.stop();
    await database.close();
  });
  const said = (text: RegExp) => one.log.filter(({ msg }) => text.test(String(msg)));

  it('all hear of keys that changed while they could not be read', async () => {
    const ca = await newVerifiedCa(controller);
    const early = await ScriptedRouter.connect(one.url, await newRouter(controller));
    early.subscribe('early');
    await early.next(ContentType.DataState);
    await database.query(`DELETE FROM cas WHERE id = '${ca.id}'; ALTER TABLE cas RENAME TO cas_away`);
    await until('the failure is told', () => said(/the keys for routers could not be read/).length > 0);
    await database.query('ALTER TABLE cas_away RENAME TO cas');
    const late = await ScriptedRouter.connect(one.url, await newRouter(controller));
    late.subscribe('late');
    await late.next(ContentType.DataState);
    const actions = () =>
      early
        .bodies(ContentType.DataStateChangeSet, DataState_ChangeSetSchema)
        .flatMap(({ changes }) => changes.map(({ action }) => action));
    await until('the end of the CA is told', () => actions().length > 0);
    expect(actions()).to.deep.equal([DataState_Action.DELETE]);
    for (const router of [early, late]) router.close();
  });

  it('fill no log with what they ask meanwhile', async () => {
    const router = await ScriptedRouter.online(one.url, await newRouter(controller));
    const stranger = await newRouter(controller);
    const tokens = { sessionToken: 'of-a-session', apiSessionToken: 'of-an-api-session' };
    await closedDatabase(database, async () => {
      one.log.length = 0;
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      await until('it is known', () => one.log.some(({ outage }) => outage !== undefined));
      expect((await answerTo(router, dial(router, tokens))).refusal?.[0]).to.equal(1);
      expect((await bind(router, tokens)).result).not.to.equal(0);
      router.sendTyped(ContentType.ValidateSessions, ValidateSessionsRequestSchema, { sessionTokens: ['s'] });
      router.sendTyped(ContentType.UpdateRouterInterfaces, RouterInterfacesUpdateSchema, { interfaces: [] });
      const refused = await ScriptedRouter.knock(one.url, stranger);
      await refused.cut();
      await until('all of it failed', () => {
        const failed = (text: RegExp) => said(text).length > 0;
        return (
          failed(/a circuit could not be made/) &&
          failed(/a terminator could not be made/) &&
          failed(/API sessions could not be read for routers/) &&
          failed(/a message of a router could not be handled/) &&
          failed(/sessions in use could not be checked/) &&
          failed(/a router could not be checked/)
        );
      });
      const loud = one.log.filter(({ level, outage }) => Number(level) >= 40 && outage === undefined);
      // Said once by itself, however long it lasts.
      const others = loud.filter(({ msg }) => !/which routers are connected could not be written/.test(String(msg)));
      expect(others.filter(({ routerId, address, err }) => routerId ?? address ?? err)).to.deep.equal([]);
    });
    router.close();
    await until('it is over', () => said(/^over: |answers again/).length > 0);
  });
});
