/** An event: a change of an entity, or a login. One record of the audit, in the form that readers of events get. */
import type { AuditRecord } from '../audit.js';
import { eventIdText } from './position.js';
import type { EventPosition } from './position.js';

export interface EventRecord extends AuditRecord {
  readonly position: EventPosition;
}

/** An event as it is sent. */
export interface EventMessage {
  /** Id of the event, the same however often it is sent. */
  readonly id: string;
  readonly body: string;
}

/**
 * Returns the message for an audit record, with the id of the event in place of the record's. Members that are null are
 * left out.
 */
export function toEventMessage(timeline: string, record: EventRecord): EventMessage {
  const { position, id: auditId, at, kind, actor, ...rest } = record;
  const id = eventIdText(timeline, position);
  const body = { id, auditId, at: at.toISOString(), kind, actor: known(actor), ...known(rest) };
  return { id, body: JSON.stringify(body) };
}

const known = (facts: object): object =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
