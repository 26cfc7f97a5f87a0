/**
 * The scene of fabric-drill.ts: two controllers on one database, three stock routers with links, hosts and dialers.
 * Programs may be of one release or of several.
 */
import { join } from 'node:path';
import { newMasterKey } from '../../domain/pki/master-key.js';
import type { Client } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { until } from '../support/poll.js';
import { freePort } from '../support/ports.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { startBalancer } from '../support/ready-balancer.js';
import type { Balancer } from '../support/ready-balancer.js';
import { StockNetwork } from '../support/stock-network.js';
import type { Setup } from '../support/stock-network.js';
import type { ZitiRouter, ZitiShop } from '../support/ziti.js';

const BACK_MS = 120_000;

/** A controller with an address of its own for routers. */
interface Place {
  readonly name: string;
  readonly port: number;
  readonly control: number;
  process: ControllerProcess;
}

export interface Dialer {
  readonly made: Setup;
  /** Port of its tunneler. */
  readonly port: number;
}

interface SceneRouter {
  readonly router: ZitiRouter;
  /** Of its release. */
  readonly ziti: ZitiShop;
}

/** Roles of the routers: clients use the first, hosts the two others, and paths may lead over the third. */
export const ROLES = ['near', 'far', 'between'] as const;
/** Routers of the hosts of a service, in turns: a host each. */
const HOSTINGS = [['far'], ['far', 'between']] as const;

export class FabricScene {
  readonly #shop = new ProcessShop();
  readonly #masterKey = newMasterKey();
  #balancer: Balancer | undefined;
  #networks: StockNetwork[] = [];
  readonly places: Place[] = [];
  readonly #routers: SceneRouter[] = [];
  readonly dialers: Dialer[] = [];
  /** The one whose policy comes and goes. */
  probe: Dialer | undefined;

  /** @param binaries  programs of one release or more, which routers, hosts and clients take in turns */
  constructor(
    private readonly database: TestDatabase,
    private readonly binaries: readonly string[],
    private readonly admins: { current?: Client } = {},
  ) {}

  get network(): StockNetwork {
    return this.#networkOf(0);
  }

  get routers(): readonly ZitiRouter[] {
    return this.#routers.map(({ router }) => router);
  }

