/**
 * Links between stock routers: traffic goes over them, and over another path when the first is cut. Needs the `ziti`
 * binaries: test/support/stock-binary.ts says where they are looked for.
 */
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { StockNetwork } from '../support/stock-network.js';
import type { Talk } from '../support/stock-network.js';
import { describeStockCore } from '../support/unless.js';
import type { ZitiRouter } from '../support/ziti.js';

describeStockCore('links of stock routers', (binary) => {
  let controller: TestController;
  let network: StockNetwork;
  /** The client's router and the host's have no group in common: two others lie between them. */
  let [between, beside]: ZitiRouter[] = [];

  const newTalk = async (): Promise<{ talk: Talk; port: number }> => {
    const port = await network.tunnel(await network.apart());
    await network.dialsAgain(port);
    const talk = network.talk(port);
    await talk.echo('hello');
    return { talk, port };
  };

  before(async () => {
    controller = await startReachable();
    network = new StockNetwork(binary, controller, 'none');
    await network.policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    await network.ziti.router('near', { linkGroups: ['near'] });
    await network.ziti.router('far', { linkGroups: ['far'] });
    between = await network.ziti.router('between', { linkGroups: ['near', 'far'] });
  });
  after(async () => {
    await network.close();
    await controller.stop();
  });

  it('carry what is said between a client and a host at different routers', async () => {
    const { talk } = await newTalk();
    for (let round = 0; round < 20; round += 1) await talk.echo(unique('said'));
    talk.close();
  });

  it('carry fifty connections at once', async () => {
    const { port, talk } = await newTalk();
    const talks = Array.from({ length: 50 }, () => network.talk(port));
    await Promise.all(talks.map((each) => each.echo(unique('dial'))));
    for (const each of [...talks, talk]) each.close();
  });

  it('lead a connection around a router that is killed', async () => {
    const { talk } = await newTalk();
    beside = await network.ziti.router('beside', { linkGroups: ['near', 'far'] });
    // The path between is the only one that the connection has used so far.
    const { talk: later } = await newTalk();
    await between?.process.kill('SIGKILL');
    await Promise.all([talk.echo('still here'), later.echo('still here')]);
    await beside.process.kill('SIGKILL');
  });
});
