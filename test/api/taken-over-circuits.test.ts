/**
 * Circuits of other controllers: one that lives is never ended by another, and hears what routers report to another;
 * those of one that is gone stand, and end when their session does, by one that is left.
 */
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { CircuitConfirmationSchema, FaultSubject, UnrouteSchema } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import { TrafficWorld, bind, connectCircuit, endedAt, fault, settled, unrouted } from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startLogged } from './server-support.js';
import type { LoggedController } from './server-support.js';

describe('circuits of other controllers', function otherCircuits() {
  this.timeout(120_000);
  let database: TestDatabase;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;
  let known: EnrolledRouter;
  let [atOne, atTwo]: ScriptedRouter[] = [];
  let host: Shown;
  let dialer: Shown;
  let world: TrafficWorld;
  const start = (name: string) =>
    startLogged(database, { EDGE_NAME: name, EDGE_ADVERTISE: `${name}.example:1280`, EDGE_LOG_REQUESTS: 'none' });

  before(async () => {
    database = await openTestDatabase();
    two = await start('two');
    admin = await two.login();
  });
  after(async () => {
    await two.stop();
    await database.close();
  });
  beforeEach(async () => {
    one = await start('one');
    const asController = { admin, anonymous: two.client(), newCaller } as unknown as TestController;
    known = await newRouter(asController);
    atOne = await ScriptedRouter.online(one.url, known);
    atTwo = await ScriptedRouter.online(two.url, known);
    world = await new TrafficWorld(asController).prepare([`@${known.id}`]);
    [host, dialer] = [await world.host(), await world.dialer()];
    await bind(here(), host);
  });
  afterEach(async () => {
    for (const each of [atOne, atTwo]) each?.close();
    await one.stop();
  });

  const here = () => atOne as ScriptedRouter;
  const there = () => atTwo as ScriptedRouter;
  const newCaller: TestController['newCaller'] = async ({ roleAttributes = [] } = {}) => {
    const name = unique('caller');
    const { id } = await makeUser(admin, name, { roleAttributes });
    return { id, name, username: name, password: PASSWORD, client: await two.login(name, PASSWORD) };
  };
  const isWritten = async (id: string) =>
    (await database.query('SELECT FROM circuits WHERE id = $1', [id])).rows.length === 1;
  /** A circuit that the first one made, and that others can see. */
  const standing = async () => {
    const { circuitId } = await connectCircuit(here(), dialer);
    await until('it is written', () => isWritten(circuitId));
    return circuitId;
  };
  const confirm = async (router: ScriptedRouter, ...circuitIds: string[]) => {
    router.sendTyped(ContentType.CircuitConfirmation, CircuitConfirmationSchema, { circuitIds, idleTimes: {} });
    await settled(router);
  };
  const endSession = async ({ id }: Shown) => expectStatus(await admin.delete(`${MANAGEMENT}/sessions/${id}`), 200);

  it('are not ended by one that does not have them, but those that nobody has', async () => {
    const circuitId = await standing();
    const unknown = unique('nobodys');
    await confirm(there(), circuitId, unknown);
    fault(there(), FaultSubject.FORWARD, `${circuitId} ${unknown}`);
    await until('those of nobody are', () => unrouted(there()).length === 2);
    expect(unrouted(there())).to.deep.equal([unknown, unknown]);
  });

  it('end with the first that routers tell of their end, whoever is told', async () => {
    const circuitId = await standing();
    fault(there(), FaultSubject.EGRESS, circuitId);
    await until('the other one ends it', () => unrouted(here()).includes(circuitId));
    expect(here().bodies(ContentType.Unroute, UnrouteSchema).at(-1)?.now).to.equal(false);
    await until('its row is gone', async () => !(await isWritten(circuitId)));
  });

  it('are no business of a router that they do not lead over', async () => {
    const circuitId = await standing();
    const stranger = await ScriptedRouter.online(two.url, await newRouter({ admin, anonymous: two.client() }));
    try {
      fault(stranger, FaultSubject.EGRESS, circuitId);
      await confirm(stranger, circuitId);
      await until('it must forget it', () => unrouted(stranger).includes(circuitId));
      await confirm(here(), circuitId);
      expect(unrouted(here())).to.deep.equal([]);
    } finally {
      stranger.close();
    }
  });

  for (const [end, whose] of [
    ['dialer', () => dialer],
    ['host', () => host],
  ] as const)
    it(`go on when theirs is gone, and end when the session of the ${end} does`, async () => {
      const circuitId = await standing();
      await one.stop();
      await until('it is taken over', async () => {
        const { rows } = await database.query(
          `SELECT FROM circuits c JOIN router_hosts h ON h.id = c.host_id JOIN controllers o ON o.id = h.controller_id
            WHERE c.id = $1 AND o.name = 'two'`,
          [circuitId],
        );
        return rows.length === 1;
      });
      await confirm(there(), circuitId);
      expect(unrouted(there())).to.deep.equal([]);
      await endSession(whose());
      await until('it ends', () => unrouted(there()).includes(circuitId));
      expect(endedAt(there())).to.include(whose().id);
    });

  it('end when their session ended while nobody had them', async () => {
    const circuitId = await standing();
    // Its row says that it is of one that was killed, and nobody has looked yet.
    await database.query('UPDATE circuits SET host_id = $1', ['killed']);
    await database.query('DELETE FROM sessions WHERE id = $1', [dialer.id]);
    const left = unique('left');
    await until('the one that had it ends it', () => unrouted(here()).includes(circuitId));
    await database.query(
      `INSERT INTO circuits (id, host_id, created_at, service_id, terminator_id, client_id, session_id, router_ids,
        link_ids, cost, details) VALUES ($1, 'killed', now(), $2, 't', 'c', $3, $4, '{}', 0,
        '{"ends":{"ingressId":"i","egressId":"e"},"maxIdleMs":0,"hostSessionId":null,"tags":{}}')`,
      [left, world.serviceId, dialer.id, [known.id]],
    );
    here().close();
    await until('it is taken over and ended', () => unrouted(there()).includes(left));
    await until('its row is gone', async () => !(await isWritten(left)));
  });
});
