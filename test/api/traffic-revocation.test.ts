/**
 * Losing access: what routers hear, and which circuits end, when a session, a grant, an identity or a policy goes. On
 * every controller, and never for anybody else. With scripted routers.
 */
import { expect } from 'chai';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { RouteSchema } from '../../generated/fabric/control_pb.js';
import { ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import { expectStatus } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf } from '../support/entities.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';
import {
  TrafficWorld,
  answerRoute,
  answerTo,
  bind,
  connectCircuit,
  dial,
  endedAt,
  routeAt,
  unrouted,
} from '../support/traffic.js';
import type { Shown } from '../support/traffic.js';

describe('routers hear of lost access', () => {
  let controller: TestController;
  let [one, two]: (EnrolledRouter | undefined)[] = [];
  let [first, second]: (ScriptedRouter | undefined)[] = [];
  before(async () => {
    controller = await startTestController();
    one = await newRouter(controller);
    two = await newRouter(controller);
    first = await ScriptedRouter.online(controller.url, one);
    second = await ScriptedRouter.online(controller.url, two);
  });
  after(async () => {
    first?.close();
    second?.close();
    await controller.stop();
  });

  /** A service over both routers, with a circuit of one dialer over each. */
  interface Scene {
    readonly world: TrafficWorld;
    readonly hosts: readonly [Shown, Shown];
    readonly dialers: readonly [Shown, Shown];
    readonly terminators: readonly [string, string];
    /** Of each dialer over its router. */
    readonly circuits: readonly [string, string];
  }
  const routers = (): readonly [ScriptedRouter, ScriptedRouter] => [first as ScriptedRouter, second as ScriptedRouter];
  const scene = async (): Promise<Scene> => {
    const world = await new TrafficWorld(controller).prepare([`@${one?.id ?? ''}`, `@${two?.id ?? ''}`]);
    const hosts = [await world.host(), await world.host()] as const;
    const dialers = [await world.dialer(), await world.dialer()] as const;
    const [left, right] = routers();
    const terminators = [
      (await bind(left, hosts[0])).terminatorId,
      (await bind(right, hosts[1])).terminatorId,
    ] as const;
    const circuits = [
      (await connectCircuit(left, dialers[0])).circuitId,
      (await connectCircuit(right, dialers[1])).circuitId,
    ] as const;
    return { world, hosts, dialers, terminators, circuits };
  };
  const admin = () => controller.admin;
  const remove = async (path: string) => expectStatus(await admin().delete(`${MANAGEMENT}/${path}`), 200);
  const listed = async (path: string, filter: string) =>
    idsOf(expectStatus(await admin().get(`${MANAGEMENT}/${path}?filter=${encodeURIComponent(filter)}`), 200));
  const policyOf = async (collection: string, word: string) =>
    (await listed(collection, `anyOf(identityRoles) = "#${word}"`))[0] ?? '';
  const hostOf = async (id: string) =>
    (await controller.database.query('SELECT id FROM terminators WHERE id = $1', [id])).rows.length;
  /** The first dialer has lost its session: its router alone hears it, and its circuit alone ends. */
  const expectFirstLost = async ({ dialers: [mine, theirs], circuits }: Scene) => {
    const [left, right] = routers();
    await until('the router hears it', () => endedAt(left).includes(mine.id));
    await until('the circuit ends', () => unrouted(left).includes(circuits[0]));
    expect([endedAt(left).includes(theirs.id), endedAt(right).includes(mine.id)]).to.deep.equal([false, false]);
    expect(unrouted(right)).not.to.include(circuits[1]);
  };

  /** Both routers have heard what comes later than all that they would have heard by mistake. */
  const bothHearLater = async () => {
    const { world, dialers } = await scene();
    await remove(`service-policies/${await policyOf('service-policies', `${world.word}-dial`)}`);
    await until('both routers hear what comes later', () =>
      routers().every((router, index) => endedAt(router).includes(dialers[index]?.id ?? '')),
    );
  };

  it('when a session is deleted by its owner, and when by an administrator', async () => {
    const made = await scene();
    const [mine] = made.dialers;
    expectStatus(await mine.caller.client.delete(`${CLIENT}/sessions/${mine.id}`), 200);
    await expectFirstLost(made);
    const again = await scene();
    await remove(`sessions/${again.dialers[0].id}`);
    await expectFirstLost(again);
  });

  it('when the client logs out, and when its API session is deleted', async () => {
    const made = await scene();
    expectStatus(await made.dialers[0].caller.client.delete(`${CLIENT}/current-api-session`), 200);
    await expectFirstLost(made);
    const again = await scene();
    const [id = ''] = await listed('api-sessions', `identity="${again.dialers[0].caller.id}"`);
    await remove(`api-sessions/${id}`);
    await expectFirstLost(again);
  });

  it('when the identity is disabled, deleted, or loses the attribute that a policy names', async () => {
    const disabled = await scene();
    const path = `${MANAGEMENT}/identities/${disabled.dialers[0].caller.id}`;
    expectStatus(await admin().post(`${path}/disable`, { durationMinutes: 60 }), 200);
    await expectFirstLost(disabled);
    const deleted = await scene();
    await remove(`identities/${deleted.dialers[0].caller.id}`);
    await expectFirstLost(deleted);
    const changed = await scene();
    const identity = `${MANAGEMENT}/identities/${changed.dialers[0].caller.id}`;
    expectStatus(await admin().patch(identity, { roleAttributes: [] }), 200);
    await expectFirstLost(changed);
  });

  it('when the identity loses its authenticator', async () => {
    const made = await scene();
    const [id = ''] = await listed('authenticators', `identity="${made.dialers[0].caller.id}"`);
    await remove(`authenticators/${id}`);
    await expectFirstLost(made);
  });

  it('when a policy is deleted: all sessions that it alone granted', async () => {
    const made = await scene();
    const other = await scene();
    const [left, right] = routers();
    await remove(`service-policies/${await policyOf('service-policies', `${made.world.word}-dial`)}`);
    await until('the first router hears it', () => endedAt(left).includes(made.dialers[0].id));
    await until('the second router hears it', () => endedAt(right).includes(made.dialers[1].id));
    await until('both circuits end', () =>
      [unrouted(left).includes(made.circuits[0]), unrouted(right).includes(made.circuits[1])].every((ends) => ends),
    );
    await bothHearLater();
    for (const router of routers()) {
      const told = [...endedAt(router), ...unrouted(router)];
      expect(told).not.to.include.any.members([other.dialers[0].id, other.circuits[0], made.hosts[0].id]);
    }
  });

  it('when the service is deleted: the sessions of hosts and dialers', async () => {
    const made = await scene();
    await remove(`services/${made.world.serviceId}`);
    const [left, right] = routers();
    await until('the first router hears it', () =>
      [made.dialers[0].id, made.hosts[0].id].every((id) => endedAt(left).includes(id)),
    );
    await until('the second router hears it', () => endedAt(right).includes(made.hosts[1].id));
    await until('the circuits end', () => unrouted(left).includes(made.circuits[0]));
    expect(await hostOf(made.terminators[0])).to.equal(0);
  });

  it('when a host loses its session: its terminator and the circuits to it, of whomever', async () => {
    const made = await scene();
    const [left] = routers();
    await remove(`sessions/${made.hosts[0].id}`);
    await until('the router hears it', () => endedAt(left).includes(made.hosts[0].id));
    await until('the circuit ends', () => unrouted(left).includes(made.circuits[0]));
    expect(endedAt(left)).not.to.include(made.dialers[0].id);
    expect([await hostOf(made.terminators[0]), await hostOf(made.terminators[1])]).to.deep.equal([0, 1]);
  });

  it('when router policies do not allow one of two routers any more: that one, and the session goes on', async () => {
    const made = await scene();
    const [left, right] = routers();
    const policy = await policyOf('edge-router-policies', `${made.world.word}-dial`);
    const edgeRouterRoles = [`@${two?.id ?? ''}`];
    expectStatus(
      await admin().patch(`${MANAGEMENT}/edge-router-policies/${policy}`, { edgeRouterRoles, semantic: 'AnyOf' }),
      200,
    );
    await until('the router hears it', () =>
      [made.dialers[0].id, made.hosts[0].id].every((id) => endedAt(left).includes(id)),
    );
    await until('the circuit ends', () => unrouted(left).includes(made.circuits[0]));
    await until('its terminator is gone', async () => (await hostOf(made.terminators[0])) === 0);
    await bothHearLater();
    expect(endedAt(right)).not.to.include(made.dialers[1].id);
    expect(unrouted(right)).not.to.include(made.circuits[1]);
    expect(await hostOf(made.terminators[1])).to.equal(1);
    const session = await made.dialers[0].caller.client.get(`${CLIENT}/sessions/${made.dialers[0].id}`);
    expectStatus(session, 200);
    expect((await connectCircuit(right, made.dialers[0])).refusal).to.equal(undefined);
  });

  it('while a dial is on its way: it is refused, and what was built is forgotten', async () => {
    const made = await scene();
    const [left] = routers();
    const before = left.bodies(ContentType.Route, RouteSchema).length;
    const sequence = dial(left, made.dialers[0]);
    const seen = await routeAt(left, before);
    expectStatus(await made.dialers[0].caller.client.delete(`${CLIENT}/sessions/${made.dialers[0].id}`), 200);
    await until('the router hears it', () => endedAt(left).includes(made.dialers[0].id));
    answerRoute(left, seen);
    expect((await answerTo(left, sequence)).refusal).to.deep.equal([3, 'invalid session']);
    await until('it is unrouted', () => unrouted(left).includes(seen.route.circuitId));
  });

  it('when the router comes again and asks which of its sessions are left', async () => {
    const router = await newRouter(controller);
    const world = await new TrafficWorld(controller).prepare([`@${router.id}`]);
    const [kept, lost] = [await world.dialer(), await world.dialer()];
    const before = await ScriptedRouter.online(controller.url, router);
    before.close();
    await remove(`sessions/${lost.id}`);
    const after = await ScriptedRouter.online(controller.url, router);
    after.sendTyped(ContentType.ValidateSessions, ValidateSessionsRequestSchema, {
      sessionTokens: [kept.id, lost.id, 'unknown'],
    });
    await until('it is answered', () => endedAt(after).length === 2);
    expect(endedAt(after)).to.have.members([lost.id, 'unknown']);
    await remove(`sessions/${kept.id}`);
    await until('the other one is watched from now on', () => endedAt(after).includes(kept.id));
    after.close();
  });

  it('also while another router names sessions that cannot be any', async () => {
    const made = await scene();
    const router = await newRouter(controller);
    const hostile = await ScriptedRouter.online(controller.url, router);
    const sessionTokens = ['\0', 'a\0b', 'x'.repeat(100_000)];
    hostile.sendTyped(ContentType.ValidateSessions, ValidateSessionsRequestSchema, { sessionTokens });
    const heard = sessionTokens.map((id) => id.replaceAll('\0', '\uFFFD'));
    await until('it hears that they are over', () => heard.every((id) => endedAt(hostile).includes(id)));
    await remove(`service-policies/${await policyOf('service-policies', `${made.world.word}-dial`)}`);
    const [left] = routers();
    await until('the first router hears of the policy', () => endedAt(left).includes(made.dialers[0].id));
    await until('its circuit ends', () => unrouted(left).includes(made.circuits[0]));
    hostile.close();
  });

  describe('on another controller', () => {
    let other: RunningController;
    before(async () => {
      other = await startController(
        readConfig({
          env: {
            EDGE_DATA_DIR: controller.dataDir,
            EDGE_NAME: 'other',
            EDGE_LISTEN: '127.0.0.1:0',
            EDGE_ADVERTISE: 'localhost:1280',
            DATABASE_URL: controller.database.url,
            EDGE_ADMIN_PASSWORD: ADMIN.password,
            EDGE_LOG_LEVEL: 'silent',
            EDGE_MASTER_KEY_LOCAL: 'true',
          },
        }),
        createLogger({ level: 'silent', format: 'json' }),
      );
    });
    after(() => other.stop());

    it('that holds the channel of the router', async () => {
      const router = await newRouter(controller);
      const world = await new TrafficWorld(controller).prepare([`@${router.id}`]);
      const there = await ScriptedRouter.online(other.url, router);
      const [host, mine, theirs] = [await world.host(), await world.dialer(), await world.dialer()];
      const { terminatorId } = await bind(there, host);
      const [first, second] = [await connectCircuit(there, mine), await connectCircuit(there, theirs)];
      expectStatus(await mine.caller.client.delete(`${CLIENT}/sessions/${mine.id}`), 200);
      await until('the router hears it', () => endedAt(there).includes(mine.id));
      await until('the circuit ends', () => unrouted(there).includes(first.circuitId));
      await remove(`service-policies/${await policyOf('service-policies', `${world.word}-host`)}`);
      await until('the router hears of the host', () => endedAt(there).includes(host.id));
      await until('its circuits end', () => unrouted(there).includes(second.circuitId));
      expect(endedAt(there)).not.to.include(theirs.id);
      expect(await hostOf(terminatorId)).to.equal(0);
      there.close();
    });
  });
});
