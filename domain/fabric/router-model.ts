/**
 * Part of the network that a router needs: itself with its own configs, and for its tunneler its own identity and what
 * that reaches over this router. Computes it; model-changes.ts has what leads from one state to the next.
 */
import type { ConfigTarget, HostingPrecedence, PolicyType } from '../model.js';

export interface ModelConfigType {
  readonly id: string;
  readonly name: string;
  readonly target: ConfigTarget;
}

/** A router as it is told of itself. @property fingerprint  of its certificate; empty until it has one */
export interface ModelRouter {
  readonly id: string;
  readonly name: string;
  readonly fingerprint: string;
  readonly disabled: boolean;
  readonly configIds: readonly string[];
}

export interface ModelConfig {
  readonly id: string;
  readonly name: string;
  readonly typeId: string;
  /** JSON text. */
  readonly data: string;
}

export interface ModelService {
  readonly id: string;
  readonly name: string;
  readonly encryptionRequired: boolean;
  readonly configIds: readonly string[];
}

export interface ModelPolicy {
  readonly id: string;
  readonly name: string;
  readonly type: PolicyType;
  readonly serviceIds: readonly string[];
}

/** Cost and precedence with which the identity hosts a service; null: those of all its services. */
export interface ModelHosting {
  readonly serviceId: string;
  readonly cost: number | null;
  readonly precedence: HostingPrecedence | null;
}

/** A config that the identity uses for a service instead of the service's own of this type. */
export interface ModelOverride {
  readonly serviceId: string;
  readonly typeId: string;
  readonly configId: string;
}

export interface ModelIdentity {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly appData: string;
  readonly hostingCost: number;
  readonly hostingPrecedence: HostingPrecedence;
  readonly hostings: readonly ModelHosting[];
  readonly overrides: readonly ModelOverride[];
}

/** The identity of a router, and the policies that grant it something there. None while the identity is disabled. */
export interface RouterReach {
  readonly identity: ModelIdentity;
  readonly policies: readonly ModelPolicy[];
  /** Ids of router policies that allow the router to its identity, or to services. */
  readonly routerPolicyIds: readonly string[];
}

/** Entities that several routers reach together, by id. */
export interface ModelCatalog {
  readonly services: ReadonlyMap<string, ModelService>;
  readonly configs: ReadonlyMap<string, ModelConfig>;
  readonly configTypes: ReadonlyMap<string, ModelConfigType>;
}

export interface RouterModel extends ModelCatalog {
  readonly router: ModelRouter | undefined;
  readonly identity: ModelIdentity | undefined;
  readonly policies: ReadonlyMap<string, ModelPolicy>;
}

/** A model with what else decides it. */
export interface ReachedModel {
  readonly model: RouterModel;
  readonly routerPolicyIds: ReadonlySet<string>;
}

export const NO_MODEL: RouterModel = {
  router: undefined,
  identity: undefined,
  policies: new Map(),
  services: new Map(),
  configs: new Map(),
  configTypes: new Map(),
};

/**
 * Takes from the catalog only what the router needs: its own configs, and what it reaches by its tunneler. That are
 * policies that grant it a service, these services, and the configs that they or the identity name for them. The
 * identity keeps only what concerns these services. Configs for routers go to those alone that have them.
 */
export function modelOf(
  router: ModelRouter | undefined,
  reach: RouterReach | undefined,
  catalog: ModelCatalog,
): RouterModel {
  if (router === undefined) return NO_MODEL;
  const own = new Set(router.configIds.filter((id) => isForRouters(id, catalog)));
  if (reach === undefined)
    return withConfigs({ ...NO_MODEL, router: { ...router, configIds: sorted([...own]) } }, own, catalog);
  const policies = reach.policies
    .map((policy) => ({ ...policy, serviceIds: sorted(policy.serviceIds.filter((id) => catalog.services.has(id))) }))
    .filter(({ serviceIds }) => serviceIds.length > 0);
  const services = pick(catalog.services, new Set(policies.flatMap(({ serviceIds }) => serviceIds)));
  const overrides = reach.identity.overrides.filter(({ serviceId }) => services.has(serviceId));
  const configIds = [...services.values()].flatMap((service) => service.configIds);
  const reached = [...configIds, ...overrides.map(({ configId }) => configId)];
  const model = {
    ...NO_MODEL,
    router: { ...router, configIds: sorted([...own]) },
    identity: {
      ...reach.identity,
      hostings: reach.identity.hostings.filter(({ serviceId }) => services.has(serviceId)),
      overrides,
    },
    policies: byId(policies),
    services,
  };
  return withConfigs(model, new Set([...own, ...reached.filter((id) => !isForRouters(id, catalog))]), catalog);
}

function isForRouters(configId: string, { configs, configTypes }: ModelCatalog): boolean {
  const typeId = configs.get(configId)?.typeId;
  return typeId !== undefined && configTypes.get(typeId)?.target === 'router';
}

function withConfigs(model: RouterModel, ids: ReadonlySet<string>, catalog: ModelCatalog): RouterModel {
  const configs = pick(catalog.configs, ids);
  const typeIds = new Set([...configs.values()].map(({ typeId }) => typeId));
  return { ...model, configs, configTypes: pick(catalog.configTypes, typeIds) };
}

/** The services that the router may use in this way. */
export function reachedBy({ policies }: RouterModel, type: PolicyType): Set<string> {
  return new Set(
    [...policies.values()].filter((policy) => policy.type === type).flatMap((policy) => policy.serviceIds),
  );
}

const sorted = (ids: readonly string[]) => [...ids].sort();
const byId = <T extends { readonly id: string }>(list: readonly T[]) =>
  new Map(list.map((entity) => [entity.id, entity]));

function pick<T>(from: ReadonlyMap<string, T>, ids: ReadonlySet<string>): Map<string, T> {
  const picked = new Map<string, T>();
  for (const id of sorted([...ids])) {
    const entity = from.get(id);
    if (entity !== undefined) picked.set(id, entity);
  }
  return picked;
}
