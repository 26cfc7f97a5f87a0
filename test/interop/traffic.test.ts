/**
 * Traffic of stock programs through this controller: a router, hosts, dialers and tunnelers, with sessions of
 * `authenticate` alone; bearer-traffic.test.ts has the other kind. Needs `ziti`: test/support/stock-binary.ts
 * says where they are looked for.
 */
import { expect } from 'chai';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import type { Talk } from '../support/stock-network.js';
import { describeStockCore } from '../support/unless.js';

interface ShownRouter {
  readonly name: string;
  readonly isOnline: boolean;
  readonly urls: Record<string, string>;
}

describeStockCore('traffic of stock programs without access tokens', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  /** Goes on whatever happens to others. */
  let bystander: Talk;

  before(async () => {
    controller = await startReachable({ EDGE_OIDC_ENABLED: 'false' });
    // Both under one name, as on a machine of one's own.
    network = await new StockNetwork(binary, controller).prepare({ host: 'localhost' });
    bystander = await network.newTalk();
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });
  afterEach(async () => {
    await bystander.echo(unique('still here'));
  });

  it('is hosted and dialed by SDKs, and what is said comes back', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const client = network.ziti.start('demo', 'zcat', '-i', made.client.file, `ziti:${made.service}`, '-v');
    client.write('hello through the overlay\n');
    await until(
      'it comes back',
      () => {
        if (!client.isRunning()) throw new Error(`the dialer ended: ${client.output()}`);
        return client.stdout().includes('hello through the overlay');
      },
      WAIT_MS,
    );
    await client.kill();
  });

  it('goes through tunnelers, a hundred dials and more, at the same time too', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    for (let round = 0; round < 10; round += 1) {
      const talks = Array.from({ length: 10 }, () => network.talk(port));
      await Promise.all(talks.map((each) => each.echo(unique('dial'))));
      talks.forEach((each) => {
        each.close();
      });
    }
  });

  it('shows who is connected, where services are hosted, and the routers of sessions', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const [id = ''] = await network.listed('sessions', `service="${made.serviceId}"`);
    const { edgeRouters } = await network.read<{ edgeRouters: ShownRouter[] }>(`sessions/${id}`);
    expect(edgeRouters.map(({ name, isOnline, urls }) => ({ name, isOnline, urls }))).to.deep.equal([
      { name: network.router.name, isOnline: true, urls: { tls: `tls://localhost:${network.router.port}` } },
    ]);
    const statusOf = async (identityId: string) =>
      (await network.read<{ edgeRouterConnectionStatus: string }>(`identities/${identityId}`))
        .edgeRouterConnectionStatus;
    await until('the host shows as connected', async () => (await statusOf(made.host.id)) === 'online', WAIT_MS);
    expect(await statusOf(made.client.id)).to.equal('offline');
  });

  it('goes to another host when one is killed', async () => {
    const made = await network.setup();
    const second = await network.furtherHost(made.serviceId);
    const first = await network.hosting(made, made.host);
    await network.hosting(made, second);
    const port = await network.tunnel(made);
    await network.talk(port).echo('two hosts');
    await first.kill('SIGKILL');
    for (let dial = 0; dial < 5; dial += 1) await network.talk(port).echo(unique('one host'));
    await until(
      'its terminator is gone',
      async () => (await network.terminators(made.serviceId)).length === 1,
      WAIT_MS,
    );
  });

  it('goes on while the controller is not asked, and new dials work when the router has come again', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talks = network.talk(port);
    await talks.echo('before');
    await controller.admin.patch(`${MANAGEMENT}/edge-routers/${network.router.id}`, { disabled: true });
    await until('the router is cut', async () => {
      const { data } = await controller.admin.get(`${MANAGEMENT}/edge-routers/${network.router.id}`);
      return !(data as { isOnline: boolean }).isOnline;
    });
    await talks.echo('meanwhile');
    await controller.admin.patch(`${MANAGEMENT}/edge-routers/${network.router.id}`, { disabled: false });
    await network.ziti.online(network.router);
    await network.talk(port).echo('after');
  });
});
