/**
 * What routers use for themselves: services that they host or dial by their own identity. When one is lost, its
 * terminators and circuits end. What a router may use is never touched, whatever was believed a moment before.
 */
import { reachedBy } from '../../domain/fabric/router-model.js';
import type { RouterModel } from '../../domain/fabric/router-model.js';
import type { PolicyType } from '../../domain/model.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Circuit, Circuits } from './circuits.js';

interface Uses {
  /** What it had before it came is not known yet. */
  isNew: boolean;
  readonly Bind: Set<string>;
  readonly Dial: Set<string>;
}

export interface TunnelWatchOptions {
  readonly stores: Pick<Stores, 'routerModels' | 'hostedTerminators'>;
  readonly circuits: Circuits;
  /** These terminators are gone. */
  readonly onRemoved: (channel: RouterChannel, terminatorIds: readonly string[]) => void;
}

export class TunnelWatch {
  readonly #options: TunnelWatchOptions;
  readonly #uses = new WeakMap<RouterChannel, Uses>();
  /** How often it was begun to look at what routers reach. */
  #rounds = 0;

  constructor(options: TunnelWatchOptions) {
    this.#options = options;
  }

  roundBegins(): void {
    this.#rounds += 1;
  }

  /** Stays the same until access may be lost unseen by what has only begun: read it before access is asked. */
  now(): number {
    return this.#rounds;
  }

  /** The router uses the service: when it is lost, that is looked for. Call when a use has begun, and then `isLost`. */
  use(channel: RouterChannel, type: PolicyType, serviceId: string): void {
    this.#of(channel)[type].add(serviceId);
  }

  /** Whether the service was lost since `now` answered this number. */
  async isLost(channel: RouterChannel, type: PolicyType, serviceId: string, since: number): Promise<boolean> {
    if (this.#rounds === since) return false;
    return (await this.#options.stores.routerModels.denied(channel.routerId, type, [serviceId])).length > 0;
  }

  /** What the router reaches now; what it used and does not reach any more is looked at closely, and ends. */
  async reached(channel: RouterChannel, model: RouterModel): Promise<void> {
    const uses = this.#of(channel);
    await this.#checkHosted(channel, uses, reachedBy(model, 'Bind'));
    await this.#checkDialed(channel, uses, reachedBy(model, 'Dial'));
  }

  async #checkHosted(channel: RouterChannel, uses: Uses, now: ReadonlySet<string>): Promise<void> {
    const { stores, circuits, onRemoved } = this.#options;
    const { routerId } = channel;
    const lost = without(uses.Bind, now);
    if (uses.isNew) {
      onRemoved(channel, await stores.hostedTerminators.removeTunneled(routerId, { ids: [...now], areKept: true }));
      uses.isNew = false;
    } else if (lost.length > 0)
      onRemoved(channel, await stores.hostedTerminators.removeTunneled(routerId, { ids: lost, areKept: false }));
    await this.#endLost(channel, uses, 'Bind', lost, now, () =>
      circuits.ofRouter(routerId).filter((circuit) => isTunneledTo(circuit, routerId)),
    );
  }

  async #checkDialed(channel: RouterChannel, uses: Uses, now: ReadonlySet<string>): Promise<void> {
    const { routerId } = channel;
    const lost = without(uses.Dial, now);
    await this.#endLost(channel, uses, 'Dial', lost, now, () =>
      this.#options.circuits.ofRouter(routerId).filter((circuit) => isDialedBy(circuit, routerId)),
    );
  }

  async #endLost(
    { routerId }: RouterChannel,
    uses: Uses,
    type: PolicyType,
    lost: readonly string[],
    now: ReadonlySet<string>,
    standing: () => Circuit[],
  ): Promise<void> {
    for (const id of now) uses[type].add(id);
    if (lost.length === 0) return;
    const { stores, circuits } = this.#options;
    const before = standing();
    const denied = new Set(await stores.routerModels.denied(routerId, type, lost));
    for (const id of denied) uses[type].delete(id);
    for (const circuit of before) if (denied.has(circuit.serviceId)) circuits.end(circuit, true);
  }

  #of(channel: RouterChannel): Uses {
    const known = this.#uses.get(channel);
    if (known !== undefined) return known;
    const made: Uses = { isNew: true, Bind: new Set(), Dial: new Set() };
    this.#uses.set(channel, made);
    return made;
  }
}

const without = (used: ReadonlySet<string>, now: ReadonlySet<string>) => [...used].filter((id) => !now.has(id));

/** The router itself hosts it. */
export const isTunneledTo = ({ path, hostSessionId, tags }: Circuit, routerId: string) =>
  hostSessionId === null && tags['hostId'] === routerId && path.routerIds.at(-1) === routerId;

/** The router itself dialed it. */
const isDialedBy = ({ path, sessionId }: Circuit, routerId: string) =>
  sessionId === null && path.routerIds[0] === routerId;
