/**
 * Worlds of access for a moment, so that several questions about one picture are answered from one reading. Policies,
 * services and routers move the epoch that they are kept by; devices, logins, terminators and links move none, so none
 * is kept for longer than a second.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IdentityFacts, NetworkFacts } from '../domain/network-access/facts.js';
import { AccessWorld, mergedIdentities } from '../domain/network-access/world.js';
import type { IdentityClass } from '../domain/network-access/world.js';
import type { PolicyType } from '../domain/model.js';
import { namedIds } from '../domain/policy/roles.js';
import type { Stores } from '../db/stores/stores.js';

export interface KeptWorld {
  readonly world: AccessWorld;
  /** All identities, as the world tells them apart. Read when they are first asked for. */
  readonly classes: (stores: Stores) => Promise<readonly IdentityClass[]>;
  /** Names of identities that policies name. */
  readonly names: (stores: Stores) => Promise<ReadonlyMap<string, string>>;
}

interface Entry {
  readonly epoch: string;
  readonly sinceMs: number;
  readonly world: Promise<KeptWorld>;
}

const MOST_MS = 1_000;

export class KeptWorlds {
  readonly #entries = new Map<PolicyType, Entry>();

  /** @param epoch  of policies, routers and identities, read before this call */
  of(type: PolicyType, epoch: string, stores: Stores): Promise<KeptWorld> {
    const known = this.#entries.get(type);
    if (known?.epoch === epoch && performance.now() - known.sinceMs < MOST_MS) return known.world;
    const world = stores.networkAccess.facts(type).then(keptWorld);
    const entry = { epoch, sinceMs: performance.now(), world };
    this.#entries.set(type, entry);
    const forget = () => {
      if (this.#entries.get(type) === entry) this.#entries.delete(type);
    };
    world.catch(forget);
    setTimeout(forget, MOST_MS).unref();
    return world;
  }
}

function keptWorld(facts: NetworkFacts): KeptWorld {
  const world = new AccessWorld(facts);
  return {
    world,
    classes: readOnce(async ({ networkAccess }) =>
      classesIn(world, await networkAccess.identities(facts, {}), turns()),
    ),
    names: readOnce(({ networkAccess }) =>
      networkAccess.names(namedIds(facts.policies.flatMap(({ identityRoles }) => identityRoles))),
    ),
  };
}

/** Reads for the first who asks. A read ends with the request that it is for: the next one reads again. */
function readOnce<T>(read: (stores: Stores) => Promise<T>): (stores: Stores) => Promise<T> {
  let found: Promise<T> | undefined;
  return async (stores) => {
    const earlier = found;
    try {
      if (earlier !== undefined) return await earlier;
    } catch {
      // It was for another request, which has the error.
    }
    if (found === undefined || found === earlier) found = read(stores);
    return found;
  };
}

/** Long work gives others a turn as often as this. */
const TURN_MS = 5;

/** Returns what long work calls often: it waits for others when its turn is over. */
export function turns(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < TURN_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}

/** Less than a millisecond of work. */
const CLASSES_AT_ONCE = 100;

/** Identities as the world tells them apart. */
export async function classesIn(
  world: AccessWorld,
  identities: readonly IdentityFacts[],
  pause: () => Promise<void>,
): Promise<IdentityClass[]> {
  const classes: IdentityClass[] = [];
  for (const identity of identities) {
    if (classes.push(world.identityClass(identity)) % CLASSES_AT_ONCE === 0) await pause();
  }
  return mergedIdentities(classes);
}
