/** A network of stock programs: one router, services with those who may host and dial them, and their talk. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import { idsOf, make, read } from './entities.js';
import { FABRIC, MANAGEMENT } from './paths.js';
import { until } from './poll.js';
import { freePort } from './ports.js';
import { ZitiShop } from './ziti.js';
import type { RouterOptions, StockController, ZitiProcess, ZitiRouter } from './ziti.js';

export const WAIT_MS = 60_000;
/** A tunneler without a router keeps a connection waiting; the next one is dialed afresh. */
const DIAL_MS = 10_000;

export interface StockIdentity {
  readonly id: string;
  /** That programs take. */
  readonly file: string;
}

/** A service, one who hosts it and one who dials it. */
export interface Setup {
  readonly service: string;
  readonly serviceId: string;
  readonly host: StockIdentity;
  readonly client: StockIdentity;
  readonly dialPolicy: string;
  readonly bindPolicy: string;
  /** Of the client, to the router. */
  readonly routerPolicy: string;
}

/** A TCP connection through a tunneler. */
export interface Talk {
  readonly isOpen: () => boolean;
  readonly heard: () => string;
  write(text: string): void;
  /** What is said comes back. */
  echo(text: string): Promise<void>;
  close(): void;
}

export class StockNetwork {
  readonly ziti: ZitiShop;
  readonly #controller: StockController;
  readonly #sockets: Socket[] = [];
  #router: ZitiRouter | undefined;

  /** @param attribute  of its router, which this network uses alone; `all`: any router */
  constructor(
    binary: string,
    controller: StockController,
    readonly attribute = 'all',
  ) {
    this.#controller = controller;
    this.ziti = new ZitiShop(binary, controller);
  }

