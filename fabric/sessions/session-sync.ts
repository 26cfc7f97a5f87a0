/**
 * Tells edge routers which API sessions there are: those of identities that edge router policies allow to the router,
 * and no others. A router that connects gets the whole state, in chunks; then each session when it becomes complete,
 * when the certificates of its client change, and when it ends. Changes are looked up together, a moment after they
 * were heard of, since one notice often follows another.
 *
 * All sessions that count are in memory once, read when the first router comes (session-directory.ts). Each change is
 * announced after its commit, and what is told is read after the announcement, by one reader at a time, so the last of
 * several is right. When changes may have gone unheard, everything is read again and routers are told the difference.
 *
 * Before a token is sent to any router it is stored that routers have it (session-sharing.ts).
 */
import { hashToken } from '../../domain/auth/tokens.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownRouter, RouterSyncView, SessionState } from '../../db/stores/router-sync-view.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Message } from '../channel/frame.js';
import type { FabricServices } from '../services.js';
import { SessionDirectory, isSelected } from './session-directory.js';
import type { KeptSession, SessionChange } from './session-directory.js';
import { SHARED_AT_A_TIME, createSessionSharing, unsharedOf } from './session-sharing.js';
import { addedMessage, encodeSession, removedMessage, updatedMessage } from './session-messages.js';

export interface SessionSyncOptions {
  readonly view: Pick<RouterSyncView, 'sessions' | 'goodSessions' | 'sessionsByToken' | 'share'>;
  /** The token of the API session with this id, in clear. */
  readonly tokenOf: (apiSessionId: string) => string;
  /** Seconds without activity after which a session is over. */
  readonly timeoutSeconds: number;
  readonly onStatus: (channel: RouterChannel, status: SyncStatus) => void;
  readonly noteFailure: FabricServices['noteFailure'];
  readonly now?: () => number;
}

export type SyncStatus = 'SYNC_IN_PROGRESS' | 'SYNC_DONE' | 'SYNC_RESYNC_WAIT' | 'SYNC_ERROR';

export interface SessionSync {
  /** From the router's hello on it gets everything; again whenever it is called. */
  begin(channel: RouterChannel, router: KnownRouter): void;
  end(channel: RouterChannel): void;
  /** The policies that select the router are other ones. Nothing happens when they are the same. */
  changed(router: KnownRouter): void;
  /** Changes may have gone unheard: all routers are told what is different. */
  refresh(): void;
  /** These began, ended, or have other certificates. */
  sessionsChanged(ids: readonly string[]): void;
  /** All sessions of the identity may begin or end to count, or be allowed to other routers. */
  identityChanged(identityId: string): void;
  /**
   * A router says which of its clients are connected. It is told of tokens that are worth nothing (any more).
   * @returns those of the sessions that the router knows
   */
  heartbeat(channel: RouterChannel, tokens: readonly string[]): Promise<KeptSession[]>;
  close(): void;
}

/** Sessions in one message; ten messages, some 150 KiB, are sent to a router in one turn of the event loop. */
const CHUNK = 100;
const PAGE = 2_000;
/** Notices that come in this time are looked up together. Telling many routers takes a third of all time at most. */
const GATHER_MS = 10;
const MOST_GATHER_MS = 250;
const REST_FACTOR = 2;
/** What could not be read is tried again. */
const AGAIN_MS = 1_000;
/** Changes while a router is told everything; past them it is told everything again. */
const MOST_TOUCHED = 10_000;
/** How long the sessions stay in memory when no router is left. */
const KEEP_MS = 60_000;

interface Told {
  readonly channel: RouterChannel;
  router: KnownRouter;
  /** Routers with the same one have the same sessions. */
  rolesKey: string;
  /** `waiting`: what it has is not known; `telling`: a whole state is on its way, and what changes waits. */
  phase: 'waiting' | 'telling' | 'told';
  isRunning: boolean;
  isDue: boolean;
  /** Sessions that changed since its whole state began, of those that it may have or have had. */
  readonly touched: Set<string>;
}

const keyOf = ({ identityRoles }: KnownRouter): string => JSON.stringify(identityRoles);

