/**
 * Identities connected to the routers of this process, as routers report it, in memory. A router that is
 * itself gone leaves what it said as unknown for a while. presence/identities-elsewhere.ts has what other processes
 * know.
 */
import { couldBeId } from '../../domain/ids.js';
import { LOST_KEPT_MS } from '../../domain/router.js';
import type { EdgeConnection } from '../../domain/router.js';

interface Reported {
  identityIds: Set<string>;
  /** Time at which the router went; undefined while it is connected. */
  lostMs: number | undefined;
}

/** An identity that is or was connected. */
interface ConnectedIdentity {
  readonly identityId: string;
  readonly isConnected: boolean;
  /** Milliseconds since the last router went that had reported it; null while one that is connected reports it. */
  readonly lostForMs: number | null;
}

/** Identities of one router. Those beyond count as not connected: a router must not decide how much is kept. */
const MOST = 100_000;
const NONE: ReadonlySet<string> = new Set();

export class ConnectedIdentities {
  readonly #byRouter = new Map<string, Reported>();
  /** Number of connected routers that report an identity. */
  readonly #reports = new Map<string, number>();

  /**
   * @param now  in milliseconds, by a clock that is never set back
   * @param isRouter  whether a router of this id is connected: its own identity has the same id
   * @param onChanged  called with identities that came, went, or whose routers went
   */
  constructor(
    private readonly now: () => number,
    private readonly isRouter: (id: string) => boolean,
    private readonly onChanged: (identityId: string) => void,
  ) {}

  /** @param isWhole  who is not listed is not connected */
  report(routerId: string, events: readonly { identityId: string; isConnected: boolean }[], isWhole: boolean): void {
    const before = this.#byRouter.get(routerId);
    const known = before?.lostMs === undefined ? (before?.identityIds ?? NONE) : NONE;
    const identityIds = new Set(isWhole ? NONE : known);
    for (const { identityId, isConnected } of events) {
      if (!isConnected) identityIds.delete(identityId);
      else if (identityIds.size < MOST && couldBeId(identityId)) identityIds.add(identityId);
    }
    this.#byRouter.set(routerId, { identityIds, lostMs: undefined });
    for (const id of known) if (!identityIds.has(id)) this.#count(id, -1);
    for (const id of identityIds) if (!known.has(id)) this.#count(id, 1);
    // Its reports from before it went are void.
    if (before?.lostMs !== undefined) before.identityIds.forEach(this.onChanged);
  }

  /** Identities that a router which is connected reports. */
  reportedBy(routerId: string): ReadonlySet<string> {
    const reported = this.#byRouter.get(routerId);
    return reported?.lostMs === undefined ? (reported?.identityIds ?? NONE) : NONE;
  }

  /** A channel of a router is open: its own identity is connected. */
  routerConnected(routerId: string): void {
    this.onChanged(routerId);
  }

  routerLost(routerId: string): void {
    this.onChanged(routerId);
    const reported = this.#byRouter.get(routerId);
    if (reported === undefined || reported.lostMs !== undefined) return;
    reported.lostMs = this.now();
    for (const id of reported.identityIds) this.#count(id, -1);
  }

  /** The router is connected, and reports that the identity is connected to it. */
  isAt(routerId: string, identityId: string): boolean {
    const reported = this.#byRouter.get(routerId);
    return reported?.lostMs === undefined && reported?.identityIds.has(identityId) === true;
  }

  of(identityId: string): EdgeConnection {
    if (this.#isOnline(identityId)) return 'online';
    return this.#lostForMs(identityId) === null ? 'offline' : 'unknown';
  }

  /** Ids of all that are connected, or whose routers went lately. */
  *ids(): Iterable<string> {
    for (const [routerId, { identityIds }] of this.#byRouter) {
      yield routerId;
      yield* identityIds;
    }
  }

  /** Returns what other processes are shown of an identity; undefined when it is not connected. */
  rowOf(identityId: string): ConnectedIdentity | undefined {
    const isConnected = this.#isOnline(identityId);
    const lostForMs = isConnected ? null : this.#lostForMs(identityId);
    return isConnected || lostForMs !== null ? { identityId, isConnected, lostForMs } : undefined;
  }

  forgetOld(): void {
    for (const [routerId, { lostMs }] of this.#byRouter)
      if (lostMs !== undefined && this.now() - lostMs >= LOST_KEPT_MS) this.#byRouter.delete(routerId);
  }

  #isOnline(identityId: string): boolean {
    return this.#reports.has(identityId) || this.isRouter(identityId);
  }

  #lostForMs(identityId: string): number | null {
    let least: number | null = null;
    for (const { identityIds, lostMs } of this.#byRouter.values()) {
      if (lostMs === undefined || !identityIds.has(identityId)) continue;
      const lostForMs = this.now() - lostMs;
      if (lostForMs < (least ?? LOST_KEPT_MS)) least = lostForMs;
    }
    return least;
  }

  #count(identityId: string, change: 1 | -1): void {
    const count = (this.#reports.get(identityId) ?? 0) + change;
    if (count > 0) this.#reports.set(identityId, count);
    else this.#reports.delete(identityId);
    this.onChanged(identityId);
  }
}
