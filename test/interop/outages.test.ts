/**
 * A controller that is away for a while, with a router of each release: all come back by themselves, and carry traffic.
 * One of the next release gives up after 30 s unless it was told where to find the controller.
 */
import { expect } from 'chai';
import { ADMIN } from '../support/controller.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { StockNetwork } from '../support/stock-network.js';
import { RELEASES, findStockBinary, missing } from '../support/stock-binary.js';
import { ONLY_INTEROP, describeUnless } from '../support/unless.js';

/** Of a router that lost its controller: it tries again after up to a minute. */
const BACK_MS = 120_000;

const OUTAGES = [
  { how: 'killed', seconds: 5 },
  { how: 'stopped', seconds: 5 },
  { how: 'killed', seconds: 20 },
  { how: 'stopped', seconds: 20 },
  { how: 'killed', seconds: 45 },
  { how: 'stopped', seconds: 45 },
] as const;

const lacking = RELEASES.filter((release) => findStockBinary(release) === undefined).map(missing);

describeUnless(lacking[0] ?? ONLY_INTEROP, 'routers of both releases, when the controller is', function outages() {
  this.timeout(300_000);
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  const networks: { readonly network: StockNetwork; readonly port: number }[] = [];
  let env: Readonly<Record<string, string>>;
  let controller: ControllerProcess;

  const start = async () => {
    controller = shop.start(dataDir, { env });
    return controller.ready();
  };
  before(async () => {
    env = { ...addressAt(await freePort()), EDGE_ADMIN_PASSWORD: ADMIN.password, EDGE_LOG_REQUESTS: 'none' };
    const url = await start();
    const admin = await shop.login(url);
    for (const release of RELEASES) {
      const stock = { admin, url, routersUrl: url };
      const network = await new StockNetwork(findStockBinary(release) ?? '', stock, release).prepare();
      const made = await network.setup();
      await network.hosting(made, made.host);
      networks.push({ network, port: await network.tunnel(made) });
    }
  });
  after(async () => {
    for (const { network } of networks) await network.close();
    await shop.end();
  });

  const passed = async (seconds: number) => {
    const end = performance.now() + seconds * 1_000;
    await until(`${seconds} s have passed`, () => performance.now() >= end, seconds * 1_000 + 5_000);
  };
  const away = {
    async killed(seconds: number) {
      controller.kill('SIGKILL');
      await controller.ended;
      await passed(seconds);
      await start();
    },
    async stopped(seconds: number) {
      controller.kill('SIGSTOP');
      await passed(seconds);
      controller.kill('SIGCONT');
    },
  };

  for (const { how, seconds } of OUTAGES)
    it(`${how} for ${seconds} s: they come back, and dials work`, async () => {
      for (const { network, port } of networks) await network.dialsAgain(port);
      await away[how](seconds);
      await Promise.all(
        networks.map(async ({ network, port }) => {
          const since = performance.now();
          await network.ziti.online(network.router, BACK_MS);
          await network.dialsAgain(port, BACK_MS);
          if (process.env['EDGE_TEST_LOG'] === 'info')
            console.log(`      ${network.attribute}: ${Math.round((performance.now() - since) / 1_000)} s`);
        }),
      );
      const said = networks.map(({ network }) => network.router.process.output());
      expect(said.join('')).not.to.include('controller is no longer known');
    });
});
