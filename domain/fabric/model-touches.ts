/** Collects what of the network has changed, until it is looked up which routers that concerns. */
import type { ReachedModel } from './router-model.js';

/** Kinds of what can change a router's model. A tunneler's identity has the id of its router. */
const TOUCHED_KINDS = [
  'config',
  'configType',
  'edgeRouterPolicy',
  'identity',
  'postureCheck',
  'router',
  'service',
  'serviceEdgeRouterPolicy',
  'servicePolicy',
] as const;
type TouchedKind = (typeof TOUCHED_KINDS)[number];

/** Those that can change what clients reach over routers. */
const CLIENT_KINDS = TOUCHED_KINDS.filter((kind) => kind !== 'config' && kind !== 'configType');

/** Changes beyond which it is cheaper to look up all routers. */
const MOST = 1_000;

export class ModelTouches {
  readonly #ids = new Map<TouchedKind, Set<string>>(TOUCHED_KINDS.map((kind) => [kind, new Set()]));
  #count = 0;
  /** Anything may have changed. */
  #isAnything = false;

  /** A kind that is not known stands for anything: another release announces it. */
  add(kind: string, id: string): void {
    const ids = this.#ids.get(kind as TouchedKind);
    if (ids === undefined || this.#count >= MOST) this.#isAnything = true;
    else if (!ids.has(id)) {
      ids.add(id);
      this.#count += 1;
    }
  }

  addAnything(): void {
    this.#isAnything = true;
  }

  get isEmpty(): boolean {
    return this.#count === 0 && !this.#isAnything;
  }

  get isAnything(): boolean {
    return this.#isAnything;
  }

  get concernsClients(): boolean {
    return this.#isAnything || CLIENT_KINDS.some((kind) => this.of(kind).size > 0);
  }

  of(kind: TouchedKind): ReadonlySet<string> {
    return this.#ids.get(kind) ?? new Set();
  }

  /** Whether what the router had until now is touched. What it may have got is found by `RouterModelView.gaining`. */
  concerns({ model, routerPolicyIds }: ReachedModel): boolean {
    const { router, services, configs, configTypes, policies } = model;
    const some = (kind: TouchedKind, has: (id: string) => boolean) => [...this.of(kind)].some(has);
    return (
      this.#isAnything ||
      some('router', (id) => id === router?.id) ||
      some('service', (id) => services.has(id)) ||
      some('config', (id) => configs.has(id)) ||
      some('configType', (id) => configTypes.has(id)) ||
      some('servicePolicy', (id) => policies.has(id)) ||
      some('edgeRouterPolicy', (id) => routerPolicyIds.has(id)) ||
      some('serviceEdgeRouterPolicy', (id) => routerPolicyIds.has(id))
    );
  }
}
