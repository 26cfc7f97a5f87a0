/** The audit record: what was changed, by whom, and who logged in. */

/** Kind of actor: `operator` is the command line, `anonymous` a client that has not logged in. */
export type ActorKind = 'identity' | 'anonymous' | 'router' | 'operator' | 'controller';

export interface AuditRecord {
  /** A number as text; of one entity, later ones are greater. */
  readonly id: string;
  readonly at: Date;
  /** Such as `identity.updated` or `login.failed`. */
  readonly kind: string;
  readonly entityType: string;
  readonly entityId: string | null;
  readonly entityName: string | null;
  readonly actor: { readonly kind: ActorKind; readonly id: string | null; readonly name: string | null };
  readonly apiSessionId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly controller: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
}

/** Whether a text can be the id of a record: a positive number that a `bigint` of the database can hold. */
export const isAuditId = (text: string): boolean => /^[1-9]\d{0,17}$/.test(text);

/** A login or an enrollment that was refused. */
export interface RefusalRecord {
  readonly kind: 'login.failed' | 'enrollment.failed';
  /** A code word of ours. */
  readonly reason: string;
  /** Identity that the credentials belong to; null if unknown. */
  readonly identityId: string | null;
  readonly apiSessionId: string | null;
  /** Address of the client; null in a sum over several networks. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** Facts that we state ourselves: the method of the login, or how many refusals a sum counts. */
  readonly facts: Readonly<Record<string, string | number>>;
  readonly at: Date;
}
