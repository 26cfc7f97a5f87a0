/** Links and circuits as all controllers can show them, and what operators do to them. */
import { expect } from 'chai';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import type { ShownCircuit, ShownLink } from '../../domain/fabric/link.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { FaultSubject, ListenersSchema } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { LinkScene, ended, faultsAt, linkTo, measured, moved, report } from '../support/link-scene.js';
import type { Scene } from '../support/link-scene.js';
import { FABRIC } from '../support/paths.js';
import { until } from '../support/poll.js';
import type { ScriptedRouter } from '../support/scripted-router.js';
import { STORE_LIMITS } from '../support/stores.js';
import { answerRoute, answerTo, dial, routeAt, unrouted } from '../support/traffic.js';

describe('links and circuits', () => {
  let controller: TestController;
  let scenes: LinkScene;
  let database: Database;
  /** As another process has them, which holds no channel. */
  let stores: Stores;

  before(async () => {
    controller = await startTestController();
    scenes = new LinkScene(controller);
    database = openDatabase({ connection: controller.database.connection, poolSize: 2, patienceMs: 5_000 });
    stores = openStores(database, STORE_LIMITS);
  });
  beforeEach(() => scenes.begin());
  afterEach(() => scenes.end());
  after(async () => {
    await database.close();
    await controller.stop();
  });

  const shown = async <T>(path: string) => expectStatus(await controller.admin.get(`${FABRIC}/${path}`), 200).data as T;
  const shownLink = (id: string, accepts: (link: ShownLink) => boolean = () => true): Promise<ShownLink> =>
    until<ShownLink>(`link ${id}`, async () => {
      const { items } = await stores.links.list({ filter: `id = "${id}"` });
      return items.find(accepts);
    });
  const shownCircuit = (id: string, accepts: (circuit: ShownCircuit) => boolean = () => true): Promise<ShownCircuit> =>
    until<ShownCircuit>(`circuit ${id}`, async () => {
      const { items } = await stores.circuits.list({ filter: `id = "${id}"` });
      return items.find(accepts);
    });
  const isGone = (find: () => Promise<unknown>) =>
    find().then(
      () => false,
      () => true,
    );
  /** A direct link of the first two, and a way over the third. */
  const linked = async (): Promise<Scene & { direct: string; around: readonly [string, string] }> => {
    const made = await scenes.scene();
    const { first, second, third } = made;
    const [direct, toThird, fromThird] = [unique('link'), unique('link'), unique('link')];
    report(first, [linkTo(second, direct), linkTo(third, toThird)]);
    report(third, [linkTo(second, fromThird)]);
    await shownLink(fromThird);
    return { ...made, direct, around: [toThird, fromThird] };
  };

  const routesAt = ({ received }: ScriptedRouter) =>
    received.filter(({ contentType }) => contentType === ContentType.Route).length;
  /** Dials; the routers of the path do as they are told. @returns how many they are */
  const hops = async ({ first, second, third, world }: Scene, toThird: string): Promise<number> => {
    const before = new Map([first, second, third].map((router) => [router, routesAt(router)]));
    const sequence = dial(first, await world.dialer());
    const { route } = await routeAt(first, before.get(first) ?? 0);
    const isAround = route.forwards.some(({ dstAddress }) => dstAddress === toThird);
    const path = isAround ? [first, third, second] : [first, second];
    for (const router of path) answerRoute(router, await routeAt(router, before.get(router) ?? 0));
    expect((await answerTo(first, sequence)).refusal).to.equal(undefined);
    return path.length;
  };

  it('are shown with all that is known of them', async () => {
    const made = await linked();
    const { first, second, direct } = made;
    measured(first, { [direct]: 3 });
    measured(second, { [direct]: 4 });
    const link = await shownLink(direct, ({ destLatency }) => destLatency === 4e6);
    const { createdAt, ...rest } = link;
    expect(Date.now() - createdAt.getTime()).to.be.within(0, 60_000);
    const [source, dest] = [scenes.enrolled(0), scenes.enrolled(1)];
    expect(rest).to.deep.include({
      id: direct,
      iteration: 1,
      protocol: 'tls',
      dialAddress: 'tls:router.example:6000',
      sourceRouter: { id: source.id, name: source.name },
      destRouter: { id: dest.id, name: dest.name },
      sourceLatency: 3e6,
      destLatency: 4e6,
      staticCost: 1,
      isDown: false,
      cost: 8,
      connections: [],
    });
    expect((await stores.links.get(direct)).id).to.equal(direct);
    const { answer } = await scenes.dialed(made, [first, second]);
    const circuit = await shownCircuit(answer.circuitId);
    expect(circuit.routers).to.deep.equal([link.sourceRouter, link.destRouter]);
    expect(circuit.linkIds).to.deep.equal([direct]);
    expect(circuit.cost).to.equal(18);
    expect(circuit.service).to.deep.equal({ id: made.world.serviceId, name: made.world.word });
    expect(circuit.apiSessionId).to.be.a('string');
    expect((await stores.circuits.get(answer.circuitId)).clientId).to.equal(circuit.clientId);
    report(first, [], true);
    await until('the link is gone', () => isGone(() => stores.links.get(direct)));
  });

  it('are of unknown state while both their routers are away, which show where they listen until then', async () => {
    const { first, second, direct } = await linked();
    const [source, dest] = [scenes.enrolled(0), scenes.enrolled(1)];
    const stateOf = async () => (await shown<{ state: string }>(`links/${direct}`)).state;
    const listenersAt = async (id: string) => {
      const { listenerAddresses } = await shown<{ listenerAddresses: unknown[] }>(`routers/${id}`);
      return listenerAddresses;
    };
    expect(await stateOf()).to.equal('Connected');
    expect(await listenersAt(source.id)).to.deep.equal([{ address: 'tls:router-0.example:6000', protocol: 'tls' }]);
    const addresses = ['tls:moved.example:6001', 'no address', 'tls:second.example:6002'];
    first.sendTyped(ContentType.UpdateLinkListeners, ListenersSchema, {
      listeners: addresses.map((address) => ({ address, protocol: 'tls', groups: ['default'] })),
    });
    await until('it listens elsewhere', async () => (await listenersAt(source.id)).length === 2);
    expect(await listenersAt(source.id)).to.deep.equal([
      { address: 'tls:moved.example:6001', protocol: 'tls' },
      { address: 'tls:second.example:6002', protocol: 'tls' },
    ]);
    first.close();
    await until('it is away', async () => (await listenersAt(source.id)).length === 0);
    expect(await stateOf()).to.equal('Connected');
    second.close();
    await until('nobody knows', async () => (await stateOf()) === 'Unknown');
    expect(await listenersAt(dest.id)).to.deep.equal([]);
    report(await scenes.online(0), [linkTo(second, direct, 2)], true);
    await until('it is known again', async () => (await stateOf()) === 'Connected');
  });

  it('lead elsewhere when an operator makes a link dear, and when it is down, circuits too', async () => {
    const made = await linked();
    const { first, second, third, direct, around } = made;
    const { answer } = await scenes.dialed(made, [first, second]);
    await stores.links.configure(direct, { staticCost: 1_000_000 });
    expect((await shownLink(direct)).cost).to.equal(1_130_000);
    await until('a dial goes over the third router', async () => (await hops(made, around[0])) === 3);
    const before = [first, third, second].map((router) => [router, routesAt(router)] as const);
    await stores.links.configure(direct, { isDown: true });
    expect((await moved(...before)).map(({ route }) => route.circuitId)).to.deep.equal(Array(3).fill(answer.circuitId));
    const circuit = await shownCircuit(answer.circuitId, ({ linkIds }) => linkIds.length === 2);
    expect(circuit.linkIds).to.deep.equal(around);
    expect(await shownLink(direct)).to.include({ staticCost: 1_000_000, isDown: true });
    // It is known still, and carries paths again.
    await stores.links.configure(direct, { isDown: false, staticCost: 1 });
    expect(faultsAt(first)).to.deep.equal([]);
  });

  it('are given up by both ends when an operator removes a link', async () => {
    const made = await linked();
    const { first, second, third, direct } = made;
    const { answer } = await scenes.dialed(made, [first, second]);
    await stores.links.remove(direct);
    expect((await moved([first, 1], [third, 0], [second, 1])).map(({ route }) => route.circuitId)).to.deep.equal(
      Array(3).fill(answer.circuitId),
    );
    for (const router of [first, second]) {
      await until('it hears of it', () => faultsAt(router).length > 0);
      expect(faultsAt(router)).to.deep.equal([{ subject: FaultSubject.LINK, id: direct, iteration: 1 }]);
    }
    expect(faultsAt(third)).to.deep.equal([]);
    expect(await isGone(() => stores.links.get(direct))).to.equal(true);
    // It is dialed again, and then it is another try of the same link.
    report(first, [linkTo(second, direct, 2)]);
    expect((await shownLink(direct)).iteration).to.equal(2);
  });

  it('end when an operator removes a circuit', async () => {
    const made = await linked();
    const { first, second } = made;
    for (const isImmediate of [true, false]) {
      const { answer } = await scenes.dialed(made, [first, second]);
      await shownCircuit(answer.circuitId);
      expect(unrouted(first)).to.not.include(answer.circuitId);
      await stores.circuits.remove(answer.circuitId, isImmediate);
      await ended(answer.circuitId, first, second);
      expect(await isGone(() => stores.circuits.get(answer.circuitId))).to.equal(true);
    }
  });

  it('are not found by other ids', async () => {
    for (const act of [
      () => stores.links.get('none'),
      () => stores.links.configure('none', { staticCost: 2 }),
      () => stores.links.remove('none'),
      () => stores.circuits.get('none'),
      () => stores.circuits.remove('none', true),
    ])
      expect(await isGone(act)).to.equal(true);
  });
});
