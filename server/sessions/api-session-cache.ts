/** The bounded copy of API sessions: entries by the hash of their token, and the indexes by which they are dropped. */
import { LRUCache } from 'lru-cache';
import type { CacheUse } from '../../domain/cache-use.js';
import type { TouchedSession } from '../../db/stores/api-session-activity.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { Trust } from '../../domain/trust.js';
import type { Caller } from '../../handlers/reply.js';

/** Facts of a caller, apart from what each request brings. */
export interface Authenticated {
  readonly owner: SessionOwner;
  readonly caller: Caller;
}

export interface CachedSession extends Authenticated {
  lastActivityMs: number;
  /**
   * The database was last known to agree when this moment had passed; by `performance.now()`, which is never set back.
   */
  confirmedMs: number;
}

/** Moment at which the database was asked for a session. */
export interface ReadMoment {
  /** `drops` of then. */
  readonly drops: number;
  readonly atMs: number;
}

export class ApiSessionCache {
  readonly #entries: LRUCache<string, CachedSession>;
  readonly #keys = new Map<string, string>();
  readonly #keysOfIdentities = new Map<string, Set<string>>();
  #isTrusted: Trust = () => true;
  /** Count of calls that dropped something, or might have. */
  #drops = 0;
  #hits = 0;
  #misses = 0;

  constructor(max: number) {
    this.#entries = new LRUCache<string, CachedSession>({
      max,
      dispose: ({ owner: { session } }, key) => {
        this.#keys.delete(session.id);
        const keys = this.#keysOfIdentities.get(session.identity.id);
        keys?.delete(key);
        if (keys?.size === 0) this.#keysOfIdentities.delete(session.identity.id);
      },
    });
  }

  /** A miss asked the database. */
  get use(): CacheUse {
    return { entries: this.#entries.size, hits: this.#hits, misses: this.#misses };
  }

  /** Call it before the database is asked for what `add` gets. */
  now(): ReadMoment {
    return { drops: this.#drops, atMs: performance.now() };
  }

  /** @param isGood  false for an entry that must not be used without asking the database */
  find(key: string, isGood: (entry: CachedSession) => boolean): CachedSession | undefined {
    const entry = this.#isTrusted() ? this.#entries.get(key) : undefined;
    if (entry !== undefined && isGood(entry)) {
      this.#hits += 1;
      return entry;
    }
    this.#misses += 1;
    return undefined;
  }

  byId(apiSessionId: string): CachedSession | undefined {
    const key = this.#isTrusted() ? this.#keys.get(apiSessionId) : undefined;
    return key === undefined ? undefined : this.#entries.get(key);
  }

  /** Not when something was dropped since the database was asked: what it said may be what was dropped. */
  add(key: string, entry: CachedSession, asked: ReadMoment): void {
    if (asked.drops !== this.#drops || !this.#isTrusted()) return;
    const { session } = entry.owner;
    this.#entries.set(key, entry);
    this.#keys.set(session.id, key);
    const keys = this.#keysOfIdentities.get(session.identity.id) ?? new Set();
    this.#keysOfIdentities.set(session.identity.id, keys.add(key));
  }

  /**
   * Drops those that the database has otherwise.
   * @param touched  of the sessions in `ids` that are still good, as the database had them after `sinceMs`
   */
  compare(ids: Iterable<string>, touched: ReadonlyMap<string, TouchedSession>, sinceMs: number): void {
    for (const id of ids) {
      const key = this.#keys.get(id);
      const entry = key === undefined ? undefined : this.#entries.peek(key);
      if (entry === undefined) continue;
      if (touched.get(id)?.state === entry.owner.state) entry.confirmedMs = Math.max(entry.confirmedMs, sinceMs);
      else this.drop(id);
    }
  }

  drop(apiSessionId: string): void {
    this.#drops += 1;
    const key = this.#keys.get(apiSessionId);
    if (key !== undefined) this.#entries.delete(key);
  }

  dropOf(identityId: string): void {
    this.#drops += 1;
    for (const key of [...(this.#keysOfIdentities.get(identityId) ?? [])]) this.#entries.delete(key);
  }

  clear(): void {
    this.#drops += 1;
    this.#entries.clear();
  }

  /** @param isTrusted  false while changes made elsewhere may go unheard: nothing in memory is believed then */
  setTrusted(isTrusted: Trust): void {
    this.#isTrusted = isTrusted;
    this.clear();
  }
}
