/** Readers of the stream of events: one that stays at a controller, one that wanders, and a webhook. */
import { openEvents } from '../../test/support/event-source.js';
import type { EventData } from '../../test/support/event-source.js';
import type { Receiver } from '../../test/support/webhook-receiver.js';
import { pause } from './caller.js';
import type { Place } from './caller.js';
import { WEBHOOK } from './record.js';
import type { Received, RecordFile } from './record.js';
import type { Draw } from './writers.js';

/** A stream that is silent for longer than this is left: its link may hang. */
const STAY_MS = 5_000;
const RETRY_MS = 200;
const OPEN_MS = 5_000;

/** Leaves out what a fault on purpose takes away. */
export type Sieve = (events: readonly EventData[]) => readonly EventData[];

export interface ReaderOptions {
  readonly name: string;
  readonly token: string;
  readonly record: RecordFile;
  readonly draw: Draw;
  readonly sieve?: Sieve | undefined;
}

export class EventReader {
  #last: string;
  #got = 0;

  /** @param places  one of them is chosen for each connection */
  constructor(
    private readonly places: readonly Place[],
    private readonly options: ReaderOptions,
    firstId: string,
  ) {
    this.#last = firstId;
  }

  /** How many events it has read. */
  get got(): number {
    return this.#got;
  }

  async run(halt: AbortSignal): Promise<void> {
    const { name, token, record, draw, sieve } = this.options;
    while (!halt.aborted) {
      const { url } = this.places[draw(this.places.length)] as Place;
      const opening = openEvents(url, token, { lastEventId: this.#last }).catch(() => undefined);
      const source = await Promise.race([opening, pause(OPEN_MS, halt)]);
      if (source === undefined || source.status !== 200) {
        void opening.then((late) => late?.close());
        await pause(RETRY_MS, halt);
        continue;
      }
      await Promise.race([source.over, pause(500 + draw(STAY_MS), halt)]);
      source.close();
      // The id and the events are of one moment: nothing is read after the end.
      this.#last = source.lastId();
      const time = performance.now();
      for (const { event, reason } of source.controls)
        record.add({ kind: 'notice', reader: name, time, event, reason });
      for (const event of sieve?.(source.events) ?? source.events) record.add(received(name, time, event));
      this.#got += source.events.length;
    }
  }
}

const received = (reader: string, time: number, { id, auditId, entityId, kind }: EventData): Received => ({
  kind: 'event',
  reader,
  time,
  id,
  auditId: Number(auditId),
  entityId,
  event: kind,
});

/** Writes down what the webhook got, in the order in which it came. */
export function recordDeliveries({ deliveries }: Receiver, record: RecordFile): void {
  for (const { id, body, isSigned } of deliveries) {
    const { auditId, entityId, kind } = body as unknown as EventData;
    const entry = received(WEBHOOK, 0, { id, auditId, entityId, kind } as EventData);
    record.add(isSigned ? entry : { ...entry, id: `${id} without its signature` });
  }
}
