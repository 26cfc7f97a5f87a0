/**
 * Watches the sessions that routers use. When one ends, or its router may not be used for it any more, the router hears
 * it, and its circuits end. Other routers and sessions are never touched.
 */
import { create } from '@bufbuild/protobuf';
import type { UseAtRouter } from '../../db/stores/shown-sessions.js';
import { couldBeId } from '../../domain/ids.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { Stores } from '../../db/stores/stores.js';
import { SessionRemovedSchema } from '../../generated/fabric/edge_pb.js';
import type { Circuit, Circuits } from './circuits.js';
import type { Flights } from './flights.js';
import { ContentType } from '../channel/content-types.js';
import { typedMessage } from '../channel/frame.js';
import type { Message } from '../channel/frame.js';
import type { ConnectedChannels } from '../channel/channel.js';
import type { NoteFailure } from '../channel/router-log.js';

export interface SessionWatchOptions {
  readonly stores: Pick<Stores, 'shownSessions' | 'hostedTerminators'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
  readonly circuits: Circuits;
  readonly flights: Flights;
  readonly noteFailure: NoteFailure;
  /** Sessions that one router may name: those beyond are over for it. A suite passes its own. */
  readonly most?: number;
}

const MOST = 100_000;

/** Sessions that are asked about in one transaction. */
const SLICE = 500;
/** Pause after a failure. */
const RETRY_MS = 200;

/** A router goes by the ids; it wants as many tokens. */
export const sessionRemovedMessage = (ids: readonly string[]): Message =>
  typedMessage(
    ContentType.SessionRemoved,
    SessionRemovedSchema,
    create(SessionRemovedSchema, { tokens: [...ids], ids: [...ids] }),
  );

/** Uses that one flight doubts. */
interface Doubt {
  readonly uses: readonly UseAtRouter[];
  readonly resolve: (lost: readonly UseAtRouter[]) => void;
  readonly reject: (error: unknown) => void;
}

export class SessionWatch {
  readonly #stores: SessionWatchOptions['stores'];
  readonly #channels: SessionWatchOptions['channels'];
  readonly #circuits: Circuits;
  readonly #flights: Flights;
  readonly #noteFailure: SessionWatchOptions['noteFailure'];
  readonly #most: number;
  readonly #byRouter = new Map<string, Set<string>>();
  readonly #checks = new CoalescedTask(() => this.#checkAll());
  readonly #named: UseAtRouter[] = [];
  readonly #naming = new CoalescedTask(() => this.#checkNamed());
  readonly #doubts: Doubt[] = [];
  readonly #asking = new CoalescedTask(() => this.#askDoubts());

  constructor({ stores, channels, circuits, flights, noteFailure, most = MOST }: SessionWatchOptions) {
    this.#stores = stores;
    this.#channels = channels;
    this.#circuits = circuits;
    this.#flights = flights;
    this.#noteFailure = noteFailure;
    this.#most = most;
  }

  /** Watches a session that the router, whose channel is open, is used for. */
  use(routerId: string, sessionId: string): void {
    const used = this.#byRouter.get(routerId) ?? new Set();
    this.#byRouter.set(routerId, used.add(sessionId));
  }

  /**
   * Takes the sessions that the clients of a router use, as it says or as is stored. They are watched from now on,
   * whatever fails, and it hears of those that are over. When many routers come back at once, theirs are asked about
   * together.
   * @returns resolves when they have been asked about
   */
  async named(routerId: string, sessionIds: readonly string[]): Promise<void> {
    const ended: string[] = [];
    for (const sessionId of sessionIds) {
      const used = this.#byRouter.get(routerId);
      if (used?.has(sessionId) === true) continue; // it is watched already
      if (couldBeId(sessionId) && (used?.size ?? 0) < this.#most) {
        this.use(routerId, sessionId);
        this.#named.push({ sessionId, routerId });
      } else ended.push(sessionId);
    }
    this.#sendRemoved(routerId, ended);
    this.#naming.schedule();
    await this.#naming.runNow();
  }