  /** The network as the programs of one release know it. */
  #networkOf(turn: number): StockNetwork {
    const found = this.#networks[turn % this.binaries.length];
    if (found === undefined) throw new Error('there is no network yet');
    return found;
  }

  get url(): string {
    return `https://localhost:${new URL(this.#balancer?.url ?? 'https://none').port}`;
  }

  /** The administrator, by way of the balancer. */
  get admin(): Client {
    if (this.admins.current === undefined) throw new Error('nobody is logged in yet');
    return this.admins.current;
  }

  async start(dialers: number): Promise<this> {
    const ports = [await freePort(), await freePort()];
    this.#balancer = await startBalancer(ports);
    for (const [at, port] of ports.entries()) {
      const place = { name: at === 0 ? 'one' : 'two', port, control: await freePort() };
      const process = this.#launch(place);
      await process.ready();
      this.places.push({ ...place, process });
    }
    await until('clients are led to both', () => this.#balancer?.healthy().length === 2);
    this.admins.current = await this.#shop.login(this.url);
    const stock = { admin: this.admin, url: this.url, routersUrl: `https://localhost:${this.places[0]?.control}` };
    this.#networks = this.binaries.map((binary) => new StockNetwork(binary, stock, 'none'));
    await this.network.policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    for (const [at, role] of ROLES.entries()) {
      const { ziti } = this.#networkOf(at);
      this.#routers.push({ router: await ziti.router(role), ziti });
    }
    for (let count = 0; count < dialers; count += 1) this.dialers.push(await this.#dialer(count));
    this.probe = await this.#dialer(0);
    return this;
  }

  /** A service with hosts, and a client of it at the near router. @param turn  chooses where hosts are */
  async #dialer(turn: number): Promise<Dialer> {
    const network = this.#networkOf(turn);
    const client = await network.ziti.identity([]);
    const made = await network.setup({ terminatorStrategy: 'smartrouting' }, client);
    await network.remove(`edge-router-policies/${made.routerPolicy}`);
    await network.policy('edge-router-policies', { identityRoles: [`@${client.id}`], edgeRouterRoles: ['#near'] });
    for (const [at, role] of (HOSTINGS[turn % HOSTINGS.length] ?? []).entries())
      await this.#host(made, this.#networkOf(turn + at), role);
    const port = await network.tunnel(made);
    await network.dialsAgain(port, BACK_MS);
    return { made, port };
  }

  /** A host at the router of this role. */
  async #host(made: Setup, network: StockNetwork, role: string): Promise<void> {
    const host = await network.ziti.identity([]);
    await network.policy('edge-router-policies', { identityRoles: [`@${host.id}`], edgeRouterRoles: [`#${role}`] });
    await network.grant('Bind', host.id, made.serviceId);
    await network.hosting(made, host);
  }

  #launch({ name, port, control }: Omit<Place, 'process'>): ControllerProcess {
    const front = new URL(this.#balancer?.url ?? '').port;
    return this.#shop.start(join(this.#shop.place(), 'data'), {
      env: {
        DATABASE_URL: this.database.url,
        EDGE_NAME: name,
        EDGE_MASTER_KEY: this.#masterKey,
        EDGE_LISTEN: `127.0.0.1:${port}`,
        EDGE_ADVERTISE: `localhost:${front}`,
        EDGE_CONTROL_LISTEN: `127.0.0.1:${control}`,
        EDGE_ADMIN_PASSWORD: ADMIN.password,
        EDGE_DATABASE_POOL_SIZE: '6',
        EDGE_LOG_REQUESTS: 'none',
      },
    });
  }

  async killController(at: number): Promise<void> {
    const place = this.places[at];
    if (place === undefined) return;
    place.process.kill('SIGKILL');
    await place.process.ended;
  }

  async startController(at: number): Promise<void> {
    const place = this.places[at];
    if (place === undefined) return;
    place.process = this.#launch(place);
    await place.process.ready();
  }

  async killRouter(at: number): Promise<void> {
    const found = this.#routers[at];
    if (found === undefined) return;
    const { router, ziti } = found;
    await router.process.kill('SIGKILL');
    router.process = ziti.runRouter(router.name);
  }

  /** Has a link given up by both its routers. False when there is none. @param random  chooses it */
  async killLink(random: (limit: number) => number): Promise<boolean> {
    const { rows } = await this.database.query('SELECT DISTINCT id FROM router_links ORDER BY id');
    const id = rows[random(Math.max(1, rows.length))]?.['id'];
    if (typeof id !== 'string') return false;
    await this.database.query("SELECT pg_notify('edge', $1)", [`link ${id}`]);
    return true;
  }

  /** Every router has a channel to every controller. */
  async settled(): Promise<void> {
    await until(
      'every router is at every controller',
      async () => {
        const { rows } = await this.database.query(
          `SELECT count(DISTINCT (c.router_id, h.controller_id))::int AS n FROM router_channels c
            JOIN router_hosts h ON h.id = c.host_id WHERE h.seen_at > now() - interval '4 seconds'`,
        );
        return rows[0]?.['n'] === this.routers.length * this.places.length;
      },
      BACK_MS,
    );
  }

  /** Number of circuits and of their ends that a router knows, as it says itself. */
  async circuitsAt(router: ZitiRouter): Promise<{ count: number; said: string }> {
    const said = await this.network.ziti.run('agent', 'router', 'dump-routes', '-i', router.id, '-t', 'router');
    const [circuits, ends] = ['circuits', 'xgress'].map(
      (word) => new RegExp(`^${word} \\((\\d+)\\)`, 'm').exec(said)?.[1],
    );
    if (circuits === undefined || ends === undefined) throw new Error(`a router does not say what it has: ${said}`);
    return { count: Number(circuits) + Number(ends), said };
  }

  query(sql: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    return this.database.query(sql, values);
  }

  /** Lines of controllers that say that something is wrong with them. */
  faults(): string[] {
    return this.places
      .flatMap(({ process }) => process.log())
      .filter(({ level }) => level === 'error' || level === 'fatal')
      .map((line) => JSON.stringify(line));
  }

  async close(): Promise<void> {
    for (const network of this.#networks) await network.close();
    this.#balancer?.close();
    await this.#shop.end();
  }
}
