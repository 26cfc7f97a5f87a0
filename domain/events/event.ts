/** What happened: a change of an entity, or a login. One record of the audit, as readers of events get it. */
import type { AuditRecord } from '../audit.js';
import { eventIdText } from './position.js';
import type { EventPosition } from './position.js';

export interface EventRecord extends AuditRecord {
  readonly position: EventPosition;
}

/** An event as it is sent. */
export interface Message {
  /** Of the event: the same however often it is sent. */
  readonly id: string;
  readonly body: string;
}

/** As the audit has it, with the id of the event in place of the record's. What is null is left out. */
export function messageOf(timeline: string, record: EventRecord): Message {
  const { position, id: auditId, at, kind, actor, ...rest } = record;
  const id = eventIdText(timeline, position);
  const body = { id, auditId, at: at.toISOString(), kind, actor: known(actor), ...known(rest) };
  return { id, body: JSON.stringify(body) };
}

const known = (facts: object): object =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
