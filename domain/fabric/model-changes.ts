/** All that a router is told of the network, and the changes from one state of it to the next. Knows no messages. */
import { NO_CLIENTS } from './client-reach.js';
import type { ClientIdentity, ClientReach, GrantingPolicy, ModelCheck } from './client-reach.js';
import type { ModelConfig, ModelConfigType, ModelIdentity, ModelRouter } from './router-model.js';
import type { ModelPolicy, ModelService, RouterModel } from './router-model.js';

/** An identity of a client has nothing but its name. */
type ToldIdentity = ClientIdentity & Partial<ModelIdentity>;

/** Reach of a router's own tunneler and of its clients, as one. */
export interface WholeModel extends Pick<RouterModel, 'router' | 'configs' | 'configTypes' | 'services'> {
  readonly identities: ReadonlyMap<string, ToldIdentity>;
  readonly checks: ReadonlyMap<string, ModelCheck>;
  readonly policies: ReadonlyMap<string, GrantingPolicy>;
  /** The reach of clients where the router reaches nothing itself: all that is above, and the same for many routers. */
  readonly shared: ClientReach | undefined;
}

/** Puts both together; what is of clients alone stays the same object, for routers that have it in common. */
export function wholeOf(model: RouterModel, clients: ClientReach = NO_CLIENTS): WholeModel {
  const { router, identity, configs, configTypes } = model;
  const { checks } = clients;
  if (identity === undefined) return { ...clients, shared: clients, router, configs, configTypes };
  return {
    shared: undefined,
    router,
    configs,
    configTypes,
    checks,
    identities: new Map([...clients.identities, [identity.id, identity]]),
    services: new Map([...clients.services, ...model.services]),
    policies: withOwn(clients.policies, model.policies, identity.id),
  };
}

/** A policy that grants the router itself something asks for no check. */
function withOwn(
  policies: ClientReach['policies'],
  own: ReadonlyMap<string, ModelPolicy>,
  identityId: string,
): Map<string, GrantingPolicy> {
  const all = new Map(policies);
  for (const policy of own.values()) {
    const known = policies.get(policy.id);
    const identityIds = new Set(known?.identityIds).add(identityId);
    const serviceIds = new Set([...(known?.serviceIds ?? []), ...policy.serviceIds]);
    all.set(policy.id, {
      ...policy,
      checkIds: known?.checkIds ?? [],
      serviceIds: [...serviceIds],
      identityIds: [...identityIds],
    });
  }
  return all;
}

type Change<K extends string, T> = {
  readonly kind: K;
  readonly action: 'create' | 'update' | 'delete';
  readonly entity: T;
};

interface Named {
  configType: ModelConfigType;
  config: ModelConfig;
  identity: ToldIdentity;
  service: ModelService;
  check: ModelCheck;
}

/** One thing that a router is told. Order counts: what is named is known by then. */
export type ModelChange =
  | { [K in keyof Named]: Change<K, Named[K]> }[keyof Named]
  | Change<'router', ModelRouter>
  | Change<'policy', Pick<GrantingPolicy, 'id' | 'name' | 'type'>>
  | {
      readonly kind: 'members';
      readonly policyId: string;
      readonly of: 'service' | 'check' | 'identity';
      readonly ids: readonly string[];
      readonly isAdded: boolean;
    };

/** The model of a router that was told nothing. */
export const NOTHING_TOLD: WholeModel = {
  ...NO_CLIENTS,
  shared: NO_CLIENTS,
  router: undefined,
  configs: new Map(),
  configTypes: new Map(),
};

/**
 * Returns the changes that lead from one state to the next; none when they are the same. New entities come before those
 * that refer to them, and removed ones after. From NOTHING_TOLD: the whole state.
 */
export function modelChanges(before: WholeModel, after: WholeModel): readonly ModelChange[] {
  if (before.shared === undefined || after.shared === undefined) return changesOf(before, after);
  // Nothing that clients reach refers to a config.
  const own = changesOf({ ...before, ...NO_CLIENTS }, { ...after, ...NO_CLIENTS });
  const shared = sharedChanges(before.shared, after.shared);
  return own.length === 0 ? shared : [...own, ...shared];
}

/** The last changes from a reach, which are the same for all routers that had it and have the next. */
const lastChanges = new WeakMap<
  ClientReach,
  { readonly after: ClientReach; readonly changes: readonly ModelChange[] }
>();

function sharedChanges(before: ClientReach, after: ClientReach): readonly ModelChange[] {
  if (before === after) return [];
  const last = lastChanges.get(before);
  if (last?.after === after) return last.changes;
  const changes = changesOf({ ...NOTHING_TOLD, ...before }, { ...NOTHING_TOLD, ...after });
  if (before !== NO_CLIENTS) lastChanges.set(before, { after, changes });
  return changes;
}

