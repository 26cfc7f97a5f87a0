/**
 * The share of the event loop that one router may have, and how often it may come. A router that needs more is cut and
 * kept out for a while: for less than the 25 s after which routers of release 2.1 look for another controller. What it
 * has had stays known while it is away.
 */
import { LRUCache } from 'lru-cache';

export interface ShareLimits {
  /** Time of the event loop in a minute, for what the router says of itself. */
  readonly workMs: number;
  /** Factor for requests of its clients, which wait in queues of their own. */
  readonly clientsFactor: number;
  /** Connections in a minute. */
  readonly comings: number;
  /** A router that had too much is kept out for so long. */
  readonly restMs: number;
}

/**
 * An honest router with 10,000 sessions and as many connected identities needs 0.2 s of the 2 s, right after it came
 * back (docs/control-channel.md).
 */
export const SHARE_LIMITS: ShareLimits = { workMs: 2_000, clientsFactor: 10, comings: 10, restMs: 10_000 };

const MINUTE_MS = 60_000;
/** A longer pause is one of the machine or the process, not the router's doing. */
const MOST_AT_ONCE_MS = 200;
/** Routers that are remembered: a router that is forgotten begins again. */
const MOST_ROUTERS = 20_000;

/** Goes down by itself, evenly, from its limit to nothing in a minute. */
class Level {
  #value = 0;
  #at: number;

  constructor(
    private readonly limit: number,
    private readonly now: () => number,
  ) {
    this.#at = now();
  }

  get value(): number {
    const at = this.now();
    this.#value = Math.max(0, this.#value - ((at - this.#at) * this.limit) / MINUTE_MS);
    this.#at = at;
    return this.#value;
  }

  /** @returns whether it is still within its limit */
  add(amount: number): boolean {
    this.#value = this.value + amount;
    return this.#value <= this.limit;
  }
}

interface Had {
  readonly work: Level;
  readonly clients: Level;
  readonly comings: Level;
  restUntil: number;
  /** It was kept out for coming too often, and has not come since. */
  hasRested: boolean;
}

export type Purpose = 'own' | 'clients';

export class RouterShares {
  readonly #routers = new LRUCache<string, Had>({ max: MOST_ROUTERS });

  /** @param now  in milliseconds, by a clock that is never set back */
  constructor(
    private readonly limits: ShareLimits,
    private readonly now: () => number,
  ) {}

  /** How long the router must stay away still, in milliseconds; 0 when it may come in. */
  restOf(routerId: string): number {
    const had = this.#of(routerId);
    if (had.comings.value >= this.limits.comings && !had.hasRested) this.#rest(had);
    return Math.max(0, had.restUntil - this.now());
  }

  /** The router was let in. */
  came(routerId: string): void {
    const had = this.#of(routerId);
    had.hasRested = false;
    had.comings.add(1);
  }

  /** @returns whether the router may go on; if not, it is kept out for a while */
  charge(routerId: string, ms: number, purpose: Purpose): boolean {
    const had = this.#of(routerId);
    const level = purpose === 'own' ? had.work : had.clients;
    if (level.add(Math.min(ms, MOST_AT_ONCE_MS))) return true;
    this.#rest(had);
    return false;
  }

  #rest(had: Had): void {
    had.restUntil = this.now() + this.limits.restMs;
    had.hasRested = true;
  }

  #of(routerId: string): Had {
    const known = this.#routers.get(routerId);
    if (known !== undefined) return known;
    const { workMs, clientsFactor, comings } = this.limits;
    const made: Had = {
      work: new Level(workMs, this.now),
      clients: new Level(workMs * clientsFactor, this.now),
      comings: new Level(comings, this.now),
      restUntil: 0,
      hasRested: false,
    };
    this.#routers.set(routerId, made);
    return made;
  }
}
