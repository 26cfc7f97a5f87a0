/**
 * Position of a reader of events. Events are numbered by batch and, in a batch, by the number of their record; a
 * position is that of the last event that was read. `seq` 0 is before the first one of its batch.
 */
import { invalidField } from '../errors.js';

export interface EventPosition {
  /** Number of the batch, from 1. */
  readonly batch: number;
  readonly seq: number;
}

/** A position in one history of the database: another history counts the same numbers for other events. */
export interface EventId extends EventPosition {
  /** 8 hex digits. */
  readonly timeline: string;
}

/** Position before everything that is kept. */
export const BEGINNING = 'first';

const ID = /^([0-9a-f]{8})\.(\d{1,15})\.(\d{1,15})$/;

export const isBefore = (a: EventPosition, b: EventPosition): boolean =>
  a.batch < b.batch || (a.batch === b.batch && a.seq < b.seq);

export const eventIdText = (timeline: string, { batch, seq }: EventPosition): string => `${timeline}.${batch}.${seq}`;

/**
 * @param name  of the parameter or header that held it
 * @throws DomainError `invalidField`
 */
export function parseEventId(name: string, text: string): EventId | typeof BEGINNING {
  if (text === BEGINNING) return BEGINNING;
  const [, timeline, batch, seq] = ID.exec(text) ?? [];
  if (timeline === undefined || Number(batch) === 0) {
    const rule = `must be the id of an event as the stream gave it, or '${BEGINNING}'; without it, it starts now`;
    throw invalidField(name, rule, text.slice(0, 100), `${name} is no id of an event`);
  }
  return { timeline, batch: Number(batch), seq: Number(seq) };
}
