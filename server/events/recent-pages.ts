/** The latest pages of events in memory, for all who are no further behind than these. The oldest go first. */
import type { EventPage } from '../../db/stores/event-batches.js';
import { toEventMessage } from '../../domain/events/event.js';
import type { EventRecord, EventMessage } from '../../domain/events/event.js';
import { isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';

/** An event that may be sent to several targets: its message is made once, by the first that wants it. */
export class SharedEvent {
  #message: EventMessage | undefined;

  constructor(
    readonly record: EventRecord,
    private readonly timeline: string,
  ) {}

  get kind(): string {
    return this.record.kind;
  }

  get position(): EventPosition {
    return this.record.position;
  }

  get message(): EventMessage {
    return (this.#message ??= toEventMessage(this.timeline, this.record));
  }
}

export interface SharedPage {
  readonly events: readonly SharedEvent[];
  /** Everything up to here was read. */
  readonly end: EventPosition;
}

interface HeldPage extends SharedPage {
  readonly start: EventPosition;
}

/** A page has about a mebibyte at most (db/stores/event-batches.ts). */
const MOST = 8;

export const sharedPage = ({ records, end }: EventPage, timeline: string): SharedPage => ({
  events: records.map((record) => new SharedEvent(record, timeline)),
  end,
});

export class RecentPages {
  #pages: HeldPage[] = [];
  #end: EventPosition;

  /** @param start  where the first page begins */
  constructor(start: EventPosition) {
    this.#end = start;
  }

  /** Everything up to here was added. */
  get end(): EventPosition {
    return this.#end;
  }

  /** It follows the one that was added before. */
  add(page: SharedPage): void {
    this.#pages = [...this.#pages, { ...page, start: this.#end }].slice(-MOST);
    this.#end = page.end;
  }

  /** Returns what follows a position in its page; undefined when that page is not held. */
  after(position: EventPosition): SharedPage | undefined {
    const page = this.#pages.find(({ start, end }) => !isBefore(position, start) && isBefore(position, end));
    if (page === undefined) return undefined;
    return { events: page.events.filter((event) => isBefore(position, event.position)), end: page.end };
  }
}
