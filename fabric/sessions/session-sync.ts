/**
 * Tells edge routers which API sessions there are: those of identities that edge router policies allow to the router,
 * and no others. A router that connects gets the whole state; then each session when it becomes complete, when the
 * certificates of its client change, and when it ends.
 *
 * All sessions that count are in memory once, read when the first router comes (session-directory.ts). Each change is
 * announced after its commit, and read after the announcement (session-reader.ts). When changes may have gone unheard,
 * everything is read again and routers are told the difference.
 *
 * Before a token is sent to any router it is stored that routers have it (session-sharing.ts).
 */
import { hashToken } from '../../domain/auth/tokens.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownRouter, RouterSyncView, SessionState } from '../../db/stores/router-sync-view.js';
import type { RouterChannel } from '../channel/channel.js';
import type { Message } from '../channel/frame.js';
import type { NoteFailure } from '../channel/router-log.js';
import { RouterOutbox } from './router-outbox.js';
import type { SyncStatus } from './router-outbox.js';
import { SessionDirectory, isSelected } from './session-directory.js';
import type { KeptSession, SessionChange } from './session-directory.js';
import { SessionMessages, encodeSession, removedMessage } from './session-messages.js';
import { SessionReader } from './session-reader.js';
import { SessionSharing, unsharedOf } from './session-sharing.js';
import { StateBodies } from './state-bodies.js';

export interface SessionSyncOptions {
  readonly view: Pick<RouterSyncView, 'sessions' | 'sessionPage' | 'sessionsByToken' | 'share'>;
  /** Returns the token of the API session with this id, in clear. */
  readonly tokenOf: (apiSessionId: string) => string;
  /** Seconds without activity after which a session is over. */
  readonly timeoutSeconds: number;
  readonly onStatus: (channel: RouterChannel, status: SyncStatus) => void;
  readonly noteFailure: NoteFailure;
  readonly now?: () => number;
}

/** Time that sessions stay in memory when no router is left. */
const KEEP_MS = 60_000;

export class SessionSync {
  readonly #options: SessionSyncOptions;
  readonly #outboxes = new Map<string, RouterOutbox>();
  readonly #turns = new YieldQueue({ waiting: Infinity });
  readonly #directory: SessionDirectory;
  readonly #sharing: SessionSharing;
  readonly #messages: SessionMessages;
  readonly #bodies = new StateBodies();
  readonly #reader: SessionReader;
  #isClosed = false;
  #forgetting: NodeJS.Timeout | undefined;

