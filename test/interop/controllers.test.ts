/**
 * Several controllers on one database, with routers of each release: behind one address, and at addresses of their own.
 * Whichever is killed, routers find another one by themselves, and dials work.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { startBalancer } from '../support/balancer.js';
import { startBalancer as startReadyBalancer } from '../support/ready-balancer.js';
import type { Balancer as ReadyBalancer } from '../support/ready-balancer.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { StockNetwork } from '../support/stock-network.js';
import { RELEASES, findStockBinary, missing } from '../support/stock-binary.js';
import { ONLY_INTEROP, describeUnless } from '../support/unless.js';

const BACK_MS = 120_000;
const lacking = RELEASES.filter((release) => findStockBinary(release) === undefined).map(missing);

interface Running {
  readonly port: number;
  process: ControllerProcess;
}

describeUnless(lacking[0] ?? ONLY_INTEROP, 'routers of both releases, with two controllers', function controllers() {
  this.timeout(300_000);
  const masterKey = newMasterKey();
  let shop: ProcessShop;
  let database: TestDatabase;
  let networks: { readonly network: StockNetwork; readonly port: number }[] = [];
  let balancer: { close(): Promise<void> | void } | undefined;
  beforeEach(async () => {
    shop = new ProcessShop();
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const { network } of networks) await network.close();
    networks = [];
    await balancer?.close();
    balancer = undefined;
    await shop.end();
    await database.close();
  });

  const launch = (port: number, advertise: string, control?: number) =>
    shop.start(join(shop.place(), 'data'), {
      env: {
        DATABASE_URL: database.url,
        EDGE_NAME: `at-${port}`,
        EDGE_MASTER_KEY: masterKey,
        EDGE_LISTEN: `127.0.0.1:${port}`,
        EDGE_ADVERTISE: advertise,
        ...(control === undefined ? {} : { EDGE_CONTROL_LISTEN: `127.0.0.1:${control}` }),
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_POOL_SIZE: '4',
        EDGE_LOG_REQUESTS: 'none',
      },
    });
  const start = async (port: number, advertise: string, control?: number): Promise<Running> => {
    const process = launch(port, advertise, control);
    await process.ready();
    return { port, process };
  };
  const kill = async ({ process }: Running) => {
    process.kill('SIGKILL');
    await process.ended;
  };
  /** A router of each release, a host and a tunneler. @param last  the controller that is asked how they are */
  const settle = async (reached: string, last: Running, routersUrl = reached) => {
    const admin = await shop.login(`https://127.0.0.1:${last.port}`);
    for (const release of RELEASES) {
      const stock = { admin, url: reached, routersUrl };
      const network = await new StockNetwork(findStockBinary(release) ?? '', stock, release).prepare();
      const made = await network.setup();
      await network.hosting(made, made.host);
      networks.push({ network, port: await network.tunnel(made) });
    }
    await dialsWork();
  };
  const dialsWork = () =>
    Promise.all(
      networks.map(async ({ network, port }) => {
        await network.ziti.online(network.router, BACK_MS);
        await network.dialsAgain(port, BACK_MS).catch((error: unknown) => {
          throw new Error(`${network.attribute}: ${String(error)}: ${network.router.process.output().slice(-4_000)}`);
        });
      }),
    );
  /** Channels by the port of their controller. */
  const channels = async () => {
    const { rows } = await database.query(
      `SELECT c.name, count(*)::int AS n FROM router_channels r JOIN router_hosts h ON h.id = r.host_id
      JOIN controllers c ON c.id = h.controller_id WHERE h.seen_at > now() - interval '4 seconds' GROUP BY 1`,
    );
    return Object.fromEntries(rows.map((row) => [String(row['name']).slice('at-'.length), row['n'] as number]));
  };
  const eachHas = (...counts: (readonly [Running, number])[]) =>
    until(
      `channels: ${JSON.stringify(counts.map(([{ port }, count]) => [port, count]))}`,
      async () => {
        const found = await channels();
        return counts.every(([{ port }, count]) => (found[port] ?? 0) === count);
      },
      BACK_MS,
    );

  it('behind one address: they come to the other one when theirs is killed, and back', async () => {
    const [front, ...ports] = [await freePort(), await freePort(), await freePort()];
    const [first = 0, second = 0] = ports;
    const advertise = `localhost:${front}`;
    balancer = await startBalancer(front, ports);
    let one = await start(first, advertise);
    const two = await start(second, advertise);
    await settle(`https://${advertise}`, two);
    await eachHas([one, 2], [two, 0]);
    await kill(one);
    await dialsWork();
    await eachHas([two, 2]);
    one = await start(first, advertise);
    await kill(two);
    await eachHas([one, 2]);
    await Promise.all(networks.map(({ network, port }) => network.dialsAgain(port, BACK_MS)));
    expect(networks.map(({ network }) => network.router.process.output()).join('')).not.to.include(
      'controller is no longer known',
    );
  });

  const ASKS_AGAIN_MS = 15_000;
  /** New dials work within the time that a client waits for one. */
  const dialsWorkSoon = () =>
    Promise.all(
      networks.map(async ({ network, port }) => {
        const since = performance.now();
        await network.dialsAgain(port, ASKS_AGAIN_MS).catch((error: unknown) => {
          throw new Error(`${network.attribute}: ${String(error)}: ${network.router.process.output().slice(-6_000)}`);
        });
        if (process.env['EDGE_TEST_LOG'] === 'info')
          console.log(`      ${network.attribute}: ${Math.round(performance.now() - since)} ms`);
      }),
    );

  describe('with one address for clients, and one of its own for routers each', () => {
    let one: Running;
    let two: Running;
    let ready: ReadyBalancer;
    let again: (which: 'one' | 'two') => Promise<void>;
    beforeEach(async () => {
      const ports = [await freePort(), await freePort()];
      const [first = 0, second = 0] = ports;
      const [own, other] = [await freePort(), await freePort()];
      // Clients must not be led to a controller that hangs.
      ready = await startReadyBalancer(ports);
      balancer = ready;
      const advertise = `localhost:${new URL(ready.url).port}`;
      const starts = { one: () => start(first, advertise, own), two: () => start(second, advertise, other) };
      one = await starts.one();
      two = await starts.two();
      again = async (which) => {
        const started = await starts[which]();
        if (which === 'one') one = started;
        else two = started;
      };
      await settle(`https://${advertise}`, two, `https://localhost:${own}`);
      await eachHas([one, 2], [two, 2]);
    });

    it('whichever is killed: dials go on through the other one, without a login', async () => {
      for (const which of ['one', 'two'] as const) {
        const [dead, left] = which === 'one' ? [one, two] : [two, one];
        await kill(dead);
        await dialsWorkSoon();
        await eachHas([left, 2], [dead, 0]);
        await again(which);
        await eachHas([one, 2], [two, 2]);
        await dialsWorkSoon();
      }
    });

    it('one that hangs, and one that is shut down: the same', async () => {
      for (const { process: hanging } of [one, two]) {
        hanging.kill('SIGSTOP');
        await until('its routers are taken for gone', async () => Object.keys(await channels()).length === 1, 10_000);
        await until('clients are led to the other one', () => ready.healthy().length === 1, 10_000);
        await dialsWorkSoon();
        hanging.kill('SIGCONT');
        await eachHas([one, 2], [two, 2]);
        await dialsWorkSoon();
      }
      await one.process.stop();
      await dialsWorkSoon();
      await eachHas([two, 2]);
      await again('one');
      await eachHas([one, 2], [two, 2]);
      await two.process.stop();
      await dialsWorkSoon();
    });
  });
});
