/** Checks of what is derived from rows against the rows: epochs, totals, counts of role attributes, usernames. */
import type { Db } from '../postgres/contracts.js';
import { unprepared } from '../postgres/statement.js';
import { shippedStatements } from '../schema/shipped-schema.js';
import { rowsOf } from './integrity-check.js';
import type { CheckOptions } from './integrity-check.js';

/** Greater than any epoch that was ever counted: no controller takes something kept for present. */
const NEW_EPOCH = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** The highest value of the epoch that anything has noted. */
const GRANTS_NOTED = `(SELECT greatest((SELECT max(granted_epoch) FROM sessions),
  (SELECT max(epoch) FROM narrowed_services), (SELECT for_all FROM model_epochs WHERE name = 'grants')))`;

export async function checkEpochs(tx: Db, { isFixing }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  const missing = await rowsOf<{ name: string }>(
    tx,
    `SELECT name FROM (VALUES ('access'), ('grants')) v (name)
    WHERE NOT EXISTS (SELECT FROM model_epochs e WHERE e.name = v.name)`,
  );
  for (const { name } of missing) {
    found.push(`the epoch ${name} is missing: no controller hears of the changes that it counts`);
    if (isFixing)
      await tx.execute(
        unprepared(
          'WITH',
          `WITH made AS (INSERT INTO model_epochs (name, epoch, content, routing, for_all)
        VALUES ($1, ${NEW_EPOCH}, ${NEW_EPOCH}, ${NEW_EPOCH}, ${NEW_EPOCH}) RETURNING name)
        SELECT pg_notify('edge', name), pg_notify('edge', 'routing') FROM made`,
        ),
        [name],
      );
  }
  const [grants] = await rowsOf<{ ahead: string | null }>(
    tx,
    `SELECT ${GRANTS_NOTED} - epoch AS ahead FROM model_epochs WHERE name = 'grants' AND epoch < ${GRANTS_NOTED}`,
  );
  if (grants !== undefined) {
    found.push(
      `the epoch grants is ${grants.ahead ?? ''} behind that of a session or a service: ` +
        'sessions would outlive their grants',
    );
    if (isFixing)
      await tx.execute(
        unprepared(
          'WITH',
          `WITH moved AS (UPDATE model_epochs SET epoch = ${GRANTS_NOTED} + 1, for_all = ${GRANTS_NOTED} + 1
          WHERE name = 'grants' RETURNING name)
        SELECT pg_notify('edge', name) FROM moved`,
        ),
      );
  }
  for (const table of ['service_views', 'api_session_views']) {
    const ahead = `FROM ${table} WHERE epoch > (SELECT epoch FROM model_epochs WHERE name = 'access')`;
    const [views] = await rowsOf<{ n: number }>(tx, `SELECT count(*)::int AS n ${ahead}`);
    const count = views?.n ?? 0;
    if (count === 0) continue;
    found.push(`${count} views of services are ahead of the epoch access: clients would not hear of changes`);
    if (isFixing) await tx.execute(unprepared('DELETE', `DELETE ${ahead}`));
  }
  return found;
}

const counted = () =>
  shippedStatements()
    .map((statement) => /^CREATE TRIGGER (\w+)_counted_in /.exec(statement)?.[1])
    .filter((kind): kind is string => kind !== undefined);

/** The number missing in the total of a table, as one snapshot has both: right to add whatever others add meanwhile. */
const deltaOf = (kind: string) => `(SELECT count(*) FROM ${kind})
  - (SELECT coalesce(sum(total), 0) FROM entity_counts WHERE kind = '${kind}')`;

export async function checkTotals(tx: Db, { isFixing }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  for (const kind of counted()) {
    const sql = isFixing
      ? `INSERT INTO entity_counts (kind, total) SELECT '${kind}', delta FROM (SELECT ${deltaOf(kind)} AS delta) d
        WHERE delta <> 0 RETURNING total AS delta`
      : `SELECT delta FROM (SELECT ${deltaOf(kind)} AS delta) d WHERE delta <> 0`;
    const [row] = await rowsOf<{ delta: string | number }>(tx, sql);
    if (row !== undefined) found.push(`the total of ${kind} is wrong by ${-Number(row.delta)}`);
  }
  return found;
}

const WITH_ATTRIBUTES = ['identities', 'posture_checks', 'routers', 'services'];

const wrongUses = (kind: string) => `WITH actual AS (
    SELECT a COLLATE "C" AS attribute, count(*) AS n FROM ${kind}, unnest(role_attributes) a GROUP BY 1),
  kept AS (SELECT attribute, sum(uses) AS n, min(uses) AS least FROM role_attribute_counts WHERE kind = '${kind}'
    GROUP BY 1)
  SELECT coalesce(actual.attribute, kept.attribute) AS attribute, coalesce(actual.n, 0)::int AS actual,
    coalesce(kept.n, 0)::int AS kept
  FROM actual FULL JOIN kept ON kept.attribute = actual.attribute
  WHERE coalesce(actual.n, 0) <> coalesce(kept.n, 0) OR kept.least < 0 ORDER BY 1 LIMIT $1`;

export async function checkRoleAttributes(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  for (const kind of WITH_ATTRIBUTES) {
    interface Uses {
      attribute: string;
      actual: number;
      kept: number;
    }
    let wrong = await rowsOf<Uses>(tx, wrongUses(kind), [room - found.length]);
    if (isFixing && wrong.length > 0) {
      // Others that change attributes wait until the commit; those that did so before have committed.
      await tx.execute(unprepared('LOCK', 'LOCK TABLE role_attribute_counts IN SHARE ROW EXCLUSIVE MODE'));
      wrong = await rowsOf<Uses>(tx, wrongUses(kind), [room - found.length]);
      const values = [kind, wrong.map(({ attribute }) => attribute), wrong.map(({ actual }) => actual)];
      await tx.execute(
        unprepared('DELETE', 'DELETE FROM role_attribute_counts WHERE kind = $1 AND attribute = ANY ($2)'),
        values.slice(0, 2),
      );
      await tx.execute(
        unprepared(
          'INSERT',
          `INSERT INTO role_attribute_counts (kind, attribute, uses)
        SELECT $1, attribute, uses FROM unnest($2::text[], $3::bigint[]) u (attribute, uses) WHERE uses > 0`,
        ),
        values,
      );
      await tx.execute(unprepared('SELECT', 'SELECT move_role_attribute_epoch($1)'), [kind]);
    }
    for (const { attribute, actual, kept } of wrong)
      found.push(`the role attribute ${attribute} of ${kind} is counted ${kept} times, and used ${actual} times`);
  }
  return found;
}

const UNUSED_NAME = `FROM usernames u
  WHERE NOT EXISTS (SELECT FROM authenticators a WHERE a.username = u.username AND a.identity_id = u.identity_id)
  AND NOT EXISTS (SELECT FROM enrollments e WHERE e.username = u.username AND e.identity_id = u.identity_id)`;

export async function checkUsernames(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const some = `SELECT u.username, u.identity_id ${UNUSED_NAME} ORDER BY 1, 2 LIMIT $1`;
  const sql = isFixing
    ? `DELETE FROM usernames WHERE (username, identity_id) IN (${some}) RETURNING identity_id`
    : some;
  const rows = await rowsOf<{ identity_id: string }>(tx, sql, [room]);
  return rows.map(({ identity_id: id }) => `a username of the identity ${id} is held, though nothing uses it`);
}
