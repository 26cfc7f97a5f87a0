/**
 * Reach of clients with signed tokens over a router: the router itself decides what they dial and bind, by policies,
 * and by posture checks of what devices report to it. Routers with the same policies share one.
 */
import type { PolicyType } from '../model.js';
import type { Criteria } from '../posture/criteria.js';
import type { ModelService } from './router-model.js';

export interface ClientIdentity {
  readonly id: string;
  readonly name: string;
}

export type ModelCheck = Criteria & { readonly id: string; readonly name: string };

/** A policy with those of its members that the router is told. */
export interface GrantingPolicy {
  readonly id: string;
  readonly name: string;
  readonly type: PolicyType;
  readonly serviceIds: readonly string[];
  readonly checkIds: readonly string[];
  readonly identityIds: readonly string[];
}

export interface ClientReach {
  readonly identities: ReadonlyMap<string, ClientIdentity>;
  readonly services: ReadonlyMap<string, ModelService>;
  readonly checks: ReadonlyMap<string, ModelCheck>;
  readonly policies: ReadonlyMap<string, GrantingPolicy>;
}

export const NO_CLIENTS: ClientReach = {
  identities: new Map(),
  services: new Map(),
  checks: new Map(),
  policies: new Map(),
};

/** Reach as it is read: lists, in which the order says nothing. */
export interface ClientReachLists {
  readonly identities: readonly ClientIdentity[];
  readonly services: readonly Omit<ModelService, 'configIds'>[];
  readonly checks: readonly ModelCheck[];
  readonly policies: readonly GrantingPolicy[];
}

/**
 * Indexes what was read. Entities that are as they were before stay the same objects, so that comparing is cheap. A
 * policy whose checks are not all there is left out: a router that was told of it would fail.
 */
export function clientReachOf(lists: ClientReachLists, before: ClientReach): ClientReach {
  const services = lists.services.map((service): ModelService => ({ ...service, configIds: [] }));
  const checkIds = new Set(lists.checks.map(({ id }) => id));
  const policies = lists.policies.filter((policy) => policy.checkIds.every((id) => checkIds.has(id)));
  return {
    identities: kept(lists.identities, before.identities),
    services: kept(services, before.services),
    checks: kept(lists.checks, before.checks),
    policies: kept(policies, before.policies),
  };
}

function kept<T extends { readonly id: string }>(list: readonly T[], before: ReadonlyMap<string, T>): Map<string, T> {
  return new Map(
    list.map((entity) => {
      const known = before.get(entity.id);
      return [entity.id, known !== undefined && isSame(known, entity) ? known : entity];
    }),
  );
}

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);
