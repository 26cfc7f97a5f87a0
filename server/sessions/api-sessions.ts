/**
 * API sessions as requests use them: a bounded copy of the database, so that a request of a known session costs no
 * round trip. An entry is dropped when its session or identity changes, here or on another controller
 * (server/start/change-subscribers.ts). While the feed is cut, nothing in memory is believed and every request asks the
 * database. Changes that were not heard all the same are found by comparison: of used entries at the next flush of
 * activity, of others when they are used again.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import { Sweeping } from './sweep-through.js';
import type { CacheUse } from '../../domain/cache-use.js';
import type { ApiSessionId, IdentityId } from '../../domain/ids.js';
import type { Trust } from '../../domain/trust.js';
import { hashToken, newId, tokenOf } from '../../domain/auth/tokens.js';
import type { SessionToken } from '../../domain/oidc/claims.js';
import { MinuteCounts } from '../../domain/scheduling/minute-counts.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import type { SessionOwner } from '../../db/stores/api-session-owners.js';
import type { ClientInfo } from '../../db/stores/api-sessions.js';
import { namedBy } from '../../db/stores/session-opening.js';
import type { LoginProof } from '../../db/stores/session-opening.js';
import type { Stores, StoreSet } from '../../db/stores/stores.js';
import { ApiSessionCache } from './api-session-cache.js';
import { callerOf, sessionUnknown } from './callers.js';
import type { Authenticated, CachedSession, ReadMoment } from './api-session-cache.js';
import { SessionActivity, activityOf } from './session-activity.js';
import type { Caller } from '../../handlers/reply.js';
import type { ApiSessions, LiveApiSession, NewApiSession } from '../../handlers/context.js';

export type { Authenticated } from './api-session-cache.js';

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
/** Records of one identity with one authenticator, and of its logouts; more are counted. */
const RECORDS_A_MINUTE = 10;

type SignedToken = Pick<SessionToken, 'apiSessionId' | 'identityId' | 'expiresAt'>;

