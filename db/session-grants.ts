/**
 * Whether a session still has its grant. Policies decide this, and evaluating them costs; so each session keeps the
 * epoch 'grants' of its last check. One whose epoch is current is granted; one that is behind is unchecked, and is
 * checked before any answer shows it. A check brings it up to the epoch, or removes it for good.
 */
import { IS_PASSING } from './access-view.js';
import { isDatabase } from './db.js';
import type { Db } from './db.js';
import { isDisabledSql } from './disabled.js';

/** Moves whenever a grant may have been lost. */
export const GRANTS_EPOCH = `(SELECT epoch FROM model_epochs WHERE name = 'grants')`;

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
const IS_FULL = 'is_fully_authenticated(t.api_session_id)';

/**
 * The policies that grant the session `t`; none for an identity that is disabled, or while its API session is not fully
 * authenticated. One with posture checks grants nothing while they fail.
 */
export const GRANTING = `FROM ${withSelectors('identities', `e.id = t.identity_id AND ${IS_ENABLED} AND ${IS_FULL}`)} ti
  CROSS JOIN ${withSelectors('services', 'e.id = t.service_id')} ts
  JOIN service_policies p ON p.type = t.type AND ${SELECTS_BOTH} AND ${IS_PASSING}`;

export const IS_CURRENT = `t.granted_epoch >= ${GRANTS_EPOCH}`;
export const IS_GRANTED = `(${IS_CURRENT} OR EXISTS (SELECT ${GRANTING}))`;

const LOCK_NAMED = 'SELECT id FROM sessions WHERE id = ANY ($1) ORDER BY id FOR UPDATE';
const LOCK_UNCHECKED = `SELECT id FROM sessions WHERE granted_epoch < ${GRANTS_EPOCH} ORDER BY granted_epoch LIMIT $1
  FOR UPDATE SKIP LOCKED`;
const LOCK_UNCHECKED_OF = `SELECT id FROM sessions WHERE identity_id = $2 AND granted_epoch < ${GRANTS_EPOCH}
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`;

const CHECK = `WITH verdict AS MATERIALIZED (SELECT t.id, EXISTS (SELECT ${GRANTING}) AS is_granted
  FROM sessions t WHERE t.id = ANY ($1)),
gone AS (DELETE FROM sessions t USING verdict v WHERE t.id = v.id AND NOT v.is_granted RETURNING t.id),
kept AS (UPDATE sessions t SET granted_epoch = ${GRANTS_EPOCH} FROM verdict v
  WHERE t.id = v.id AND v.is_granted AND t.granted_epoch < ${GRANTS_EPOCH} RETURNING t.id)
SELECT (SELECT count(*) FROM gone) AS removed, (SELECT count(*) FROM kept) AS kept`;

export interface Unchecked {
  /** Checked in any case: the sessions that the caller is about to show. */
  readonly ids: readonly string[];
  /** And up to so many others unchecked that no other transaction is checking, */
  readonly others: number;
  /** of this identity only; null for all identities. */
  readonly identityId: string | null;
}

/**
 * Asks the policies about sessions unchecked. The rows are locked first, then a second statement reads the policies: it
 * sees a change that is about to mark the same rows, or the change marks them afterwards.
 */
export async function checkGrants(
  db: Db,
  { ids, others, identityId }: Unchecked,
): Promise<{ seen: number; removed: number }> {
  const work = async (tx: Db) => {
    const held: string[] = [];
    const lock = async (name: string, sql: string, values: readonly unknown[]) => {
      for (const { id } of (await tx.run<{ id: string }>(name, sql, values)).rows) held.push(id);
    };
    if (ids.length > 0) await lock('sessions-lock', LOCK_NAMED, [ids]);
    if (others > 0 && identityId === null) await lock('sessions-lock-unchecked', LOCK_UNCHECKED, [others]);
    if (others > 0 && identityId !== null)
      await lock('sessions-lock-unchecked-of', LOCK_UNCHECKED_OF, [others, identityId]);
    if (held.length === 0) return { seen: 0, removed: 0 };
    const {
      rows: [row],
    } = await tx.write<{ removed: number }>('sessions-check', CHECK, [held]);
    return { seen: held.length, removed: row?.removed ?? 0 };
  };
  return isDatabase(db) ? db.transaction(work) : work(db);
}
