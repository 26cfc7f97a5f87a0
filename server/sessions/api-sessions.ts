/**
 * API sessions in memory: a bounded copy of the database, so that a request of a known session costs no round trip.
 * An entry is dropped when its session or identity changes, here or on another controller (change-feed.ts). While
 * the feed is cut, nothing in memory is believed and every request asks the database. Whatever was not heard all the
 * same is found by comparison: used entries at the next flush of activity, others when they are used again.
 */
import { LRUCache } from 'lru-cache';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import { Sweeping } from './sweep-through.js';
import type { CacheUse } from '../../domain/cache-use.js';
import { DomainError } from '../../domain/errors.js';
import { apiSessionIdOf, identityIdOf } from '../../domain/ids.js';
import type { ApiSessionId, IdentityId } from '../../domain/ids.js';
import { hashToken, newId, tokenOf } from '../../domain/auth/tokens.js';
import { MinuteCounts } from '../../domain/scheduling/minute-counts.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { SessionOwner, TouchedSession } from '../../db/stores/api-sessions.js';
import { namedBy } from '../../db/stores/session-opening.js';
import type { Stores } from '../../db/stores/stores.js';
import { SessionActivity, activityOf } from './session-activity.js';
import type { Caller } from '../../handlers/reply.js';
import type { LiveApiSession, ApiSessions } from '../../handlers/context.js';

/** What is known of a caller, apart from what each request brings. */
export interface Authenticated {
  readonly owner: SessionOwner;
  readonly caller: Caller;
}

interface Entry extends Authenticated {
  lastActivityMs: number;
  /**
   * The database was last known to agree when this moment had passed; by `performance.now()`, which is never set back.
   */
  confirmedMs: number;
}

export interface ApiSessionRegistry extends ApiSessions {
  /**
   * Who calls with this token. Until the token of a required signer is looked for, the caller owes it.
   * @throws DomainError `unauthenticated` with the challenge
   */
  authenticate(token: string): Promise<Authenticated>;
  /** Whether routers have its token, or are about to get it: asks the database, not memory. */
  isSharedWithRouters(apiSessionId: string): Promise<boolean>;
  /** It ended. */
  forget(apiSessionId: ApiSessionId): void;
  /** Its posture or its second factor changed: unlike after `forget`, it goes on. */
  reread(apiSessionId: ApiSessionId): void;
  forgetIdentity(identityId: IdentityId): void;
  /** A policy or a signer changed, which may concern any of them. */
  forgetAll(): void;
  /** False while changes made elsewhere may go unheard. */
  setTrusted(isTrusted: boolean): void;
  /** The same without counting as a use. */
  known(token: string): Promise<Authenticated>;
  /** Routers report that these are in use: it keeps them for a while, and no longer than a day after a request. */
  seen(apiSessionIds: readonly string[]): void;
  /** Writes activity that is only in memory, and drops what the database does not know any more. */
  flush(): Promise<void>;
  /** A miss asked the database. */
  readonly use: CacheUse;
  close(): Promise<void>;
}

export interface ApiSessionRegistryOptions {
  readonly stores: Stores;
  /** Derives tokens from ids: the same on every controller of the network. */
  readonly tokenKey: Buffer;
  readonly timeoutSeconds: number;
  readonly maxEntries: number;
  /** API sessions of one identity: its next login ends the least recently used. */
  readonly mostOfIdentity: number;
  readonly log: Logger;
}

const FLUSH_MS = 15_000;
/** Activity of one session is written once in so long: a write of it costs its row and each of its indexes. */
const REST_MS = 300_000;
const SWEEP_MS = 60_000;
const MAX_TOKEN_CHARS = 128;
/** A login looks at up to so many API sessions of its identity: where more are allowed, one login in several looks. */
const LOOKED_AT = 1_000;
/** Of one identity with one authenticator, and of its logouts; more are counted. */
const RECORDS_A_MINUTE = 10;

export const INVALID_SESSION = 'zt-session realm="zt-session" error="invalid" error_description="token is invalid"';

function sessionUnknown(): DomainError {
  const headers = { 'www-authenticate': INVALID_SESSION };
  return new DomainError('unauthenticated', { headers, logReason: 'no such session, or it has ended' });
}

