/**
 * Circuits whose client has gone. A stock tunneler tells its router of the end, the host hears nothing of it, and no
 * router reports it, whatever controller there is; the router asks about circuits that carry nothing, and what the
 * service says of them ends them.
 */
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import type { Talk } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

const IDLE_MS = 2_000;
const DIALS = 5;

for (const [kind, enabled] of [
  ['access tokens', 'true'],
  ['session tokens', 'false'],
] as const)
  describeStock(`circuits of clients that have gone, with ${kind}`, (binary) => {
    let controller: TestController;
    let network: StockNetwork;
    before(async () => {
      controller = await startReachable({ EDGE_OIDC_ENABLED: enabled });
      network = await new StockNetwork(binary, controller).prepare({ idleMs: IDLE_MS });
    });
    after(async () => {
      await network.close();
      await controller.stop();
    });

    const stay = (talk: Talk | undefined, count: number) =>
      until(
        `${count} circuits are left`,
        async () => {
          await talk?.echo(unique('still'));
          return (await network.circuits()) === count;
        },
        WAIT_MS,
      );

    it('end when their service says so, and those that carry something stay', async () => {
      const made = await network.setup({ maxIdleTimeMillis: IDLE_MS });
      await network.hosting(made, made.host);
      const port = await network.tunnel(made);
      await network.dialsAgain(port);
      const talk = network.talk(port);
      await talk.echo('hello');
      for (let dial = 0; dial < DIALS; dial += 1) {
        const short = network.talk(port);
        await short.echo(unique('short'));
        short.close();
      }
      await until('some are left behind', async () => (await network.circuits()) > 1, WAIT_MS);
      await stay(talk, 1);
      await talk.echo('at last');
      talk.close();
      await stay(undefined, 0);
    });
  });