  constructor(options: SessionSyncOptions) {
    const { view, tokenOf, timeoutSeconds, now = Date.now } = options;
    this.#options = options;
    this.#directory = new SessionDirectory((session) => encodeSession(session, tokenOf(session.id)));
    this.#sharing = new SessionSharing(view, this.#directory);
    this.#messages = new SessionMessages(tokenOf, now);
    this.#reader = new SessionReader({
      view,
      timeoutSeconds,
      knownIds: () => this.#directory.ids(),
      apply: (found, asked) => this.#apply(found, asked),
      onFailure: (error) => {
        this.#noteUnread(error);
      },
    });
  }

  /** Sends the router everything, at its hello and whenever it is called again. */
  begin(channel: RouterChannel, router: KnownRouter): void {
    clearTimeout(this.#forgetting);
    this.#outboxFor(channel, router).schedule();
    this.#reader.load();
  }

  end(channel: RouterChannel): void {
    const outbox = this.#outboxes.get(channel.routerId);
    if (outbox?.channel !== channel) return;
    outbox.end();
    this.#outboxes.delete(channel.routerId);
    if (this.#outboxes.size === 0) this.#scheduleForget();
  }

  /** Takes over the policies that select the router. Nothing happens when they are the same. */
  routerChanged(router: KnownRouter): void {
    this.#outboxes.get(router.id)?.setRouter(router);
  }

  /** Tells these routers everything again, so that they ask this controller about all sessions. */
  tellAgain(routerIds: readonly string[]): void {
    for (const routerId of routerIds) this.#outboxes.get(routerId)?.schedule();
  }

  /** Reads everything again, since changes may have gone unheard; all routers are told what is different. */
  refresh(): void {
    if (!this.#isIdle) this.#reader.scheduleAll();
  }

  /** Looks up sessions that began, ended, or have other certificates. */
  sessionsChanged(ids: readonly string[]): void {
    if (!this.#isIdle) this.#reader.scheduleSessions(ids);
  }

  /** Looks up all sessions of an identity: they may begin or end to count, or be allowed to other routers. */
  identityChanged(identityId: string): void {
    if (!this.#isIdle) this.#reader.scheduleIdentity(identityId);
  }

  /**
   * Takes a report of a router on which of its clients are connected, and tells it of tokens that are worth nothing.
   * @returns those of the sessions that the router knows
   */
  async heartbeat(channel: RouterChannel, tokens: readonly string[]): Promise<KeptSession[]> {
    const { view, timeoutSeconds } = this.#options;
    const hashes = tokens.map((token) => hashToken(token));
    const ids = await view.sessionsByToken(hashes, timeoutSeconds);
    const unknown = tokens.filter((_, index) => !ids.has((hashes[index] ?? Buffer.alloc(0)).toString('hex')));
    if (unknown.length > 0) channel.send(removedMessage(unknown, []));
    const outbox = this.#outboxes.get(channel.routerId);
    const known = [...ids.values()].map((id) => this.#directory.get(id));
    return known.filter((session): session is KeptSession => outbox?.allows(session) === true);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#forgetting);
    for (const outbox of this.#outboxes.values()) outbox.end();
    this.#outboxes.clear();
    this.#bodies.clear();
    this.#reader.close();
  }

  #outboxFor(channel: RouterChannel, router: KnownRouter): RouterOutbox {
    const earlier = this.#outboxes.get(channel.routerId);
    if (earlier?.channel === channel) return earlier;
    earlier?.end();
    const { onStatus, noteFailure } = this.#options;
    const outbox = new RouterOutbox(channel, router, {
      directory: this.#directory,
      sharing: this.#sharing,
      messages: this.#messages,
      bodies: this.#bodies,
      turns: this.#turns,
      loading: () => this.#reader.loading(),
      onStatus,
      noteFailure,
    });
    this.#outboxes.set(channel.routerId, outbox);
    return outbox;
  }

  /** True when no router listens, and nothing is known. */
  get #isIdle(): boolean {
    return this.#outboxes.size === 0 && !this.#reader.isWanted;
  }

  #scheduleForget(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => {
      this.#forget();
    }, KEEP_MS).unref();
  }

  #forget(): void {
    if (this.#outboxes.size > 0) return;
    if (this.#reader.isWorking) {
      this.#scheduleForget();
      return;
    }
    this.#reader.reset();
    this.#directory.clear();
    this.#bodies.clear();
  }

  #noteUnread(error: unknown): void {
    const { noteFailure, onStatus } = this.#options;
    noteFailure(error, {}, 'API sessions could not be read for routers; it is tried again');
    for (const { phase, channel } of this.#outboxes.values()) if (phase === 'waiting') onStatus(channel, 'SYNC_ERROR');
  }

  /** Takes over what the database holds, and tells routers. @throws what the database does */
  #apply(found: readonly SessionState[], asked: readonly string[]): Promise<void> {
    return this.#sharing.shareThen({
      due: () => unsharedOf(found, this.#directory, this.#policiesInUse()),
      act: (shared) => {
        const states = found.map((state) => (shared.has(state.id) ? { ...state, isShared: true } : state));
        this.#distribute(this.#directory.apply(states, asked));
      },
      isWanted: () => !this.#isClosed,
    });
  }

  /** Lists the policies of routers that get changes as they come, each once. */
  #policiesInUse(): KnownRouter['identityRoles'][] {
    const policies = new Map<string, KnownRouter['identityRoles']>();
    for (const { phase, rolesKey, identityRoles } of this.#outboxes.values())
      if (phase === 'following') policies.set(rolesKey, identityRoles);
    return [...policies.values()];
  }

  #distribute(changes: readonly SessionChange[]): void {
    if (changes.length === 0) return;
    const startedAt = performance.now();
    const byRoles = new Map<string, Message[]>();
    for (const outbox of this.#outboxes.values()) {
      if (outbox.phase === 'sending') outbox.note(changes);
      if (outbox.phase !== 'following') continue;
      const messages = byRoles.get(outbox.rolesKey) ?? this.#messagesFor(outbox.identityRoles, changes);
      byRoles.set(outbox.rolesKey, messages);
      for (const each of messages) outbox.channel.send(each);
    }
    this.#reader.adaptTo(performance.now() - startedAt);
  }

  /** Makes the messages about the changes: the same for all routers with these policies. */
  #messagesFor(identityRoles: KnownRouter['identityRoles'], changes: readonly SessionChange[]): Message[] {
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
      ...(lost.length > 0 ? [this.#messages.removed(lost)] : []),
      ...(updated.length > 0 ? [this.#messages.updated(updated)] : []),
      ...(fresh.length > 0 ? [this.#messages.added(fresh)] : []),
    ];
  }
}
