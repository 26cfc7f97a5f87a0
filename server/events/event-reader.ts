/**
 * Reads events once for all that wait for them in this process. Nothing is written, asked or announced while no one
 * waits, on this controller or another. Else whoever commits a change closes a batch at once, or soon when there were
 * many; the closing is announced, and every reader reads it. What no controller has committed, such as a script, is
 * found by a slow look.
 */
import type { EventPage, EventStore } from '../../db/stores/event-batches.js';
import type { EventPosition } from '../../domain/events/position.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { WATCHED } from '../changes/feed-listeners.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';

export interface EventReaderOptions {
  readonly events: EventStore;
  /** Tells all controllers, this one too. */
  readonly announce: (payload: string) => Promise<unknown>;
  readonly log: Logger;
}

export interface EventListener {
  /** These follow what was read before. */
  readonly read: (page: EventPage, timeline: string) => void;
  /** The database has lost batches that were read: a failover to a standby that was behind. */
  readonly lost: () => void;
}

/** Time between two batches that one controller closes. */
const GAP_MS = 50;
const LOOK_MS = 1_000;
/** Even while no one waits, a batch is closed after so many looks, so that none grows long. */
const IDLE_ROUNDS = 30;
const WATCH_EVERY_MS = 10_000;
const WATCH_LASTS_MS = 3 * WATCH_EVERY_MS;
const PAGE = 200;

export class EventReader {
  readonly #events: EventStore;
  readonly #announce: EventReaderOptions['announce'];
  readonly #log: Logger;
  readonly #listeners = new Set<EventListener>();
  readonly #turns = new CoalescedTask(() => this.#turn());
  readonly #timer: NodeJS.Timeout;
  /** All before it was read. */
  #head: EventPosition | undefined;
  #timeline = '';
  /** The last batch that others are known to have closed; null: a batch is to be closed first. */
  #known: number | null = null;
  #soon: NodeJS.Timeout | undefined;
  #rounds = 0;
  // These are times by `performance.now()`.
  #closedAt = Number.NEGATIVE_INFINITY;
  #announcedAt = Number.NEGATIVE_INFINITY;
  #watchedUntil = 0;

  constructor({ events, announce, log }: EventReaderOptions) {
    this.#events = events;
    this.#announce = announce;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#round();
    }, LOOK_MS).unref();
  }

  /** @param begin  makes the listener, who hears of all that follows `start`, until `stop` */
  async listen<L extends EventListener>(
    begin: (start: EventPosition) => L,
  ): Promise<{ listener: L; stop: () => void }> {
    const last = await this.#closeBatch();
    ({ timeline: this.#timeline } = await this.#events.range());
    if (this.#listeners.size === 0 || this.#head === undefined) this.#head = { batch: last + 1, seq: 0 };
    const listener = begin(this.#head);
    this.#listeners.add(listener);
    this.#tellOthers();
    return {
      listener,
      stop: () => {
        this.#listeners.delete(listener);
      },
    };
  }

  /** Something was committed here, or may have been. */
  schedule(): void {
    if (this.#turns.isClosed || this.#soon !== undefined || !this.#isWanted()) return;
    this.#soon = setTimeout(
      () => {
        this.#soon = undefined;
        this.#closeAndRead();
      },
      Math.max(0, this.#closedAt + GAP_MS - performance.now()),
    ).unref();
  }

  /** A batch was closed somewhere. */
  closed(batch: number): void {
    if (this.#listeners.size === 0 || this.#head === undefined || batch < this.#head.batch) return;
    // A turn that is to close a batch reads this one too.
    if (this.#soon === undefined && !this.#turns.isRunning) this.#known = batch;
    this.#turns.schedule();
  }

  /** Some controller waits for events. */
  watched(): void {
    this.#watchedUntil = performance.now() + WATCH_LASTS_MS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    await this.#turns.close();
  }

  #isWanted(): boolean {
    return this.#listeners.size > 0 || performance.now() < this.#watchedUntil;
  }

  #round(): void {
    this.#rounds += 1;
    this.#tellOthers();
    if (this.#listeners.size > 0 || this.#rounds % IDLE_ROUNDS === 0) this.#closeAndRead();
  }

  #tellOthers(): void {
    if (this.#listeners.size === 0 || performance.now() < this.#announcedAt + WATCH_EVERY_MS) return;
    this.#announcedAt = performance.now();
    this.#announce(WATCHED).catch((error: unknown) => {
      noteFailure(this.#log, error, 'other controllers could not be told that events are waited for');
    });
  }

  #closeAndRead(): void {
    this.#known = null;
    this.#turns.schedule();
  }

  async #turn(): Promise<void> {
    try {
      const last = this.#known ?? (await this.#closeBatch());
      this.#known = null;
      if (this.#listeners.size > 0) await this.#readTo(last);
    } catch (error) {
      this.#known = null;
      noteFailure(this.#log, error, 'events could not be read; it is tried again');
    }
  }

  async #closeBatch(): Promise<number> {
    this.#closedAt = performance.now();
    return this.#events.close();
  }

  /** Reads on to the end of the batch `last`, and hands out what it reads. */
  async #readTo(last: number): Promise<void> {
    if (this.#head === undefined) return;
    if (last + 1 < this.#head.batch) {
      this.#head = { batch: last + 1, seq: 0 };
      for (const listener of [...this.#listeners]) listener.lost();
      return;
    }
    while (this.#head.batch <= last && this.#listeners.size > 0) {
      const page: EventPage = await this.#events.after(this.#head, last, PAGE);
      this.#head = page.end;
      for (const listener of [...this.#listeners]) listener.read(page, this.#timeline);
    }
  }
}
