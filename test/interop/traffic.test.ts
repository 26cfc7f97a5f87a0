/**
 * Traffic of stock programs through this controller: a router, a host and dialers of release 2.0.3. Needs the `ziti`
 * binary: test/support/ziti.ts says where it is looked for.
 */
import { expect } from 'chai';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ZitiShop, findZiti } from '../support/ziti.js';
import type { ZitiProcess, ZitiRouter } from '../support/ziti.js';

const binary = findZiti();
const WAIT_MS = 60_000;

describe('stock programs', function stock() {
  this.timeout(240_000);
  let controller: TestController;
  let ziti: ZitiShop;
  let router: ZitiRouter;

  before(async function prepare() {
    if (binary === undefined) {
      console.log('      no ziti binary (ZITI, the path, ../shared/bin): traffic of stock programs is not tested');
      this.skip();
    }
    const port = String(await freePort());
    controller = await startTestController({ EDGE_LISTEN: `127.0.0.1:${port}`, EDGE_ADVERTISE: `localhost:${port}` });
    ziti = new ZitiShop(binary, controller);
    router = await ziti.router('all');
    await make(controller, 'edge-router-policies', {
      name: unique('everyone'),
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    await make(controller, 'service-edge-router-policies', {
      name: unique('everywhere'),
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
  });
  after(async () => {
    await ziti.close();
    await controller.stop();
  });

  interface Setup {
    readonly service: string;
    readonly serviceId: string;
    readonly host: { id: string; file: string };
    readonly client: { id: string; file: string };
  }
  const setup = async (options: object = {}): Promise<Setup> => {
    const service = unique('echo');
    const serviceId = await make(controller, 'services', { name: service, encryptionRequired: true, ...options });
    const [host, client] = [await ziti.identity([`host-${service}`]), await ziti.identity([`dial-${service}`])];
    for (const [type, role] of [
      ['Bind', `#host-${service}`],
      ['Dial', `#dial-${service}`],
    ])
      await make(controller, 'service-policies', {
        name: unique('policy'),
        type,
        semantic: 'AnyOf',
        identityRoles: [role],
        serviceRoles: [`@${serviceId}`],
      });
    return { service, serviceId, host, client };
  };
  const terminators = async (serviceId: string) =>
    (await controller.database.query('SELECT id FROM terminators WHERE service_id = $1', [serviceId])).rows.length;
  const hosting = async ({ service, serviceId, host }: Setup): Promise<ZitiProcess> => {
    const echo = ziti.start('demo', 'echo-server', '-i', host.file, '-s', service, '--cli-agent=false', '-v');
    await until(
      'the service is hosted',
      async () => {
        if (!echo.isRunning()) throw new Error(`the host ended: ${echo.output()}`);
        return (await terminators(serviceId)) > 0;
      },
      WAIT_MS,
    );
    return echo;
  };
  const dialing = ({ service, client }: Setup) =>
    ziti.start('demo', 'zcat', '-i', client.file, `ziti:${service}`, '-v');
  const echoes = async (client: ZitiProcess, text: string) => {
    client.write(`${text}\n`);
    await until(
      `${text} comes back`,
      () => {
        if (!client.isRunning()) throw new Error(`the dialer ended: ${client.output()}`);
        return client.stdout().includes(text);
      },
      WAIT_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${client.output()}\nrouter: ${router.process.output().slice(-6000)}`);
    });
  };

  it('host a service and dial it, and what is said comes back', async () => {
    const made = await setup();
    await hosting(made);
    const client = dialing(made);
    await echoes(client, 'hello through the overlay');
    await client.kill();
  });
});
