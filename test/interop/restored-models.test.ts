/** A snapshot restored while stock routers run: they come back to the network of the past, and go on with it. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../server/base/log.js';
import { restoreSnapshot } from '../../server/maintenance/restore.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { make } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

/** What lost its controller tries again after up to a minute. */
const BACK_MS = 120_000;

describeStock('a snapshot restored under a running router', (binary) => {
  const place = mkdtempSync(join(tmpdir(), 'edge-restored-'));
  let port: number;
  let controller: TestController;
  let restored: TestDatabase | undefined;
  let network: StockNetwork;

  before(async () => {
    port = await freePort();
    controller = await startTestController(addressAt(port));
    const { url, routersUrl } = controller;
    const stock = {
      url,
      routersUrl,
      get admin() {
        return controller.admin;
      },
    };
    network = await new StockNetwork(binary, stock).prepare({ tunnel: { mode: 'host' } });
  });
  after(async () => {
    await network.close();
    await controller.stop();
    await restored?.close();
    rmSync(place, { recursive: true, force: true });
  });

  const hosted = async (): Promise<{ id: string; grant: string }> => {
    const configId = await make(controller, 'configs', {
      name: unique('host'),
      configTypeId: 'NH5p4FpGR',
      data: { protocol: 'tcp', address: '127.0.0.1', port: 9 },
    });
    const name = unique('service');
    const id = await make(controller, 'services', { name, encryptionRequired: true, configs: [configId] });
    return { id, grant: await network.grant('Bind', network.router.id, id) };
  };
  const hasTerminators = (id: string, count: number) =>
    until(`${count} terminators`, async () => (await network.terminators(id)).length === count, BACK_MS);
  /** Asks the router to compare, as often as it is asked too early. */
  const agrees = async () => {
    const { id } = network.router;
    const ask = () => controller.checkModel(id).catch(() => undefined);
    expect(await until('the router says what it has', ask, WAIT_MS)).to.deep.equal([]);
  };
  const takeSnapshot = async (): Promise<void> => {
    expectStatus(await controller.admin.post(`${MANAGEMENT}/database/snapshot`), 200);
    const snapshots = join(controller.dataDir, 'snapshots');
    for (const name of readdirSync(snapshots)) copyFileSync(join(snapshots, name), join(place, 'snapshot'));
    copyFileSync(join(controller.dataDir, 'master.key'), join(place, 'master.key'));
  };
  /** The network as it was when its snapshot was taken, at the address of the one that ends. */
  const startAgain = async (): Promise<void> => {
    await controller.stop();
    restored = await openTestDatabase({ isEmpty: true });
    const env = {
      ...addressAt(port),
      EDGE_DATA_DIR: place,
      DATABASE_URL: restored.url,
      EDGE_MASTER_KEY_LOCAL: 'true',
    };
    const log = createLogger({ level: 'silent', format: 'json' });
    await restoreSnapshot(readConfig({ env }), join(place, 'snapshot'), () => undefined, log);
    controller = await startTestController(env);
  };

  it('is what the router has then, and hosts, and what it hears of afterwards', async () => {
    const [kept, lost] = [await hosted(), await hosted()];
    await hasTerminators(kept.id, 1);
    await hasTerminators(lost.id, 1);
    await takeSnapshot();
    const late = await hosted();
    await hasTerminators(late.id, 1);
    await network.remove(`service-policies/${lost.grant}`);
    await hasTerminators(lost.id, 0);
    await agrees();

    await startAgain();
    await network.ziti.online(network.router, BACK_MS);
    await hasTerminators(kept.id, 1);
    await hasTerminators(lost.id, 1);
    expectStatus(await controller.admin.get(`${MANAGEMENT}/services/${late.id}`), 404);
    await agrees();
    await network.remove(`service-policies/${kept.grant}`);
    await hasTerminators(kept.id, 0);
    const next = await hosted();
    await hasTerminators(next.id, 1);
    await agrees();
  });

  it('and a gap in the numbers of changes leave the router in step', async () => {
    await restored?.query('UPDATE model_epochs SET epoch = epoch + 1000, routing = routing + 1000');
    const next = await hosted();
    await hasTerminators(next.id, 1);
    await agrees();
    await network.router.process.kill('SIGTERM');
    await restored?.query('UPDATE model_epochs SET epoch = epoch + 1000, routing = routing + 1000');
    await network.remove(`service-policies/${next.grant}`);
    network.router.process = network.ziti.runRouter(network.router.name);
    await network.ziti.online(network.router, BACK_MS);
    await hasTerminators(next.id, 0);
    await agrees();
  });
});