export function createApiSessionRegistry({
  stores,
  tokenKey,
  timeoutSeconds,
  maxEntries,
  mostOfIdentity,
  log,
}: ApiSessionRegistryOptions): ApiSessionRegistry {
  const timeoutMs = timeoutSeconds * 1000;
  const flushMs = Math.min(FLUSH_MS, timeoutMs / 4);
  // Both together are less than half of the timeout: no session looks idle because of what is not written yet.
  const restMs = Math.min(REST_MS, timeoutMs / 6);
  const maxUnconfirmedMs = 2 * flushMs;
  const records = new MinuteCounts(RECORDS_A_MINUTE);
  const looks = () => Math.random() * mostOfIdentity < LOOKED_AT;
  const byId = new Map<string, string>();
  const byIdentity = new Map<string, Set<string>>();
  const activity = new SessionActivity();
  let isTrusted = true;
  let changes = 0;
  let [hits, misses] = [0, 0];
  const entries = new LRUCache<string, Entry>({
    max: maxEntries,
    dispose: ({ owner: { session } }, key) => {
      byId.delete(session.id);
      const keys = byIdentity.get(session.identity.id);
      keys?.delete(key);
      if (keys?.size === 0) byIdentity.delete(session.identity.id);
    },
  });

  const remember = (key: string, entry: Entry) => {
    const { session } = entry.owner;
    entries.set(key, entry);
    byId.set(session.id, key);
    const keys = byIdentity.get(session.identity.id) ?? new Set();
    byIdentity.set(session.identity.id, keys.add(key));
  };

  /** @param before  `changes` when the database was asked, at `confirmedMs` */
  const enter = (token: string, key: string, owner: SessionOwner, before: number, confirmedMs: number): Entry => {
    const { session } = owner;
    const { requiredSigner: signer } = session;
    const entry: Entry = {
      owner,
      confirmedMs,
      lastActivityMs: Math.max(session.lastActivityAt.getTime(), activity.lastRequestOf(session.id)),
      caller: {
        apiSessionId: apiSessionIdOf(session.id),
        token,
        identityId: identityIdOf(session.identity.id),
        identityName: session.identity.name,
        openedAt: owner.api,
        isComplete: !session.owesTotp && signer === null,
        owedToken: signer && { signerId: signer.id, issuer: signer.issuer, fault: 'missing' },
        isAdmin: owner.isAdmin,
        permissions: owner.permissions,
        roleAttributes: owner.roleAttributes,
        configTypes: session.configTypes,
        postureRevision: owner.postureRevision,
        trace: owner.trace,
      },
    };
    // Something was dropped while the database answered: what it said may be what was dropped.
    if (before === changes && isTrusted) remember(key, entry);
    return entry;
  };

  const load = async (token: string, hash: Buffer, key: string): Promise<Entry> => {
    const [before, confirmedMs] = [changes, performance.now()];
    const owner = await stores.apiSessions.findOwner(hash, timeoutSeconds);
    if (owner === undefined) throw sessionUnknown();
    return enter(token, key, owner, before, confirmedMs);
  };

  const known = async (token: string): Promise<Entry> => {
    if (token.length > MAX_TOKEN_CHARS) throw sessionUnknown();
    const hash = hashToken(token);
    const key = hash.toString('latin1');
    const entry = isTrusted ? entries.get(key) : undefined;
    // An entry that looks idle may have been used through another controller: ask before refusing.
    const isGood =
      entry !== undefined &&
      Date.now() - entry.lastActivityMs < timeoutMs &&
      performance.now() - entry.confirmedMs < maxUnconfirmedMs;
    if (isGood) hits += 1;
    else misses += 1;
    return isGood ? entry : load(token, hash, key);
  };

  const find = async (token: string): Promise<Entry> => {
    const now = Date.now();
    const entry = await known(token);
    activity.requested(entry.caller.apiSessionId, now);
    entry.lastActivityMs = now;
    return entry;
  };

  /** @param touched  of the sessions in `ids` that are still good, as the database had them after `sinceMs` */
  const compare = (ids: Iterable<string>, touched: ReadonlyMap<string, TouchedSession>, sinceMs: number) => {
    for (const id of ids) {
      const key = byId.get(id);
      const entry = key === undefined ? undefined : entries.peek(key);
      if (key === undefined || entry === undefined) continue;
      if (touched.get(id)?.state === entry.owner.state) entry.confirmedMs = Math.max(entry.confirmedMs, sinceMs);
      else {
        changes += 1;
        entries.delete(key);
      }
    }
  };

  /** @param isLast  what rests is written too */
  const flush = async (isLast = false) => {
    const now = Date.now();
    const batch = activity.take(now, isLast);
    if (batch.size === 0) return;
    const sinceMs = performance.now();
    try {
      const touched = await stores.apiSessions.touch(activityOf(batch), isLast ? 0 : restMs / 1000);
      activity.written(batch, touched, now);
      compare(batch.keys(), touched, sinceMs);
    } catch (error) {
      activity.failed(batch);
      noteFailure(log, error, 'last activity of sessions could not be written; it is kept and tried again');
    }
  };
  const sweeping = new Sweeping();
  // What other controllers saw of a session may not be written yet: it stays a little longer, refused all the same.
  const idleSeconds = timeoutSeconds + (2 * flushMs) / 1000;
  const sweeps = new CoalescedTask(async () => {
    await flush();
    try {
      const removed = await sweeping.through({ sweep: (max) => stores.apiSessions.sweep(idleSeconds, max) });
      if (removed > 0) log.info({ removed }, 'idle API sessions removed');
    } catch (error) {
      noteFailure(log, error, 'idle API sessions could not be removed; it is tried again');
    }
  });
  const timers = [
    setInterval(() => void flush(), flushMs),
    setInterval(() => void sweeps.runNow(), Math.min(SWEEP_MS, timeoutMs)),
  ];
  timers.forEach((timer) => timer.unref());

  const forget = (apiSessionId: string) => {
    changes += 1;
    activity.forget(apiSessionId);
    const key = byId.get(apiSessionId);
    if (key !== undefined) entries.delete(key);
  };

  return {
    timeoutSeconds,
    async open(draft, proof, client, { apiSessions }) {
      const id = newId();
      const token = tokenOf(tokenKey, id);
      const hash = hashToken(token);
      const [before, confirmedMs] = [changes, performance.now()];
      const isSummed = records.add(`login ${draft.authenticatorId} ${namedBy(proof)}`);
      const most = looks() ? mostOfIdentity : null;
      const owner = await apiSessions.open(
        { ...draft, id, tokenHash: hash, mostOfIdentity: most, isSummed },
        proof,
        client,
      );
      if (owner === undefined) return undefined;
      const { lastActivityMs } = enter(token, hash.toString('latin1'), owner, before, confirmedMs);
      return { token, session: owner.session, cachedLastActivityAt: new Date(lastActivityMs) };
    },
    async logOut({ apiSessionId, identityId }, { apiSessions }) {
      await apiSessions.logOut(apiSessionId, records.add(`logout ${identityId}`));
    },
    async live(token, apiSessionId): Promise<LiveApiSession> {
      const key = apiSessionId === undefined || !isTrusted ? undefined : byId.get(apiSessionId);
      const known = key === undefined ? undefined : entries.get(key);
      const { owner, lastActivityMs } = known?.caller.token === token ? known : await find(token);
      return { session: owner.session, cachedLastActivityAt: new Date(lastActivityMs) };
    },
    authenticate: find,
    known,
    isSharedWithRouters: (apiSessionId) => stores.apiSessions.isSharedWithRouters(apiSessionId),
    forget,
    reread(apiSessionId) {
      changes += 1;
      const key = byId.get(apiSessionId);
      if (key !== undefined) entries.delete(key);
    },
    forgetIdentity(identityId) {
      changes += 1;
      for (const key of [...(byIdentity.get(identityId) ?? [])]) entries.delete(key);
    },
    forgetAll() {
      changes += 1;
      entries.clear();
    },
    setTrusted(next) {
      isTrusted = next;
      changes += 1;
      entries.clear();
    },
    seen(apiSessionIds) {
      const now = Date.now();
      for (const id of apiSessionIds) activity.reported(id, now);
    },
    flush: () => flush(),
    get use() {
      return { entries: entries.size, hits, misses };
    },
    async close() {
      timers.forEach((timer) => {
        clearInterval(timer);
      });
      sweeping.close();
      await sweeps.close();
      await flush(true);
    },
  };
}
