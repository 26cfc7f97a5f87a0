/** The latest events in memory, each as the text that all streams send. Bounded: the oldest go first. */
import { isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import type { KindFilter } from '../../domain/events/kinds.js';
import { PIECE } from '../http/socket-writer.js';

export interface HeldEvent {
  readonly position: EventPosition;
  readonly kind: string;
  /** The text that is sent. */
  readonly text: string;
}

export interface WindowSlice {
  /** Texts of all that matched; '' for none. */
  readonly text: string;
  /** How far was looked. */
  readonly end: EventPosition;
}

export interface WindowBounds {
  readonly events: number;
  /** Characters of their texts. */
  readonly chars: number;
}

export class EventWindow {
  #events: HeldEvent[] = [];
  /** Number of `#events` that have gone already. */
  #gone = 0;
  #chars = 0;
  #floor: EventPosition;
  /** Everything up to here was added. */
  #head: EventPosition;

  /** @param start  what comes before it is not held */
  constructor(
    start: EventPosition,
    readonly bounds: WindowBounds,
  ) {
    this.#floor = start;
    this.#head = start;
  }

  /** Everything that follows it is held. */
  get floor(): EventPosition {
    return this.#floor;
  }

  add(events: readonly HeldEvent[], head: EventPosition): void {
    for (const event of events) {
      this.#events.push(event);
      this.#chars += event.text.length;
    }
    this.#head = head;
    while (
      this.#events.length - this.#gone > this.bounds.events ||
      (this.#chars > this.bounds.chars && this.#events.length > this.#gone)
    ) {
      const oldest = this.#events[this.#gone];
      if (oldest === undefined) break;
      this.#gone += 1;
      this.#chars -= oldest.text.length;
      this.#floor = oldest.position;
    }
    if (this.#gone > 1_000 && this.#gone * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#gone);
      this.#gone = 0;
    }
  }

  /** Returns about a piece of what follows a position that is not before the floor; undefined when there is nothing. */
  take(position: EventPosition, matches: KindFilter): WindowSlice | undefined {
    if (!isBefore(position, this.#head)) return undefined;
    let text = '';
    for (let index = this.#after(position); index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (event === undefined) break;
      if (matches(event.kind)) text += event.text;
      if (text.length >= PIECE) return { text, end: event.position };
    }
    return { text, end: this.#head };
  }

  /** Returns the index in `#events` of the first that follows a position. */
  #after(position: EventPosition): number {
    let [low, high] = [this.#gone, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const event = this.#events[middle];
      if (event !== undefined && isBefore(position, event.position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
