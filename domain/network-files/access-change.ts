/**
 * Counts who gains and who loses which service by a plan: the policies of before and after, asked of every identity.
 * Policies alone count, as `selects` reads them; posture, routers and who is enabled do not. Identities that the same
 * policies select are worked out once.
 */
import { RoleIndex, selectorsOf } from '../policy/role-index.js';
import { selects } from '../policy/roles.js';
import type { JsonObject, PolicyType, Semantic } from '../model.js';
import type { KindName } from './kind-names.js';
import type { Plan, Step } from './plan.js';
import type { State } from './state.js';
import { asText, byText } from './values.js';

/** An exact number, and the first few names. */
export interface Counted {
  readonly count: number;
  readonly identities: readonly string[];
}

export interface ServiceAccessChange {
  readonly service: string;
  readonly type: PolicyType;
  readonly gained: Counted;
  readonly lost: Counted;
}

export interface AccessChange {
  /** Pairs of an identity and a service, by type. */
  readonly gained: number;
  readonly lost: number;
  /** Identities with any change. */
  readonly identities: number;
  readonly services: readonly ServiceAccessChange[];
}

/** Names shown of a count. */
const NAMED = 100;

interface Entity {
  readonly id: string;
  readonly roleAttributes: readonly string[];
}

interface Policy {
  readonly type: PolicyType;
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}

interface World {
  readonly identities: ReadonlyMap<string, Entity>;
  readonly services: ReadonlyMap<string, Entity>;
  readonly policies: readonly Policy[];
}

export function accessChangeOf(plan: Plan, state: State): AccessChange {
  const [before, after] = [worldOf(state, [], new Map()), worldOf(state, plan.steps, renamedBy(plan))];
  const serviceIds = [...new Set([...before.services.keys(), ...after.services.keys()])].sort(byText);
  const numbers = new Map(serviceIds.map((id, number) => [id, number]));
  const [then, later] = [new Reach(before, numbers), new Reach(after, numbers)];
  const tally = new Tally(serviceIds);
  const ids = [...new Set([...before.identities.keys(), ...after.identities.keys()])].sort(byText);
  for (const id of ids) tally.add(id, then.of(before.identities.get(id)), later.of(after.identities.get(id)));
  return tally.result();
}

/** Entities that get another name, by the new one: what refers to them goes on to. */
function renamedBy({ steps }: Plan): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const step of steps) {
    if (step.action === 'update' && step.known.name !== step.name)
      renamed.set(`${step.kind.name} ${step.name}`, step.known.name);
  }
  return renamed;
}

function worldOf({ byName }: State, steps: readonly Step[], renamed: ReadonlyMap<string, string>): World {
  const valuesOf = (kind: KindName) => new Map([...byName[kind]].map(([name, { value }]) => [name, value]));
  const values = {
    identities: valuesOf('identities'),
    services: valuesOf('services'),
    servicePolicies: valuesOf('servicePolicies'),
  };
  const idOf = (kind: KindName, name: string) => renamed.get(`${kind} ${name}`) ?? name;
  for (const step of steps) {
    const { name: kind } = step.kind;
    if (kind === 'edgeRouters') changeTunneler(step, values.identities);
    if (kind !== 'identities' && kind !== 'services' && kind !== 'servicePolicies') continue;
    if (step.action === 'delete') values[kind].delete(step.name);
    else values[kind].set(idOf(kind, step.name), step.entry.value);
  }
  const entities = (kind: 'identities' | 'services') =>
    new Map([...values[kind]].map(([id, value]) => [id, { id, roleAttributes: textsOf(value['roleAttributes']) }]));
  const rolesOf = (kind: 'identities' | 'services', value: unknown) =>
    textsOf(value).map((role) => (role.startsWith('@') ? `@${idOf(kind, role.slice(1))}` : role));
  return {
    identities: entities('identities'),
    services: entities('services'),
    policies: [...values.servicePolicies.values()].map((value) => ({
      type: value['type'] === 'Bind' ? 'Bind' : 'Dial',
      semantic: value['semantic'] === 'AnyOf' ? 'AnyOf' : 'AllOf',
      identityRoles: rolesOf('identities', value['identityRoles']),
      serviceRoles: rolesOf('services', value['serviceRoles']),
    })),
  };
}

/** A router that is a tunneler has an identity of its name. */
function changeTunneler(step: Step, identities: Map<string, JsonObject>): void {
  const isTunneler = step.action !== 'delete' && step.entry.value['isTunnelerEnabled'] === true;
  const wasTunneler = step.action !== 'create' && step.known.value['isTunnelerEnabled'] === true;
  if (isTunneler && !identities.has(step.name)) identities.set(step.name, {});
  if (wasTunneler && !isTunneler) identities.delete(step.name);
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map((each) => asText(each)) : []);

