/** The scene of fabric-drill.ts: two controllers on one database, three stock routers with links, hosts and dialers. */
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
import type { ZitiRouter } from '../support/ziti.js';

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

/** Roles of the routers: clients use the first, hosts the second, and paths may lead over the third. */
export const ROLES = ['near', 'far', 'between'] as const;

export class FabricScene {
  readonly #shop = new ProcessShop();
  readonly #masterKey = newMasterKey();
  #balancer: Balancer | undefined;
  #network: StockNetwork | undefined;
  readonly places: Place[] = [];
  readonly routers: ZitiRouter[] = [];
  readonly dialers: Dialer[] = [];
  /** The one whose policy comes and goes. */
  probe: Dialer | undefined;

  constructor(
    private readonly database: TestDatabase,
    private readonly binary: string,
    private readonly admins: { current?: Client } = {},
  ) {}

  get network(): StockNetwork {
    if (this.#network === undefined) throw new Error('there is no network yet');
    return this.#network;
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
    this.#network = new StockNetwork(this.binary, stock, 'none');
    await this.network.policy('service-edge-router-policies', { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] });
    for (const role of ROLES) this.routers.push(await this.network.ziti.router(role));
    for (let count = 0; count < dialers; count += 1) this.dialers.push(await this.#dialer());
    this.probe = await this.#dialer();
    return this;
  }

  /** A service with a host at the far router, and a client of it at the near one. */
  async #dialer(): Promise<Dialer> {
    const { network } = this;
    const [host, client] = [await network.ziti.identity([]), await network.ziti.identity([])];
    const made = await network.setup({}, client);
    await network.remove(`edge-router-policies/${made.routerPolicy}`);
    await network.policy('edge-router-policies', { identityRoles: [`@${client.id}`], edgeRouterRoles: ['#near'] });
    await network.policy('edge-router-policies', { identityRoles: [`@${host.id}`], edgeRouterRoles: ['#far'] });
    await network.grant('Bind', host.id, made.serviceId);
    await network.hosting(made, host);
    const port = await network.tunnel(made);
    await network.dialsAgain(port, BACK_MS);
    return { made, port };
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
    const router = this.routers[at];
    if (router === undefined) return;
    await router.process.kill('SIGKILL');
    router.process = this.network.ziti.runRouter(router.name);
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
  async circuitsAt(router: ZitiRouter): Promise<number> {
    const said = await this.network.ziti.run('agent', 'router', 'dump-routes', '-i', router.id, '-t', 'router');
    const [circuits, ends] = ['circuits', 'xgress'].map(
      (word) => new RegExp(`^${word} \\((\\d+)\\)`, 'm').exec(said)?.[1],
    );
    if (circuits === undefined || ends === undefined) throw new Error(`a router does not say what it has: ${said}`);
    return Number(circuits) + Number(ends);
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
    await this.#network?.close();
    this.#balancer?.close();
    await this.#shop.end();
  }
}
