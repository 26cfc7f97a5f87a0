/**
 * Which identities are connected to routers, as routers report it, in memory. A router that is itself gone leaves what
 * it said as unknown for a while.
 */
import { couldBeId } from '../../domain/ids.js';
import type { EdgeConnection } from '../../domain/router.js';

interface Reported {
  identityIds: Set<string>;
  /** When the router went; undefined while it is connected. */
  lostMs: number | undefined;
}

const KEEP_MS = 5 * 60_000;
/** Of one router. What it names beyond them counts as not connected: it must not decide how much there is to keep. */
const MOST = 100_000;

export class ConnectedIdentities {
  readonly #byRouter = new Map<string, Reported>();

  /**
   * @param now  in milliseconds, by a clock that is never set back
   * @param isRouter  whether a router of this id is connected: its own identity has the same id
   */
  constructor(
    private readonly now: () => number,
    private readonly isRouter: (id: string) => boolean,
  ) {}

  /** @param isWhole  who is not listed is not connected */
  report(routerId: string, events: readonly { identityId: string; isConnected: boolean }[], isWhole: boolean): void {
    const identityIds = isWhole ? new Set<string>() : (this.#byRouter.get(routerId)?.identityIds ?? new Set<string>());
    for (const { identityId, isConnected } of events) {
      if (!isConnected) identityIds.delete(identityId);
      else if (identityIds.size < MOST && couldBeId(identityId)) identityIds.add(identityId);
    }
    this.#byRouter.set(routerId, { identityIds, lostMs: undefined });
  }

  routerLost(routerId: string): void {
    const reported = this.#byRouter.get(routerId);
    if (reported !== undefined) reported.lostMs ??= this.now();
  }

  /** The router is connected, and reports that the identity is connected to it. */
  isAt(routerId: string, identityId: string): boolean {
    const reported = this.#byRouter.get(routerId);
    return reported?.lostMs === undefined && reported?.identityIds.has(identityId) === true;
  }

  of(identityId: string): EdgeConnection {
    if (this.isRouter(identityId)) return 'online';
    let isUnknown = false;
    for (const { identityIds, lostMs } of this.#byRouter.values()) {
      if (!identityIds.has(identityId)) continue;
      if (lostMs === undefined) return 'online';
      isUnknown ||= this.now() - lostMs < KEEP_MS;
    }
    return isUnknown ? 'unknown' : 'offline';
  }

  forgetOld(): void {
    for (const [routerId, { lostMs }] of this.#byRouter)
      if (lostMs !== undefined && this.now() - lostMs >= KEEP_MS) this.#byRouter.delete(routerId);
  }
}
