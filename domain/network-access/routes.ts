/**
 * Outcome of a dial once policies and posture let it through: a router in common, a host, a path. Identities with
 * the same routers, and services with the same routers and hosts, are worked out once.
 */
import { reachedFrom } from '../explain/reach.js';
import { RoleIndex } from '../policy/role-index.js';
import type { Selectable } from '../policy/roles.js';
import { addBit, addBits, bitsFor, bitsIn, commonBits, haveCommonBit } from './bits.js';
import type { Bits } from './bits.js';
import type { NetworkFacts, RouterPolicyFacts, ServiceFacts } from './facts.js';
import { ALLOWED, outcomeOf, UNKNOWN } from './outcomes.js';
import { MASKS, maskOf } from './visible.js';
import type { Visible } from './visible.js';

interface ServiceEnd {
  readonly routers: Bits;
  readonly terminators: number;
  readonly plainTerminators: number;
  readonly hostRouterIds: readonly string[];
}

export class Routes {
  readonly #online: Bits;
  readonly #ofIdentities: GivenRouters;
  readonly #ofServices: GivenRouters;
  readonly #ends: ServiceEnd[] = [];
  readonly #endNumbers = new Map<string, number>();
  readonly #outcomes = new Map<number, number>();
  readonly #reached = new Map<string, ReadonlySet<string>>();

  constructor(readonly facts: NetworkFacts) {
    this.#online = bitsFor(facts.routers.length);
    facts.routers.forEach(({ isOnline }, index) => {
      if (isOnline) addBit(this.#online, index);
    });
    this.#ofIdentities = new GivenRouters(facts.identityRouterPolicies, facts.routers);
    this.#ofServices = new GivenRouters(facts.serviceRouterPolicies, facts.routers);
  }

  /** A number that identities with the same routers share. */
  startOf(identity: Selectable): number {
    return this.#ofIdentities.numberOf(identity);
  }

  /** A number that services with the same routers and hosts share. */
  endOf(service: ServiceFacts): number {
    const { terminators, plainTerminators, hostRouterIds } = service;
    const routers = this.#ofServices.numberOf(service);
    const key = JSON.stringify([routers, terminators > 0, plainTerminators > 0, [...hostRouterIds].sort()]);
    const known = this.#endNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.#ends.length;
    this.#ends.push({ routers: this.#ofServices.bitsOf(routers), terminators, plainTerminators, hostRouterIds });
    this.#endNumbers.set(key, number);
    return number;
  }

  /** Outcome between the two, by their numbers. */
  between(start: number, end: number, visible: Visible): number {
    const key = (start * MOST_ENDS + end) * MASKS + maskOf(visible);
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    const outcome = this.#between(this.#ofIdentities.bitsOf(start), end, visible);
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  #between(start: Bits, endNumber: number, visible: Visible): number {
    const end = this.#ends[endNumber];
    if (end === undefined) throw new Error('no such end');
    const common = commonBits(start, end.routers);
    const online = bitsIn(commonBits(common, this.#online));
    if (visible.routers) {
      if (!haveCommonBit(common, common)) return outcomeOf('NO_COMMON_ROUTER');
      if (online.length === 0) return outcomeOf('ROUTERS_OFFLINE');
    }
    // A host needs no other one.
    if (this.facts.type === 'Bind') return visible.identity && visible.posture && visible.routers ? ALLOWED : UNKNOWN;
    if (visible.terminators) {
      if (end.terminators === 0) return outcomeOf('NO_TERMINATOR');
      if (end.plainTerminators === 0) return outcomeOf('ONLY_NAMED_TERMINATORS');
      if (end.hostRouterIds.length === 0) return outcomeOf('TERMINATORS_OFFLINE');
    }
    const needsPath = online.length > 0 && end.hostRouterIds.length > 0;
    if (visible.path && needsPath && !this.#isReached(online, end.hostRouterIds)) return outcomeOf('NO_PATH');
    return Object.values(visible).every((isVisible) => isVisible) ? ALLOWED : UNKNOWN;
  }

  #isReached(starts: readonly number[], ends: readonly string[]): boolean {
    const ids = starts.map((index) => this.facts.routers[index]?.id ?? '');
    if (ends.some((id) => ids.includes(id))) return true;
    return ids.some((id) => {
      const reached = this.#reachedFrom(id);
      return ends.some((end) => reached.has(end));
    });
  }

  /** Several routers reach what each of them reaches. */
  #reachedFrom(id: string): ReadonlySet<string> {
    const known = this.#reached.get(id);
    if (known !== undefined) return known;
    const reached = reachedFrom([id], this.facts.links, new Set(this.facts.ends));
    this.#reached.set(id, reached);
    return reached;
  }
}

/** More ends than there can be services in memory. */
const MOST_ENDS = 2 ** 24;

/** Edge routers that router policies of one kind give. */
class GivenRouters {
  readonly #index: RoleIndex;
  readonly #ofPolicies: readonly Bits[];
  readonly #sets: Bits[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #size: number;

  constructor(policies: readonly RouterPolicyFacts[], routers: readonly Selectable[]) {
    this.#size = routers.length;
    this.#index = new RoleIndex(policies);
    this.#ofPolicies = policies.map(() => bitsFor(routers.length));
    const selecting = new RoleIndex(policies.map(({ semantic, routerRoles }) => ({ semantic, roles: routerRoles })));
    routers.forEach((router, number) => {
      for (const policy of selecting.selecting(router)) {
        const bits = this.#ofPolicies[policy];
        if (bits !== undefined) addBit(bits, number);
      }
    });
  }

  numberOf(entity: Selectable): number {
    const policies = this.#index.selecting(entity);
    const key = policies.join();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const bits = bitsFor(this.#size);
    for (const policy of policies) addBits(bits, this.#ofPolicies[policy] ?? bits);
    const number = this.#sets.length;
    this.#sets.push(bits);
    this.#numbers.set(key, number);
    return number;
  }

  bitsOf(number: number): Bits {
    const bits = this.#sets[number];
    if (bits === undefined) throw new Error('no such set of routers');
    return bits;
  }
}