export function createSessionSync(options: SessionSyncOptions): SessionSync {
  const { view, tokenOf, timeoutSeconds, onStatus, noteFailure, now = Date.now } = options;
  const told = new Map<string, Told>();
  const turns = new YieldQueue({ waiting: Infinity });
  const newDirectory = () => new SessionDirectory((session) => encodeSession(session, tokenOf(session.id)));
  let directory = newDirectory();
  const sharing = createSessionSharing(view, () => directory);
  /** Everything has been read, and nothing that changed since went unheard. */
  let isLoaded = false;
  let isReadingDue = false;
  let isReading = false;
  const whenLoaded: (() => void)[] = [];
  const sessions = new Set<string>();
  const identities = new Set<string>();
  let isClosed = false;
  let gatherMs = GATHER_MS;
  let gathering: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let leaving: NodeJS.Timeout | undefined;
  let serial = 0;

  /** Grows as text from one state to the next, also over restarts. */
  const newSyncId = () => `${String(now()).padStart(15, '0')}-${String((serial += 1)).padStart(9, '0')}`;
  const added = (batch: readonly KeptSession[]) =>
    addedMessage(batch, false, { id: newSyncId(), isLast: true, sequence: 0 });
  const removed = (ids: readonly string[]) => removedMessage(ids.map(tokenOf), ids);
  const isTold = (entry: Told) => told.get(entry.channel.routerId) === entry && !entry.channel.isClosed && !isClosed;
  const isAllowed = ({ router }: Told, session: KeptSession | undefined): session is KeptSession =>
    session !== undefined && isSelected(router.identityRoles, session.identity);

  /** One part after another, each in turns of its own, and none while much waits to be sent. */
  const tellAll = async (entry: Told) => {
    const { channel, router } = entry;
    const id = newSyncId();
    const all = directory.selected(router.identityRoles);
    let sequence = 0;
    let next = all.next();
    const take = (most: number) => {
      const part: KeptSession[] = [];
      for (; next.done !== true && part.length < most; next = all.next()) part.push(next.value);
      return part;
    };
    const send = (part: readonly KeptSession[], isEnd: boolean) => {
      // Also when there is none: the router then forgets what it had.
      for (let at = 0; at === 0 || at < part.length; at += CHUNK, sequence += 1) {
        const isLast = isEnd && at + CHUNK >= part.length;
        channel.send(addedMessage(part.slice(at, at + CHUNK), true, { id, isLast, sequence }));
      }
    };
    for (let isDone = false; !isDone && isTold(entry);) {
      await channel.drained();
      const part = await turns.run(() => take(SHARED_AT_A_TIME));
      isDone = next.done === true;
      await sharing.share(part.filter(({ isShared }) => !isShared).map((session) => session.id));
      await turns.run(() => {
        send(part, isDone);
      });
    }
  };

  /** What changed while it was told everything. From then on it is told changes as they come. */
  const tellTouched = (entry: Told) => {
    const { channel, touched } = entry;
    const kept = [...touched].map((id) => ({ id, session: directory.get(id) }));
    const over = kept.filter(({ session }) => !isAllowed(entry, session)).map(({ id }) => id);
    const good = kept.flatMap(({ session }) => (isAllowed(entry, session) ? [session] : []));
    if (over.length > 0) channel.send(removed(over));
    if (good.length > 0) channel.send(added(good));
    touched.clear();
    entry.phase = 'told';
  };
  /** A removal names the token too, also of a session that is not here any more. */
  const unsharedTouched = ({ touched }: Told) => [...touched].filter((id) => directory.get(id)?.isShared !== true);

  const run = async (entry: Told) => {
    entry.isRunning = true;
    while (entry.isDue && isTold(entry)) {
      entry.isDue = false;
      entry.phase = 'waiting';
      onStatus(entry.channel, 'SYNC_IN_PROGRESS');
      if (!isLoaded) await new Promise<void>((resolve) => whenLoaded.push(resolve));
      if (!isTold(entry)) break;
      entry.phase = 'telling';
      entry.touched.clear();
      try {
        await tellAll(entry);
        await sharing.shareThen(
          () => unsharedTouched(entry),
          () => {
            tellTouched(entry);
          },
          () => isTold(entry) && !entry.isDue,
        );
      } catch (error) {
        noteFailure(error, { routerId: entry.channel.routerId }, 'a router could not be sent all API sessions yet');
        onStatus(entry.channel, 'SYNC_ERROR');
        entry.isDue = true;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    }
    entry.isRunning = false;
    if (!isTold(entry)) return;
    onStatus(entry.channel, 'SYNC_DONE');
  };
  const demand = (entry: Told) => {
    if (!isTold(entry)) return;
    entry.isDue = true;
    if (!entry.isRunning) void run(entry);
  };

  const touch = (entry: Told, changes: readonly SessionChange[]) => {
    const { identityRoles } = entry.router;
    for (const { id, before, after } of changes)
      if ((before !== undefined && isSelected(identityRoles, before)) || isAllowed(entry, after)) entry.touched.add(id);
    if (entry.touched.size > MOST_TOUCHED) entry.isDue = true;
  };

  /** What routers with these policies are told of the changes: the same for all of them. */
  const messagesFor = ({ router: { identityRoles } }: Told, changes: readonly SessionChange[]): Message[] => {
    const lost: string[] = [];
    const updated: KeptSession[] = [];
    const fresh: KeptSession[] = [];
    for (const { id, before, after, isOther } of changes) {
      const had = before !== undefined && isSelected(identityRoles, before);
      const has = after !== undefined && isSelected(identityRoles, after.identity);
      if (had && !has) lost.push(id);
      else if (after !== undefined && has && !had) fresh.push(after);
      else if (after !== undefined && has && isOther) updated.push(after);
    }
    return [
      ...(lost.length > 0 ? [removed(lost)] : []),
      ...(updated.length > 0 ? [updatedMessage(updated)] : []),
      ...(fresh.length > 0 ? [added(fresh)] : []),
    ];
  };

  const distribute = (changes: readonly SessionChange[]) => {
    if (changes.length === 0) return;
    const startedAt = performance.now();
    const byRoles = new Map<string, Message[]>();
    for (const entry of told.values()) {
      if (entry.phase === 'telling') touch(entry, changes);
      if (entry.phase !== 'told') continue;
      const messages = byRoles.get(entry.rolesKey) ?? messagesFor(entry, changes);
      byRoles.set(entry.rolesKey, messages);
      for (const each of messages) entry.channel.send(each);
    }
    gatherMs = Math.min(MOST_GATHER_MS, Math.max(GATHER_MS, REST_FACTOR * (performance.now() - startedAt)));
  };

  /** Of routers that are told changes as they come: each policy once. */
  const policiesInUse = () => {
    const policies = new Map<string, KnownRouter['identityRoles']>();
    for (const { phase, rolesKey, router } of told.values())
      if (phase === 'told') policies.set(rolesKey, router.identityRoles);
    return [...policies.values()];
  };
  /** Takes over what the database holds, and tells routers. @throws what the database does */
  const takeOver = (found: readonly SessionState[], asked: readonly string[] = []) =>
    sharing.shareThen(
      () => unsharedOf(found, directory, policiesInUse()),
      (shared) => {
        const states = found.map((state) => (shared.has(state.id) ? { ...state, isShared: true } : state));
        distribute(directory.apply(states, asked));
      },
      () => !isClosed,
    );

  /** @throws what the database does */
  const readAll = async () => {
    const seen = new Set<string>();
    const former = directory.ids();
    for (let after = ''; ;) {
      const page = await view.goodSessions(timeoutSeconds, after, PAGE);
      await takeOver(page);
      if (isClosed) return;
      for (const { id } of page) seen.add(id);
      const last = page[page.length - 1];
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
    // They ended, or began to after their page was read: they are asked for by their ids.
    for (const id of former) if (!seen.has(id)) sessions.add(id);
  };

  const look = async () => {
    const [ids, identityIds] = [[...sessions].slice(0, PAGE), [...identities].slice(0, PAGE)];
    for (const id of ids) sessions.delete(id);
    for (const id of identityIds) identities.delete(id);
    const found = await view.sessions(ids, identityIds, timeoutSeconds);
    await takeOver(found, ids);
  };

  const hasWork = () => !isClosed && (isReadingDue || sessions.size > 0 || identities.size > 0);
  const workAll = async () => {
    while (hasWork()) {
      if (isReadingDue) {
        isReadingDue = false;
        isReading = true;
        await readAll().finally(() => (isReading = false));
      } else await look();
      if (isReadingDue || sessions.size > 0) continue;
      isLoaded = true;
      for (const resolve of whenLoaded.splice(0)) resolve();
    }
  };
  const work = () => {
    working ??= workAll()
      .catch((error: unknown) => {
        noteFailure(error, {}, 'API sessions could not be read for routers; it is tried again');
        for (const entry of told.values()) if (entry.phase === 'waiting') onStatus(entry.channel, 'SYNC_ERROR');
        // What was asked for is not known any more.
        isReadingDue = true;
        gather(AGAIN_MS);
      })
      .finally(() => {
        working = undefined;
        if (hasWork()) gather(gatherMs);
      });
  };
  const gather = (afterMs: number) => {
    if (isClosed) return;
    gathering ??= setTimeout(() => {
      gathering = undefined;
      work();
    }, afterMs).unref();
  };
  /** No router listens, and nothing is known. */
  const isIdle = () => told.size === 0 && !isLoaded && !isReadingDue;

  const forget = () => {
    if (told.size > 0) return;
    if (working !== undefined) {
      leaving = setTimeout(forget, KEEP_MS).unref();
      return;
    }
    clearTimeout(gathering);
    gathering = undefined;
    isLoaded = false;
    isReadingDue = false;
    sessions.clear();
    identities.clear();
    directory = newDirectory();
  };

  return {
    begin(channel, router) {
      clearTimeout(leaving);
      const earlier = told.get(channel.routerId);
      const entry: Told =
        earlier?.channel === channel
          ? earlier
          : {
              channel,
              router,
              rolesKey: keyOf(router),
              phase: 'waiting',
              isRunning: false,
              isDue: false,
              touched: new Set(),
            };
      told.set(channel.routerId, entry);
      demand(entry);
      if (isLoaded || isReadingDue || isReading) return;
      isReadingDue = true;
      gather(0);
    },
    end(channel) {
      if (told.get(channel.routerId)?.channel !== channel) return;
      told.delete(channel.routerId);
      if (told.size > 0) return;
      clearTimeout(leaving);
      leaving = setTimeout(forget, KEEP_MS).unref();
    },
    changed(router) {
      const entry = told.get(router.id);
      if (entry === undefined) return;
      const rolesKey = keyOf(router);
      const isSame = entry.rolesKey === rolesKey;
      Object.assign(entry, { router, rolesKey });
      if (!isSame) demand(entry);
    },
    refresh() {
      if (isIdle()) return;
      isReadingDue = true;
      gather(gatherMs);
    },
    sessionsChanged(ids) {
      if (isIdle()) return;
      for (const id of ids) sessions.add(id);
      gather(gatherMs);
    },
    identityChanged(identityId) {
      if (isIdle()) return;
      identities.add(identityId);
      gather(gatherMs);
    },
    async heartbeat(channel, tokens) {
      const hashes = tokens.map((token) => hashToken(token));
      const ids = await view.sessionsByToken(hashes, timeoutSeconds);
      const unknown = tokens.filter((_, index) => !ids.has((hashes[index] ?? Buffer.alloc(0)).toString('hex')));
      if (unknown.length > 0) channel.send(removedMessage(unknown, []));
      const entry = told.get(channel.routerId);
      const known = [...ids.values()].map((id) => directory.get(id));
      return known.filter((session): session is KeptSession => entry !== undefined && isAllowed(entry, session));
    },
    close() {
      isClosed = true;
      clearTimeout(gathering);
      clearTimeout(leaving);
      told.clear();
      for (const resolve of whenLoaded.splice(0)) resolve();
    },
  };
}
