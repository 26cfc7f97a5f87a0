/**
 * One standby that lists are read from, while it keeps up. A connection of its own asks it how far it is: before each
 * read that it is to answer, and once a second, so that one that was lost or fell behind is used again by itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { cut } from '../connection.js';
import { ListLane } from '../list-lane.js';
import type { ListLaneOptions } from '../list-lane.js';
import { ServerClient } from '../servers.js';
import type { ServerConfig } from '../servers.js';
import { sharedRead } from '../shared-read.js';
import { followedBy } from './wal-position.js';
import type { WalPosition } from './wal-position.js';

/**
 * - `usable`: it had at the last look what the primary had written before it.
 * - `behind`: it had not, and did not come to it in time.
 * - `other`: it is no standby, or one of another cluster or of another timeline.
 * - `lost`: it does not answer.
 */
export type ReplicaState = 'usable' | 'behind' | 'other' | 'lost';

export interface ReplicaOptions extends Omit<ListLaneOptions, 'config' | 'isStandby'> {
  /** Name of it in logs and metrics. */
  readonly name: string;
  readonly config: ServerConfig;
  /** How long a read waits for it to come to what was written before. */
  readonly waitMs: number;
  readonly onChange: (state: ReplicaState, cause?: unknown) => void;
}

const LOOK_MS = 1_000;
const POLL_MS = 3;

export class Replica {
  readonly lane: ListLane;
  /** Undefined until it was looked at. */
  #state: ReplicaState | undefined;
  #client: pg.Client | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #look = sharedRead(() => this.#followed());

  /** @param written  how far the primary is */
  constructor(
    readonly options: ReplicaOptions,
    readonly written: () => Promise<WalPosition>,
  ) {
    this.lane = new ListLane({ ...options, isStandby: true });
    this.#timer = setTimeout(() => void this.#check(), 0).unref();
  }

  get isUsable(): boolean {
    return this.#state === 'usable';
  }

  /** Waits until it has all that was written up to `place`. False, and it is left, when that takes too long. */
  async reaches(written: WalPosition): Promise<boolean> {
    const end = performance.now() + this.options.waitMs;
    for (;;) {
      const state = await this.#stateWithin(written, end - performance.now());
      if (state === 'usable') return true;
      if (state !== 'behind' || performance.now() >= end) {
        this.#become(state);
        return false;
      }
      await pause(POLL_MS);
    }
  }

  /** A read failed there. */
  lose(cause: unknown): void {
    if (this.#isClosed) return;
    this.#become('lost', cause);
    this.#drop();
    this.lane.cut();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#drop();
    const impatience = setTimeout(() => {
      this.lane.cut();
    }, this.options.patienceMs);
    await this.lane.close();
    clearTimeout(impatience);
  }

  /** One that does not say in time is behind: whether it is lost shows the next look. */
  async #stateWithin(written: WalPosition, ms: number): Promise<ReplicaState> {
    const patience = new AbortController();
    const late = pause(Math.max(1, ms), 'behind' as const, { signal: patience.signal }).catch(() => 'behind' as const);
    try {
      return await Promise.race([this.#look().then((followed) => stateOf(followed, written)), late]);
    } catch (error) {
      this.lose(error);
      return 'lost';
    } finally {
      patience.abort();
    }
  }

  async #check(): Promise<void> {
    try {
      const written = await this.written().catch(() => undefined);
      const followed = await this.#look();
      if (written !== undefined) this.#become(stateOf(followed, written));
    } catch (error) {
      this.lose(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), LOOK_MS).unref();
  }

  async #followed(): Promise<WalPosition | undefined> {
    this.#client ??= await this.#connected();
    return followedBy(this.#client);
  }

  async #connected(): Promise<pg.Client> {
    const { config, patienceMs } = this.options;
    await config.servers?.find(patienceMs);
    const client = new ServerClient({ ...config, connectionTimeoutMillis: patienceMs, query_timeout: patienceMs });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      await client.connect();
      if (this.#isClosed) throw new Error('the database is being closed');
      return client;
    } catch (error) {
      cut(client);
      throw error;
    }
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    client.end().catch(() => undefined);
    cut(client);
  }

  #become(state: ReplicaState, cause?: unknown): void {
    if (state === this.#state || this.#isClosed) return;
    this.#state = state;
    this.options.onChange(state, cause);
  }
}

function stateOf(followed: WalPosition | undefined, written: WalPosition): ReplicaState {
  if (followed?.system !== written.system || followed.timeline !== written.timeline) return 'other';
  return followed.place >= written.place ? 'usable' : 'behind';
}
