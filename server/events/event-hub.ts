/** The streams of events of this process: where each begins, and what all of them read from. */
import type { EventRange, EventStore } from '../../db/stores/event-batches.js';
import { DomainError } from '../../domain/errors.js';
import { kindFilter } from '../../domain/events/kinds.js';
import { BEGINNING, isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import type { EventStreams, EventWish } from '../../handlers/context.js';
import type { TextStream } from '../../handlers/text-stream.js';
import type { EventReader } from './event-reader.js';
import { EventStream, heldEvent } from './event-stream.js';
import type { ResetReason } from './event-stream.js';
import { EventWindow } from './event-window.js';
import type { WindowBounds } from './event-window.js';
import { StreamLimits } from './stream-limits.js';
import type { Logger } from '../base/log.js';

export interface EventHubOptions {
  readonly events: EventStore;
  readonly reader: EventReader;
  readonly maxStreams: number;
  readonly maxStreamsPerIdentity: number;
  readonly heartbeatMs: number;
  readonly bounds?: WindowBounds;
  readonly log: Logger;
}

const BOUNDS: WindowBounds = { events: 10_000, chars: 16 * 1024 * 1024 };

interface Reading {
  readonly window: EventWindow;
  readonly stop: () => void;
}

export class EventHub implements EventStreams {
  readonly #options: EventHubOptions;
  readonly #limits: StreamLimits;
  readonly #streams = new Set<EventStream>();
  /** Begins with the first stream and ends with the last one. */
  #reading: Promise<Reading> | undefined;
  #isStopped = false;

  constructor(options: EventHubOptions) {
    this.#options = options;
    this.#limits = new StreamLimits(options.maxStreams, options.maxStreamsPerIdentity);
  }

  async open(wish: EventWish): Promise<TextStream> {
    if (this.#isStopped) throw stopping();
    this.#limits.enter(wish.identityId);
    try {
      return await this.#begin(wish);
    } catch (error) {
      this.#leave(wish.identityId);
      throw error;
    }
  }

  /** Ends all streams, and opens no more: the controller stops. */
  stop(): void {
    this.#isStopped = true;
    this.#endAll('stopping');
  }

  async #begin({ identityId, kinds, after, isUntilNow }: EventWish): Promise<EventStream> {
    const { events, heartbeatMs, log } = this.#options;
    const { window } = await this.#beginReading();
    const range = await events.range();
    const now = { batch: (await events.close()) + 1, seq: 0 };
    const { position, reset } = await beginAt(events, range, after, now);
    if (this.#isStopped) throw stopping();
    const stream: EventStream = new EventStream({
      events,
      window,
      timeline: range.timeline,
      matches: kindFilter(kinds),
      start: { position, reset, until: isUntilNow ? now : undefined },
      heartbeatMs,
      log,
      onClose: () => {
        this.#streams.delete(stream);
        this.#leave(identityId);
      },
    });
    this.#streams.add(stream);
    return stream;
  }

  #leave(identityId: string): void {
    this.#limits.leave(identityId);
    if (!this.#limits.isUnused) return;
    const before = this.#reading;
    this.#reading = undefined;
    before?.then(
      ({ stop }) => {
        stop();
      },
      () => undefined,
    );
  }

  #beginReading(): Promise<Reading> {
    return (this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    }));
  }

  async #read(): Promise<Reading> {
    const { reader, bounds = BOUNDS } = this.#options;
    const { listener, stop } = await reader.listen((start) => {
      const window = new EventWindow(start, bounds);
      return {
        window,
        read: (page, timeline) => {
          window.add(
            page.records.map((record) => heldEvent(timeline, record)),
            page.end,
          );
          for (const stream of [...this.#streams]) stream.wake();
        },
        lost: () => {
          this.#reading = undefined;
          stop();
          this.#endAll('lost');
        },
      };
    });
    return { window: listener.window, stop };
  }

  #endAll(reason: 'stopping' | 'lost'): void {
    for (const stream of [...this.#streams]) stream.end(reason);
  }
}

const stopping = () => new DomainError('unavailable', { causeMessage: 'this controller stops: ask another one' });

/** @param now  where a reader begins that cannot go on where it was */
async function beginAt(
  events: EventStore,
  range: EventRange,
  after: EventWish['after'],
  now: EventPosition,
): Promise<{ position: EventPosition; reset: ResetReason | undefined }> {
  if (after === undefined) return { position: now, reset: undefined };
  if (after === BEGINNING) return { position: { batch: range.first, seq: 0 }, reset: undefined };
  const resetTo = (reset: ResetReason) => ({ position: now, reset });
  const { timeline, batch, seq } = after;
  if (timeline !== range.timeline) return resetTo('timeline');
  if (batch < range.first || isBefore(now, after)) return resetTo('gone');
  if (seq > 0 && !(await events.has(after))) return resetTo('gone');
  return { position: { batch, seq }, reset: undefined };
}
