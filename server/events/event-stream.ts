/** One reader of events: first from the database, as far back as it resumes, then from what is held in memory. */
import type { EventStore } from '../../db/stores/event-batches.js';
import { toEventMessage } from '../../domain/events/event.js';
import type { EventRecord } from '../../domain/events/event.js';
import type { KindFilter } from '../../domain/events/kinds.js';
import { eventIdText, isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import { WakeableDelay } from '../../domain/scheduling/wakeable-delay.js';
import type { EndReason, TextSink, TextStream } from '../../handlers/text-stream.js';
import type { EventWindow, HeldEvent, WindowSlice } from './event-window.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';

export type ResetReason = 'timeline' | 'gone';

export interface StreamStart {
  readonly position: EventPosition;
  /** Why it is not where the reader wanted to go on. */
  readonly reset: ResetReason | undefined;
  /** The position at which it ends; undefined: none. */
  readonly until: EventPosition | undefined;
}

export interface EventStreamOptions {
  readonly events: EventStore;
  readonly window: EventWindow;
  readonly timeline: string;
  readonly matches: KindFilter;
  readonly start: StreamStart;
  readonly heartbeatMs: number;
  readonly log: Logger;
  readonly onClose: () => void;
}

/** How long a client waits before it connects again. */
const RETRY_MS = 2_000;
/** Events read at a time, of those that are not held any more. */
const PAGE = 100;
const REST_MS = 1_000;

const RESETS: Readonly<Record<ResetReason, string>> = {
  timeline: 'the database was restored since; events from now on follow',
  gone: 'this event is not kept any more, or a failover has lost it; events from now on follow',
};
const ENDS: Readonly<Record<EndReason, string>> = {
  caughtUp: 'all events up to the request were sent',
  session: 'the API session has ended, or has lost its right to this',
  stopping: 'this controller stops; connect again',
  lost: 'the database has lost events that were sent; connect again',
};

/** Makes the text that all streams send. JSON has no line feeds outside of texts, and escapes those inside. */
export function heldEvent(timeline: string, record: EventRecord): HeldEvent {
  const { position, kind } = record;
  const { id, body } = toEventMessage(timeline, record);
  return { position, kind, text: `id: ${id}\ndata: ${body}\n\n` };
}

const control = (event: string, reason: string, message: string) =>
  `event: ${event}\ndata: ${JSON.stringify({ reason, message })}\n\n`;

export class EventStream implements TextStream {
  onOverrun?: () => void;
  #position: EventPosition;
  /** The last one that was sent to the reader. */
  #sentPosition: EventPosition | undefined;
  #ending: EndReason | undefined;
  #isLive = false;
  #isClosed = false;
  readonly #delay = new WakeableDelay();
  /** Time of the last piece, by `performance.now()`. */
  #sentAt = 0;

  constructor(readonly options: EventStreamOptions) {
    this.#position = options.start.position;
  }

  async run(sink: TextSink): Promise<void> {
    const { start } = this.options;
    const { reset } = start;
    await this.#send(sink, `retry: ${RETRY_MS}\n${this.#sendPosition()}\n`);
    if (reset !== undefined) await this.#send(sink, control('reset', reset, RESETS[reset]));
    while (this.#ending === undefined) await this.#step(sink);
    if (!this.#isClosed) await sink.send(this.#sendPosition() + control('end', this.#ending, ENDS[this.#ending]));
  }

  end(reason: EndReason): void {
    this.#ending ??= reason;
    this.wake();
  }

  /** There may be more in the window, or less. */
  wake(): void {
    const { window } = this.options;
    if (this.#isLive && isBefore(this.#position, window.floor)) this.onOverrun?.();
    this.#delay.wake();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#ending ??= 'stopping';
    this.#delay.wake();
    this.options.onClose();
  }

  async #step(sink: TextSink): Promise<void> {
    const { window, matches, start, heartbeatMs } = this.options;
    if (start.until !== undefined && !isBefore(this.#position, start.until)) {
      this.#ending ??= 'caughtUp';
      return;
    }
    this.#isLive ||= !isBefore(this.#position, window.floor);
    const taken = this.#isLive ? window.take(this.#position, matches) : await this.#read();
    if (taken !== undefined) {
      this.#position = taken.end;
      if (taken.text !== '') await this.#send(sink, taken.text);
      return;
    }
    const left = this.#sentAt + heartbeatMs - performance.now();
    if (left > 0) await this.#delay.wait(this.#isLive ? left : Math.min(left, REST_MS));
    else await this.#send(sink, `: heartbeat\n${this.#sentPosition === this.#position ? '' : this.#sendPosition()}\n`);
  }

  /** A page from the database; undefined when it cannot be had now. */
  async #read(): Promise<WindowSlice | undefined> {
    const { events, window, matches, timeline, log } = this.options;
    try {
      const { floor } = window;
      const page = await events.after(this.#position, floor.seq === 0 ? floor.batch - 1 : floor.batch, PAGE);
      const texts = page.records.filter(({ kind }) => matches(kind)).map((record) => heldEvent(timeline, record).text);
      return { text: texts.join(''), end: page.end };
    } catch (error) {
      noteFailure(log, error, 'events could not be read for a stream; it is tried again');
      return undefined;
    }
  }

  /** A line that says where the reader is: without data it is no event. */
  #sendPosition(): string {
    this.#sentPosition = this.#position;
    return `id: ${eventIdText(this.options.timeline, this.#position)}\n`;
  }

  async #send(sink: TextSink, text: string): Promise<void> {
    this.#sentAt = performance.now();
    await sink.send(text);
  }
}
