/**
 * A stock router that intercepts: what connects to the address of a service gets to its host. The router changes the
 * addresses and packet filters of its machine, so this runs in a network namespace of its own, which
 * scripts/interop.mjs makes where it can.
 */
import { connect } from 'node:net';
import { expect } from 'chai';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { namedTcp } from '../support/named-server.js';
import type { NamedServer } from '../support/named-server.js';
import { until } from '../support/poll.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { describeStock, describeUnless } from '../support/unless.js';

const PORT = 8_080;
const HINDRANCE =
  process.env['EDGE_OWN_NETWORK'] === undefined
    ? 'it needs a network namespace of its own: `npm run interop`'
    : undefined;

describeUnless(HINDRANCE, 'interception', () => {
  describeStock('by a stock router', (binary) => {
    let controller: TestController;
    let network: StockNetwork;
    let server: NamedServer;

    before(async () => {
      controller = await startReachable();
      network = new StockNetwork(binary, controller);
      await network.prepare({ tunnel: { mode: 'tproxy', resolver: 'none' } });
      server = await namedTcp('behind the network');
    });
    after(async () => {
      server.close();
      await network.close();
      await controller.stop();
    });

    /** What the first bytes are that come from there; '' when the connection is refused or ends. */
    const answerOf = (host: string, port: number): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect({ host, port });
        socket.setTimeout(2_000, () => socket.destroy());
        socket.on('data', (bytes: Buffer) => {
          resolve(bytes.toString().trim());
          socket.destroy();
        });
        socket.on('error', () => undefined);
        socket.on('close', () => {
          resolve('');
        });
      });

    it('takes connections to the address of a service while its identity may dial it', async () => {
      const address = '100.64.10.1';
      const config = (configTypeId: string, data: object) =>
        make(controller, 'configs', { name: unique('config'), configTypeId, data });
      const intercept = await config('g7cIWbcGg', {
        protocols: ['tcp'],
        addresses: [address],
        portRanges: [{ low: PORT, high: PORT }],
      });
      const host = await config('NH5p4FpGR', { protocol: 'tcp', address: '127.0.0.1', port: server.port });
      const id = await make(controller, 'services', {
        name: unique('intercepted'),
        encryptionRequired: true,
        configs: [intercept, host],
      });
      await network.grant('Bind', network.router.id, id);
      const dial = await network.grant('Dial', network.router.id, id);
      const answers = (port: number, answer: string) =>
        until(`"${answer}" comes from port ${port}`, async () => (await answerOf(address, port)) === answer, WAIT_MS);
      await answers(PORT, 'behind the network');
      expect(await controller.checkModel(network.router.id)).to.deep.equal([]);
      await network.patch(`configs/${intercept}`, {
        data: { protocols: ['tcp'], addresses: [address], portRanges: [{ low: PORT + 1, high: PORT + 1 }] },
      });
      await answers(PORT + 1, 'behind the network');
      await answers(PORT, '');
      await network.remove(`service-policies/${dial}`);
      await answers(PORT + 1, '');
      await network.grant('Dial', network.router.id, id);
      await answers(PORT + 1, 'behind the network');
      expect(await controller.checkModel(network.router.id)).to.deep.equal([]);
    });
  });
});
