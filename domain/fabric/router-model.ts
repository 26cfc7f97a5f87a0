/**
 * Part of the network that a router's tunneler needs: its own identity, and what the identity reaches over this router.
 * Computes it, and the changes from one state of it to the next. Knows no messages.
 */
import type { HostingPrecedence, PolicyType } from '../model.js';

export interface ModelConfigType {
  readonly id: string;
  readonly name: string;
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

/** With which cost and precedence the identity hosts a service; null: as it hosts any. */
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
}

/** Entities that several routers reach together, by id. */
export interface ModelCatalog {
  readonly services: ReadonlyMap<string, ModelService>;
  readonly configs: ReadonlyMap<string, ModelConfig>;
  readonly configTypes: ReadonlyMap<string, ModelConfigType>;
}

export interface RouterModel extends ModelCatalog {
  readonly identity: ModelIdentity | undefined;
  readonly policies: ReadonlyMap<string, ModelPolicy>;
}

export const NO_MODEL: RouterModel = {
  identity: undefined,
  policies: new Map(),
  services: new Map(),
  configs: new Map(),
  configTypes: new Map(),
};

type Change<K extends string, T> = {
  readonly kind: K;
  readonly action: 'create' | 'update' | 'delete';
  readonly entity: T;
};

/** One thing that a router is told. Order counts: what is named is known by then. */
export type ModelChange =
  | Change<'configType', ModelConfigType>
  | Change<'config', ModelConfig>
  | Change<'identity', ModelIdentity>
  | Change<'service', ModelService>
  | Change<'policy', ModelPolicy>
  | {
      readonly kind: 'members';
      readonly policyId: string;
      readonly of: 'service' | 'identity';
      readonly ids: readonly string[];
      readonly isAdded: boolean;
    };

/**
 * Takes from the catalog only what the router reaches: policies that grant it a service, these services, and the
 * configs that they or the identity name for them. The identity keeps only what concerns these services.
 */
export function modelOf(reach: RouterReach | undefined, catalog: ModelCatalog): RouterModel {
  if (reach === undefined) return NO_MODEL;
  const policies = reach.policies
    .map((policy) => ({ ...policy, serviceIds: sorted(policy.serviceIds.filter((id) => catalog.services.has(id))) }))
    .filter(({ serviceIds }) => serviceIds.length > 0);
  const services = pick(catalog.services, new Set(policies.flatMap(({ serviceIds }) => serviceIds)));
  const overrides = reach.identity.overrides.filter(({ serviceId }) => services.has(serviceId));
  const configIds = [...services.values()].flatMap((service) => service.configIds);
  const configs = pick(catalog.configs, new Set([...configIds, ...overrides.map(({ configId }) => configId)]));
  const typeIds = new Set([...configs.values()].map(({ typeId }) => typeId));
  return {
    identity: {
      ...reach.identity,
      hostings: reach.identity.hostings.filter(({ serviceId }) => services.has(serviceId)),
      overrides,
    },
    policies: byId(policies),
    services,
    configs,
    configTypes: pick(catalog.configTypes, typeIds),
  };
}

/** The services that the router may use in this way. */
export function reachedBy({ policies }: RouterModel, type: PolicyType): Set<string> {
  return new Set(
    [...policies.values()].filter((policy) => policy.type === type).flatMap((policy) => policy.serviceIds),
  );
}

/**
 * Returns the changes that lead from one state to the next; none when they are the same. New entities come before those
 * that refer to them, and removed ones after. From NO_MODEL: the whole state.
 */
export function modelChanges(before: RouterModel, after: RouterModel): ModelChange[] {
  const identityId = after.identity?.id ?? before.identity?.id ?? '';
  const isOther = (policy: ModelPolicy) => before.policies.get(policy.id)?.type !== policy.type;
  const gone = [...before.policies.values()].filter(({ id, type }) => after.policies.get(id)?.type !== type);
  return [
    ...present('configType', before.configTypes, after.configTypes),
    ...present('config', before.configs, after.configs),
    ...presentIdentity(before.identity, after.identity),
    ...present('service', before.services, after.services),
    // A policy of another type is another policy, under the same id.
    ...gone.filter(({ id }) => after.policies.has(id)).flatMap((policy) => withoutPolicy(policy, identityId)),
    ...[...after.policies.values()].flatMap((policy) =>
      isOther(policy) ? withPolicy(policy, identityId) : keptPolicy(before.policies.get(policy.id) ?? policy, policy),
    ),
    ...gone.filter(({ id }) => !after.policies.has(id)).flatMap((policy) => withoutPolicy(policy, identityId)),
    ...absent('service', before.services, after.services),
    ...absentIdentity(before.identity, after.identity),
    ...absent('config', before.configs, after.configs),
    ...absent('configType', before.configTypes, after.configTypes),
  ];
}

type Named = { configType: ModelConfigType; config: ModelConfig; service: ModelService };

function present<K extends keyof Named>(
  kind: K,
  before: ReadonlyMap<string, Named[K]>,
  after: ReadonlyMap<string, Named[K]>,
): Change<K, Named[K]>[] {
  return [...after].flatMap(([id, entity]): Change<K, Named[K]>[] => {
    const known = before.get(id);
    if (known === undefined) return [{ kind, action: 'create', entity }];
    return isSame(known, entity) ? [] : [{ kind, action: 'update', entity }];
  });
}

function absent<K extends keyof Named>(
  kind: K,
  before: ReadonlyMap<string, Named[K]>,
  after: ReadonlyMap<string, Named[K]>,
): Change<K, Named[K]>[] {
  return [...before].filter(([id]) => !after.has(id)).map(([, entity]) => ({ kind, action: 'delete', entity }));
}

function presentIdentity(before: ModelIdentity | undefined, after: ModelIdentity | undefined): ModelChange[] {
  if (after === undefined) return [];
  if (before === undefined) return [{ kind: 'identity', action: 'create', entity: after }];
  return isSame(before, after) ? [] : [{ kind: 'identity', action: 'update', entity: after }];
}

const absentIdentity = (before: ModelIdentity | undefined, after: ModelIdentity | undefined): ModelChange[] =>
  before !== undefined && after === undefined ? [{ kind: 'identity', action: 'delete', entity: before }] : [];

const members = (policyId: string, of: 'service' | 'identity', ids: readonly string[], isAdded: boolean) =>
  ids.length === 0 ? [] : [{ kind: 'members' as const, policyId, of, ids, isAdded }];

const withPolicy = (policy: ModelPolicy, identityId: string): ModelChange[] => [
  { kind: 'policy', action: 'create', entity: policy },
  ...members(policy.id, 'service', policy.serviceIds, true),
  ...members(policy.id, 'identity', [identityId], true),
];

const withoutPolicy = (policy: ModelPolicy, identityId: string): ModelChange[] => [
  ...members(policy.id, 'identity', [identityId], false),
  ...members(policy.id, 'service', policy.serviceIds, false),
  { kind: 'policy', action: 'delete', entity: policy },
];

function keptPolicy(before: ModelPolicy, after: ModelPolicy): ModelChange[] {
  const [had, has] = [new Set(before.serviceIds), new Set(after.serviceIds)];
  const added = after.serviceIds.filter((id) => !had.has(id));
  const removed = before.serviceIds.filter((id) => !has.has(id));
  return [
    ...(before.name === after.name ? [] : [{ kind: 'policy' as const, action: 'update' as const, entity: after }]),
    ...members(after.id, 'service', added, true),
    ...members(after.id, 'service', removed, false),
  ];
}

const isSame = (a: object, b: object) => a === b || JSON.stringify(a) === JSON.stringify(b);
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
