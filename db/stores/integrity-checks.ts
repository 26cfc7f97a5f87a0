/**
 * What no constraint can hold, one check each: what is derived from rows against the rows, references within lists, and
 * what only time makes wrong. A check reads in one statement what must agree, so that no change under way looks like
 * damage; each repair is a statement that is right whatever others change meanwhile.
 */
import type { Db } from '../postgres/contracts.js';
import type { NetworkSecret, PkiRecord } from './network.js';
import type { SealedWebhook } from './webhooks.js';
import type { SealedMfa } from './mfas.js';
import { checkGrants, IS_CURRENT, SELECTING } from './session-grants.js';
import { TOUCHED } from '../query/change-statements.js';
import { checkRebuildable, checkStructure } from '../schema/schema-checks.js';
import type { SchemaCheckOptions } from '../schema/schema-checks.js';
import { shippedStatements } from '../schema/shipped-schema.js';
import { unprepared } from '../postgres/statement.js';

/** Whether what is sealed in a row opens with the keys of this controller. */
export interface Seals {
  pki(record: Pick<PkiRecord, 'purpose' | 'generation' | 'sealedKey'>): boolean;
  mfa(mfa: SealedMfa): boolean;
  secret(secret: NetworkSecret): boolean;
  webhook(webhook: SealedWebhook): boolean;
}

export interface CheckOptions extends SchemaCheckOptions {
  readonly seals: Seals;
}

export interface IntegrityCheck {
  /** Of the log. */
  readonly name: string;
  readonly canFix: boolean;
  /** Answers a sentence for each finding, each repaired when `isFixing` and `canFix`. */
  run(tx: Db, options: CheckOptions): Promise<string[]>;
}

const rowsOf = async <R>(tx: Db, sql: string, values: readonly unknown[] = []): Promise<R[]> =>
  await tx.many(unprepared<R>('SQL', sql), values);

/** The first is the schema: the others rely on its triggers and functions. */
export const CHECKS: readonly IntegrityCheck[] = [
  { name: 'structure', canFix: false, run: checkStructure },
  { name: 'functions, triggers and indexes', canFix: true, run: checkRebuildable },
  { name: 'epochs', canFix: true, run: checkEpochs },
  { name: 'totals', canFix: true, run: checkTotals },
  { name: 'role attributes', canFix: true, run: checkRoleAttributes },
  { name: 'usernames', canFix: true, run: checkUsernames },
  { name: 'selectors', canFix: true, run: checkSelectors },
  { name: 'API sessions', canFix: true, run: checkApiSessions },
  { name: 'sessions', canFix: true, run: checkSessions },
  { name: 'enrollments', canFix: true, run: checkEnrollments },
  { name: 'sealed keys', canFix: false, run: checkSeals },
];

/** Greater than any epoch that was ever counted: no controller takes something kept for present. */
const NEW_EPOCH = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const SESSION_AHEAD = `(SELECT max(granted_epoch) FROM sessions)`;

