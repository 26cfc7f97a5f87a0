/**
 * Plan of the changes that make a network equal to the files: creations, changes and deletions, in an order in which
 * each entity exists before it is referred to, and is referred to no more before it is deleted.
 */
import type { Json, JsonObject } from '../model.js';
import type { Entries, Entry } from './entries.js';
import { complete, mentionsIn } from './forms.js';
import { KIND_NAMES } from './kind-names.js';
import { KINDS } from './kinds.js';
import type { KindName } from './kind-names.js';
import type { EntityKind } from './kind-fields.js';
import { NetworkFileError } from './problem.js';
import type { Problem } from './problem.js';
import type { KnownEntity, State } from './state.js';
import { byText, isAlike, isObject, displayed } from './values.js';

/** @property field  `data.address`. What is not there is undefined. */
export interface Change {
  readonly field: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
}

interface StepBase {
  readonly kind: EntityKind;
  readonly name: string;
}
export interface Creation extends StepBase {
  readonly action: 'create';
  readonly entry: Entry;
  /** It refers to what is made after it: it is made without, and gets it in a later step. */
  readonly isFirstHalf: boolean;
}
export interface Update extends StepBase {
  readonly action: 'update';
  readonly entry: Entry;
  /** State before the change. The id is unknown while the entity is created together with its router. */
  readonly known: KnownEntity | JustMade;
  readonly changes: readonly Change[];
  /** The other half of a creation, which is no change of its own. */
  readonly isSecondHalf: boolean;
}
export interface Deletion extends StepBase {
  readonly action: 'delete';
  readonly known: KnownEntity;
}
export type Step = Creation | Update | Deletion;

/** An entity that is created together with another one. */
export type JustMade = Omit<KnownEntity, 'id'>;

export interface Plan {
  /** Steps in the order in which they are done. Neighbours of one kind do not depend on each other. */
  readonly steps: readonly Step[];
  /** Entities that stay although the files do not name them. */
  readonly kept: readonly { readonly kind: EntityKind; readonly name: string; readonly reason: string }[];
  /** Entities that are as the files say. */
  readonly unchanged: number;
}

/** Nothing needs them, and they may hold what is unique among their kind: they go before anything is made. */
const DELETED_FIRST: readonly KindName[] = [
  'servicePolicies',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
  'identities',
  'cas',
];
const DELETED_LAST: readonly KindName[] = KIND_NAMES.filter((name) => !DELETED_FIRST.includes(name)).reverse();

/** @throws NetworkFileError for a reference to what is not there, and for a change of what cannot change */
export function planOf(entries: Entries, state: State, isPruning: boolean): Plan {
  const world = new World(entries, state, isPruning);
  const problems = entries.all.flatMap((entry) => world.problemsOf(entry));
  if (problems.length > 0) throw new NetworkFileError(problems);
  const writes = KIND_NAMES.flatMap((name) => world.writesOf(name));
  return {
    steps: [...world.deletionsOf(DELETED_FIRST), ...writes, ...world.deletionsOf(DELETED_LAST)],
    kept: world.kept,
    unchanged: world.unchanged,
  };
}

class World {
  readonly kept: Plan['kept'][number][] = [];
  unchanged = 0;
  readonly #state: State;
  readonly #entries: ReadonlyMap<KindName, readonly Entry[]>;
  /** Entities that the files name, by kind and name. */
  readonly #named: ReadonlySet<string>;
  readonly #deleted: ReadonlyMap<KindName, readonly KnownEntity[]>;
  readonly #deletedKeys: ReadonlySet<string>;
  readonly #routers: ReadonlyMap<string, Entry>;
  readonly #secondHalves: Update[] = [];

