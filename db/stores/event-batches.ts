/**
 * Events in the order of their commits, from the audit's records. A batch has two snapshots, and holds the records
 * whose transactions the later one sees and the earlier one does not (db/schema/migrations/0020-event-batches.sql).
 */
import type { EventRecord } from '../../domain/events/event.js';
import type { EventPosition } from '../../domain/events/position.js';
import { EVENT_BATCH_LOCK } from '../postgres/advisory-locks.js';
import { AUDIT_COLUMNS, recordFromRow } from './audit-records.js';
import type { AuditRow } from './audit-records.js';
import type { Db } from '../postgres/contracts.js';
import { locking, read, slowRead } from '../postgres/statement.js';

/** The batches that are there to be read. */
export interface EventRange {
  /** 8 hex digits, which name this history of the database. */
  readonly timeline: string;
  /** The first batch that can be read, and the last one that is closed. */
  readonly first: number;
  readonly last: number;
}

export interface EventPage {
  readonly records: readonly EventRecord[];
  /** Everything up to here was read. */
  readonly end: EventPosition;
}

export interface EventStore {
  /** @returns the number of the last batch: with all that is committed by now, it or an earlier one holds it */
  close(): Promise<number>;
  range(): Promise<EventRange>;
  /** Whether this record is there, in this batch. */
  has(position: EventPosition): Promise<boolean>;
  /**
   * Reads on behind a position, up to the batch `through` and at most `limit` records, fewer when they are large: none
   * when that was all.
   */
  after(position: EventPosition, through: number, limit: number): Promise<EventPage>;
  /** Removes batches whose records are gone, up to `max`. Answers how many. */
  sweep(max: number): Promise<number>;
}

const CLOSE = locking<{ last: number }>('events-close', `SELECT close_event_batch(${EVENT_BATCH_LOCK}) AS last`);

const RANGE = read<EventRange>(
  'events-range',
  `SELECT left(w.timeline_id, 8) AS timeline,
  coalesce((SELECT min(n) FROM event_batches WHERE snapshot IS NOT NULL AND n > 0), 1) AS first,
  coalesce((SELECT max(n) FROM event_batches), 0) AS last FROM network w`,
);

/** The record `t` is of the batch `b`: the bounds are for the index. */
const IN_BATCH = `t.xid >= coalesce(pg_snapshot_xmin(b.earlier), '0'::xid8) AND t.xid < pg_snapshot_xmax(b.snapshot)
  AND pg_visible_in_snapshot(t.xid, b.snapshot)
  AND (b.earlier IS NULL OR NOT pg_visible_in_snapshot(t.xid, b.earlier))`;

const HAS = slowRead<{ found: boolean }>(
  'events-has',
  `SELECT EXISTS (SELECT FROM event_batches b JOIN audit_records t ON ${IN_BATCH}
  WHERE b.n = $1 AND t.seq = $2) AS found`,
);

/** Bounds a page of `before` and `after`: a record may have two mebibytes, and many readers read at a time. */
const PAGE_BYTES = 1024 * 1024;

/**
 * How many bytes a value has at most, by those that are stored: to know it exactly, each would have to be unpacked
 * for each page that does not reach it. No method packs better than this.
 */
const storedBytes = (value: string) => `coalesce(pg_column_size(${value}) *
    CASE pg_column_compression(${value}) WHEN 'pglz' THEN 90 WHEN 'lz4' THEN 255 ELSE 1 END, 0)`;

/** Answers at least one record, if there is any. `found` counts the records without the bound of bytes. */
const AFTER = slowRead<Row>(
  'events-after',
  `WITH following AS MATERIALIZED (
  SELECT b.n AS batch, r.* FROM event_batches b CROSS JOIN LATERAL (
    SELECT t.* FROM audit_records t WHERE ${IN_BATCH} AND (b.n > $1 OR t.seq > $2) ORDER BY t.seq LIMIT $4) r
  WHERE b.n BETWEEN $1 AND $3 AND b.snapshot IS NOT NULL ORDER BY b.n, r.seq LIMIT $4),
sized AS MATERIALIZED (
  SELECT f.*, ${storedBytes('f.before')} + ${storedBytes('f.after')} AS bytes FROM following f),
summed AS (
  SELECT s.*, count(*) OVER () AS found, sum(s.bytes) OVER (ORDER BY s.batch, s.seq) - s.bytes AS earlier
  FROM sized s)
SELECT t.batch, t.seq, t.found, ${AUDIT_COLUMNS} FROM summed t
WHERE t.earlier = 0 OR t.earlier + t.bytes <= ${PAGE_BYTES} ORDER BY t.batch, t.seq`,
);

/** Batches in one statement: so it is short, however little each of them holds. */
const MAX_BATCHES = 200;

/** Removes all that came before the oldest record; the last batch says where the next one begins. */
const SWEEP = locking(
  'events-sweep',
  `DELETE FROM event_batches WHERE n IN (SELECT n FROM event_batches
  WHERE n < (SELECT max(n) FROM event_batches) AND closed_at < (SELECT min(at) FROM audit_records)
  ORDER BY n LIMIT $1 FOR UPDATE SKIP LOCKED)`,
);

type Row = AuditRow & { readonly batch: number; readonly seq: number; readonly found: number };

export function eventStore(db: Db): EventStore {
  return {
    async close() {
      const row = await db.one(CLOSE);
      if (row === undefined) throw new Error('a batch was closed without an answer');
      return row.last;
    },
    async range() {
      const row = await db.one(RANGE);
      if (row === undefined) throw new Error('the database has no network');
      return row;
    },
    async has({ batch, seq }) {
      const row = await db.one(HAS, [batch, seq]);
      return row?.found === true;
    },
    async after({ batch, seq }, through, limit) {
      const last = Math.min(through, batch + MAX_BATCHES);
      const rows = await db.many(AFTER, [batch, seq, last, limit]);
      const found = rows[0]?.found ?? 0;
      const records = rows.map((row) => ({
        ...recordFromRow(row),
        position: { batch: row.batch, seq: row.seq },
      }));
      const latest = records.at(-1);
      const isPart = latest !== undefined && (records.length < found || found === limit);
      return { records, end: isPart ? latest.position : { batch: last + 1, seq: 0 } };
    },
    async sweep(max) {
      return db.count(SWEEP, [max]);
    },
  };
}
