/**
 * The audit record. Triggers write it, in the transaction of each change (migrations/0019-audit.sql and 0028); refusals
 * and what changes no row are written here.
 */
import { isAuditId } from '../../domain/audit.js';
import type { ActorKind, AuditRecord, RefusalRecord } from '../../domain/audit.js';
import type { Page } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import { AUDIT_LOCK } from '../postgres/advisory-locks.js';
import type { Db } from '../postgres/contracts.js';
import { auditSymbols } from './symbols.js';
import { getOne } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { PageSource } from '../query/table.js';
import { change, read, unprepared } from '../postgres/statement.js';

/** A record as it is read. */
export interface AuditRow {
  id: string;
  at: Date;
  kind: string;
  entity_type: string;
  entity_id: string | null;
  entity_name: string | null;
  actor_kind: ActorKind;
  actor_id: string | null;
  actor_name: string | null;
  api_session_id: string | null;
  address: string | null;
  request_id: string | null;
  controller: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
}

/** Besides `seq`. */
const COLUMNS = [
  'at',
  'kind',
  'entity_type',
  'entity_id',
  'entity_name',
  'actor_kind',
  'actor_id',
  'actor_name',
  'api_session_id',
  'address',
  'request_id',
  'controller',
  'before',
  'after',
  'reason',
];
const ID = 't.seq::text AS id';

/** Columns of the alias `t`. */
export const AUDIT_COLUMNS = [...COLUMNS.map((column) => `t.${column}`), ID].join(', ');

export const recordFromRow = (row: AuditRow): AuditRecord => ({
  id: row.id,
  at: row.at,
  kind: row.kind,
  entityType: row.entity_type,
  entityId: row.entity_id,
  entityName: row.entity_name,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
  apiSessionId: row.api_session_id,
  address: row.address,
  requestId: row.request_id,
  controller: row.controller,
  before: row.before,
  after: row.after,
  reason: row.reason,
});

const source: PageSource<AuditRow, AuditRecord> = {
  table: 'audit_records',
  symbols: auditSymbols,
  columns: COLUMNS,
  extras: ID,
  rowKey: 'seq',
  countsUpTo: 'setting',
  fromRow: recordFromRow,
};

const DETAIL = read<AuditRow>('audit-record-detail', `SELECT ${AUDIT_COLUMNS} FROM audit_records t WHERE t.seq = $1`);

/** Adds the name of the identity, if it exists. Times come as ages: only the database's clock counts. */
const ADD_REFUSALS = change(
  'audit-add-refusals',
  ({ returningActor }) => `INSERT INTO audit_records (at, kind, entity_type, entity_id, entity_name, actor_kind,
  api_session_id, address, request_id, controller, after, reason)
SELECT now() - make_interval(secs => r.age), r.kind, 'identity', i.id, i.name, 'anonymous', r.api_session_id, r.address,
  r.request_id, $2, r.facts, r.reason
FROM jsonb_to_recordset($1::jsonb) AS r (age float8, kind text, identity_id text, api_session_id text, address text,
  request_id text, facts jsonb, reason text)
LEFT JOIN identities i ON i.id = r.identity_id${returningActor}`,
);

/**
 * Sums of logins and of ends of API sessions, of each identity as one record, once the oldest count is so old. What
 * another controller is writing is left to it.
 */
const WRITE_SUMS = change(
  'audit-write-sums',
  ({ returningActor }) => `WITH due AS (
  DELETE FROM audit_sums WHERE (kind, identity_id, authenticator_id, method, actor_kind, backend) IN (
    SELECT kind, identity_id, authenticator_id, method, actor_kind, backend FROM audit_sums s
    WHERE EXISTS (SELECT FROM audit_sums o WHERE (o.kind, o.identity_id, o.authenticator_id, o.method, o.actor_kind)
      = (s.kind, s.identity_id, s.authenticator_id, s.method, s.actor_kind)
      AND o.since <= now() - make_interval(secs => $1))
    FOR UPDATE SKIP LOCKED)
  RETURNING kind, identity_id, authenticator_id, method, actor_kind, since, total),
summed AS (
  SELECT kind, identity_id, authenticator_id, method, actor_kind, kind = 'login.succeeded' AS is_login,
    jsonb_build_object('count', sum(total), 'since', min(since)) AS facts
  FROM due GROUP BY kind, identity_id, authenticator_id, method, actor_kind)
INSERT INTO audit_records (kind, entity_type, entity_id, entity_name, before, after, actor_kind, actor_id, actor_name,
  controller, reason)
SELECT s.kind, CASE WHEN is_login THEN 'identity' ELSE 'apiSession' END, CASE WHEN is_login THEN s.identity_id END,
  i.name, CASE WHEN NOT is_login THEN s.facts || jsonb_build_object('identityId', s.identity_id) END,
  CASE WHEN is_login THEN s.facts || jsonb_build_object('method', s.method, 'authenticatorId', s.authenticator_id) END,
  s.actor_kind, CASE s.actor_kind WHEN 'identity' THEN s.identity_id END, CASE s.actor_kind WHEN 'identity' THEN i.name
  END, $2, CASE WHEN is_login THEN 'tooManyLogins' ELSE 'tooManyEnds' END
FROM summed s LEFT JOIN identities i ON i.id = s.identity_id${returningActor}`,
);

