/** The streams of events of this process: how many there may be, where each begins, and what all of them read from. */
import type { EventRange, EventStore } from '../../db/stores/event-batches.js';
import { DomainError } from '../../domain/errors.js';
import { kindFilter } from '../../domain/events/kinds.js';
import { BEGINNING, isBefore } from '../../domain/events/position.js';
import type { EventPosition } from '../../domain/events/position.js';
import type { EventStreams } from '../../handlers/context.js';
import type { EventReader } from './event-reader.js';
import { EventStream, heldEvent } from './event-stream.js';
import type { ResetReason } from './event-stream.js';
import { EventWindow } from './event-window.js';
import type { WindowBounds } from './event-window.js';
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

export interface EventHub extends EventStreams {
  /** Ends all streams, and opens no more: the controller stops. */
  stop(): void;
}

const BOUNDS: WindowBounds = { events: 10_000, chars: 16 * 1024 * 1024 };

interface Reading {
  readonly window: EventWindow;
  readonly stop: () => void;
}

export function createEventHub(options: EventHubOptions): EventHub {
  const { events, reader, maxStreams, maxStreamsPerIdentity, heartbeatMs, bounds = BOUNDS, log } = options;
  const streams = new Set<EventStream>();
  const perIdentity = new Map<string, number>();
  let isStopped = false;
  let places = 0;
  let reading: Promise<Reading> | undefined;

  const endAll = (reason: 'stopping' | 'lost') => {
    for (const stream of [...streams]) stream.end(reason);
  };

  const read = async (): Promise<Reading> => {
    const { listener, stop } = await reader.listen((start) => {
      const window = new EventWindow(start, bounds);
      return {
        window,
        read(page, timeline) {
          window.add(
            page.records.map((record) => heldEvent(timeline, record)),
            page.end,
          );
          for (const stream of [...streams]) stream.wake();
        },
        lost() {
          reading = undefined;
          stop();
          endAll('lost');
        },
      };
    });
    return { window: listener.window, stop };
  };
  /** Begun with the first stream. */
  const beginReading = () =>
    (reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    }));

  /** @throws DomainError `rateLimited`. @returns what gives the place back */
  const enter = (identityId: string): (() => void) => {
    const own = perIdentity.get(identityId) ?? 0;
    if (places >= maxStreams || own >= maxStreamsPerIdentity) {
      const isOwn = own >= maxStreamsPerIdentity;
      const causeMessage = isOwn
        ? `the identity has ${own} streams of events here already: close one of them first`
        : `this controller has ${places} streams of events already: close one of them, or ask another controller`;
      throw new DomainError('rateLimited', { causeMessage, logReason: 'too many streams of events' });
    }
    places += 1;
    perIdentity.set(identityId, own + 1);
    return () => {
      places -= 1;
      const left = (perIdentity.get(identityId) ?? 1) - 1;
      if (left === 0) perIdentity.delete(identityId);
      else perIdentity.set(identityId, left);
      if (places === 0) {
        const before = reading;
        reading = undefined;
        before?.then(
          ({ stop }) => {
            stop();
          },
          () => undefined,
        );
      }
    };
  };

  return {
    async open({ identityId, kinds, after, isUntilNow }) {
      if (isStopped) throw stopping();
      const leave = enter(identityId);
      try {
        const { window } = await beginReading();
        const range = await events.range();
        const now = { batch: (await events.close()) + 1, seq: 0 };
        const { position, reset } = await beginAt(events, range, after, now);
        if (isStopped) throw stopping();
        const stream: EventStream = new EventStream({
          events,
          window,
          timeline: range.timeline,
          matches: kindFilter(kinds),
          start: { position, reset, until: isUntilNow ? now : undefined },
          heartbeatMs,
          log,
          onClose: () => {
            streams.delete(stream);
            leave();
          },
        });
        streams.add(stream);
        return stream;
      } catch (error) {
        leave();
        throw error;
      }
    },
    stop() {
      isStopped = true;
      endAll('stopping');
    },
  };
}

const stopping = () => new DomainError('unavailable', { causeMessage: 'this controller stops: ask another one' });

/** @param now  where a reader begins that cannot go on where it was */
async function beginAt(
  events: EventStore,
  range: EventRange,
  after: Parameters<EventStreams['open']>[0]['after'],
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
