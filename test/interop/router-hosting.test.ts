/**
 * Services that a stock router hosts by itself: several terminators of one, over TCP and UDP, with costs, precedences
 * and health checks of their configs, and configs of the router's own identity in place of them.
 */
import { createServer as createHttpServer } from 'node:http';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import { namedTcp, namedUdp } from '../support/named-server.js';
import type { NamedServer } from '../support/named-server.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';

const HOST_V1 = 'NH5p4FpGR';
const HOST_V2 = 'host.v2';
const DIALS = 4;

interface Hosted {
  readonly id: string;
  readonly cost: number;
  readonly precedence: string;
}

interface Service {
  readonly id: string;
  readonly name: string;
  readonly configId: string;
}

describeStock('services that a stock router hosts', (binary) => {
  const servers: NamedServer[] = [];
  let controller: TestController;
  let network: StockNetwork;
  let first: NamedServer;
  let second: NamedServer;

  before(async () => {
    controller = await startReachable();
    network = await new StockNetwork(binary, controller).prepare({ tunnel: { mode: 'host' } });
    [first, second] = [await serve(namedTcp('first')), await serve(namedTcp('second'))];
  });
  after(async () => {
    for (const server of servers) server.close();
    await network.close();
    await controller.stop();
  });

  const serve = async (server: Promise<NamedServer>): Promise<NamedServer> => {
    servers.push(await server);
    return server;
  };
  const at = ({ port }: Pick<NamedServer, 'port'>, more: object = {}) => ({
    protocol: 'tcp',
    address: '127.0.0.1',
    port,
    ...more,
  });
  const config = (configTypeId: string, data: object) =>
    make(controller, 'configs', { name: unique('host'), configTypeId, data });
  /** A service that the router may host from now on. */
  const service = async (configTypeId: string, data: object): Promise<Service> => {
    const [name, configId] = [unique('hosted'), await config(configTypeId, data)];
    const id = await make(controller, 'services', { name, encryptionRequired: true, configs: [configId] });
    await network.grant('Bind', network.router.id, id);
    return { id, name, configId };
  };
  const hostedBy = ({ id }: Service) => network.items<Hosted>(`services/${id}/terminators`);
  /** Waits until the terminators are like that, cheapest first. */
  const areHosted = async (made: Service, expected: readonly Partial<Hosted>[]): Promise<readonly Hosted[]> => {
    let seen: readonly Hosted[] = [];
    const fits = (): boolean =>
      seen.length === expected.length &&
      expected.every((wanted, index) =>
        Object.entries(wanted).every(([key, value]) => seen[index]?.[key as keyof Hosted] === value),
      );
    await until(
      'the terminators are as their configs say',
      async () => {
        seen = (await hostedBy(made)).sort((left, right) => left.cost - right.cost);
        return fits();
      },
      WAIT_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(seen)}; ${network.router.process.output().slice(-2_000)}`);
    });
    return seen;
  };
  const newClient = async ({ id, name }: Service): Promise<number> => {
    const client = await network.ziti.identity([]);
    await network.toRouters(client.id);
    await network.grant('Dial', client.id, id);
    return network.tunnel({ service: name, client });
  };
  /** @returns what the hosts say who are reached, one dial after another */
  const answersAt = async (port: number): Promise<string[]> => {
    const answers: string[] = [];
    for (let dial = 0; dial < DIALS; dial += 1) {
      const talk = network.talk(port);
      await until('the host says its name, or nobody does', () => !talk.isOpen() || talk.heard() !== '', WAIT_MS);
      answers.push(talk.heard().trim());
      talk.close();
    }
    return answers;
  };
  const all = (name: string) => Array.from({ length: DIALS }, () => name);

  it('have a terminator for each of host.v2, with its cost and precedence, and dials heed them', async () => {
    const made = await service(HOST_V2, {
      terminators: [
        at(first, { listenOptions: { cost: 7, precedence: 'default' } }),
        at(second, { listenOptions: { cost: 1_000, precedence: 'default' } }),
      ],
    });
    await areHosted(made, [
      { cost: 7, precedence: 'default' },
      { cost: 1_000, precedence: 'default' },
    ]);
    const port = await newClient(made);
    expect(await answersAt(port)).to.deep.equal(all('first'));
    await network.patch(`configs/${made.configId}`, {
      data: {
        terminators: [
          at(first, { listenOptions: { cost: 8 } }),
          at(second, { listenOptions: { cost: 2_000, precedence: 'required' } }),
        ],
      },
    });
    await areHosted(made, [
      { cost: 8, precedence: 'default' },
      { cost: 2_000, precedence: 'required' },
    ]);
    expect(await answersAt(port)).to.deep.equal(all('second'));
    expect(await controller.checkModel(network.router.id)).to.deep.equal([]);
  });

  it('fail and come back as port checks say', async () => {
    const checked = await serve(namedTcp('checked'));
    const actions = [
      { trigger: 'fail', action: 'mark unhealthy' },
      { trigger: 'fail', action: 'send event' },
      { trigger: 'pass', action: 'mark healthy' },
    ];
    const portChecks = [{ interval: '1s', timeout: '500ms', address: `127.0.0.1:${checked.port}`, actions }];
    const made = await service(HOST_V2, {
      terminators: [
        at(checked, { portChecks, listenOptions: { cost: 5 } }),
        at(second, { listenOptions: { cost: 500 } }),
      ],
    });
    await areHosted(made, [{ precedence: 'default' }, { precedence: 'default' }]);
    const port = await newClient(made);
    expect(await answersAt(port)).to.deep.equal(all('checked'));
    checked.close();
    await areHosted(made, [{ precedence: 'failed' }, { precedence: 'default' }]);
    expect(await answersAt(port)).to.deep.equal(all('second'));
    await serve(namedTcp('checked again', checked.port));
    await areHosted(made, [{ precedence: 'default' }, { precedence: 'default' }]);
    expect(await answersAt(port)).to.deep.equal(all('checked again'));
  });

  it('get dearer and cheaper as http checks say', async () => {
    let status = 200;
    const health = createHttpServer((_request, response) => response.writeHead(status).end('all is well'));
    health.listen(0, '127.0.0.1');
    await once(health, 'listening');
    const { port } = health.address() as { port: number };
    const actions = [
      { trigger: 'fail', action: 'increase cost 300' },
      { trigger: 'pass', action: 'decrease cost 25' },
    ];
    const check = { url: `http://127.0.0.1:${port}/`, method: 'GET', expectStatus: 200, expectInBody: 'well' };
    const httpChecks = [{ ...check, interval: '500ms', timeout: '400ms', actions }];
    const made = await service(HOST_V1, at(first, { httpChecks, listenOptions: { cost: 10 } }));
    try {
      await areHosted(made, [{ cost: 10 }]);
      status = 503;
      await until('it gets dearer', async () => ((await hostedBy(made))[0]?.cost ?? 0) >= 310, WAIT_MS);
      status = 200;
      await areHosted(made, [{ cost: 10, precedence: 'default' }]);
    } finally {
      health.close();
    }
  });

  it("are where a config of the router's own identity says, at its own cost", async () => {
    const made = await service(HOST_V1, at(first));
    await areHosted(made, [{ cost: 0, precedence: 'default' }]);
    const port = await newClient(made);
    expect(await answersAt(port)).to.deep.equal(all('first'));
    const own = await config(HOST_V1, at(second));
    const path = `${MANAGEMENT}/identities/${network.router.id}`;
    const overrides = [{ serviceId: made.id, configId: own }];
    expectStatus(await controller.admin.post(`${path}/service-configs`, overrides), 200);
    const reaches = (name: string) =>
      until(`${name} is reached`, async () => (await answersAt(port)).every((answer) => answer === name), WAIT_MS);
    await reaches('second');
    const costs = { serviceHostingCosts: { [made.id]: 44 }, serviceHostingPrecedences: { [made.id]: 'required' } };
    expectStatus(await controller.admin.patch(path, costs), 200);
    await areHosted(made, [{ cost: 44, precedence: 'required' }]);
    expect(await controller.checkModel(network.router.id)).to.deep.equal([]);
    expectStatus(await controller.admin.delete(`${path}/service-configs`, overrides), 200);
    await reaches('first');
  });

  it('carry datagrams to a host, for a tunneler and back', async () => {
    const echo = await serve(namedUdp('datagrams'));
    const made = await service(HOST_V1, at(echo, { protocol: 'udp' }));
    await areHosted(made, [{ cost: 0 }]);
    const dialer = await network.ziti.identity([]);
    await network.toRouters(dialer.id);
    await network.grant('Dial', dialer.id, made.id);
    const port = await freePort();
    const options = ['-i', dialer.file, '--dnsUpstream', '', '--cli-agent=false', '-v'];
    network.ziti.start('tunnel', 'proxy', `${made.name}:${port}:udp`, ...options);
    const client = createSocket('udp4');
    const heard: string[] = [];
    client.on('message', (bytes) => heard.push(bytes.toString()));
    try {
      for (const said of ['one', 'another'])
        // Datagrams may be lost, most of all before the tunneler listens.
        await until(
          `${said} comes back`,
          () => {
            client.send(said, port, '127.0.0.1');
            return heard.includes(`datagrams ${said}`);
          },
          WAIT_MS,
        );
    } finally {
      client.close();
    }
  });
});
