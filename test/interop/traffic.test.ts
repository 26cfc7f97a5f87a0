/**
 * Traffic of stock programs through this controller: a router, hosts, dialers and tunnelers of release 2.0.3. Needs the
 * `ziti` binary: test/support/ziti.ts says where it is looked for.
 */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { idsOf, make, read } from '../support/entities.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { findStockBinary } from '../support/stock-binary.js';
import { ZitiShop } from '../support/ziti.js';
import type { ZitiProcess, ZitiRouter } from '../support/ziti.js';

const binary = findStockBinary();
const WAIT_MS = 60_000;

interface Setup {
  readonly service: string;
  readonly serviceId: string;
  readonly host: { id: string; file: string };
  readonly client: { id: string; file: string };
  readonly dialPolicy: string;
  readonly bindPolicy: string;
  /** Of the client, to the router. */
  readonly routerPolicy: string;
}

interface ShownRouter {
  readonly name: string;
  readonly isOnline: boolean;
  readonly urls: Record<string, string>;
}

/** A TCP connection through a tunneler. */
interface Talk {
  readonly isOpen: () => boolean;
  /** What is said comes back. */
  echo(text: string): Promise<void>;
  close(): void;
}

describe('traffic of stock programs', function stock() {
  this.timeout(240_000);
  let controller: TestController;
  let ziti: ZitiShop;
  let router: ZitiRouter;
  /** Goes on whatever happens to others. */
  let bystander: Talk;
  const sockets: Socket[] = [];

  before(async function prepare() {
    if (binary === undefined) {
      console.log('      no ziti binary (ZITI, the path, ../shared/bin): traffic of stock programs is not tested');
      this.skip();
    }
    const port = String(await freePort());
    controller = await startTestController({ EDGE_LISTEN: `127.0.0.1:${port}`, EDGE_ADVERTISE: `localhost:${port}` });
    ziti = new ZitiShop(binary, controller);
    router = await ziti.router('all');
    await make(controller, 'service-edge-router-policies', {
      name: unique('everywhere'),
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    const made = await setup();
    await hosting(made, made.host);
    bystander = await talk(await tunnel(made));
    await bystander.echo('before all');
  });
  after(async () => {
    sockets.forEach((socket) => socket.destroy());
    if (binary === undefined) return;
    await ziti.close();
    await controller.stop();
  });
  afterEach(async () => {
    if (binary !== undefined) await bystander.echo(unique('still here'));
  });

  const policy = async (collection: string, roles: object) =>
    make(controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...roles });
  const toRouters = async (id: string) =>
    policy('edge-router-policies', { identityRoles: [`@${id}`], edgeRouterRoles: ['#all'] });
  const setup = async (options: object = {}): Promise<Setup> => {
    const service = unique('echo');
    const serviceId = await make(controller, 'services', { name: service, encryptionRequired: true, ...options });
    const [host, client] = [await ziti.identity([]), await ziti.identity([])];
    const grant = async (type: string, id: string) =>
      policy('service-policies', { type, identityRoles: [`@${id}`], serviceRoles: [`@${serviceId}`] });
    await toRouters(host.id);
    const [bindPolicy, dialPolicy] = [await grant('Bind', host.id), await grant('Dial', client.id)];
    return { service, serviceId, host, client, bindPolicy, dialPolicy, routerPolicy: await toRouters(client.id) };
  };
  const terminators = async (serviceId: string) =>
    (await controller.database.query('SELECT host_id FROM terminators WHERE service_id = $1', [serviceId])).rows;
  const hosting = async ({ service, serviceId }: Setup, host: { id: string; file: string }): Promise<ZitiProcess> => {
    const args = ['-i', host.file, '-s', service, '--cli-agent=false', '--max-terminators', '1', '-v'];
    const echo = ziti.start('demo', 'echo-server', ...args);
    await until(
      'the service is hosted',
      async () => {
        if (!echo.isRunning()) throw new Error(`the host ended: ${echo.output()}`);
        return (await terminators(serviceId)).some((row) => row['host_id'] === host.id);
      },
      WAIT_MS,
    );
    return echo;
  };
  /** @returns the port where it takes connections for the service */
  const tunnel = async ({ service, client }: Setup): Promise<number> => {
    const port = await freePort();
    const proxy = ziti.start('tunnel', 'proxy', `${service}:${port}`, '-i', client.file, '--dnsUpstream', '', '-v');
    await until(
      'the tunneler listens',
      async () => {
        if (!proxy.isRunning()) throw new Error(`the tunneler ended: ${proxy.output()}`);
        return isListening(port);
      },
      WAIT_MS,
    );
    return port;
  };
  const talk = async (port: number): Promise<Talk> => {
    const socket = connect({ host: '127.0.0.1', port });
    sockets.push(socket);
    let heard = '';
    let isOpen = true;
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isOpen = false;
    });
    socket.on('end', () => {
      isOpen = false;
    });
    return {
      isOpen: () => isOpen,
      async echo(text) {
        socket.write(`${text}\n`);
        await until(
          `${text} comes back`,
          () => {
            if (!isOpen)
              throw new Error(`closed before ${text} came back; router: ${router.process.output().slice(-3000)}`);
            return heard.includes(text);
          },
          WAIT_MS,
        );
      },
      close: () => socket.destroy(),
    };
  };
  const isEnded = async (talks: Talk) => until('the connection ends', () => !talks.isOpen(), WAIT_MS);
  const listed = async (path: string, filter: string) =>
    idsOf(expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}?filter=${encodeURIComponent(filter)}`), 200));
  const remove = async (path: string) => expectStatus(await controller.admin.delete(`${MANAGEMENT}/${path}`), 200);

  it('is hosted and dialed by SDKs, and what is said comes back', async () => {
    const made = await setup();
    await hosting(made, made.host);
    const client = ziti.start('demo', 'zcat', '-i', made.client.file, `ziti:${made.service}`, '-v');
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
    const made = await setup();
    await hosting(made, made.host);
    const port = await tunnel(made);
    for (let round = 0; round < 10; round += 1) {
      const talks = await Promise.all(Array.from({ length: 10 }, () => talk(port)));
      await Promise.all(talks.map((each) => each.echo(unique('dial'))));
      talks.forEach((each) => {
        each.close();
      });
    }
  });

  it('shows who is connected, where services are hosted, and the routers of sessions', async () => {
    const made = await setup();
    await hosting(made, made.host);
    const [id = ''] = await listed('sessions', `service="${made.serviceId}"`);
    const { edgeRouters } = await read<{ edgeRouters: ShownRouter[] }>(controller, `sessions/${id}`);
    expect(edgeRouters.map(({ name, isOnline, urls }) => ({ name, isOnline, urls }))).to.deep.equal([
      { name: router.name, isOnline: true, urls: { tls: `tls://127.0.0.1:${router.port}` } },
    ]);
    const statusOf = async (identityId: string) =>
      (await read<{ edgeRouterConnectionStatus: string }>(controller, `identities/${identityId}`))
        .edgeRouterConnectionStatus;
    await until('the host shows as connected', async () => (await statusOf(made.host.id)) === 'online', WAIT_MS);
    expect(await statusOf(made.client.id)).to.equal('offline');
  });

  it('goes to another host when one is killed', async () => {
    const made = await setup();
    const second = await ziti.identity([]);
    await toRouters(second.id);
    await policy('service-policies', {
      type: 'Bind',
      identityRoles: [`@${second.id}`],
      serviceRoles: [`@${made.serviceId}`],
    });
    const first = await hosting(made, made.host);
    await hosting(made, second);
    const port = await tunnel(made);
    await (await talk(port)).echo('two hosts');
    await first.kill('SIGKILL');
    for (let dial = 0; dial < 5; dial += 1) await (await talk(port)).echo(unique('one host'));
    await until('its terminator is gone', async () => (await terminators(made.serviceId)).length === 1, WAIT_MS);
  });

  it('goes on while the controller is not asked, and new dials work when the router has come again', async () => {
    const made = await setup();
    await hosting(made, made.host);
    const port = await tunnel(made);
    const talks = await talk(port);
    await talks.echo('before');
    await controller.admin.patch(`${MANAGEMENT}/edge-routers/${router.id}`, { disabled: true });
    await until('the router is cut', async () => {
      const { data } = await controller.admin.get(`${MANAGEMENT}/edge-routers/${router.id}`);
      return !(data as { isOnline: boolean }).isOnline;
    });
    await talks.echo('meanwhile');
    await controller.admin.patch(`${MANAGEMENT}/edge-routers/${router.id}`, { disabled: false });
    await ziti.online(router);
    await (await talk(port)).echo('after');
  });

  const revocations: readonly (readonly [string, (made: Setup) => Promise<unknown>])[] = [
    [
      'its session is deleted',
      async ({ serviceId }) => {
        for (const id of await listed('sessions', `service="${serviceId}" and type="Dial"`))
          await remove(`sessions/${id}`);
      },
    ],
    [
      'its API session is deleted',
      async ({ client }) => {
        for (const id of await listed('api-sessions', `identity="${client.id}"`)) await remove(`api-sessions/${id}`);
      },
    ],
    ['its Dial policy is deleted', ({ dialPolicy }) => remove(`service-policies/${dialPolicy}`)],
    ['its router policy is deleted', ({ routerPolicy }) => remove(`edge-router-policies/${routerPolicy}`)],
    [
      'its identity is disabled',
      ({ client }) => controller.admin.post(`${MANAGEMENT}/identities/${client.id}/disable`, { durationMinutes: 60 }),
    ],
    ['its identity is deleted', ({ client }) => remove(`identities/${client.id}`)],
    [
      'its certificate is revoked',
      async ({ client }) => {
        for (const id of await listed('authenticators', `identity="${client.id}"`))
          await remove(`authenticators/${id}`);
      },
    ],
    ['the service is deleted', ({ serviceId }) => remove(`services/${serviceId}`)],
    ['the Bind policy of the host is deleted', ({ bindPolicy }) => remove(`service-policies/${bindPolicy}`)],
  ];
  for (const [what, revoke] of revocations) {
    it(`ends when ${what}, and nobody else's does`, async () => {
      const made = await setup();
      await hosting(made, made.host);
      const talks = await talk(await tunnel(made));
      await talks.echo('as long as it lasts');
      await revoke(made);
      await isEnded(talks);
    });
  }
});

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ host: '127.0.0.1', port });
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => {
      resolve(false);
    });
  });
}
