/** Sends one router its API sessions: the whole state in parts, then what changed meanwhile, then each change. */
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { RouterChannel } from '../channel/channel.js';
import type { NoteFailure } from '../channel/router-log.js';
import { inParts } from '../../domain/in-parts.js';
import { isSelected } from './session-directory.js';
import type { KeptSession, SessionChange, SessionDirectory } from './session-directory.js';
import { stateBody } from './session-messages.js';
import type { SessionMessages } from './session-messages.js';
import { SHARED_AT_A_TIME } from './session-sharing.js';
import type { SessionSharing } from './session-sharing.js';
import type { StateBodies } from './state-bodies.js';

export type SyncStatus = 'SYNC_IN_PROGRESS' | 'SYNC_DONE' | 'SYNC_RESYNC_WAIT' | 'SYNC_ERROR';

export interface OutboxOptions {
  readonly directory: SessionDirectory;
  readonly sharing: SessionSharing;
  readonly messages: SessionMessages;
  readonly bodies: StateBodies;
  /** Spreads the parts of whole states, of all routers. */
  readonly turns: YieldQueue;
  /** Resolves when the directory has all sessions; undefined when it has. */
  readonly loading: () => Promise<void> | undefined;
  readonly onStatus: (channel: RouterChannel, status: SyncStatus) => void;
  readonly noteFailure: NoteFailure;
}

/**
 * `waiting`: it is not known what the router has; `sending`: a whole state is on its way, and changes wait;
 * `following`: the router gets changes as they come.
 */
export type OutboxPhase = 'waiting' | 'sending' | 'following';

/** Sessions in one message. */
const CHUNK = 100;
/** Messages, some 150 KiB, that are sent to a router in one turn of the event loop. */
const AT_ONCE = SHARED_AT_A_TIME / CHUNK;
const RETRY_MS = 1_000;
/** Changes during a whole state; beyond them it is sent again. */
const MOST_TOUCHED = 10_000;

/** Bodies that are sent in one turn, which makes them. */
interface StatePart {
  readonly part: () => readonly Buffer[];
  readonly isEnd: boolean;
}

const keyOf = ({ identityRoles }: KnownRouter): string => JSON.stringify(identityRoles);

export class RouterOutbox {
  readonly #options: OutboxOptions;
  #router: KnownRouter;
  #rolesKey: string;
  #phase: OutboxPhase = 'waiting';
  #isRunning = false;
  #isDue = false;
  #isEnded = false;
  /** Sessions that changed since the whole state began, of those that the router may have or have had. */
  readonly #touched = new Set<string>();

  constructor(
    readonly channel: RouterChannel,
    router: KnownRouter,
    options: OutboxOptions,
  ) {
    this.#options = options;
    this.#router = router;
    this.#rolesKey = keyOf(router);
  }

  get phase(): OutboxPhase {
    return this.#phase;
  }

  /** Routers with the same key have the same sessions. */
  get rolesKey(): string {
    return this.#rolesKey;
  }

  /** Policies that select sessions for the router. */
  get identityRoles(): KnownRouter['identityRoles'] {
    return this.#router.identityRoles;
  }

  allows(session: KeptSession | undefined): session is KeptSession {
    return session !== undefined && isSelected(this.identityRoles, session.identity);
  }

