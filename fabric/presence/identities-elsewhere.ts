/**
 * Identities connected to routers whose channels other processes have: other workers, and other controllers.
 * Their rows are read once a second, those alone that are new here, so that lists of identities find all of it in
 * memory.
 */
import type { ConnectedIdentityStore, HostIdentities } from '../../db/stores/connected-identities.js';
import { LOST_KEPT_MS } from '../../domain/router.js';
import type { EdgeConnection } from '../../domain/router.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { NoteFailure } from '../channel/router-log.js';

export interface IdentitiesElsewhereOptions {
  readonly store: Pick<ConnectedIdentityStore, 'elsewhere'>;
  /** This process, as a host of channels. */
  readonly hostId: string;
  readonly noteFailure: NoteFailure;
  readonly now?: () => number;
  /** Milliseconds between two reads. */
  readonly everyMs?: number;
}

interface KnownHost {
  joinedAt: number;
  number: number;
  /** Time at which it was found missing among the live hosts. */
  lostAt: number | undefined;
  /** Times at which its routers went, by id of the identity; undefined while it is connected. */
  readonly identities: Map<string, number | undefined>;
}

const EVERY_MS = 1_000;
/** Rows of one host that one read answers. */
export const MOST_READ = 2_000;

export class IdentitiesElsewhere {
  readonly #options: IdentitiesElsewhereOptions;
  readonly #now: () => number;
  readonly #hosts = new Map<string, KnownHost>();
  readonly #reads = new CoalescedTask(() => this.#read());
  readonly #timer: NodeJS.Timeout;

  constructor(options: IdentitiesElsewhereOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#timer = setInterval(() => {
      this.#reads.schedule();
    }, options.everyMs ?? EVERY_MS).unref();
  }

  of(identityId: string): EdgeConnection {
    let isUnknown = false;
    for (const { identities, lostAt } of this.#hosts.values()) {
      if (!identities.has(identityId)) continue;
      const lost = identities.get(identityId) ?? lostAt;
      if (lost === undefined) return 'online';
      isUnknown ||= this.#now() - lost < LOST_KEPT_MS;
    }
    return isUnknown ? 'unknown' : 'offline';
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reads.close();
  }

  async #read(): Promise<void> {
    const { store, hostId, noteFailure } = this.#options;
    try {
      for (let isWhole = false; !isWhole;) {
        const known = [...this.#hosts].map(([id, { joinedAt, number }]) => ({ hostId: id, joinedAt, number }));
        const found = await store.elsewhere(hostId, known, MOST_READ);
        this.#take(found);
        isWhole = found.every(({ rows }) => rows.length < MOST_READ);
      }
    } catch (error) {
      noteFailure(error, {}, 'identities that are connected elsewhere could not be read; it is tried again');
    }
  }

  #take(found: readonly HostIdentities[]): void {
    const now = this.#now();
    const alive = new Set(found.map(({ hostId }) => hostId));
    for (const [id, host] of this.#hosts) {
      if (alive.has(id)) continue;
      host.lostAt ??= now;
      if (now - host.lostAt >= LOST_KEPT_MS) this.#hosts.delete(id);
    }
    for (const { hostId, joinedAt, rows } of found) {
      const host = this.#hostAt(hostId, joinedAt);
      for (const { identityId, number, isConnected, lostForMs } of rows) {
        host.number = number;
        if (isConnected) host.identities.set(identityId, undefined);
        else if (lostForMs !== null) host.identities.set(identityId, now - lostForMs);
        else host.identities.delete(identityId);
      }
    }
  }

  /** Returns what is known of a host that lives: nothing, when it was restarted. */
  #hostAt(hostId: string, joinedAt: number): KnownHost {
    const known = this.#hosts.get(hostId);
    if (known?.joinedAt === joinedAt) {
      known.lostAt = undefined;
      return known;
    }
    const host = { joinedAt, number: 0, lostAt: undefined, identities: new Map<string, number | undefined>() };
    this.#hosts.set(hostId, host);
    return host;
  }
}