const changesOf = (before: WholeModel, after: WholeModel): ModelChange[] => [
  ...present('configType', before.configTypes, after.configTypes),
  ...present('config', before.configs, after.configs),
  ...present('identity', before.identities, after.identities),
  ...present('service', before.services, after.services),
  ...present('check', before.checks, after.checks),
  ...presentRouter(before.router, after.router),
  ...policyChanges(before.policies, after.policies),
  ...absent('check', before.checks, after.checks),
  ...absent('service', before.services, after.services),
  ...absent('identity', before.identities, after.identities),
  ...absentRouter(before.router, after.router),
  ...absent('config', before.configs, after.configs),
  ...absent('configType', before.configTypes, after.configTypes),
];

type Policies = WholeModel['policies'];

function policyChanges(before: Policies, after: Policies): ModelChange[] {
  if (before === after) return [];
  const isOther = (policy: GrantingPolicy) => before.get(policy.id)?.type !== policy.type;
  const gone = [...before.values()].filter(({ id, type }) => after.get(id)?.type !== type);
  return [
    // A policy of another type is another policy, under the same id.
    ...gone.filter(({ id }) => after.has(id)).flatMap(withoutPolicy),
    ...[...after.values()].flatMap((policy) =>
      isOther(policy) ? withPolicy(policy) : keptPolicy(before.get(policy.id) ?? policy, policy),
    ),
    ...gone.filter(({ id }) => !after.has(id)).flatMap(withoutPolicy),
  ];
}

function present<K extends keyof Named>(
  kind: K,
  before: ReadonlyMap<string, Named[K]>,
  after: ReadonlyMap<string, Named[K]>,
): Change<K, Named[K]>[] {
  if (before === after) return [];
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
  if (before === after) return [];
  return [...before].filter(([id]) => !after.has(id)).map(([, entity]) => ({ kind, action: 'delete', entity }));
}

function presentRouter(before: ModelRouter | undefined, after: ModelRouter | undefined): ModelChange[] {
  if (after === undefined) return [];
  if (before === undefined) return [{ kind: 'router', action: 'create', entity: after }];
  return isSame(before, after) ? [] : [{ kind: 'router', action: 'update', entity: after }];
}

const absentRouter = (before: ModelRouter | undefined, after: ModelRouter | undefined): ModelChange[] =>
  before !== undefined && after === undefined ? [{ kind: 'router', action: 'delete', entity: before }] : [];

const members = (policyId: string, of: 'service' | 'check' | 'identity', ids: readonly string[], isAdded: boolean) =>
  ids.length === 0 ? [] : [{ kind: 'members' as const, policyId, of, ids, isAdded }];

/** Checks come before those whom they hold back. */
const withPolicy = (policy: GrantingPolicy): ModelChange[] => [
  { kind: 'policy', action: 'create', entity: policy },
  ...members(policy.id, 'service', policy.serviceIds, true),
  ...members(policy.id, 'check', policy.checkIds, true),
  ...members(policy.id, 'identity', policy.identityIds, true),
];

const withoutPolicy = (policy: GrantingPolicy): ModelChange[] => [
  ...members(policy.id, 'identity', policy.identityIds, false),
  ...members(policy.id, 'service', policy.serviceIds, false),
  ...members(policy.id, 'check', policy.checkIds, false),
  { kind: 'policy', action: 'delete', entity: policy },
];

function keptPolicy(before: GrantingPolicy, after: GrantingPolicy): ModelChange[] {
  if (before === after) return [];
  const { id } = after;
  const identities = moved(before.identityIds, after.identityIds);
  const services = moved(before.serviceIds, after.serviceIds);
  const checks = moved(before.checkIds, after.checkIds);
  return [
    ...(before.name === after.name ? [] : [{ kind: 'policy' as const, action: 'update' as const, entity: after }]),
    ...members(id, 'identity', identities.removed, false),
    ...members(id, 'check', checks.added, true),
    ...members(id, 'service', services.added, true),
    ...members(id, 'service', services.removed, false),
    ...members(id, 'check', checks.removed, false),
    ...members(id, 'identity', identities.added, true),
  ];
}

function moved(before: readonly string[], after: readonly string[]) {
  if (before === after) return { added: [], removed: [] };
  const [had, has] = [new Set(before), new Set(after)];
  return { added: after.filter((id) => !had.has(id)), removed: before.filter((id) => !has.has(id)) };
}

const isSame = (a: object, b: object) => a === b || JSON.stringify(a) === JSON.stringify(b);