/** Bits by number of a service: those that it may dial, then those that it may bind. */
interface Sets {
  readonly key: string;
  readonly bits: Uint32Array;
}

const BITS = 32;

/** Services that the policies of one world give to an identity. */
class Reach {
  readonly #index: RoleIndex;
  readonly #bitsOf: readonly Uint32Array[];
  readonly #sets = new Map<string, Sets>();
  readonly #words: number;
  readonly #none: Sets;

  constructor(
    readonly world: World,
    numbers: ReadonlyMap<string, number>,
  ) {
    this.#words = Math.ceil(numbers.size / BITS) * 2;
    this.#none = { key: '', bits: new Uint32Array(this.#words) };
    this.#index = new RoleIndex(world.policies.map(({ semantic, identityRoles: roles }) => ({ semantic, roles })));
    const services = new Map<string, Entity[]>();
    for (const service of world.services.values())
      for (const selector of selectorsOf(service)) push(services, selector, service);
    this.#bitsOf = world.policies.map((policy) => this.#servicesOf(policy, services, numbers));
  }

  of(identity: Entity | undefined): Sets {
    if (identity === undefined) return this.#none;
    const indexes = this.#index.selecting(identity);
    if (indexes.length === 0) return this.#none;
    const key = indexes.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const bits = new Uint32Array(this.#words);
    for (const index of indexes) {
      this.#bitsOf[index]?.forEach((word, at) => {
        bits[at] = (bits[at] ?? 0) | word;
      });
    }
    const sets = { key, bits };
    this.#sets.set(key, sets);
    return sets;
  }

  #servicesOf(
    { type, semantic, serviceRoles }: Policy,
    services: ReadonlyMap<string, readonly Entity[]>,
    numbers: ReadonlyMap<string, number>,
  ): Uint32Array {
    const bits = new Uint32Array(this.#words);
    const from = type === 'Dial' ? 0 : (this.#words / 2) * BITS;
    for (const service of new Set(serviceRoles.flatMap((role) => services.get(role) ?? []))) {
      if (!selects(semantic, serviceRoles, service)) continue;
      const bit = from + (numbers.get(service.id) ?? 0);
      const at = Math.floor(bit / BITS);
      bits[at] = (bits[at] ?? 0) | (1 << (bit % BITS));
    }
    return bits;
  }
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

interface Names {
  count: number;
  readonly identities: string[];
}

/** Differences, counted by service and type. */
class Tally {
  readonly #gained = new Map<number, Names>();
  readonly #lost = new Map<number, Names>();
  readonly #changes = new Map<string, { readonly gained: readonly number[]; readonly lost: readonly number[] }>();
  #identities = 0;

  constructor(readonly serviceIds: readonly string[]) {}

  add(identity: string, before: Sets, after: Sets): void {
    const key = `${before.key}|${after.key}`;
    let change = this.#changes.get(key);
    if (change === undefined) {
      change = { gained: bitsBeyond(after.bits, before.bits), lost: bitsBeyond(before.bits, after.bits) };
      this.#changes.set(key, change);
    }
    if (change.gained.length + change.lost.length > 0) this.#identities += 1;
    for (const bit of change.gained) note(this.#gained, bit, identity);
    for (const bit of change.lost) note(this.#lost, bit, identity);
  }

  result(): AccessChange {
    const half = Math.ceil(this.serviceIds.length / BITS) * BITS;
    const none: Counted = { count: 0, identities: [] };
    const services = [...new Set([...this.#gained.keys(), ...this.#lost.keys()])].map((bit) => ({
      service: this.serviceIds[bit % half] ?? '',
      type: bit < half ? ('Dial' as const) : ('Bind' as const),
      gained: this.#gained.get(bit) ?? none,
      lost: this.#lost.get(bit) ?? none,
    }));
    const sum = (side: ReadonlyMap<number, Names>) => [...side.values()].reduce((total, { count }) => total + count, 0);
    return {
      gained: sum(this.#gained),
      lost: sum(this.#lost),
      identities: this.#identities,
      services: services.sort((a, b) => byText(a.service, b.service) || byText(a.type, b.type)),
    };
  }
}

function bitsBeyond(some: Uint32Array, others: Uint32Array): number[] {
  const found: number[] = [];
  some.forEach((word, at) => {
    const beyond = word & ~(others[at] ?? 0);
    for (let bit = 0; beyond !== 0 && bit < BITS; bit += 1) {
      if ((beyond & (1 << bit)) !== 0) found.push(at * BITS + bit);
    }
  });
  return found;
}

function note(side: Map<number, Names>, bit: number, identity: string): void {
  const names = side.get(bit);
  if (names === undefined) side.set(bit, { count: 1, identities: [identity] });
  else {
    names.count += 1;
    if (names.identities.length < NAMED) names.identities.push(identity);
  }
}