  get router(): ZitiRouter {
    if (this.#router === undefined) throw new Error('there is no router yet');
    return this.#router;
  }

  /** The router, which every service may use. */
  async prepare(options: RouterOptions = {}): Promise<this> {
    this.#router = await this.ziti.router(this.attribute, options);
    await this.policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    return this;
  }

  policy(collection: string, roles: object): Promise<string> {
    return make(this.#controller, collection, { name: unique('policy'), semantic: 'AnyOf', ...roles });
  }

  toRouters(id: string): Promise<string> {
    return this.policy('edge-router-policies', {
      identityRoles: [`@${id}`],
      edgeRouterRoles: [`#${this.attribute}`],
    });
  }

  grant(type: 'Bind' | 'Dial', id: string, serviceId: string): Promise<string> {
    return this.policy('service-policies', { type, identityRoles: [`@${id}`], serviceRoles: [`@${serviceId}`] });
  }

  /** Of a client and a host of its own, through a tunneler; something was said and came back. */
  async newTalk(): Promise<Talk> {
    const made = await this.setup();
    await this.hosting(made, made.host);
    const talk = this.talk(await this.tunnel(made));
    await talk.echo('hello');
    return talk;
  }

  /** @param options  of the service @param known  the client, when it is to be a certain one */
  async setup(options: object = {}, known?: StockIdentity): Promise<Setup> {
    const service = unique('echo');
    const serviceId = await make(this.#controller, 'services', { name: service, encryptionRequired: true, ...options });
    const [host, client] = [await this.ziti.identity([]), known ?? (await this.ziti.identity([]))];
    await this.toRouters(host.id);
    const bindPolicy = await this.grant('Bind', host.id, serviceId);
    const dialPolicy = await this.grant('Dial', client.id, serviceId);
    return { service, serviceId, host, client, bindPolicy, dialPolicy, routerPolicy: await this.toRouters(client.id) };
  }

  /** A hosted service whose client uses routers with the attribute `near`, and whose host those with `far`. */
  async apart(): Promise<Setup> {
    const [host, client] = [await this.ziti.identity([]), await this.ziti.identity([])];
    const made = await this.setup({}, client);
    await this.remove(`edge-router-policies/${made.routerPolicy}`);
    await this.policy('edge-router-policies', { identityRoles: [`@${client.id}`], edgeRouterRoles: ['#near'] });
    await this.policy('edge-router-policies', { identityRoles: [`@${host.id}`], edgeRouterRoles: ['#far'] });
    await this.grant('Bind', host.id, made.serviceId);
    await this.hosting(made, host);
    return made;
  }

  /** A further identity that may host the service. */
  async furtherHost(serviceId: string): Promise<StockIdentity> {
    const host = await this.ziti.identity([]);
    await this.toRouters(host.id);
    await this.grant('Bind', host.id, serviceId);
    return host;
  }

  /** Ids. */
  async terminators(serviceId: string): Promise<string[]> {
    return (await this.items<{ id: string }>(`services/${serviceId}/terminators?limit=500`)).map(({ id }) => id);
  }

  /** How many circuits stand, as the controller shows them. */
  async circuits(): Promise<number> {
    const { meta } = expectStatus(await this.#controller.admin.get(`${FABRIC}/circuits?limit=1`), 200);
    return meta.pagination?.totalCount ?? 0;
  }

  /** An SDK that hosts the service with one terminator, and sends back what it gets. */
  async hosting(
    { service, serviceId }: Pick<Setup, 'service' | 'serviceId'>,
    host: StockIdentity,
  ): Promise<ZitiProcess> {
    const args = ['-i', host.file, '-s', service, '--cli-agent=false', '--max-terminators', '1', '-v'];
    const known = await this.terminators(serviceId);
    const echo = this.ziti.start('demo', 'echo-server', ...args);
    await this.hosted(serviceId, known, echo);
    return echo;
  }

  /** @param known  terminators that the service had before @returns the id of the one that it has now */
  hosted(serviceId: string, known: readonly string[], started: ZitiProcess): Promise<string> {
    return until(
      'the service is hosted',
      async () => {
        if (!started.isRunning()) throw new Error(`the host ended: ${started.output()}`);
        return (await this.terminators(serviceId)).find((id) => !known.includes(id));
      },
      WAIT_MS,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${started.output().slice(-3_000)}`);
    });
  }

  /** @returns the port where a tunneler takes connections for the service */
  async tunnel({ service, client }: Pick<Setup, 'service' | 'client'>): Promise<number> {
    const port = await freePort();
    const args = ['-i', client.file, '--dnsUpstream', '', '--cli-agent=false', '-v'];
    const proxy = this.ziti.start('tunnel', 'proxy', `${service}:${port}`, ...args);
    await until(
      'the tunneler listens',
      async () => {
        if (!proxy.isRunning()) throw new Error(`the tunneler ended: ${proxy.output()}`);
        return isListening(port);
      },
      WAIT_MS,
    );
    return port;
  }

  talk(port: number): Talk {
    const socket = connect({ host: '127.0.0.1', port });
    this.#sockets.push(socket);
    let heard = '';
    let isOpen = true;
    const end = () => {
      isOpen = false;
    };
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', end);
    socket.on('end', end);
    return {
      isOpen: () => isOpen,
      heard: () => heard,
      write: (text) => socket.write(text),
      echo: async (text) => {
        socket.write(`${text}\n`);
        await until(
          `${text} comes back`,
          () => {
            if (!isOpen)
              throw new Error(`closed before ${text} came back; router: ${this.router.process.output().slice(-3_000)}`);
            return heard.includes(text);
          },
          WAIT_MS,
        );
        heard = '';
      },
      close: () => socket.destroy(),
    };
  }

  /** Dials until what is said comes back: programs that lost something find their way again by themselves. */
  async dialsAgain(port: number, waitMs = WAIT_MS): Promise<void> {
    await until(
      'a dial works again',
      async () => {
        const talk = this.talk(port);
        const said = unique('again');
        talk.write(`${said}\n`);
        const answer = await until('an answer or an end', () => talk.heard().includes(said) || !talk.isOpen(), DIAL_MS)
          .then(() => talk.heard().includes(said))
          .catch(() => false);
        talk.close();
        return answer;
      },
      waitMs,
    );
  }

  async items<T>(path: string): Promise<T[]> {
    return expectStatus(await this.#controller.admin.get(`${MANAGEMENT}/${path}`), 200).data as T[];
  }

  async listed(path: string, filter: string): Promise<string[]> {
    const answer = await this.#controller.admin.get(`${MANAGEMENT}/${path}?filter=${encodeURIComponent(filter)}`);
    return idsOf(expectStatus(answer, 200));
  }

  read<T extends object>(path: string): Promise<T> {
    return read<T>(this.#controller, path);
  }

  async remove(path: string): Promise<void> {
    expectStatus(await this.#controller.admin.delete(`${MANAGEMENT}/${path}`), 200);
  }

  async patch(path: string, body: object): Promise<void> {
    expectStatus(await this.#controller.admin.patch(`${MANAGEMENT}/${path}`, body), 200);
  }

  /** As a machine that loses power, and starts again. */
  async restartRouter(): Promise<void> {
    const { router } = this;
    await router.process.kill('SIGKILL');
    router.process = this.ziti.runRouter(router.name);
    await this.ziti.online(router);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.ziti.close();
  }
}

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
