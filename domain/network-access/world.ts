/**
 * The access that all policies of one type give, ready to be asked: groups, policies, services, routers. Nothing in it
 * is worked out by pair of an identity and a service; what is alike is worked out once.
 */
import { judge } from '../policy/access.js';
import { groupsOf } from '../policy/role-groups.js';
import type { RoleGroup } from '../policy/role-groups.js';
import { RoleIndex } from '../policy/role-index.js';
import type { Selectable } from '../policy/roles.js';
import { addBit, bitsFor, haveCommonBit, removeBit } from './bits.js';
import type { Bits } from './bits.js';
import type { IdentityFacts, NetworkFacts, PolicyFacts, ServiceFacts } from './facts.js';
import { FAILS_POSTURE, IS_DISABLED } from './outcomes.js';
import { Routes } from './routes.js';
import type { Visible } from './visible.js';

/** A policy, by the numbers of its groups. */
export interface WorldPolicy {
  readonly facts: PolicyFacts;
  readonly identityGroups: readonly number[];
  readonly serviceGroups: readonly number[];
}

/** Identities that are alike in all that decides. */
export interface IdentityClass {
  readonly count: number;
  readonly isDisabled: boolean;
  readonly groups: readonly number[];
  readonly policies: Bits;
  /** Those of them whose checks its device passes. */
  readonly passing: Bits;
  /** Its routers, as `Routes` numbers them. */
  readonly start: number;
}

/** Parts that an identity has by its attributes. */
interface Standing extends Pick<IdentityClass, 'groups' | 'policies' | 'start'> {
  /** Policies of it that ask for posture checks. */
  readonly asking: readonly number[];
}

/** Services that are alike in all that decides. */
export interface ServiceClass {
  readonly count: number;
  readonly groups: readonly number[];
  readonly policies: Bits;
  readonly end: number;
}

/** Groups of one column, and which policies have each. */
interface Side {
  readonly groups: readonly RoleGroup[];
  readonly index: RoleIndex;
  readonly policiesOf: readonly (readonly number[])[];
}

export class AccessWorld {
  readonly policies: readonly WorldPolicy[];
  readonly routes: Routes;
  readonly services: readonly ServiceClass[];
  readonly serviceNames: ReadonlyMap<string, string>;
  readonly #identitySide: Side;
  readonly #serviceSide: Side;
  readonly #standings = new Map<string, Standing>();

  constructor(readonly facts: NetworkFacts) {
    const { policies } = facts;
    const identities = numbered(policies.map(({ semantic, identityRoles: roles }) => groupsOf({ semantic, roles })));
    const services = numbered(policies.map(({ semantic, serviceRoles: roles }) => groupsOf({ semantic, roles })));
    this.policies = policies.map((policy, index) => ({
      facts: policy,
      identityGroups: identities.ofPolicies[index] ?? [],
      serviceGroups: services.ofPolicies[index] ?? [],
    }));
    this.#identitySide = identities.side;
    this.#serviceSide = services.side;
    this.routes = new Routes(facts);
    this.serviceNames = new Map(facts.services.map(({ id, name }) => [id, name]));
    this.services = mergedServices(facts.services.map((service) => this.serviceClass(service)));
  }

  get identityGroups(): readonly RoleGroup[] {
    return this.#identitySide.groups;
  }

  get serviceGroups(): readonly RoleGroup[] {
    return this.#serviceSide.groups;
  }

  identityClass(identity: IdentityFacts): IdentityClass {
    const { isDisabled, count, posture } = identity;
    const { asking, ...selected } = this.#standingOf(identity);
    const passing = selected.policies.slice();
    if (posture !== null) {
      const isPassing = new Map<string, boolean>();
      for (const index of asking) {
        const checks = this.facts.policies[index]?.checks ?? [];
        const key = checks.map(({ id }) => id).join();
        const known = isPassing.get(key) ?? judge(checks, posture, this.facts.now).isPassing;
        isPassing.set(key, known);
        if (!known) removeBit(passing, index);
      }
    }
    return { ...selected, count, isDisabled, passing };
  }

