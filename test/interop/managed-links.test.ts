/** Links of stock routers that their configs make: listeners open, move and close without a restart. */
import { connect } from 'node:net';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeConfig } from '../support/make.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ONLY_INTEROP, describeRelease } from '../support/unless.js';
import { ZitiShop } from '../support/ziti.js';

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => {
      resolve(false);
    });
  });

describeRelease(
  'next',
  'links of stock routers by their configs',
  (binary) => {
    let controller: TestController;
    let ziti: ZitiShop;
    before(async () => {
      controller = await startReachable();
      ziti = new ZitiShop(binary, controller);
    });
    after(async () => {
      await ziti.close();
      await controller.stop();
    });

    const listening = (port: number) => ({
      listeners: [{ bind: `tls:127.0.0.1:${port}`, advertise: `tls:127.0.0.1:${port}`, groups: ['default'] }],
    });
    const config = (port: number) =>
      makeConfig(controller, { name: unique('link'), configTypeId: 'router.link.v1', data: listening(port) });
    const change = async (method: 'patch' | 'delete', path: string, body?: object) =>
      expectStatus(await controller.admin[method](`${MANAGEMENT}/${path}`, body), 200);

    for (const isTransit of [false, true])
      it(`open, move and close as the config of ${isTransit ? 'a transit' : 'an edge'} router says`, async () => {
        const router = await ziti.router('all', { hasManagedLinks: true, isTransit });
        const path = `${isTransit ? 'transit' : 'edge'}-routers/${router.id}`;
        const [first, second, strange] = [await freePort(), await freePort(), await freePort()];
        const [id] = [await config(first), await config(strange)];
        await change('patch', path, { configs: [id] });
        await until('the listener is open', () => isOpen(first));
        await change('patch', `configs/${id}`, { data: listening(second) });
        await until('the listener is somewhere else', async () => (await isOpen(second)) && !(await isOpen(first)));
        if (await isOpen(strange)) throw new Error('a config that the router does not carry opened a listener');
        await change('delete', `configs/${id}`);
        await until('the listener is closed', async () => !(await isOpen(second)));
      });

    it('stay as a router says in its own configuration, whatever configs it carries', async () => {
      const router = await ziti.router('all');
      const port = await freePort();
      await change('patch', `edge-routers/${router.id}`, { configs: [await config(port)] });
      await until('the router has it', async () => (await controller.checkModel(router.id))?.length === 0);
      if (await isOpen(port)) throw new Error('the router took a config that it does not allow');
    });
  },
  ONLY_INTEROP,
);
