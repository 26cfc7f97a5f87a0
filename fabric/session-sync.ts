/**
 * Tells edge routers which API sessions there are: those of identities that edge router policies allow to the router,
 * and no others. A router that connects gets the whole state, in chunks; then each session when it becomes complete,
 * when the certificates of its client change, and when it ends. Changes are looked up together, a moment after they
 * were heard of, since one notice often follows another.
 *
 * Each change is announced after its commit, and what is told is read after the announcement, so the last of several
 * is right. What is heard while a whole state is read is told after its last chunk.
 */
import { create } from '@bufbuild/protobuf';
import { hashToken } from '../domain/auth/tokens.js';
import { selects } from '../domain/policy/roles.js';
import type { KnownRouter, RouterSession, RouterSyncView, SessionState } from '../db/router-sync-view.js';
import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionSchema,
  ApiSessionUpdatedSchema,
} from '../generated/fabric/edge_pb.js';
import type { RouterChannel } from './channel.js';
import { ContentType } from './content-types.js';
import { typedMessage } from './frame.js';
import { SyncHeader, encodeText } from './headers.js';
import type { FabricServices } from './services.js';

export interface SessionSyncOptions {
  readonly view: Pick<RouterSyncView, 'sessions' | 'sessionsFor' | 'sessionsByToken'>;
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
  /** Everything to everybody: changes may have gone unheard. */
  beginAll(): void;
  /** These began, ended, or have other certificates. */
  sessionsChanged(ids: readonly string[]): void;
  /** All sessions of the identity may begin or end to count, or be allowed to other routers. */
  identityChanged(identityId: string): void;
  /**
   * A router says which of its clients are connected. It is told of tokens that are worth nothing (any more).
   * @returns ids of the sessions that the router knows
   */
  heartbeat(channel: RouterChannel, tokens: readonly string[]): Promise<string[]>;
  close(): void;
}

/** Sessions in one message, and read at a time. */
const CHUNK = 100;
const PAGE = 2_000;
/** Notices that come in this time are looked up together. */
const GATHER_MS = 10;
/** A whole state that could not be read is tried again. */
const AGAIN_MS = 1_000;

interface Told {
  readonly channel: RouterChannel;
  router: KnownRouter;
  /** The sessions that the router has: what stands for their certificates, by id. */
  known: Map<string, string>;
  /** A whole state is on its way: what is found meanwhile waits. */
  isBusy: boolean;
  isDue: boolean;
  later: (() => void)[];
}

/** Enough of each fingerprint to see that they are others. */
const printsOf = ({ fingerprints }: RouterSession) => fingerprints.map((print) => print.slice(0, 10)).join();

