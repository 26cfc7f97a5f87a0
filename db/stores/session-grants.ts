/**
 * Whether a session still has its grant. Policies decide this, and evaluating them costs; so each session keeps the
 * epoch 'grants' of its last check, and until when the posture checks pass that it depends on. One that nothing has
 * concerned since that epoch, and whose time is not over, is granted; any other is unchecked, and is checked before any
 * answer shows it. A check brings it up to date, or removes it for good.
 */
import { DomainError } from '../../domain/errors.js';
import { judge, latestEnd } from '../../domain/policy/access.js';
import { isDatabase } from '../postgres/contracts.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { ASKED_CHECKS, ASKS_NOTHING, posturesOf, toAskedChecks, UNKNOWN_POSTURE } from './postures.js';
import type { AskedRow } from './postures.js';
import { asyncChange, change, locking } from '../postgres/statement.js';

/** Moves whenever a grant may have been lost. */
export const GRANTS_EPOCH = `(SELECT epoch FROM model_epochs WHERE name = 'grants')`;
/** Its value when sessions of all services were last concerned. */
export const GRANTS_EPOCH_FOR_ALL = `(SELECT for_all FROM model_epochs WHERE name = 'grants')`;

/** An entity with its selectors, which are worked out once: not for every policy that is compared with them. */
export const withSelectors = (table: string, where: string) =>
  `(SELECT e.id, e.name, e.role_attributes, selectors_of(e.id, e.role_attributes) AS selectors FROM ${table} e
    WHERE ${where} OFFSET 0)`;

/**
 * Whether policy `p` selects the service `ts` and the identity `ti`, both with their selectors. A role list that
 * overlaps them is all that `AnyOf` asks for; only `AllOf` has to be looked at more closely, which costs more.
 */
export const SELECTS_BOTH = `p.service_roles && ts.selectors AND p.identity_roles && ti.selectors
    AND (p.semantic = 'AnyOf' OR (role_selects(p.semantic, p.service_roles, ts.id, ts.role_attributes)
      AND role_selects(p.semantic, p.identity_roles, ti.id, ti.role_attributes)))`;
export const IS_ENABLED = `NOT ${isDisabledSql('e')}`;

/** The API session owes no second factor, and was made in a way that its policy still accepts. */
const IS_FULL = 'EXISTS (SELECT FROM full_api_session(t.api_session_id))';

const IS_HOLDER = `e.id = t.identity_id AND ${IS_ENABLED} AND ${IS_FULL}`;

/**
 * The policies `p` of its type that select the identity and the service of session `t`; none while the identity is
 * disabled, or its API session is not fully authenticated.
 */
export const SELECTING = `FROM ${withSelectors('identities', IS_HOLDER)} ti
  CROSS JOIN ${withSelectors('services', 'e.id = t.service_id')} ts
  JOIN service_policies p ON p.type = t.type AND ${SELECTS_BOTH}`;
/** Its client shows signed tokens. Such clients report on their devices to routers alone, which judge them. */
const IS_JUDGED_BY_ROUTERS =
  'EXISTS (SELECT FROM api_sessions b WHERE b.id = t.api_session_id AND b.expires_at IS NOT NULL)';
/** Those of them that grant it whatever the device is, or whatever is known of it here. */
const GRANTING = `${SELECTING} AND (${ASKS_NOTHING} OR ${IS_JUDGED_BY_ROUTERS})`;

/** Nothing has concerned the session, whose alias is given, since its policies were asked. */
export const isCurrent = (session: string) =>
  `(${session}.granted_epoch >= ${GRANTS_EPOCH_FOR_ALL} AND ${session}.granted_until > now()
    AND NOT EXISTS (SELECT FROM narrowed_services n
      WHERE n.service_id = ${session}.service_id AND n.epoch > ${session}.granted_epoch))`;
export const IS_CURRENT = isCurrent('t');
/** Narrowed services of which some session may be unchecked, each as `n`. */
export const UNSWEPT_SERVICES = 'narrowed_services n WHERE NOT n.is_swept';
/** Sessions of the service `n` whose policies were asked before it was narrowed. */
export const SESSIONS_OF_NARROWED = 'sessions d WHERE d.service_id = n.service_id AND d.granted_epoch < n.epoch';
/** Known to be granted; one that depends on posture is so only while it is current. */
export const IS_GRANTED = `(${IS_CURRENT} OR EXISTS (SELECT ${GRANTING}))`;