  /** True when the router showed or named any session that is not over. */
  usesAny(routerId: string): boolean {
    return (this.#byRouter.get(routerId)?.size ?? 0) > 0;
  }

  /** True when the router showed or named the session, and it is not over. */
  isUsed(routerId: string, sessionId: string): boolean {
    return this.#byRouter.get(routerId)?.has(sessionId) === true;
  }

  /**
   * Returns those of these uses that are over; they end as in a check. Uses that come while the database is asked are
   * asked about together.
   * @throws Error when the database does not say
   */
  lostOf(uses: readonly UseAtRouter[]): Promise<readonly UseAtRouter[]> {
    return new Promise((resolve, reject) => {
      if (this.#asking.isClosed) throw new Error('the controller stops');
      this.#doubts.push({ uses, resolve, reject });
      this.#asking.schedule();
    });
  }

  /** Forgets a router whose channel is closed: when it comes back it says itself what it uses. */
  forgetRouter(routerId: string): void {
    this.#byRouter.delete(routerId);
  }

  /** Ends what depends on sessions that are gone. */
  ended(sessionIds: readonly string[]): void {
    this.#flights.doubtSessions(sessionIds);
    for (const [routerId, used] of this.#byRouter) {
      const lost = sessionIds.filter((id) => used.delete(id));
      this.#sendRemoved(routerId, lost);
    }
    for (const id of sessionIds) for (const circuit of this.#circuits.ofSession(id)) this.#circuits.end(circuit, true);
  }

  /** Grants or router policies may have changed: asks about every session that a router of ours uses. */
  check(): void {
    this.#flights.doubtAll();
    this.#checks.schedule();
  }

  /** Waits for the statements that are running. */
  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#naming.close(), this.#asking.close()]);
  }

  async #checkNamed(): Promise<void> {
    while (this.#named.length > 0 && !this.#naming.isClosed) await this.#checkSlice(this.#named.splice(0, SLICE));
  }

  async #checkAll(): Promise<void> {
    // All routers together: most sessions are used over one router, and many routers have few each.
    const uses = [...this.#byRouter].flatMap(([routerId, used]) =>
      [...used].map((sessionId) => ({ sessionId, routerId })),
    );
    for (let at = 0; at < uses.length && !this.#checks.isClosed; at += SLICE)
      await this.#checkSlice(uses.slice(at, at + SLICE));
  }

  async #checkSlice(uses: readonly UseAtRouter[]): Promise<void> {
    try {
      await this.#endLost(uses);
    } catch (error) {
      this.#noteFailure(error, {}, 'sessions in use could not be checked; it is tried again');
      this.#checks.schedule();
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }

  async #askDoubts(): Promise<void> {
    while (this.#doubts.length > 0) {
      const doubts = this.#doubts.splice(0, SLICE);
      try {
        const lost = new Set(await this.#endLost(doubts.flatMap(({ uses }) => uses)));
        for (const { uses, resolve } of doubts) resolve(uses.filter((use) => lost.has(use)));
      } catch (error) {
        for (const { reject } of doubts) reject(error);
      }
    }
  }

  /** @returns those of them that are over */
  async #endLost(uses: readonly UseAtRouter[]): Promise<readonly UseAtRouter[]> {
    const lost = await this.#stores.shownSessions.lost(uses);
    const lostAt = new Map<string, string[]>();
    for (const { routerId, sessionId } of lost) lostAt.set(routerId, [...(lostAt.get(routerId) ?? []), sessionId]);
    for (const [routerId, sessionIds] of lostAt) await this.#lost(routerId, sessionIds);
    return lost;
  }

  async #lost(routerId: string, lost: readonly string[]): Promise<void> {
    const used = this.#byRouter.get(routerId);
    // Those that have ended were told already, by their own notice.
    const untold = lost.filter((id) => used?.delete(id));
    this.#sendRemoved(routerId, untold);
    for (const circuit of lost.flatMap((id) => this.#circuits.ofSession(id)))
      if (isOver(circuit, routerId, lost)) this.#circuits.end(circuit, true);
    await this.#stores.hostedTerminators.removeOfSessions(lost, routerId);
  }

  #sendRemoved(routerId: string, sessionIds: readonly string[]): void {
    if (sessionIds.length > 0) this.#channels.get(routerId)?.send(sessionRemovedMessage(sessionIds));
  }
}

/** True when one of these sessions dialed the circuit over this router, or hosts it there. */
function isOver({ path, sessionId, hostSessionId }: Circuit, routerId: string, lost: readonly string[]): boolean {
  const { routerIds } = path;
  return (
    (sessionId !== null && lost.includes(sessionId) && routerIds[0] === routerId) ||
    (hostSessionId !== null && lost.includes(hostSessionId) && routerIds.at(-1) === routerId)
  );
}
