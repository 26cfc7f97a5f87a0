/** What steady-traffic.ts sends: connections that stay, dials one after another, and what is killed meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { unique } from '../support/controller.js';
import { until } from '../support/poll.js';
import type { Setup, StockIdentity, StockNetwork, Talk } from '../support/stock-network.js';
import type { ZitiProcess } from '../support/ziti.js';
import type { Requests } from './steady-requests.js';

const STANDING = 3;
const BEAT_MS = 1_000;
/** A dial while something is being killed may fail; those in quiet times may not. */
const BACK_MS = 120_000;
/**
 * A tunneler whose client has gone ends nothing, whatever controller there is: the router asks about a circuit that
 * carries nothing for a minute, once a minute, and what the service says of such a circuit ends it.
 */
const IDLE_MS = 60_000;
const IDLE_CIRCUITS_GONE_MS = 4 * IDLE_MS;

export class Traffic {
  readonly #network: StockNetwork;
  readonly #requests: Requests;
  readonly #hosts: { who: StockIdentity; running: ZitiProcess }[] = [];
  #setup: Setup | undefined;
  #port = 0;
  #standing: Talk[] = [];
  #dials = 0;
  #echoes = 0;
  #kills = 0;
  #nextHost = 0;

  constructor(network: StockNetwork, requests: Requests) {
    this.#network = network;
    this.#requests = requests;
  }

  async start(): Promise<this> {
    const network = this.#network;
    const made = await network.setup({ terminatorStrategy: 'smartrouting', maxIdleTimeMillis: IDLE_MS });
    this.#setup = made;
    for (const who of [made.host, await network.furtherHost(made.serviceId)])
      this.#hosts.push({ who, running: await network.hosting(made, who) });
    this.#port = await network.tunnel(made);
    await network.dialsAgain(this.#port);
    return this;
  }

  /**
   * Traffic for so long: every second each standing connection echoes, one more is dialed, used and closed, and a round
   * of requests is made.
   */
  async goOn(ms: number): Promise<void> {
    for (const end = Date.now() + ms; Date.now() < end; await delay(BEAT_MS)) await this.#beat();
  }

  async #beat(): Promise<void> {
    const network = this.#network;
    this.#standing = this.#standing.filter((talk) => talk.isOpen());
    while (this.#standing.length < STANDING) this.#standing.push(network.talk(this.#port));
    const dialed = network.talk(this.#port);
    const talks = [...this.#standing, dialed];
    await Promise.all([...talks.map((talk) => talk.echo(unique('beat'))), this.#requests.round()]);
    dialed.close();
    this.#dials += 1;
    this.#echoes += STANDING + 1;
  }

  /** The administrator's session lives by what is asked with it. */
  async stayLoggedIn(): Promise<void> {
    await this.#network.terminators(this.#made().serviceId);
  }

  /** Nothing is said, no connection is open, and no circuit has been left behind. */
  async pause(): Promise<void> {
    for (const talk of this.#standing.splice(0)) talk.close();
    const { serviceId } = this.#made();
    await until(
      'all hosts are known',
      async () => {
        const known = await this.#network.terminators(serviceId);
        return known.length === this.#hosts.length;
      },
      BACK_MS,
    );
    await until(
      'no circuit is left',
      async () => {
        await delay(BEAT_MS);
        return (await this.#network.circuits()) === 0;
      },
      IDLE_CIRCUITS_GONE_MS,
    );
  }

  /** Dials go to the other host meanwhile; then it comes back. */
  async killHost(): Promise<void> {
    const host = this.#hosts[(this.#nextHost = (this.#nextHost + 1) % this.#hosts.length)];
    if (host === undefined) return;
    await host.running.kill('SIGKILL');
    this.#kills += 1;
    await this.#network.dialsAgain(this.#port, BACK_MS);
    host.running = await this.#network.hosting(this.#made(), host.who);
    await this.#allHosts();
  }

  async killRouter(): Promise<void> {
    this.#kills += 1;
    await this.#network.restartRouter();
    await this.#network.dialsAgain(this.#port, BACK_MS);
    await this.#allHosts();
  }

  /** What stands goes on, and new dials work when the router has come again. */
  async overKill(kill: () => Promise<void>): Promise<void> {
    await this.#beat();
    this.#kills += 1;
    const killed = kill();
    for (let beats = 0; beats < 3; beats += 1)
      await Promise.all(this.#standing.map((talk) => talk.echo(unique('meanwhile'))));
    await killed;
    await Promise.all(this.#standing.map((talk) => talk.echo(unique('afterwards'))));
    await this.#network.ziti.online(this.#network.router);
    await this.#network.dialsAgain(this.#port, BACK_MS);
    await this.#allHosts();
  }

  figures(): string {
    return `${this.#dials} dials, ${this.#echoes} echoes, ${this.#requests.sent} requests, ${this.#kills} kills`;
  }

  async stop(): Promise<void> {
    for (const talk of this.#standing) talk.close();
    for (const { running } of this.#hosts) await running.kill('SIGKILL');
  }

  #made(): Setup {
    if (this.#setup === undefined) throw new Error('there is no traffic yet');
    return this.#setup;
  }

  async #allHosts(): Promise<void> {
    await until(
      'both hosts serve',
      async () => (await this.#network.terminators(this.#made().serviceId)).length === this.#hosts.length,
      BACK_MS,
    );
  }
}