const lockingIds = locking<{ id: string }>;
const LOCK_NAMED = lockingIds('sessions-lock', 'SELECT id FROM sessions WHERE id = ANY ($1) ORDER BY id FOR UPDATE');
const LOCK_NARROWED = lockingIds(
  'sessions-lock-narrowed',
  `SELECT t.id FROM (SELECT * FROM ${UNSWEPT_SERVICES} OFFSET 0) n
  CROSS JOIN LATERAL (SELECT d.id FROM ${SESSIONS_OF_NARROWED} LIMIT $1 FOR UPDATE SKIP LOCKED) t LIMIT $1`,
);
const LOCK_UNCHECKED = lockingIds(
  'sessions-lock-unchecked',
  `SELECT id FROM sessions WHERE granted_epoch < ${GRANTS_EPOCH_FOR_ALL} ORDER BY granted_epoch LIMIT $1
  FOR UPDATE SKIP LOCKED`,
);
const LOCK_OVER = lockingIds(
  'sessions-lock-over',
  `SELECT id FROM sessions WHERE granted_until < 'infinity' AND granted_until <= now()
  ORDER BY granted_until LIMIT $1 FOR UPDATE SKIP LOCKED`,
);
const LOCK_UNCHECKED_OF = lockingIds(
  'sessions-lock-unchecked-of',
  `SELECT id FROM sessions t WHERE identity_id = $2 AND NOT ${IS_CURRENT}
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
);

/** Tells the audit triggers which sessions the controller ends by itself. They never come back, so it may stay set. */
const noteEnded = (ids: string): string => `set_config('edge.ended', array_to_string(${ids}, ' '), true)`;

/** Settles what needs no look at a device, and answers the others with all that was read at the same moment. */
const CHECK = change<CheckRow>(
  'sessions-check',
  ({ actor }) => `WITH verdict AS MATERIALIZED (SELECT t.id, EXISTS (SELECT ${GRANTING}) AS is_granted
  FROM sessions t WHERE t.id = ANY ($1)),
asking AS MATERIALIZED (SELECT t.id, t.api_session_id,
    (SELECT json_agg(${ASKED_CHECKS}) ${SELECTING}) AS policies
  FROM verdict v JOIN sessions t ON t.id = v.id WHERE NOT v.is_granted),
gone AS (DELETE FROM sessions t USING asking a WHERE t.id = a.id AND a.policies IS NULL RETURNING t.id),
kept AS (UPDATE sessions t SET granted_epoch = ${GRANTS_EPOCH}, granted_until = 'infinity' FROM verdict v
  WHERE t.id = v.id AND v.is_granted AND (t.granted_epoch < ${GRANTS_EPOCH} OR t.granted_until < 'infinity')
  RETURNING t.id)
SELECT (SELECT count(*) FROM gone) AS removed, (SELECT count(*) FROM kept) AS kept, ${GRANTS_EPOCH} AS epoch${actor},
  ${noteEnded('ARRAY (SELECT id FROM gone)')} AS ended,
  (SELECT json_agg(json_build_object('id', a.id, 'apiSessionId', a.api_session_id, 'policies', a.policies))
    FROM asking a WHERE a.policies IS NOT NULL) AS asking`,
);

/** `$2` to `$3` are sessions and until when each is granted; `$4` is the epoch at which that was found. */
const SETTLE = change(
  'sessions-settle',
  ({ returningActor }) => `WITH gone AS (DELETE FROM sessions WHERE id = ANY ($1) RETURNING ${noteEnded('$1::text[]')}),
granted AS (SELECT * FROM unnest($2::text[], $3::timestamptz[]) AS u (id, until))
UPDATE sessions t SET granted_epoch = $4, granted_until = g.until FROM granted g WHERE t.id = g.id${returningActor}`,
);

interface CheckRow {
  readonly removed: number;
  readonly epoch: number;
  readonly asking: readonly Asking[] | null;
}

/** A session that only policies with posture checks may grant. */
interface Asking {
  readonly id: string;
  readonly apiSessionId: string;
  /** Checks that each of them asks for. */
  readonly policies: readonly (readonly AskedRow[])[];
}

export interface Unchecked {
  /** Checked in any case: the sessions that the caller is about to show. */
  readonly ids: readonly string[];
  /** And up to so many others unchecked that no other transaction is checking, */
  readonly others: number;
  /** of this identity only; null for all identities. */
  readonly identityId: string | null;
}

/**
 * Asks the policies about sessions unchecked. The rows are locked first, then further statements read the policies and
 * what is known of devices: they see a change that is about to mark the same rows, or the change marks them afterwards.
 */
export async function checkGrants(
  db: Db,
  { ids, others, identityId }: Unchecked,
): Promise<{ seen: number; removed: number }> {
  const work = async (tx: Db) => {
    const held: string[] = [];
    const lock = async (statement: typeof LOCK_NAMED, values: readonly unknown[]) => {
      for (const { id } of await tx.many(statement, values)) held.push(id);
    };
    if (ids.length > 0) await lock(LOCK_NAMED, [ids]);
    const most = held.length + others;
    if (identityId === null) {
      for (const statement of [LOCK_NARROWED, LOCK_UNCHECKED, LOCK_OVER])
        if (held.length < most) await lock(statement, [most - held.length]);
    } else if (others > 0) await lock(LOCK_UNCHECKED_OF, [others, identityId]);
    if (held.length === 0) return { seen: 0, removed: 0 };
    const row = await tx.one(CHECK, [held]);
    const lost = row?.asking == null ? 0 : await settle(tx, row.asking, row.epoch);
    return { seen: held.length, removed: (row?.removed ?? 0) + lost };
  };
  return isDatabase(db) ? db.transaction(work) : work(db);
}

/** Waits two minutes: a request that read the policies before the service was narrowed may still make a session. */
const NOTE_SWEPT = asyncChange(
  'narrowed-services-swept',
  ({ returningActor }) => `UPDATE narrowed_services SET is_swept = true WHERE service_id IN (
  SELECT n.service_id FROM ${UNSWEPT_SERVICES} AND n.moved_at < now() - interval '2 minutes'
    AND NOT EXISTS (SELECT FROM ${SESSIONS_OF_NARROWED}) FOR UPDATE SKIP LOCKED)${returningActor}`,
);

/** Asks the policies about up to `max` sessions unchecked, of all identities. Fewer were seen: no more are left. */
export async function sweepGrants(db: Db, max: number): Promise<{ seen: number; removed: number }> {
  const swept = await checkGrants(db, { ids: [], others: max, identityId: null });
  if (swept.seen < max) await db.execute(NOTE_SWEPT);
  return swept;
}

/** Attempts to check a session while the epoch keeps moving. */
export const ROUNDS = 40;

/** The answer that was asked for; or the session that was found, and is unchecked. */
export type FoundOrUnchecked<T> = { readonly found: T } | { readonly uncheckedId: string };

/**
 * Looks until what is seen is known to be granted, or gone, and checks the session in between.
 * @throws DomainError `unavailable` when grants keep changing
 */
export async function untilChecked<T>(db: Db, find: () => Promise<FoundOrUnchecked<T>>): Promise<T> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = await find();
    if ('found' in seen) return seen.found;
    await checkGrants(db, { ids: [seen.uncheckedId], others: 0, identityId: null });
  }
  throw new DomainError('unavailable');
}

/** Each is granted for as long as some policy is: answers how many are not. */
async function settle(tx: Db, asking: readonly Asking[], epoch: number): Promise<number> {
  const postures = await posturesOf(tx, [...new Set(asking.map(({ apiSessionId }) => apiSessionId))]);
  const lost: string[] = [];
  const granted = new Map<string, string>();
  for (const { id, apiSessionId, policies } of asking) {
    const { state, now } = postures.get(apiSessionId) ?? UNKNOWN_POSTURE;
    const until = latestEnd(policies.map((asked) => judge(toAskedChecks(asked), state, now)));
    if (until === undefined) lost.push(id);
    else granted.set(id, untilText(until));
  }
  await tx.execute(SETTLE, [lost, [...granted.keys()], [...granted.values()], epoch]);
  return lost.length;
}

/** Text of the time for PostgreSQL. */
export const untilText = (until: Date | null): string => until?.toISOString() ?? 'infinity';
