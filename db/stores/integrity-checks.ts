/**
 * All that no constraint can hold, one check each: what is derived from rows against the rows, references within lists,
 * and what only time makes wrong. A check reads in one statement what must agree, so that no change under way looks
 * like damage; each repair is a statement that is right whatever others change meanwhile.
 */
import type { Db } from '../postgres/contracts.js';
import { unprepared } from '../postgres/statement.js';
import { TOUCHED } from '../query/change-statements.js';
import { checkRebuildable, checkStructure } from '../schema/schema-checks.js';
import { checkEpochs, checkRoleAttributes, checkTotals, checkUsernames } from './derived-checks.js';
import { rowsOf } from './integrity-check.js';
import type { CheckOptions, IntegrityCheck, Seals } from './integrity-check.js';
import type { SealedMfa } from './mfas.js';
import type { NetworkSecret } from './network.js';
import { checkGrants, IS_CURRENT, SELECTING } from './session-grants.js';
import type { SealedWebhook } from './webhooks.js';

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

/** Time in which an administrator may still refresh it. */
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