  constructor({ kinds, all }: Entries, state: State, isPruning: boolean) {
    this.#state = state;
    const byKind = new Map<KindName, Entry[]>(KIND_NAMES.map((name) => [name, []]));
    for (const entry of all) byKind.get(entry.kind.name)?.push(entry);
    this.#entries = byKind;
    this.#routers = new Map(byKind.get('edgeRouters')?.map((entry) => [entry.name, entry]));
    this.#named = new Set(all.map(keyOf));
    const found = new Set(all.map((entry) => this.#find(entry)));
    const deleted = new Map<KindName, KnownEntity[]>();
    for (const name of isPruning ? KIND_NAMES.filter((each) => kinds.has(each)) : []) {
      const unnamed = [...state.byName[name].values()].filter((known) => !found.has(known));
      for (const { name: kept, keptBecause: reason, isUsual } of unnamed) {
        if (reason !== undefined && isUsual !== true) this.kept.push({ kind: KINDS[name], name: kept, reason });
      }
      deleted.set(
        name,
        unnamed.filter(({ keptBecause }) => keptBecause === undefined).sort((a, b) => byText(a.name, b.name)),
      );
    }
    this.#deleted = deleted;
    this.#deletedKeys = new Set(
      [...deleted].flatMap(([kind, items]) => items.map(({ name }) => keyOf({ kind: KINDS[kind], name }))),
    );
  }

  problemsOf(entry: Entry): Problem[] {
    const missing = mentionsIn(entry.kind, entry.given).flatMap(({ target, name, path }) => {
      if (target === 'controllers')
        return this.#state.idOf(target, name) === undefined
          ? [entry.problem(path, `there is no controller ${displayed(name)}`)]
          : [];
      const { title } = KINDS[target];
      const key = keyOf({ kind: KINDS[target], name });
      if (this.#named.has(key)) return [];
      if (this.#deletedKeys.has(key))
        return [entry.problem(path, `refers to the ${title} ${displayed(name)}, which --prune would delete`)];
      if (this.#isThere(target, name)) return [];
      return [entry.problem(path, `there is no ${title} ${displayed(name)}, neither in the files nor in the network`)];
    });
    const known = this.#find(entry);
    if (known === undefined) return missing;
    const fixed = entry.kind.fields
      .filter(({ life, name }) => life === 'fixed' && !isAlike(known.value[name], entry.value[name]))
      .map(({ name }) =>
        entry.problem([name], `cannot be changed: it is ${displayed(known.value[name])} in the network`),
      );
    return [...missing, ...fixed];
  }

  writesOf(kind: KindName): Step[] {
    const steps: Step[] = [];
    for (const entry of this.#entries.get(kind) ?? []) {
      const known = this.#find(entry) ?? this.#comesWithRouter(entry);
      if (known === undefined) {
        const isFirstHalf = this.#refersToLater(entry);
        steps.push({ action: 'create', kind: entry.kind, name: entry.name, entry, isFirstHalf });
        if (isFirstHalf) {
          const made: JustMade = { name: entry.name, value: entry.value };
          this.#secondHalves.push({ ...updateOf(entry, made, []), isSecondHalf: true });
        }
        continue;
      }
      const changes = fieldChanges(entry.kind, known.value, entry.value);
      if (changes.length === 0) this.unchanged += 1;
      else if (this.#refersToLater(entry)) this.#secondHalves.push(updateOf(entry, known, changes));
      else steps.push(updateOf(entry, known, changes));
    }
    if (kind === 'authPolicies') steps.push(...this.#secondHalves);
    return steps;
  }

  deletionsOf(kinds: readonly KindName[]): Deletion[] {
    return kinds.flatMap((name) =>
      (this.#deleted.get(name) ?? []).map((known) => ({
        action: 'delete' as const,
        kind: KINDS[name],
        name: known.name,
        known,
      })),
    );
  }

  /** The entity that an entry is about. */
  #find({ kind, name, value }: Entry): KnownEntity | undefined {
    const mark = kind.fields.find(({ isMark }) => isMark === true);
    if (mark !== undefined && value[mark.name] === true) return this.#state.marked.get(kind.name);
    const known = this.#state.byName[kind.name].get(name);
    const goesWithRouter = kind.name === 'identities' && known?.keptBecause !== undefined && this.#losesTunneler(name);
    return goesWithRouter ? undefined : known;
  }

  #isThere(target: KindName, name: string): boolean {
    return this.#state.byName[target].has(name) || (target === 'identities' && this.#comesWith(name));
  }

  #losesTunneler(name: string): boolean {
    return this.#routers.get(name)?.value['isTunnelerEnabled'] === false;
  }

  /** Whether the files make a router of this name a tunneler, which brings an identity of this name. */
  #comesWith(name: string): boolean {
    const known = this.#state.byName.edgeRouters.get(name);
    return this.#routers.get(name)?.value['isTunnelerEnabled'] === true && known?.value['isTunnelerEnabled'] !== true;
  }

  #comesWithRouter({ kind, name }: Entry): JustMade | undefined {
    if (kind.name !== 'identities' || !this.#comesWith(name)) return undefined;
    return { name, value: complete(kind, { name, type: 'Router', isAdmin: false }) };
  }

  /** A signer and an auth policy may refer to each other. */
  #refersToLater({ kind, value }: Entry): boolean {
    const policy = value['enrollAuthPolicy'];
    if (kind.name !== 'externalJwtSigners' || typeof policy !== 'string') return false;
    return !this.#state.byName.authPolicies.has(policy);
  }
}

const keyOf = ({ kind, name }: { readonly kind: EntityKind; readonly name: string }): string => `${kind.name} ${name}`;

const updateOf = (entry: Entry, known: KnownEntity | JustMade, changes: readonly Change[]): Update => ({
  action: 'update',
  kind: entry.kind,
  name: entry.name,
  entry,
  known,
  changes,
  isSecondHalf: false,
});

/** Returns the changes between two values, field by field. */
function fieldChanges(kind: EntityKind, from: JsonObject, to: JsonObject): Change[] {
  return kind.fields
    .filter(({ life, isMark }) => life !== 'asked' && isMark !== true)
    .flatMap(({ name }) => differences(name, from[name], to[name]));
}

/** Lists are compared as wholes, objects member by member. */
function differences(field: string, from: Json | undefined, to: Json | undefined): Change[] {
  if (isAlike(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ field, from, to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    differences(`${field}.${name}`, from[name], to[name]),
  );
}
