/**
 * Watches what routers use for themselves: services that they host or dial by their own identity. When one is lost, its
 * terminators and circuits end. A use that is still allowed is never touched, whatever was believed a moment before.
 */
import { reachedBy } from '../../domain/fabric/router-model.js';
import type { RouterModel } from '../../domain/fabric/router-model.js';
import type { PolicyType } from '../../domain/model.js';
import type { Stores } from '../../db/stores/stores.js';
import type { RouterChannel } from '../channel/channel.js';
import type { AccessRounds } from './access-rounds.js';
import type { Circuit, Circuits } from './circuits.js';
import type { TerminatorValidation } from './terminator-validation.js';

interface ServicesInUse {
  /** True until what the router had before it came is known. */
  isNew: boolean;
  readonly Bind: Set<string>;
  readonly Dial: Set<string>;
}

export interface TunnelWatchOptions {
  readonly stores: Pick<Stores, 'routerModels' | 'hostedTerminators'>;
  readonly circuits: Circuits;
  readonly validation: Pick<TerminatorValidation, 'removed'>;
  readonly rounds: AccessRounds;
}

export class TunnelWatch {
  readonly #options: TunnelWatchOptions;
  readonly #uses = new WeakMap<RouterChannel, ServicesInUse>();

  constructor(options: TunnelWatchOptions) {
    this.#options = options;
  }

  roundBegins(): void {
    this.#options.rounds.begin();
  }

  /** Takes note that nothing was stored for the router when it came: there is nothing to remove. */
  hostsNothing(channel: RouterChannel): void {
    this.#of(channel).isNew = false;
  }

  /** Number of the last access check, see `AccessRounds.count`. */
  get round(): number {
    return this.#options.rounds.count;
  }

  /** Watches the service that the router uses. Call when a use has begun, and then `isLost`. */
  use(channel: RouterChannel, type: PolicyType, serviceId: string): void {
    this.#of(channel)[type].add(serviceId);
  }

  /** Returns true when the service was lost since the round of this number. */
  async isLost(channel: RouterChannel, type: PolicyType, serviceId: string, since: number): Promise<boolean> {
    if (this.round === since) return false;
    return (await this.#options.stores.routerModels.denied(channel.routerId, type, [serviceId])).length > 0;
  }

  /** Takes over what these routers reach now. A use that one does not reach any more is checked closely, and ends. */
  async reached(models: ReadonlyMap<RouterChannel, RouterModel>): Promise<void> {
    await this.#checkNew([...models].filter(([channel]) => this.#of(channel).isNew));
    for (const [channel, model] of models) {
      const uses = this.#of(channel);
      await this.#checkHosted(channel, uses, reachedBy(model, 'Bind'));
      await this.#checkDialed(channel, uses, reachedBy(model, 'Dial'));
    }
  }

  /** Removes what these hosted before they came, and may not host. */
  async #checkNew(models: readonly (readonly [RouterChannel, RouterModel])[]): Promise<void> {
    if (models.length === 0) return;
    const { stores, validation } = this.#options;
    const removed = await stores.hostedTerminators.removeTunneledBut(
      models.map(([{ routerId }, model]) => ({ routerId, serviceIds: reachedBy(model, 'Bind') })),
    );
    for (const [channel] of models) {
      const ids = removed.filter(({ routerId }) => routerId === channel.routerId).map(({ id }) => id);
      validation.removed(channel, ids);
      this.#of(channel).isNew = false;
    }
  }

  async #checkHosted(channel: RouterChannel, uses: ServicesInUse, now: ReadonlySet<string>): Promise<void> {
    const { stores, circuits, validation } = this.#options;
    const { routerId } = channel;
    const lost = without(uses.Bind, now);
    if (lost.length > 0) {
      const removed = await stores.hostedTerminators.removeTunneled(routerId, lost);
      validation.removed(channel, removed);
    }
    await this.#endLost(channel, uses, 'Bind', lost, now, () =>
      circuits.ofRouter(routerId).filter((circuit) => isTunneledTo(circuit, routerId)),
    );
  }

  async #checkDialed(channel: RouterChannel, uses: ServicesInUse, now: ReadonlySet<string>): Promise<void> {
    const { routerId } = channel;
    const lost = without(uses.Dial, now);
    await this.#endLost(channel, uses, 'Dial', lost, now, () =>
      this.#options.circuits.ofRouter(routerId).filter((circuit) => isDialedBy(circuit, routerId)),
    );
  }

  async #endLost(
    { routerId }: RouterChannel,
    uses: ServicesInUse,
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

  #of(channel: RouterChannel): ServicesInUse {
    const known = this.#uses.get(channel);
    if (known !== undefined) return known;
    const made: ServicesInUse = { isNew: true, Bind: new Set(), Dial: new Set() };
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
