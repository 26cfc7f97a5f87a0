/**
 * Remembers the facts that decided the dials of the last seconds: sessions as routers showed them, and terminators of
 * services. So a dial like an earlier one costs no statement. Only what was good is kept, and it is a copy:
 *
 * - A change made here forgets it before the change is answered, one made elsewhere when its notice comes. What a dial
 *   was built on meanwhile is cut by the check that the same notice sets off.
 * - What was read is kept only if nothing was forgotten since the read began.
 * - While notices do not come, nothing is kept. What no notice told of ends after some seconds.
 * - A terminator that is gone is found out by its router, and the next attempt reads.
 */
import { noTrust } from '../../domain/trust.js';
import type { Trust } from '../../domain/trust.js';
import type { DialTarget } from '../../db/stores/dial-targets.js';
import type { ShownSession } from '../../db/stores/shown-sessions.js';

/** Entries of each kind; past them all are read again. */
const MOST = 10_000;
/** Terminators in all, of all that is kept; past them all are read again. */
const MOST_TARGETS = 20_000;
const KEPT_MS = 5_000;

interface CachedValue<T> {
  readonly value: T;
  readonly untilMs: number;
}

interface CachedTargets {
  readonly targets: readonly DialTarget[];
  /** Version of the topology whose paths they were chosen by. */
  readonly version: number;
}

export interface TargetsKey {
  readonly serviceId: string;
  /** '' for those without one. */
  readonly instanceId: string;
  readonly routerId: string;
  /** How many were asked for. */
  readonly max: number;
}

export class DialMemory {
  readonly #sessions = new Map<string, CachedValue<ShownSession>>();
  /** Keys by session, to forget it. */
  readonly #keysOfSessions = new Map<string, Set<string>>();
  readonly #targets = new Map<string, CachedValue<CachedTargets>>();
  readonly #keysOfServices = new Map<string, Set<string>>();
  /** Number of targets in memory, which is bounded. */
  #targetsKept = 0;
  #isTrusted = noTrust;
  #changes = 0;

  /** @param now  in milliseconds, by a clock that is never set back */
  constructor(private readonly now: () => number) {}

  /** The session that this router shows. @param read  from the database */
  async session(
    token: string,
    routerId: string,
    read: () => Promise<ShownSession | undefined>,
  ): Promise<ShownSession | undefined> {
    const key = `${routerId} ${token}`;
    const kept = this.#get(this.#sessions, key);
    if (kept !== undefined) return kept;
    const before = this.#changes;
    const session = await read();
    if (session?.isLasting === true && session.isRouterAllowed && before === this.#changes)
      this.#keep(this.#sessions, this.#keysOfSessions, key, session.id, session);
    return session;
  }

  /** Terminators of a service that a router reaches. @param version  of the topology */
  async targets(
    { serviceId, instanceId, routerId, max }: TargetsKey,
    version: number,
    read: () => Promise<readonly DialTarget[]>,
  ): Promise<readonly DialTarget[]> {
    const key = `${routerId} ${max} ${serviceId} ${instanceId}`;
    const kept = this.#get(this.#targets, key);
    if (kept?.version === version) return kept.targets;
    const before = this.#changes;
    const targets = await read();
    if (targets.length === 0 || before !== this.#changes) return targets;
    this.#targetsKept += targets.length;
    if (this.#targetsKept > MOST_TARGETS) {
      this.#targets.clear();
      this.#keysOfServices.clear();
      this.#targetsKept = targets.length;
    }
    this.#keep(this.#targets, this.#keysOfServices, key, serviceId, { targets, version });
    return targets;
  }

  /** Policies, services, identities or routers may be other ones. */
  forgetAll(): void {
    this.#changes += 1;
    this.#targetsKept = 0;
    for (const memory of [this.#sessions, this.#keysOfSessions, this.#targets, this.#keysOfServices]) empty(memory);
  }

  forgetSessions(ids: readonly string[]): void {
    this.#changes += 1;
    for (const id of ids) forget(this.#sessions, this.#keysOfSessions, id);
  }

  /** Their terminators are other ones; undefined: those of any. */
  forgetTargets(serviceIds: readonly string[] | undefined): void {
    this.#changes += 1;
    for (const id of serviceIds ?? [...this.#keysOfServices.keys()]) forget(this.#targets, this.#keysOfServices, id);
  }

  /** @param isTrusted  false while changes may go unheard */
  setTrusted(isTrusted: Trust): void {
    this.#isTrusted = isTrusted;
    this.forgetAll();
  }

  #get<T>(memory: Map<string, CachedValue<T>>, key: string): T | undefined {
    const kept = memory.get(key);
    return kept !== undefined && this.now() < kept.untilMs && this.#isTrusted() ? kept.value : undefined;
  }

  #keep<T>(
    memory: Map<string, CachedValue<T>>,
    keys: Map<string, Set<string>>,
    key: string,
    owner: string,
    value: T,
  ): void {
    if (!this.#isTrusted()) return;
    memory.set(key, { value, untilMs: this.now() + KEPT_MS });
    keys.set(owner, (keys.get(owner) ?? new Set()).add(key));
    if (memory.size <= MOST) return;
    memory.clear();
    keys.clear();
  }
}

/** Empties a map. Nearly every change does so, and clearing an empty one makes it a new table each time: 3 us. */
function empty(memory: Map<string, unknown>): void {
  if (memory.size > 0) memory.clear();
}

function forget(memory: Map<string, unknown>, keys: Map<string, Set<string>>, owner: string): void {
  for (const key of keys.get(owner) ?? []) memory.delete(key);
  keys.delete(owner);
}