async function checkEpochs(tx: Db, { isFixing }: CheckOptions): Promise<string[]> {
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
          `WITH made AS (INSERT INTO model_epochs (name, epoch, content, routing)
        VALUES ($1, ${NEW_EPOCH}, ${NEW_EPOCH}, ${NEW_EPOCH}) RETURNING name)
        SELECT pg_notify('edge', name), pg_notify('edge', 'routing') FROM made`,
        ),
        [name],
      );
  }
  const [grants] = await rowsOf<{ ahead: string | null }>(
    tx,
    `SELECT ${SESSION_AHEAD} - epoch AS ahead FROM model_epochs WHERE name = 'grants' AND epoch < ${SESSION_AHEAD}`,
  );
  if (grants !== undefined) {
    found.push(
      `the epoch grants is ${grants.ahead ?? ''} behind that of a session: sessions would outlive their grants`,
    );
    if (isFixing)
      await tx.execute(
        unprepared(
          'WITH',
          `WITH moved AS (UPDATE model_epochs SET epoch = ${SESSION_AHEAD} + 1 WHERE name = 'grants' RETURNING name)
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

/** What is missing in the total of a table, as one snapshot has both: right to add whatever others add meanwhile. */
const deltaOf = (kind: string) => `(SELECT count(*) FROM ${kind})
  - (SELECT coalesce(sum(total), 0) FROM entity_counts WHERE kind = '${kind}')`;

async function checkTotals(tx: Db, { isFixing }: CheckOptions): Promise<string[]> {
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

async function checkRoleAttributes(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  for (const kind of WITH_ATTRIBUTES) {
    interface Uses {
      attribute: string;
      actual: number;
      kept: number;
    }
    let wrong = await rowsOf<Uses>(tx, wrongUses(kind), [room - found.length]);
    if (isFixing && wrong.length > 0) {
      // Who changes attributes waits until the commit; who did so before has committed.
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

async function checkUsernames(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const some = `SELECT u.username, u.identity_id ${UNUSED_NAME} ORDER BY 1, 2 LIMIT $1`;
  const sql = isFixing
    ? `DELETE FROM usernames WHERE (username, identity_id) IN (${some}) RETURNING identity_id`
    : some;
  const rows = await rowsOf<{ identity_id: string }>(tx, sql, [room]);
  return rows.map(({ identity_id: id }) => `a username of the identity ${id} is held, though nothing uses it`);
}

const SELECTORS: readonly (readonly [policies: string, roles: string, entities: string])[] = [
  ['service_policies', 'identity_roles', 'identities'],
  ['service_policies', 'service_roles', 'services'],
  ['service_policies', 'posture_check_roles', 'posture_checks'],
  ['edge_router_policies', 'identity_roles', 'identities'],
  ['edge_router_policies', 'edge_router_roles', 'routers'],
  ['service_edge_router_policies', 'service_roles', 'services'],
  ['service_edge_router_policies', 'edge_router_roles', 'routers'],
];

async function checkSelectors(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  for (const [policies, roles, entities] of SELECTORS) {
    const isDangling = `r LIKE '@%' AND NOT EXISTS (SELECT FROM ${entities} e WHERE e.id = substr(r, 2))`;
    const rows = await rowsOf<{ id: string; role: string }>(
      tx,
      `SELECT p.id, r AS role FROM ${policies} p, unnest(p.${roles}) r WHERE ${isDangling} ORDER BY 1, 2 LIMIT $1`,
      [room - found.length],
    );
    for (const { id, role } of rows)
      found.push(`${role} in ${roles} of ${policies} ${id} selects none of ${entities} by an id that is there`);
    if (isFixing && rows.length > 0)
      await tx.execute(
        unprepared(
          'UPDATE',
          `UPDATE ${policies} SET ${roles} = ARRAY (SELECT r FROM unnest(${roles}) r WHERE NOT (r = ANY ($2))
          ORDER BY r COLLATE "C"), ${TOUCHED} WHERE id = ANY ($1)`,
        ),
        [rows.map(({ id }) => id), rows.map(({ role }) => role)],
      );
  }
  return found;
}

/** Sessions of tokens, and those of certificates that a claim of their CA names, have no authenticator of their own. */
const WITHOUT_AUTHENTICATOR = `FROM api_sessions s WHERE s.method <> 'ext-jwt' AND s.ca_id IS NULL
  AND NOT EXISTS (SELECT FROM authenticators a WHERE a.id = s.authenticator_id)`;

async function checkApiSessions(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const some = `SELECT s.id ${WITHOUT_AUTHENTICATOR} ORDER BY 1 LIMIT $1`;
  const rows = await rowsOf<{ id: string }>(
    tx,
    isFixing ? `DELETE FROM api_sessions WHERE id IN (${some}) RETURNING id` : some,
    [room],
  );
  return rows.map(({ id }) => `the API session ${id} was opened by an authenticator that is gone`);
}

const SESSIONS = 1_000;

/** Those that count as granted; the others are asked about in any case before they are shown. */
async function checkSessions(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const found: string[] = [];
  let last = '';
  for (;;) {
    const rows = await rowsOf<{ id: string; is_wrong: boolean }>(
      tx,
      `SELECT t.id, ${IS_CURRENT} AND NOT EXISTS (SELECT ${SELECTING}) AS is_wrong
      FROM (SELECT * FROM sessions WHERE id > $1 ORDER BY id LIMIT ${SESSIONS}) t ORDER BY t.id`,
      [last],
    );
    const ids = rows
      .filter((row) => row.is_wrong)
      .map(({ id }) => id)
      .slice(0, room - found.length);
    if (isFixing && ids.length > 0) await checkGrants(tx, { ids, others: 0, identityId: null });
    for (const id of ids) found.push(`the session ${id} is granted by no policy`);
    last = rows.at(-1)?.id ?? '';
    if (rows.length < SESSIONS || found.length >= room) return found;
  }
}

/** Until then an administrator may still refresh it. */
const FORGOTTEN = "interval '30 days'";

async function checkEnrollments(tx: Db, { isFixing, room }: CheckOptions): Promise<string[]> {
  const some = `SELECT id FROM enrollments WHERE expires_at < now() - ${FORGOTTEN} ORDER BY id LIMIT $1`;
  const rows = await rowsOf<{ id: string }>(
    tx,
    isFixing ? `DELETE FROM enrollments WHERE id IN (${some}) RETURNING id` : some,
    [room],
  );
  return rows.map(({ id }) => `the enrollment ${id} expired more than 30 days ago`);
}

const MFAS = 200;

/** Nothing can make a lost key again: the identity needs a new second factor, the network a backup. */
async function checkSeals(tx: Db, { room, seals }: CheckOptions): Promise<string[]> {
  const records = await rowsOf<Parameters<Seals['pki']>[0]>(
    tx,
    'SELECT purpose, generation, sealed_key AS "sealedKey" FROM pki_entities ORDER BY purpose, generation',
  );
  const found = records
    .filter((record) => !seals.pki(record))
    .map(({ purpose, generation }) => `the key ${purpose} of generation ${generation} does not open: restore it`);
  const secrets = await rowsOf<NetworkSecret>(
    tx,
    'SELECT name, sealed_secret AS sealed FROM network_secrets ORDER BY name',
  );
  for (const secret of secrets)
    if (!seals.secret(secret)) found.push(`the secret ${secret.name} of the network does not open: restore it`);
  const webhooks = await rowsOf<SealedWebhook>(tx, 'SELECT id, sealed_secret AS sealed FROM webhooks ORDER BY id');
  for (const webhook of webhooks)
    if (!seals.webhook(webhook)) found.push(`the secret of the webhook ${webhook.id} does not open: set another one`);
  for (let last = ''; found.length < room;) {
    const mfas = await rowsOf<SealedMfa>(
      tx,
      `SELECT id, identity_id AS "identityId", sealed_secret AS "sealedSecret", sealed_codes AS "sealedCodes"
      FROM mfas WHERE id > $1 ORDER BY id LIMIT ${MFAS}`,
      [last],
    );
    for (const mfa of mfas)
      if (!seals.mfa(mfa)) found.push(`the second factor of the identity ${mfa.identityId} does not open: remove it`);
    if (mfas.length < MFAS) break;
    last = mfas.at(-1)?.id ?? '';
  }
  return found;
}