  /** Parts of a class that no device decides, worked out once for all identities with the same attributes. */
  #standingOf({ id, roleAttributes }: IdentityFacts): Standing {
    const key = JSON.stringify([id, roleAttributes]);
    const known = this.#standings.get(key);
    if (known !== undefined) return known;
    const identity = { id, roleAttributes };
    const { groups, policies } = this.#selected(this.#identitySide, identity);
    const standing = {
      groups,
      policies: asBits(policies, this.policies.length),
      start: this.routes.startOf(identity),
      asking: [...policies].filter((index) => (this.facts.policies[index]?.checks.length ?? 0) > 0),
    };
    this.#standings.set(key, standing);
    return standing;
  }

  serviceClass(service: ServiceFacts): ServiceClass {
    const { groups, policies } = this.#selected(this.#serviceSide, service);
    return {
      count: 1,
      groups,
      policies: asBits(policies, this.policies.length),
      end: this.routes.endOf(service),
    };
  }

  /** Outcome of a pair over all policies; undefined when none gives the service to the identity. */
  outcome(identity: IdentityClass, service: ServiceClass, visible: Visible): number | undefined {
    if (!haveCommonBit(identity.policies, service.policies)) return undefined;
    return this.outcomeIf(haveCommonBit(identity.passing, service.policies), identity, service.end, visible);
  }

  /** Outcome of a pair that is granted. @param isPassing  whether the device passes the checks that count */
  outcomeIf(isPassing: boolean, identity: IdentityClass, end: number, visible: Visible): number {
    if (visible.identity && identity.isDisabled) return IS_DISABLED;
    if (visible.posture && !isPassing) return FAILS_POSTURE;
    return this.routes.between(identity.start, end, visible);
  }

  #selected(side: Side, entity: Selectable): { groups: number[]; policies: Set<number> } {
    const groups = side.index.selecting(entity);
    return { groups, policies: new Set(groups.flatMap((group) => side.policiesOf[group] ?? [])) };
  }
}

function asBits(indexes: Iterable<number>, size: number): Bits {
  const bits = bitsFor(size);
  for (const index of indexes) addBit(bits, index);
  return bits;
}

function numbered(groupsOfPolicies: readonly (readonly RoleGroup[])[]): {
  readonly side: Side;
  readonly ofPolicies: readonly (readonly number[])[];
} {
  const numbers = new Map<string, number>();
  const groups: RoleGroup[] = [];
  const policiesOf: number[][] = [];
  const ofPolicies = groupsOfPolicies.map((ofPolicy, policy) =>
    ofPolicy.map((group) => {
      let number = numbers.get(group.key);
      if (number === undefined) {
        number = groups.push(group) - 1;
        numbers.set(group.key, number);
        policiesOf.push([]);
      }
      policiesOf[number]?.push(policy);
      return number;
    }),
  );
  const index = new RoleIndex(groups.map(({ roles }) => ({ semantic: 'AllOf', roles })));
  return { side: { groups, index, policiesOf }, ofPolicies };
}

/** One for all that are alike. */
export function mergedIdentities(classes: readonly IdentityClass[]): IdentityClass[] {
  const keyOf = ({ groups, passing, isDisabled, start }: IdentityClass) =>
    `${groups.join()}|${passing.join()}|${String(isDisabled)}|${start}`;
  return merged(classes, keyOf);
}

const mergedServices = (classes: readonly ServiceClass[]): ServiceClass[] =>
  merged(classes, ({ groups, end }) => `${groups.join()}|${end}`);

function merged<C extends { readonly count: number }>(classes: readonly C[], keyOf: (one: C) => string): C[] {
  const byKey = new Map<string, C>();
  for (const one of classes) {
    const key = keyOf(one);
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return [...byKey.values()];
}
