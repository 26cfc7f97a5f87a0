/** The costs that dials add to terminators: shown by every controller, and heeded by all. */
import { expect } from 'chai';
import { openDatabase } from '../../db/postgres/db.js';
import type { Database } from '../../db/postgres/contracts.js';
import { openStores } from '../../db/stores/stores.js';
import type { Stores } from '../../db/stores/stores.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { expectStatus } from '../support/client.js';
import { LinkScene, linkTo, report } from '../support/link-scene.js';
import { FABRIC, MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { STORE_LIMITS } from '../support/stores.js';
import { bind, fault, settled } from '../support/traffic.js';

describe('the dynamic cost of a terminator', () => {
  let controller: TestController;
  let scenes: LinkScene;
  let database: Database;
  /** Another host: what it writes is what another controller would. */
  let stores: Stores;
  const hostId = 'another-host';

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

  const costOf = async (id: string): Promise<number> => {
    const answer = expectStatus(await controller.admin.get(`${MANAGEMENT}/terminators/${id}`), 200);
    return (answer.data as { dynamicCost: number }).dynamicCost;
  };
  const shownByFabric = async (path: string): Promise<number[]> => {
    const { data } = expectStatus(await controller.admin.get(`${FABRIC}/terminators${path}`), 200);
    return [data].flat().map((shown) => (shown as { dynamicCost: number }).dynamicCost);
  };
  /** Waits until it is shown, and by the fabric API too, in lists and alone. */
  const costs = async (id: string, cost: number) => {
    await until(`it costs ${cost}`, async () => (await costOf(id)) === cost);
    expect(await shownByFabric(`/${id}`)).to.deep.equal([cost]);
    expect(await shownByFabric(`?filter=${encodeURIComponent(`id = "${id}"`)}`)).to.deep.equal([cost]);
  };
  /** The other host gives a sign of life, so that its rows count. */
  const live = async () => {
    const { rows } = await controller.database.query('SELECT controller_id AS id FROM router_hosts LIMIT 1');
    await stores.routerChannels.join(hostId, String(rows[0]?.['id']));
  };
  const atOtherHost = async (id: string, dynamicCost: number) => {
    await live();
    await stores.terminatorCosts.write(hostId, [{ id, dynamicCost }], []);
  };

  it('is twice the circuits that are open on it, and nothing without one', async () => {
    const made = await scenes.scene();
    const { first, second, world } = made;
    report(first, [linkTo(second, `link-${world.word}`)]);
    await settled(first);
    const { terminatorId } = await bind(second, await world.host(), { precedence: 1 });
    expect(await costOf(terminatorId)).to.equal(0);
    const circuits = [await scenes.dialed(made, [first, second]), await scenes.dialed(made, [first, second])];
    await costs(terminatorId, 4);
    for (const { answer } of circuits) fault(first, 0, answer.circuitId);
    await costs(terminatorId, 0);
  });

  it('is the sum over all hosts that live, and dials heed it', async () => {
    const made = await scenes.scene();
    const { first, second, third, world } = made;
    report(first, [linkTo(second, `one-${world.word}`), linkTo(third, `two-${world.word}`)]);
    await settled(first);
    const shown = await world.host();
    const near = await bind(second, shown, { precedence: 1 });
    const far = await bind(third, shown, { precedence: 1, cost: 10 });
    // Dials of another controller make the cheaper one dear.
    await atOtherHost(near.terminatorId, 50);
    await costs(near.terminatorId, 50);
    expect((await scenes.dialed(made, [first, third])).answer.refusal).to.equal(undefined);
    await costs(far.terminatorId, 2);
    await stores.terminatorCosts.write(hostId, [{ id: near.terminatorId, dynamicCost: 60_000 }], []);
    await stores.terminatorCosts.write(hostId, [], [far.terminatorId]);
    await costs(near.terminatorId, 60_000);
    await stores.routerChannels.leave(hostId);
    await costs(near.terminatorId, 0);
  });
});
