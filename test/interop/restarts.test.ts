/** A router and a controller that are killed while stock programs talk, and come back. */
import { ADMIN, unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import { addressAt, freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

/** What lost its controller or its router tries again after up to a minute. */
const BACK_MS = 120_000;

describeStock('traffic of stock programs, when', (binary) => {
  const shop = new ProcessShop();
  const dataDir = shop.dataDir();
  let env: Readonly<Record<string, string>>;
  let controller: ControllerProcess;
  let network: StockNetwork;

  before(async () => {
    const [port, routers] = [await freePort(), await freePort()];
    // Routers at an address of their own: all that stock programs are told of it has to be right.
    env = {
      ...addressAt(port),
      EDGE_CONTROL_LISTEN: `127.0.0.1:${routers}`,
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      EDGE_LOG_REQUESTS: 'none',
    };
    controller = shop.start(dataDir, { env });
    const url = await controller.ready();
    const admin = await shop.login(url);
    network = await new StockNetwork(binary, { admin, url, routersUrl: `https://127.0.0.1:${routers}` }).prepare();
  });
  after(async () => {
    await network.close();
    await shop.end();
  });

  it('the router is killed: hosts and dialers come back with it', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    await talk.echo('before');
    await network.restartRouter();
    await until('the connection over it ends', () => !talk.isOpen(), BACK_MS);
    await network.dialsAgain(port, BACK_MS);
    await until('one terminator', async () => (await network.terminators(made.serviceId)).length === 1, BACK_MS);
  });

  it('the controller is killed: what stands goes on, and new dials work when it is back', async () => {
    const made = await network.setup();
    await network.hosting(made, made.host);
    const port = await network.tunnel(made);
    const talk = network.talk(port);
    await talk.echo('before');
    controller.kill('SIGKILL');
    await controller.ended;
    for (let said = 0; said < 5; said += 1) await talk.echo(unique('without it'));
    controller = shop.start(dataDir, { env });
    await controller.ready();
    await network.ziti.online(network.router);
    await talk.echo('with it again');
    await network.dialsAgain(port, BACK_MS);
    await talk.echo('and after a dial');
    await until('one terminator', async () => (await network.terminators(made.serviceId)).length === 1, WAIT_MS);
  });
});
