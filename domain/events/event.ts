/** What happened: a change of an entity, or a login. One record of the audit, as readers of events get it. */
import type { EventPosition } from './position.js';

export interface EventRecord {
  readonly position: EventPosition;
  /** When its transaction began. */
  readonly at: Date;
  /** `identity.created`, `login.failed`. */
  readonly kind: string;
  readonly entityType: string;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly actorKind: string;
  readonly apiSessionId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly controller: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
}

/** As the audit tells of it, with the id of the event in place of the record's. What is null is left out. */
export function eventJson(id: string, record: EventRecord): string {
  const { position, at, kind, actorKind, actorId, actorName, ...rest } = record;
  const actor = { kind: actorKind, id: actorId ?? undefined, name: actorName ?? undefined };
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return JSON.stringify({ id, auditId: String(position.seq), at: at.toISOString(), kind, actor, ...known });
}
