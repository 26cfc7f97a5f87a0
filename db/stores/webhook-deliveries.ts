/** Deliveries to webhooks: who delivers to which, how far each has got, and what could not be delivered. */
import type { EventPosition } from '../../domain/events/position.js';
import type { Db } from '../postgres/contracts.js';
import { change, locking, slowRead } from '../postgres/statement.js';
import { TOUCHED } from '../query/change-statements.js';

/** A target that a controller delivers to, for as long as no other one does. */
export interface Lease {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly sealedSecret: Buffer;
  /** Moves with each change of the target. */
  readonly version: string;
  readonly position: EventPosition;
  readonly attempts: number;
  readonly failingSince: Date | null;
  readonly nextAttemptAt: Date | null;
  /** There are dead letters to be sent again. */
  readonly hasDue: boolean;
}

/** The place and the state of a target, written down after deliveries. */
export interface Progress {
  readonly position: EventPosition;
  readonly deliveredAt: Date | null;
  readonly attempts: number;
  readonly failingSince: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

export interface DueLetter {
  readonly id: string;
  readonly eventId: string;
  readonly body: string;
}

export interface NewLetter extends DueLetter {
  readonly kind: string;
  readonly attempts: number;
  readonly firstFailedAt: Date;
  readonly lastError: string;
}

export interface WebhookDeliveries {
  /**
   * The targets that `holder` delivers to from now on, for `seconds`: those that it had, and at most `more` that no one
   * has. One that is disabled, or gone, is missing.
   */
  lease(holder: string, seconds: number, more: number): Promise<Lease[]>;
  release(holder: string): Promise<void>;
  /** False when another one has the lease, or the target is gone. */
  save(holder: string, id: string, progress: Progress): Promise<boolean>;
  /** Writes a dead letter, and goes on behind it. False as `save`. */
  bury(holder: string, id: string, letter: NewLetter, progress: Progress): Promise<boolean>;
  due(id: string, limit: number): Promise<DueLetter[]>;
  /** A dead letter was delivered. */
  dropLetter(letterId: string): Promise<void>;
  /** It failed once more. */
  keepLetter(letterId: string, error: string): Promise<void>;
}

const LEASE = locking<Omit<Lease, 'position'> & EventPosition>(
  'webhooks-lease',
  `WITH mine AS (
  SELECT p.webhook_id FROM webhook_progress p JOIN webhooks w ON w.id = p.webhook_id AND w.is_enabled
  WHERE p.leased_by = $1 FOR UPDATE OF p),
free AS (
  SELECT p.webhook_id FROM webhook_progress p JOIN webhooks w ON w.id = p.webhook_id AND w.is_enabled
  WHERE p.leased_by IS DISTINCT FROM $1 AND (p.leased_until IS NULL OR p.leased_until < clock_timestamp())
  ORDER BY p.webhook_id LIMIT $3 FOR UPDATE OF p SKIP LOCKED),
taken AS (
  UPDATE webhook_progress p SET leased_by = $1, leased_until = clock_timestamp() + make_interval(secs => $2)
  WHERE p.webhook_id IN (SELECT webhook_id FROM mine UNION ALL SELECT webhook_id FROM free) RETURNING p.*)
SELECT w.id, w.url, w.kinds, w.sealed_secret AS "sealedSecret", w.updated_at::text AS version, t.batch, t.seq,
  t.attempts, t.failing_since AS "failingSince", t.next_attempt_at AS "nextAttemptAt",
  EXISTS (SELECT FROM webhook_dead_letters l WHERE l.webhook_id = w.id AND l.is_due) AS "hasDue"
FROM taken t JOIN webhooks w ON w.id = t.webhook_id`,
);

const SAVE = `UPDATE webhook_progress SET batch = $3, seq = $4, delivered_at = coalesce($5, delivered_at),
  attempts = $6, failing_since = $7, next_attempt_at = $8, last_error = $9 WHERE webhook_id = $2 AND leased_by = $1`;

const BURY = slowRead(
  'webhook-bury',
  `WITH saved AS (${SAVE} RETURNING webhook_id)
INSERT INTO webhook_dead_letters (id, webhook_id, event_id, kind, body, attempts, first_failed_at, last_error)
SELECT $10, webhook_id, $11, $12, $13, $14, $15, $16 FROM saved
ON CONFLICT (webhook_id, event_id) DO UPDATE SET attempts = excluded.attempts, updated_at = now()`,
);

const valuesOfProgress = (holder: string, id: string, progress: Progress): unknown[] => [
  holder,
  id,
  progress.position.batch,
  progress.position.seq,
  progress.deliveredAt,
  progress.attempts,
  progress.failingSince,
  progress.nextAttemptAt,
  progress.lastError,
];

const WEBHOOKS_RELEASE = slowRead(
  'webhooks-release',
  'UPDATE webhook_progress SET leased_by = NULL, leased_until = NULL WHERE leased_by = $1',
);

const WEBHOOK_SAVE = slowRead('webhook-save', SAVE);

const DUE = slowRead<DueLetter>(
  'webhook-due',
  `SELECT id, event_id AS "eventId", body FROM webhook_dead_letters WHERE webhook_id = $1 AND is_due
  ORDER BY created_at, id LIMIT $2`,
);

const LETTER_DROP = change(
  'webhook-letter-drop',
  ({ returningActor }) => `DELETE FROM webhook_dead_letters WHERE id = $1${returningActor}`,
);

const LETTER_KEEP = change(
  'webhook-letter-keep',
  ({ returningActor }) => `UPDATE webhook_dead_letters SET is_due = false, attempts = attempts + 1, last_error = $2,
  ${TOUCHED} WHERE id = $1${returningActor}`,
);

export async function leaseWebhooks(db: Db, holder: string, seconds: number, more: number): Promise<Lease[]> {
  const rows = await db.many(LEASE, [holder, seconds, more]);
  return rows.map(({ batch, seq, ...rest }) => ({ ...rest, position: { batch, seq } }));
}

export async function releaseWebhooks(db: Db, holder: string): Promise<void> {
  await db.execute(WEBHOOKS_RELEASE, [holder]);
}

export async function saveProgress(db: Db, holder: string, id: string, progress: Progress): Promise<boolean> {
  return (await db.count(WEBHOOK_SAVE, valuesOfProgress(holder, id, progress))) > 0;
}

export async function buryLetter(
  db: Db,
  holder: string,
  id: string,
  letter: NewLetter,
  progress: Progress,
): Promise<boolean> {
  const values = [
    ...valuesOfProgress(holder, id, progress),
    letter.id,
    letter.eventId,
    letter.kind,
    letter.body,
    letter.attempts,
    letter.firstFailedAt,
    letter.lastError,
  ];
  return (await db.count(BURY, values)) > 0;
}

export const dueLetters = (db: Db, id: string, limit: number): Promise<DueLetter[]> => db.many(DUE, [id, limit]);

export async function dropLetter(db: Db, letterId: string): Promise<void> {
  await db.execute(LETTER_DROP, [letterId]);
}

export async function keepLetter(db: Db, letterId: string, error: string): Promise<void> {
  await db.execute(LETTER_KEEP, [letterId, error]);
}