export class ApiSessionRegistry implements ApiSessions {
  readonly #options: ApiSessionRegistryOptions;
  readonly #cache: ApiSessionCache;
  readonly #activity = new SessionActivity();
  readonly #records = new MinuteCounts(RECORDS_A_MINUTE);
  readonly #timeoutMs: number;
  readonly #flushMs: number;
  /** Rest below half of the timeout, so that no session looks idle because its activity is not written yet. */
  readonly #restMs: number;
  readonly #maxUnconfirmedMs: number;
  readonly #sweeping = new Sweeping();
  readonly #sweeps = new CoalescedTask(() => this.#sweep());
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(options: ApiSessionRegistryOptions) {
    this.#options = options;
    this.#cache = new ApiSessionCache(options.maxEntries);
    this.#timeoutMs = options.timeoutSeconds * 1000;
    this.#flushMs = Math.min(FLUSH_MS, this.#timeoutMs / 4);
    this.#restMs = Math.min(REST_MS, this.#timeoutMs / 6);
    this.#maxUnconfirmedMs = 2 * this.#flushMs;
    this.#timers = [
      setInterval(() => void this.flush(), this.#flushMs).unref(),
      setInterval(() => void this.#sweeps.runNow(), Math.min(SWEEP_MS, this.#timeoutMs)).unref(),
    ];
  }

  get timeoutSeconds(): number {
    return this.#options.timeoutSeconds;
  }

  /** A miss asked the database. */
  get use(): CacheUse {
    return this.#cache.use;
  }

  /**
   * Returns who calls with this token. Until the token of a required signer is looked for, the caller owes it.
   * @throws DomainError `unauthenticated` with the challenge
   */
  async authenticate(token: string): Promise<Authenticated> {
    return this.#used(token);
  }

  /** The same without counting as a use. */
  async known(token: string): Promise<Authenticated> {
    return this.#find(token);
  }

  async open(
    draft: NewApiSession,
    proof: LoginProof,
    client: ClientInfo,
    { apiSessions }: Pick<StoreSet, 'apiSessions'>,
  ): Promise<(LiveApiSession & { readonly token: string }) | undefined> {
    const { tokenKey, mostOfIdentity } = this.#options;
    const isSigned = draft.expiresAt !== undefined;
    const id = isSigned ? randomUUID() : newId();
    // Signed tokens name their session: nothing has the hash that its row must have.
    const token = isSigned ? '' : tokenOf(tokenKey, id);
    const tokenHash = isSigned ? randomBytes(32) : hashToken(token);
    const asked = this.#cache.now();
    const isSummed = this.#records.add(`login ${draft.authenticatorId} ${namedBy(proof)}`);
    const isBounded = Math.random() * mostOfIdentity < LOOKED_AT;
    const owner = await apiSessions.open(
      { ...draft, id, tokenHash, mostOfIdentity: isBounded ? mostOfIdentity : null, isSummed },
      proof,
      client,
    );
    if (owner === undefined) return undefined;
    const { lastActivityMs } = this.#remember(token, isSigned ? id : tokenHash.toString('latin1'), owner, asked);
    return { token, session: owner.session, cachedLastActivityAt: new Date(lastActivityMs) };
  }

  async logOut(
    { apiSessionId, identityId }: Pick<Caller, 'apiSessionId' | 'identityId'>,
    { apiSessions }: Pick<StoreSet, 'apiSessions'>,
  ): Promise<void> {
    await apiSessions.logOut(apiSessionId, this.#records.add(`logout ${identityId}`));
  }

  /**
   * Returns the caller of a signed token, whose signature and end were looked at.
   * @throws DomainError `unauthenticated` when its session has ended
   */
  async authenticateSigned(
    token: string,
    { apiSessionId, identityId, expiresAt }: SignedToken,
  ): Promise<Authenticated> {
    const { owner, caller } = await this.#byId(apiSessionId);
    if (caller.identityId !== identityId) throw sessionUnknown();
    const { api, isCertificateBound, certificateHash, isSharedWithRouters } = owner;
    const isAdministrative = api === 'management';
    const bearer = { expiresAt, isCertificateBound, certificateHash, isAdministrative, isSharedWithRouters };
    return { owner, caller: { ...caller, token, bearer } };
  }

  async live({ token, apiSessionId, bearer }: Parameters<ApiSessions['live']>[0]): Promise<LiveApiSession> {
    const known = this.#cache.byId(apiSessionId);
    const find = async () => {
      if (bearer !== null) return this.#byId(apiSessionId);
      return known?.caller.token === token ? known : this.#used(token);
    };
    const { owner, lastActivityMs } = await find();
    return { session: owner.session, cachedLastActivityAt: new Date(lastActivityMs) };
  }

  /** Whether routers have its token, or are about to get it: asks the database, not memory. */
  isSharedWithRouters(apiSessionId: string): Promise<boolean> {
    return this.#options.stores.apiSessions.isSharedWithRouters(apiSessionId);
  }

  /** It ended. */
  forget(apiSessionId: ApiSessionId): void {
    this.#activity.forget(apiSessionId);
    this.#cache.drop(apiSessionId);
  }

  /** Its posture or its second factor changed: unlike after `forget`, it goes on. */
  reread(apiSessionId: ApiSessionId): void {
    this.#cache.drop(apiSessionId);
  }

  forgetIdentity(identityId: IdentityId): void {
    this.#cache.dropOf(identityId);
  }

  /** A policy or a signer changed, which may concern any of them. */
  forgetAll(): void {
    this.#cache.clear();
  }

  /** @param isTrusted  false while changes made elsewhere may go unheard */
  setTrusted(isTrusted: Trust): void {
    this.#cache.setTrusted(isTrusted);
  }

  /** Routers report that these are in use: it keeps them for a while, and no longer than a day after a request. */
  seen(apiSessionIds: readonly string[]): void {
    const now = Date.now();
    for (const id of apiSessionIds) this.#activity.reported(id, now);
  }

  /** Writes activity that is only in memory, and drops what the database does not know any more. */
  flush(): Promise<void> {
    return this.#flush(false);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#sweeping.close();
    await this.#sweeps.close();
    await this.#flush(true);
  }

  async #used(token: string): Promise<CachedSession> {
    const now = Date.now();
    const entry = await this.#find(token);
    this.#activity.requested(entry.caller.apiSessionId, now);
    entry.lastActivityMs = now;
    return entry;
  }

  /** A session whose client shows signed tokens. */
  async #byId(id: string): Promise<CachedSession> {
    const now = Date.now();
    const entry = this.#cache.find(id, this.#isGood) ?? (await this.#ask(id));
    this.#activity.requested(entry.caller.apiSessionId, now);
    entry.lastActivityMs = now;
    return entry;
  }

