/** Activity of API sessions: written for many at a time, and each not more often than it has to be. */
import type { Db } from '../postgres/contracts.js';
import { asyncChange } from '../postgres/statement.js';
import { MAY_CALL, STATE, STATE_JOINS } from './api-session-owners.js';

/** The latest use of a session. */
export interface Activity {
  readonly at: Date;
  /** Its latest request; null when routers alone reported a use. */
  readonly requestedAt: Date | null;
}

/** A session whose activity was to be recorded. */
export interface TouchedSession {
  /** The same as in `SessionOwner`. */
  readonly state: string;
  /** Its activity is not written yet, and shall be after so long; 0: it is written. */
  readonly waitsSeconds: number;
}

/** Reports of routers keep a session for so long after the last request of its client, and no longer. */
const REPORTED_SECONDS = 86_400;

/** Written at most so often for each identity: who asks what is unused asks by days (unused-view.ts). */
const USES_APART = '12 hours';

/**
 * Ages, not times: only the database's clock decides when a session has been idle for too long. What was written less
 * than `$4` seconds ago is left as it is, so that a client that calls all the time costs no write each time. Rows are
 * locked in one order, so that two controllers never wait for each other.
 */
const TOUCH = asyncChange<TouchedSession & { id: string }>(
  'api-sessions-touch',
  ({ actor }) => `WITH u AS MATERIALIZED (SELECT id, now() - make_interval(secs => age) AS at,
    now() - make_interval(secs => requested_age) AS requested_at
  FROM unnest($1::text[], $2::float8[], $3::float8[]) AS used (id, age, requested_age)),
due AS MATERIALIZED (SELECT s.id, c.at, u.requested_at FROM u JOIN api_sessions s ON s.id = u.id
  CROSS JOIN LATERAL (SELECT least(u.at,
    greatest(s.last_request_at, u.requested_at) + make_interval(secs => ${REPORTED_SECONDS})) AS at OFFSET 0) c
  WHERE s.last_activity_at < c.at AND s.last_activity_at <= now() - make_interval(secs => $4)
  ORDER BY s.id FOR NO KEY UPDATE OF s),
written AS (
  UPDATE api_sessions s SET last_activity_at = greatest(s.last_activity_at, due.at),
    updated_at = greatest(s.updated_at, due.at), last_request_at = greatest(s.last_request_at, due.requested_at)
  FROM due WHERE s.id = due.id RETURNING s.identity_id, s.last_activity_at AS at${actor}),
uses AS (
  INSERT INTO last_uses AS u (kind, entity_id, at) SELECT 'identity', w.identity_id, max(w.at) FROM written w
  WHERE NOT EXISTS (SELECT FROM last_uses k WHERE k.kind = 'identity' AND k.entity_id = w.identity_id
    AND k.at > w.at - interval '${USES_APART}')
  GROUP BY w.identity_id ORDER BY w.identity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at))
SELECT t.id, ${STATE} AS state, CASE WHEN t.last_activity_at < u.at
  THEN greatest(0, $4 - extract(epoch FROM now() - t.last_activity_at))::float8 ELSE 0 END AS "waitsSeconds"
FROM u JOIN api_sessions t ON t.id = u.id ${STATE_JOINS} WHERE ${MAY_CALL}`,
);

export async function touchApiSessions(
  db: Db,
  activity: ReadonlyMap<string, Activity>,
  restSeconds: number,
): Promise<ReadonlyMap<string, TouchedSession>> {
  const now = Date.now();
  const ageOf = (at: Date) => Math.max(0, now - at.getTime()) / 1000;
  const uses = [...activity.values()];
  const rows = await db.many(TOUCH, [
    [...activity.keys()],
    uses.map(({ at }) => ageOf(at)),
    uses.map(({ requestedAt }) => requestedAt && ageOf(requestedAt)),
    restSeconds,
  ]);
  return new Map(rows.map(({ id, ...touched }) => [id, touched]));
}
