/**
 * Reads events once for all that wait for them in this process. Nothing is written, asked or announced while no one
 * waits, on this controller or another. Else whoever commits a change closes a batch at once, or soon when there were
 * many; the closing is announced, and every reader reads it. What no controller has committed, such as a script, is
 * found by a slow look.
 */
import type { EventPage, EventStore } from '../../db/stores/event-batches.js';
import type { EventPosition } from '../../domain/events/position.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { WATCHED } from '../changes/change-feed.js';
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

export interface EventReader {
  /** @param begin  makes the listener, who hears of all that follows `start`, until `stop` */
  listen<L extends EventListener>(begin: (start: EventPosition) => L): Promise<{ listener: L; stop: () => void }>;
  /** Something was committed here, or may have been. */
  schedule(): void;
  /** A batch was closed somewhere. */
  closed(batch: number): void;
  /** Some controller waits for events. */
  watched(): void;
  close(): Promise<void>;
}

/** Between two batches that one controller closes. */
const GAP_MS = 50;
const LOOK_MS = 1_000;
/** Even while no one waits, a batch is closed after so many looks, so that none grows long. */
const IDLE_LOOKS = 30;
const WATCH_EVERY_MS = 10_000;
const WATCH_LASTS_MS = 3 * WATCH_EVERY_MS;
const PAGE = 200;

export function createEventReader({ events, announce, log }: EventReaderOptions): EventReader {
  const listeners = new Set<EventListener>();
  let head: EventPosition | undefined;
  let timeline = '';
  let watchedUntil = 0;
  let announcedAt = Number.NEGATIVE_INFINITY;
  let closedAt = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Timeout | undefined;
  /** Of batches that others closed; null: a batch is to be closed first. */
  let known: number | null = null;
  let looks = 0;

  const isWanted = () => listeners.size > 0 || performance.now() < watchedUntil;

  const closeBatch = async (): Promise<number> => {
    closedAt = performance.now();
    return events.close();
  };

  /** Reads on to the end of the batch `last`, and hands out what it reads. */
  const readTo = async (last: number) => {
    if (head === undefined) return;
    if (last + 1 < head.batch) {
      head = { batch: last + 1, seq: 0 };
      for (const listener of [...listeners]) listener.lost();
      return;
    }
    while (head.batch <= last && listeners.size > 0) {
      const page: EventPage = await events.after(head, last, PAGE);
      head = page.end;
      for (const listener of [...listeners]) listener.read(page, timeline);
    }
  };

  const turns = new CoalescedTask(async () => {
    try {
      const last = known ?? (await closeBatch());
      known = null;
      if (listeners.size > 0) await readTo(last);
    } catch (error) {
      known = null;
      noteFailure(log, error, 'events could not be read; it is tried again');
    }
  });

  const schedule = () => {
    if (turns.isClosed || soon !== undefined || !isWanted()) return;
    soon = setTimeout(
      () => {
        soon = undefined;
        known = null;
        turns.schedule();
      },
      Math.max(0, closedAt + GAP_MS - performance.now()),
    ).unref();
  };

  const tellOthers = () => {
    if (listeners.size === 0 || performance.now() < announcedAt + WATCH_EVERY_MS) return;
    announcedAt = performance.now();
    announce(WATCHED).catch((error: unknown) => {
      noteFailure(log, error, 'other controllers could not be told that events are waited for');
    });
  };

  const look = () => {
    looks += 1;
    tellOthers();
    if (listeners.size > 0 || looks % IDLE_LOOKS === 0) {
      known = null;
      turns.schedule();
    }
  };
  const timer = setInterval(look, LOOK_MS).unref();

  return {
    async listen(begin) {
      const last = await closeBatch();
      ({ timeline } = await events.range());
      if (listeners.size === 0 || head === undefined) head = { batch: last + 1, seq: 0 };
      const listener = begin(head);
      listeners.add(listener);
      tellOthers();
      return {
        listener,
        stop: () => {
          listeners.delete(listener);
        },
      };
    },
    schedule,
    closed(batch) {
      if (listeners.size === 0 || head === undefined || batch < head.batch) return;
      // A turn that is to close a batch reads this one too.
      if (soon === undefined && !turns.isRunning) known = batch;
      turns.schedule();
    },
    watched() {
      watchedUntil = performance.now() + WATCH_LASTS_MS;
    },
    async close() {
      clearInterval(timer);
      clearTimeout(soon);
      await turns.close();
    },
  };
}