/** A record of what no trigger sees, since it is no change of a row. */
export interface AuditNote {
  readonly kind: string;
  readonly entityType: string;
  readonly entityId?: string;
  readonly entityName?: string;
  readonly after: Readonly<Record<string, unknown>>;
}

const NOTE = unprepared('audit-note', 'SELECT record_audit($1, $2, $3, $4, NULL, $5::jsonb)');

/** Writes it in the transaction `tx`, by whom that acts for. */
export async function noteAudit(tx: Pick<Db, 'execute'>, note: AuditNote): Promise<void> {
  const { kind, entityType, entityId = null, entityName = null, after } = note;
  await tx.execute(NOTE, [kind, entityType, entityId, entityName, JSON.stringify(after)]);
}

export interface AuditRecordStore {
  /** Newest first. A total is exact up to the bound of `ListLimits`, and that number beyond. */
  list(request: ListRequest): Promise<Page<AuditRecord>>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<AuditRecord>;
  /** @param controller  name of the one that refused */
  addRefusals(refusals: readonly RefusalRecord[], controller: string): Promise<void>;
  /**
   * Writes what logins have counted for at least so long. Answers how many records it made.
   * @param controller  name of the one that writes
   */
  writeSums(seconds: number, controller: string): Promise<number>;
  /** Makes the partitions of the months to come, up to `ahead`. Answers how many were missing. */
  makePartitions(ahead: number): Promise<number>;
  /** Drops what is older than so many days, by whole months. Answers how many partitions went. */
  dropPartitions(days: number): Promise<number>;
}

export function auditRecordStore(db: Db, lists: Lists): AuditRecordStore {
  return {
    list: (request) => lists.page(db, source, request),
    async get(id) {
      if (!isAuditId(id)) throw notFound('auditRecord', id);
      return getOne(db, 'auditRecord', DETAIL, [id], source.fromRow);
    },
    async addRefusals(refusals, controller) {
      const now = Date.now();
      const rows = refusals.map(({ at, identityId, apiSessionId, requestId, ...refusal }) => ({
        ...refusal,
        age: Math.max(0, now - at.getTime()) / 1000,
        identity_id: identityId,
        api_session_id: apiSessionId,
        request_id: requestId,
      }));
      await db.execute(ADD_REFUSALS, [JSON.stringify(rows), controller]);
    },
    async writeSums(seconds, controller) {
      return db.count(WRITE_SUMS, [seconds, controller]);
    },
    makePartitions: async (ahead) => partitionsOf(db, MAKE, ahead),
    dropPartitions: async (days) => partitionsOf(db, DROP, days),
  };
}

/**
 * Work of one controller at a time: for the others there is nothing to do. A lock on a table that is not to be had soon
 * is given up, since all who write would wait behind it; the next turn tries again.
 */
const callOf = (name: string, work: string) =>
  change<{ n: number | null }>(
    name,
    ({ actor }) => `SELECT CASE WHEN pg_try_advisory_xact_lock(${AUDIT_LOCK}) THEN ${work} END AS n${actor}
FROM (SELECT set_config('lock_timeout', '1s', true) OFFSET 0) quickly`,
  );
const MAKE = callOf('audit-make-partitions', 'make_audit_partitions($1::int)');
const DROP = callOf('audit-drop-partitions', 'drop_audit_partitions(make_interval(days => $1::int))');

async function partitionsOf(db: Db, work: typeof MAKE, value: number): Promise<number> {
  return (await db.one(work, [value]))?.n ?? 0;
}