export function createSessionSync(options: SessionSyncOptions): SessionSync {
  const { view, tokenOf, timeoutSeconds, onStatus, noteFailure, now = Date.now } = options;
  const told = new Map<string, Told>();
  const sessions = new Set<string>();
  const identities = new Set<string>();
  let isClosed = false;
  let gathering: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let serial = 0;
  const timers = new Set<NodeJS.Timeout>();

  /** Grows as text from one state to the next, also over restarts. */
  const newSyncId = () => `${String(now()).padStart(15, '0')}-${String((serial += 1)).padStart(9, '0')}`;
  const toMessage = ({ id, identityId, fingerprints }: RouterSession) =>
    create(ApiSessionSchema, { id, identityId, token: tokenOf(id), certFingerprints: [...fingerprints] });
  const added = (batch: readonly RouterSession[], isFullState: boolean, state: object) =>
    typedMessage(
      ContentType.ApiSessionAdded,
      ApiSessionAddedSchema,
      create(ApiSessionAddedSchema, { isFullState, apiSessions: batch.map(toMessage) }),
      [
        [SyncHeader.StrategyType, encodeText('instant')],
        [SyncHeader.StrategyState, encodeText(JSON.stringify(state))],
      ],
    );
  const removed = (tokens: readonly string[], ids: readonly string[]) =>
    typedMessage(
      ContentType.ApiSessionRemoved,
      ApiSessionRemovedSchema,
      create(ApiSessionRemovedSchema, { tokens: [...tokens], ids: [...ids] }),
    );
  const isTold = (entry: Told) => told.get(entry.channel.routerId) === entry && !entry.channel.isClosed && !isClosed;

  /** @throws what the database does */
  const tellAll = async (entry: Told) => {
    const { channel } = entry;
    const id = newSyncId();
    const known = new Map<string, string>();
    let chunk: RouterSession[] = [];
    let sequence = 0;
    const send = async (isLast: boolean) => {
      channel.send(added(chunk, true, { id, isLast, sequence }));
      sequence += 1;
      chunk = [];
      await channel.drained();
    };
    for (let after = ''; ;) {
      const page = await view.sessionsFor(channel.routerId, timeoutSeconds, after, PAGE);
      for (const session of page) {
        if (!isTold(entry)) return;
        known.set(session.id, printsOf(session));
        if (chunk.length === CHUNK) await send(false);
        chunk.push(session);
      }
      const last = page[page.length - 1];
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
    if (!isTold(entry)) return;
    // Also when there is none: the router then forgets what it had.
    await send(true);
    entry.known = known;
  };

  const run = async (entry: Told) => {
    entry.isBusy = true;
    try {
      while (entry.isDue && isTold(entry)) {
        entry.isDue = false;
        onStatus(entry.channel, 'SYNC_IN_PROGRESS');
        await tellAll(entry);
        for (const act of entry.later.splice(0)) act();
      }
      if (isTold(entry)) onStatus(entry.channel, 'SYNC_DONE');
    } catch (error) {
      noteFailure(error, { routerId: entry.channel.routerId }, 'API sessions could not be told; it is tried again');
      if (isTold(entry)) onStatus(entry.channel, 'SYNC_ERROR');
      entry.later = [];
      const timer = setTimeout(() => {
        timers.delete(timer);
        demand(entry);
      }, AGAIN_MS).unref();
      timers.add(timer);
    } finally {
      entry.isBusy = false;
    }
  };
  const demand = (entry: Told) => {
    if (!isTold(entry)) return;
    entry.isDue = true;
    if (!entry.isBusy) void run(entry);
  };

  const isAllowed = ({ router }: Told, { identity }: SessionState) =>
    router.identityRoles.some(({ semantic, roles }) => selects(semantic, roles, identity));

  /** @param asked  sessions that were looked up by their ids: those that were not found are gone */
  const apply = (entry: Told, found: readonly SessionState[], asked: readonly string[]) => {
    const { channel, known } = entry;
    const good = found.filter((session) => session.isGood && isAllowed(entry, session));
    const goodIds = new Set(good.map(({ id }) => id));
    const over = [...new Set([...found.map(({ id }) => id), ...asked])].filter((id) => !goodIds.has(id));
    const lost = over.filter((id) => known.delete(id));
    if (lost.length > 0) channel.send(removed(lost.map(tokenOf), lost));
    const updated = good.filter((session) => known.has(session.id) && known.get(session.id) !== printsOf(session));
    if (updated.length > 0)
      channel.send(
        typedMessage(
          ContentType.ApiSessionUpdated,
          ApiSessionUpdatedSchema,
          create(ApiSessionUpdatedSchema, { apiSessions: updated.map(toMessage) }),
          [
            [SyncHeader.StrategyType, encodeText('instant')],
            [SyncHeader.StrategyState, encodeText('')],
          ],
        ),
      );
    const fresh = good.filter(({ id }) => !known.has(id));
    if (fresh.length > 0) channel.send(added(fresh, false, { id: newSyncId(), isLast: true, sequence: 0 }));
    for (const session of [...fresh, ...updated]) known.set(session.id, printsOf(session));
  };

  const look = async () => {
    while (!isClosed && (sessions.size > 0 || identities.size > 0)) {
      const [ids, identityIds] = [[...sessions], [...identities]];
      sessions.clear();
      identities.clear();
      const found = await view.sessions(ids, identityIds, timeoutSeconds);
      for (const entry of told.values()) {
        if (entry.isBusy)
          entry.later.push(() => {
            apply(entry, found, ids);
          });
        else apply(entry, found, ids);
      }
    }
  };
  const gather = () => {
    if (isClosed || told.size === 0) {
      sessions.clear();
      identities.clear();
      return;
    }
    gathering ??= setTimeout(() => {
      gathering = undefined;
      looking ??= look()
        .catch((error: unknown) => {
          noteFailure(error, {}, 'changes of API sessions could not be read; routers get the whole state instead');
          for (const entry of told.values()) demand(entry);
        })
        .finally(() => {
          looking = undefined;
          if (sessions.size > 0 || identities.size > 0) gather();
        });
    }, GATHER_MS).unref();
  };

  return {
    begin(channel, router) {
      const earlier = told.get(channel.routerId);
      const entry: Told =
        earlier?.channel === channel
          ? earlier
          : { channel, router, known: new Map(), isBusy: false, isDue: false, later: [] };
      told.set(channel.routerId, entry);
      demand(entry);
    },
    end(channel) {
      if (told.get(channel.routerId)?.channel === channel) told.delete(channel.routerId);
    },
    changed(router) {
      const entry = told.get(router.id);
      if (entry === undefined) return;
      const isSame = JSON.stringify(entry.router.identityRoles) === JSON.stringify(router.identityRoles);
      entry.router = router;
      if (!isSame) demand(entry);
    },
    beginAll() {
      for (const entry of told.values()) demand(entry);
    },
    sessionsChanged(ids) {
      for (const id of ids) sessions.add(id);
      gather();
    },
    identityChanged(identityId) {
      identities.add(identityId);
      gather();
    },
    async heartbeat(channel, tokens) {
      const entry = told.get(channel.routerId);
      const hashes = tokens.map((token) => hashToken(token));
      const ids = await view.sessionsByToken(hashes, timeoutSeconds);
      const unknown = tokens.filter((_, index) => !ids.has((hashes[index] ?? Buffer.alloc(0)).toString('hex')));
      if (unknown.length > 0) channel.send(removed(unknown, []));
      return [...ids.values()].filter((id) => entry?.known.has(id) === true);
    },
    close() {
      isClosed = true;
      clearTimeout(gathering);
      for (const timer of timers) clearTimeout(timer);
      told.clear();
    },
  };
}