  async #ask(id: string): Promise<CachedSession> {
    const asked = this.#cache.now();
    const owner = await this.#options.stores.apiSessions.findOwnerById(id);
    if (owner === undefined) throw sessionUnknown();
    return this.#remember('', id, owner, asked);
  }

  async #find(token: string): Promise<CachedSession> {
    if (token.length > MAX_TOKEN_CHARS) throw sessionUnknown();
    const hash = hashToken(token);
    const key = hash.toString('latin1');
    const cached = this.#cache.find(key, this.#isGood);
    if (cached !== undefined) return cached;
    const { stores, timeoutSeconds } = this.#options;
    const asked = this.#cache.now();
    const owner = await stores.apiSessions.findOwner(hash, timeoutSeconds);
    if (owner === undefined) throw sessionUnknown();
    return this.#remember(token, key, owner, asked);
  }

  /** An entry that looks idle may have been used through another controller: the database is asked before refusing. */
  readonly #isGood = ({ lastActivityMs, confirmedMs, owner: { expiresAt } }: CachedSession): boolean => {
    const isOpen =
      expiresAt === null ? Date.now() - lastActivityMs < this.#timeoutMs : Date.now() < expiresAt.getTime();
    return isOpen && performance.now() - confirmedMs < this.#maxUnconfirmedMs;
  };

  #remember(token: string, key: string, owner: SessionOwner, asked: ReadMoment): CachedSession {
    const { session } = owner;
    const entry: CachedSession = {
      owner,
      confirmedMs: asked.atMs,
      lastActivityMs: Math.max(session.lastActivityAt.getTime(), this.#activity.lastRequestOf(session.id)),
      caller: callerOf(token, owner),
    };
    this.#cache.add(key, entry, asked);
    return entry;
  }

  /** @param isLast  all is written, also what would wait otherwise */
  async #flush(isLast: boolean): Promise<void> {
    const { stores, log } = this.#options;
    const now = Date.now();
    const batch = this.#activity.take(now, isLast);
    if (batch.size === 0) return;
    const sinceMs = performance.now();
    try {
      const touched = await stores.apiSessions.touch(activityOf(batch), isLast ? 0 : this.#restMs / 1000);
      this.#activity.written(batch, touched, now);
      this.#cache.compare(batch.keys(), touched, sinceMs);
    } catch (error) {
      this.#activity.failed(batch);
      noteFailure(log, error, 'last activity of sessions could not be written; it is kept and tried again');
    }
  }

  /** Never throws. */
  async #sweep(): Promise<void> {
    const { stores, timeoutSeconds, log } = this.#options;
    await this.flush();
    // Activity that other controllers saw may not be written yet: a session stays a little longer, though refused.
    const idleSeconds = timeoutSeconds + (2 * this.#flushMs) / 1000;
    try {
      const removed = await this.#sweeping.through({ sweep: (max) => stores.apiSessions.sweep(idleSeconds, max) });
      if (removed > 0) log.info({ removed }, 'idle API sessions removed');
    } catch (error) {
      noteFailure(log, error, 'idle API sessions could not be removed; it is tried again');
    }
  }
}
