/**
 * Keeps what clients with signed tokens reach over the routers here: once for all routers that the same router policies
 * select, however many they are. Read again after a change, and the same object while nothing of it has changed.
 */
import { createHash } from 'node:crypto';
import { NO_CLIENTS, clientReachOf } from '../../domain/fabric/client-reach.js';
import type { ClientReach, ClientReachLists } from '../../domain/fabric/client-reach.js';
import type { ModelTouches } from '../../domain/fabric/model-touches.js';
import type { ClientReachView, RouterGroup } from '../../db/stores/client-reaches.js';

/** Answers what clients reach over a router. */
export type ClientReachOf = (routerId: string) => ClientReach;

interface Kept {
  readonly reach: ClientReach;
  readonly digest: string;
  /** Count of changes before it was read. */
  readonly at: number;
  readonly changesAtMs: number | undefined;
}

export interface ClientReachesOptions {
  readonly store: ClientReachView;
  /** False where no client has a signed token: nothing is read then. */
  readonly hasClients: boolean;
}

export class ClientReaches {
  readonly #options: ClientReachesOptions;
  #groups = new Map<string, Kept>();
  #changes = 0;

  constructor(options: ClientReachesOptions) {
    this.#options = options;
  }

  /** Anything may have changed: all is read again when it is asked for. */
  forget(): void {
    this.#changes += 1;
  }

  /** Returns true when the change may concern clients: all is read again. */
  touched(touches: ModelTouches): boolean {
    if (!this.#options.hasClients || !touches.concernsClients) return false;
    this.forget();
    return true;
  }

  /** Returns true when an identity is enabled again by now, and all is read again. */
  isDue(nowMs: number): boolean {
    if (![...this.#groups.values()].some(({ changesAtMs = Infinity }) => changesAtMs <= nowMs)) return false;
    this.forget();
    return true;
  }

  /** @param areAll  no other router is here: what none of these has is forgotten */
  async of(routerIds: readonly string[], areAll: boolean): Promise<ClientReachOf> {
    const { store, hasClients } = this.#options;
    if (!hasClients) return () => NO_CLIENTS;
    const groups = await store.groups(routerIds);
    const found = new Map<string, Kept>();
    for (const group of groups.values()) {
      const key = keyOf(group);
      if (!found.has(key)) found.set(key, await this.#current(key, group));
    }
    if (areAll) this.#groups = found;
    else for (const [key, kept] of found) this.#groups.set(key, kept);
    return (routerId) => {
      const group = groups.get(routerId);
      return (group && found.get(keyOf(group))?.reach) ?? NO_CLIENTS;
    };
  }

  async #current(key: string, group: RouterGroup): Promise<Kept> {
    const known = this.#groups.get(key);
    const at = this.#changes;
    if (known?.at === at) return known;
    if (group.edgeRouterPolicyIds.length === 0 || group.serviceEdgeRouterPolicyIds.length === 0)
      return { reach: NO_CLIENTS, digest: '', at, changesAtMs: undefined };
    const { text, changesAt } = await this.#options.store.reach(group);
    const digest = createHash('sha256').update(text).digest('base64');
    const reach =
      known?.digest === digest
        ? known.reach
        : clientReachOf(JSON.parse(text) as ClientReachLists, known?.reach ?? NO_CLIENTS);
    return { reach, digest, at, changesAtMs: changesAt?.getTime() };
  }
}

const keyOf = ({ edgeRouterPolicyIds, serviceEdgeRouterPolicyIds }: RouterGroup): string =>
  `${edgeRouterPolicyIds.join()} ${serviceEdgeRouterPolicyIds.join()}`;