  /** Takes over the router as it was read again; other policies make the whole state due. */
  setRouter(router: KnownRouter): void {
    const before = this.#rolesKey;
    this.#router = router;
    this.#rolesKey = keyOf(router);
    if (before !== this.#rolesKey) this.schedule();
  }

  /** Sends the whole state soon. */
  schedule(): void {
    if (!this.#isOpen) return;
    this.#isDue = true;
    if (!this.#isRunning) void this.#run();
  }

  /** Keeps in mind what changed while a whole state is on its way. */
  note(changes: readonly SessionChange[]): void {
    for (const { id, before, after } of changes)
      if ((before !== undefined && isSelected(this.identityRoles, before)) || this.allows(after)) this.#touched.add(id);
    if (this.#touched.size > MOST_TOUCHED) this.#isDue = true;
  }

  /** Sends nothing from now on. */
  end(): void {
    this.#isEnded = true;
  }

  get #isOpen(): boolean {
    return !this.#isEnded && !this.channel.isClosed;
  }

  async #run(): Promise<void> {
    const { loading, onStatus } = this.#options;
    this.#isRunning = true;
    while (this.#isDue && this.#isOpen) {
      this.#isDue = false;
      this.#phase = 'waiting';
      onStatus(this.channel, 'SYNC_IN_PROGRESS');
      const isLoading = loading();
      if (isLoading !== undefined) await isLoading;
      if (!this.#isOpen) break;
      await this.#sendAll();
    }
    this.#isRunning = false;
    if (this.#isOpen) onStatus(this.channel, 'SYNC_DONE');
  }

  /** Sends the whole state and what changed meanwhile; after a failure it is due again. */
  async #sendAll(): Promise<void> {
    const { sharing, noteFailure, onStatus } = this.#options;
    this.#phase = 'sending';
    this.#touched.clear();
    try {
      await this.#sendState();
      await sharing.shareThen({
        due: () => this.#unsharedTouched(),
        act: () => {
          this.#sendTouched();
        },
        isWanted: () => this.#isOpen && !this.#isDue,
      });
    } catch (error) {
      noteFailure(error, { routerId: this.channel.routerId }, 'a router could not be sent all API sessions yet');
      onStatus(this.channel, 'SYNC_ERROR');
      this.#isDue = true;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }

  /** Sends one part after another, each in turns of its own, and none while much waits to be sent. */
  async #sendState(): Promise<void> {
    const { directory, messages, bodies, turns } = this.#options;
    const { channel } = this;
    const id = messages.newStateId();
    const kept = bodies.get(this.#rolesKey, directory.version);
    const making = kept === undefined ? bodies.begin(this.#rolesKey, directory.version) : undefined;
    let sequence = 0;
    const send = (part: readonly Buffer[], isEnd: boolean) => {
      for (const [at, body] of part.entries()) {
        channel.send(messages.state(body, { id, isLast: isEnd && at === part.length - 1, sequence }));
        sequence += 1;
        making?.add(body);
      }
    };
    let isWhole = false;
    try {
      for await (const { part, isEnd } of kept === undefined ? this.#parts() : partsOf(kept)) {
        await channel.drained();
        if (!this.#isOpen) return;
        await turns.run(() => {
          send(part(), isEnd);
        });
        isWhole = isEnd;
      }
    } finally {
      making?.end(isWhole ? directory.version : undefined);
    }
  }

  /** Makes the bodies of the whole state, of sessions that are shared. An empty state has a body too. */
  async *#parts(): AsyncGenerator<StatePart> {
    const { directory, sharing, turns } = this.#options;
    const selected = directory.selected(this.identityRoles);
    let next = selected.next();
    const take = (): KeptSession[] => {
      const part: KeptSession[] = [];
      for (; next.done !== true && part.length < SHARED_AT_A_TIME; next = selected.next()) part.push(next.value);
      return part;
    };
    for (let isEnd = false; !isEnd;) {
      const sessions = await turns.run(take);
      isEnd = next.done === true;
      await sharing.share(sessions.filter(({ isShared }) => !isShared).map((session) => session.id));
      const chunks = sessions.length === 0 ? [[]] : inParts(sessions, CHUNK);
      yield { part: () => chunks.map(stateBody), isEnd };
    }
  }

  /** Lists what must be shared before it is sent: a removal names the token too, also of a session that has gone. */
  #unsharedTouched(): string[] {
    return [...this.#touched].filter((id) => this.#options.directory.get(id)?.isShared !== true);
  }

  #sendTouched(): void {
    const { directory, messages } = this.#options;
    const kept = [...this.#touched].map((id) => ({ id, session: directory.get(id) }));
    const over = kept.filter(({ session }) => !this.allows(session)).map(({ id }) => id);
    const good = kept.flatMap(({ session }) => (this.allows(session) ? [session] : []));
    if (over.length > 0) this.channel.send(messages.removed(over));
    if (good.length > 0) this.channel.send(messages.added(good));
    this.#touched.clear();
    this.#phase = 'following';
  }
}

/** Divides kept bodies as those are that are made. */
async function* partsOf(bodies: readonly Buffer[]): AsyncGenerator<StatePart> {
  const parts = inParts(bodies, AT_ONCE);
  for (const [at, part] of parts.entries()) yield { part: () => part, isEnd: at === parts.length - 1 };
}
