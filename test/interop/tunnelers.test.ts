/** Tunnelers at both ends: what they host is said by configs, over TCP and UDP, and which host a dial goes to. */
import { createSocket } from 'node:dgram';
import { expect } from 'chai';
import { startReachable, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { makeConfig, makeService } from '../support/make.js';
import { namedTcp, namedUdp } from '../support/named-server.js';
import type { NamedServer } from '../support/named-server.js';
import { MANAGEMENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { expectStatus } from '../support/client.js';
import { StockNetwork, WAIT_MS } from '../support/stock-network.js';
import type { StockIdentity, Talk } from '../support/stock-network.js';
import { describeStock } from '../support/unless.js';
import type { ZitiProcess } from '../support/ziti.js';

const STRATEGIES = ['smartrouting', 'weighted', 'random', 'sticky'] as const;
type Strategy = (typeof STRATEGIES)[number];
/** One more service, whose terminators differ in precedence. */
const SERVICES = [...STRATEGIES, 'preferred'] as const;
type Service = (typeof SERVICES)[number];
/** That random choices leave one of two out is less likely than one in a million. */
const DIALS = 21;

describeStock('tunnelers at both ends', (binary) => {
  const word = unique('tunneled');
  const servers: NamedServer[] = [];
  const ids = new Map<Service, string>();
  const ports = new Map<Service | 'udp', number>();
  const hosts: ZitiProcess[] = [];
  /** Of the second host, for the last of the services. */
  let preferred = '';
  let controller: TestController;
  let network: StockNetwork;

  const serviceOf = (service: string) => `${word}-${service}`;
  const idOf = (service: Service) => ids.get(service) ?? '';
  const serve = async (server: Promise<NamedServer>): Promise<NamedServer> => {
    servers.push(await server);
    return server;
  };
  const hostConfig = async (hostV1: string, protocol: string, { port }: NamedServer) =>
    makeConfig(controller, {
      name: unique('host'),
      configTypeId: hostV1,
      data: { protocol, address: '127.0.0.1', port },
    });
  const identity = async (type: 'Bind' | 'Dial'): Promise<StockIdentity> => {
    const made = await network.ziti.identity([`${word}-${type}`]);
    await network.toRouters(made.id);
    return made;
  };
  before(async () => {
    controller = await startReachable();
    network = await new StockNetwork(binary, controller).prepare();
    const [hostV1 = ''] = await network.listed('config-types', 'name="host.v1"');
    const [first, second] = [await serve(namedTcp('first')), await serve(namedTcp('second'))];
    const [ofFirst, ofSecond] = [await hostConfig(hostV1, 'tcp', first), await hostConfig(hostV1, 'tcp', second)];
    const service = (name: string, more: object) =>
      makeService(controller, {
        name: serviceOf(name),
        encryptionRequired: true,
        roleAttributes: [word],
        ...more,
      });
    for (const name of SERVICES) {
      const terminatorStrategy = name === 'preferred' ? 'smartrouting' : name;
      ids.set(name, await service(name, { terminatorStrategy, configs: [ofFirst] }));
    }
    const echo = await serve(namedUdp('first'));
    const udp = await service('udp', { configs: [await hostConfig(hostV1, 'udp', echo)] });
    for (const type of ['Bind', 'Dial'] as const)
      await network.policy('service-policies', {
        type,
        identityRoles: [`#${word}-${type}`],
        serviceRoles: [`#${word}`],
      });
    const known = new Map<string, string[]>();
    for (let index = 0; index < 2; index += 1) {
      const who = await identity('Bind');
      // What the second one hosts is somewhere else.
      const overrides = SERVICES.map((name) => ({ serviceId: idOf(name), configId: ofSecond }));
      if (index === 1)
        expectStatus(await controller.admin.post(`${MANAGEMENT}/identities/${who.id}/service-configs`, overrides), 200);
      const running = network.ziti.start('tunnel', 'host', '-i', who.file, '--cli-agent=false', '-v');
      for (const id of [...ids.values(), udp]) {
        const terminator = await network.hosted(id, known.get(id) ?? [], running);
        known.set(id, [...(known.get(id) ?? []), terminator]);
      }
      hosts.push(running);
    }
    preferred = known.get(idOf('preferred'))?.[1] ?? '';
    const dialer = await identity('Dial');
    const listeners: string[] = [];
    for (const name of SERVICES) {
      ports.set(name, await freePort());
      listeners.push(`${serviceOf(name)}:${ports.get(name)}`);
    }
    ports.set('udp', await freePort());
    listeners.push(`${serviceOf('udp')}:${ports.get('udp')}:udp`);
    network.ziti.start('tunnel', 'proxy', ...listeners, '-i', dialer.file, '--dnsUpstream', '', '--cli-agent=false');
    for (const name of SERVICES) await network.dialsAgain(ports.get(name) ?? 0);
  });
  after(async () => {
    for (const server of servers) server.close();
    await network.close();
    await controller.stop();
  });

  /** Dials one after another, and keeps them. @returns how often each host answered */
  const dials = async (service: Service, count: number): Promise<Readonly<Record<string, number>>> => {
    const [answers, talks]: [Record<string, number>, Talk[]] = [{}, []];
    for (let dial = 0; dial < count; dial += 1) {
      const talk = network.talk(ports.get(service) ?? 0);
      talks.push(talk);
      const name = await until(
        'the host says its name',
        () => {
          if (!talk.isOpen()) throw new Error('closed before it did');
          return /^(\w+)\n/.exec(talk.heard())?.[1];
        },
        WAIT_MS,
      );
      answers[name] = (answers[name] ?? 0) + 1;
    }
    for (const talk of talks) talk.close();
    return answers;
  };

  it('carry datagrams', async () => {
    const client = createSocket('udp4');
    const heard: string[] = [];
    client.on('message', (bytes) => heard.push(bytes.toString()));
    try {
      // The first may be lost, as datagrams are.
      await until(
        'one comes back',
        () => {
          client.send('over udp', ports.get('udp') ?? 0, '127.0.0.1');
          return heard.includes('first over udp');
        },
        WAIT_MS,
      );
    } finally {
      client.close();
    }
  });

  const expected: Readonly<Record<Strategy, (answers: Readonly<Record<string, number>>) => void>> = {
    // Each dial makes its terminator dearer than the other.
    smartrouting: ({ first = 0, second = 0 }) => {
      expect(Math.abs(first - second)).to.be.lessThanOrEqual(3);
    },
    weighted: (answers) => {
      expect(answers).to.have.all.keys('first', 'second');
    },
    random: (answers) => {
      expect(answers).to.have.all.keys('first', 'second');
    },
    // Dialers that show no token get what costs least, those that do stay with it.
    sticky: (answers) => {
      expect((answers['first'] ?? 0) + (answers['second'] ?? 0)).to.equal(DIALS);
    },
  };
  for (const strategy of STRATEGIES)
    it(`reach two hosts by ${strategy}`, async () => {
      const answers = await dials(strategy, DIALS);
      expected[strategy](answers);
    });

  it('reach the host whose terminator is required, until it is gone', async () => {
    await network.patch(`terminators/${preferred}`, { precedence: 'required' });
    expect(await dials('preferred', 6)).to.deep.equal({ second: 6 });
  });

  it('reach the other host by every strategy when one is killed', async () => {
    await hosts[1]?.kill('SIGKILL');
    for (const service of SERVICES) {
      expect(await dials(service, 3)).to.deep.equal({ first: 3 });
      await until(
        'its terminator is gone',
        async () => (await network.terminators(idOf(service))).length === 1,
        WAIT_MS,
      );
    }
  });
});
