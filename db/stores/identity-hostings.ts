/** Hostings: what an identity hosts by itself, services with the cost and precedence of its terminators. */
import type { Hosting } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { change, locking } from '../postgres/statement.js';

const LOCK = locking('identity-hostings-lock', 'SELECT FROM services WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE');

const CLEAR = change(
  'identity-hostings-clear',
  ({ returningActor }) =>
    `DELETE FROM identity_hostings WHERE identity_id = $1 AND service_id <> ALL ($2)${returningActor}`,
);

const WRITE = change(
  'identity-hostings-write',
  ({ returningActor }) => `INSERT INTO identity_hostings AS t (identity_id, service_id, cost, precedence)
  SELECT $1, h.service_id, h.cost, h.precedence
  FROM unnest($2::text[], $3::int[], $4::text[]) AS h (service_id, cost, precedence)
  ON CONFLICT (identity_id, service_id) DO UPDATE SET cost = excluded.cost, precedence = excluded.precedence
  WHERE (t.cost, t.precedence) IS DISTINCT FROM (excluded.cost, excluded.precedence)${returningActor}`,
);

/**
 * Replaces the hostings of an identity, in a transaction. Services are locked before hostings, in the order in which
 * the delete of a service takes them.
 */
export async function writeHostings(db: Db, id: string, hostings: readonly Hosting[]): Promise<void> {
  const ids = hostings.map((h) => h.serviceId);
  await db.execute(LOCK, [ids]);
  await db.execute(CLEAR, [id, ids]);
  if (hostings.length === 0) return;
  await db.execute(WRITE, [id, ids, hostings.map((h) => h.cost), hostings.map((h) => h.precedence)]);
}
