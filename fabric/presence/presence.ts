/**
 * Writes which routers this process holds, for all controllers to read. Changes are written together, one batch after
 * another: at once after a rest, else when some have gathered. When a batch fails, everything is written again.
 */
import type { Logger } from 'pino';
import { Pace } from '../../domain/scheduling/pace.js';
import type { RouterChannelRow, RouterChannelStore } from '../../db/stores/router-channels.js';

export type Presence = Omit<RouterChannelRow, 'routerId'>;

export interface PresenceOptions {
  readonly store: RouterChannelStore;
  readonly hostId: string;
  readonly controllerId: string;
  readonly log: Logger;
  /** Called when the host has a row, and nothing else that is written of it. */
  readonly onJoined?: () => void;
  /** Number of circuits of this process. */
  readonly circuits: () => number;
  /** Milliseconds between signs of life. */
  readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 1_000;
/** Least time from one batch to the next, where there are more routers than a few. */
const APART_MS = 50;
const FEW_ROUTERS = 20;

/** Joins when the first router comes: a controller without routers writes nothing. */
export class PresenceWriter {
  readonly #options: PresenceOptions;
  readonly #known = new Map<string, Presence>();
  readonly #changed = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #pace = new Pace(APART_MS);
  #isJoined = false;
  #isClosed = false;
  #isFailing = false;
  #running: Promise<void> | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#heartbeat(), options.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  /** Whether the host has a row, as far as is known. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  /** Takes over what is known of a router from now on. */
  set(routerId: string, presence: Presence): void {
    this.#known.set(routerId, presence);
    this.#changed.add(routerId);
    this.#schedule();
  }

  /** Takes note that the router is not connected here any more. */
  drop(routerId: string): void {
    this.#known.delete(routerId);
    this.#changed.add(routerId);
    this.#schedule();
  }

  /** Stops writing, and removes the rows of this host. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    while (this.#running !== undefined) await this.#running;
    const { store, hostId } = this.#options;
    if (this.#isJoined) await store.leave(hostId).catch(() => undefined);
  }

  #schedule(): void {
    if (!this.#isClosed) void this.#run(() => this.#write());
  }

  #run(work: () => Promise<void>): Promise<void> {
    return (this.#running ??= this.#attempt(work).finally(() => {
      this.#running = undefined;
      if (this.#changed.size > 0 && !this.#isFailing) this.#schedule();
    }));
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options;
    try {
      await work();
      if (this.#isFailing) log.info('which routers are connected is written again');
      this.#isFailing = false;
    } catch (error) {
      this.#rejoin();
      if (!this.#isFailing)
        log.warn({ err: error }, 'which routers are connected could not be written; it is tried again');
      this.#isFailing = true;
    }
  }

  async #heartbeat(): Promise<void> {
    if (this.#running !== undefined || (this.#known.size === 0 && !this.#isJoined)) return;
    const { store, hostId, circuits } = this.#options;
    await this.#run(async () => {
      if (this.#isJoined && !(await store.touch(hostId, circuits()))) this.#rejoin();
      await this.#write();
    });
  }

  /** Makes the next write join again and write all rows. */
  #rejoin(): void {
    this.#isJoined = false;
    for (const routerId of this.#known.keys()) this.#changed.add(routerId);
  }

  async #write(): Promise<void> {
    const { store, hostId, controllerId, onJoined } = this.#options;
    if (!this.#isJoined) {
      await store.join(hostId, controllerId);
      this.#isJoined = true;
      onJoined?.();
      for (const routerId of this.#known.keys()) this.#changed.add(routerId);
    }
    while (this.#changed.size > 0 && !this.#isClosed) {
      if (this.#known.size > FEW_ROUTERS) await this.#pace.turn();
      const ids = [...this.#changed];
      this.#changed.clear();
      const present = ids.flatMap((routerId) => {
        const presence = this.#known.get(routerId);
        return presence === undefined ? [] : [{ routerId, ...presence }];
      });
      const gone = ids.filter((routerId) => !this.#known.has(routerId));
      await store.write(hostId, present, gone);
    }
  }
}
