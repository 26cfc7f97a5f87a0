/**
 * Identities. A read brings the summaries of authenticators and enrollments with it, in one round trip for a whole
 * page.
 */
import type { EnrollmentDraft } from '../../domain/credentials.js';
import type { Hosting, Identity, IdentityDraft, JsonObject, Page } from '../../domain/model.js';
import type { HostingPrecedence, IdentityTypeId, LazyRow } from '../../domain/model.js';
import type { Rights } from '../../domain/auth/rights.js';
import { DomainError, notFound, raise } from '../../domain/errors.js';
import type { Selectable } from '../../domain/policy/roles.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Terms } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { isDisabledSql } from './disabled.js';
import { insertIdentities, insertIdentity } from './identity-creation.js';
import type { IdentityToMake, NewIdentity } from './identity-creation.js';
import { writeHostings } from './identity-hostings.js';
import { areHeld } from './rights.js';
import { entity } from '../query/entity.js';
import { expression, flag, integer, json, text, textArray, time } from '../query/fields.js';
import type { Field } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';
import type { RoleFilter } from '../filter/index.js';
import { requested } from '../query/scopes.js';
import type { Selection } from '../query/scopes.js';
import { change, locking, read, shortChange, slowRead } from '../postgres/statement.js';
import type { Statement } from '../postgres/statement.js';

const asArray = (object: string, from: string): string => `array_to_json(ARRAY (SELECT ${object} FROM ${from}))`;

/**
 * Objects that hang on an identity, as JSON. Most identities of a list have none, and to look for the first takes less
 * than to collect none; EXISTS would not do, because its plan may be a hash of the whole table. Of one identity alone
 * an array takes less: PostgreSQL prepares fewer steps.
 * @param from  with a condition, and an order
 */
const hanging = <V>(object: string, from: string): Field<V> => {
  const all = asArray(object, from);
  return expression<V>(`CASE WHEN (SELECT true FROM ${from} LIMIT 1) THEN ${all} ELSE '[]' END`).alone(all);
};

const AUTHENTICATOR = `json_build_object(
  'id', a.id, 'method', a.method, 'username', a.username, 'fingerprint', a.fingerprint)`;

export const identity = entity<Identity>(
  'identities',
  {
    name: text().unique(),
    typeId: text<IdentityTypeId>().filteredAs('type'),
    isAdmin: flag(),
    isDefaultAdmin: flag(),
    externalId: text().nullable(),
    authPolicyId: text(),
    roleAttributes: textArray(),
    permissions: textArray().unfiltered(),
    appData: json<JsonObject>(),
    defaultHostingCost: integer().unfiltered(),
    defaultHostingPrecedence: text<HostingPrecedence>().unfiltered(),
    envInfo: json<JsonObject>(),
    sdkInfo: json<JsonObject>(),
    disabledAt: time().nullable().unfiltered(),
    disabledUntil: time().nullable().unfiltered(),
    authPolicyName: expression('p.name'),
    isDisabled: expression(isDisabledSql('t')),
    hasApiSession: expression('EXISTS (SELECT FROM api_sessions s WHERE s.identity_id = t.id)'),
    isMfaEnabled: expression('EXISTS (SELECT FROM mfas m WHERE m.identity_id = t.id AND m.is_verified)'),
    authenticators: expression<Identity['authenticators']>(
      `coalesce((SELECT json_agg(${AUTHENTICATOR} ORDER BY a.id)
      FROM authenticators a WHERE a.identity_id = t.id), '[]')`,
    ).alone(asArray(AUTHENTICATOR, 'authenticators a WHERE a.identity_id = t.id ORDER BY a.id')),
    enrollments: hanging(
      `json_build_object('id', e.id, 'method', e.method, 'token', e.token, 'jwt', e.jwt,
     'ca', (SELECT json_build_object('id', c.id, 'name', c.name, 'isVerified', c.is_verified,
       'isAutoCaEnrollmentEnabled', c.is_auto_ca_enrollment_enabled) FROM cas c WHERE c.id = e.ca_id),
     'expiresAt', floor(extract(epoch FROM e.expires_at) * 1000))`,
      'enrollments e WHERE e.identity_id = t.id',
    ),
    hostings: hanging(
      `json_build_object('serviceId', h.service_id, 'cost', h.cost, 'precedence', h.precedence)`,
      'identity_hostings h WHERE h.identity_id = t.id ORDER BY h.service_id',
    ),
  },
  {
    name: 'identity',
    collections: ['identities'],
    versionedBy: 'updatedAt',
    joins: 'JOIN auth_policies p ON p.id = t.auth_policy_id',
  },
);

/** The row itself becomes the identity: most have no enrollments, of which JSON has the ends as numbers. */
const fromRow = (row: Identity): Identity =>
  row.enrollments.length === 0
    ? row
    : Object.assign(row, {
        enrollments: row.enrollments.map((item) => ({ ...item, expiresAt: new Date(item.expiresAt) })),
      });

const selectable = identity.partOf('selectable', ['roleAttributes']);
const source: ListSource<Identity, Identity> = { ...identity.source, fromRow };

const RIGHTS = `SELECT (is_admin OR is_default_admin) AS "isAdmin", permissions FROM identities WHERE id = $1`;

export interface IdentityStore {
  find(id: string): Promise<Identity | undefined>;
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Identity>;
  /** All that policies need to know of one. @throws DomainError `notFound` */
  selectable(id: string): Promise<Selectable>;
  /** Answers all that policies need to know of an identity; an id goes before an equal name. */
  findByIdOrName(idOrName: string): Promise<Selectable | undefined>;
  /** Answers which entities it may administer. */
  findRights(id: string): Promise<Rights | undefined>;
  /** The same; no other transaction changes the identity until this one ends. Call it before all else that locks. */
  lockRights(id: string): Promise<Rights | undefined>;
  list(request: ListRequest & RoleFilter & Selection): Promise<Page<LazyRow<Identity>>>;
  create(id: string, draft: IdentityToMake, enrollments: readonly EnrollmentDraft[]): Promise<void>;
  /** Those that host nothing, in one statement. */
  createMany(items: readonly NewIdentity[]): Promise<void>;
  /**
   * Reads all that it hosts, for a change in the same transaction: locked until that ends.
   * @throws DomainError `notFound`
   */
  lockHostings(id: string): Promise<readonly Hosting[]>;
  /** Changes what is given. `hostings` replaces the whole set. @throws DomainError `notFound` */
  update(id: string, changes: Changes<IdentityDraft>): Promise<void>;
  /**
   * Changes what is given of an identity that is neither an administrator nor a router's; it hosts nothing by itself
   * then. False, and nothing done, for all others.
   */
  updateOrdinary(id: string, changes: Changes<Omit<IdentityDraft, 'hostings'>>): Promise<boolean>;
  /**
   * Sets it unless another one is set. False when that is so, or the identity is gone.
   * @throws DomainError `duplicate`
   */
  claimExternalId(id: string, externalId: string): Promise<boolean>;
  /** The largest six-digit number that follows `name` in a name; 0 without any. */
  highestNumber(name: string): Promise<number>;
  /**
   * Deletes the identity with its authenticators, enrollments and API sessions.
   * @throws DomainError `notFound`, `notDeletable`
   */
  remove(id: string): Promise<void>;
  /**
   * The same for one that is neither an administrator nor a router's, nor above the caller. False, and nothing done,
   * for all others.
   */
  removeOrdinary(id: string, caller: Rights): Promise<boolean>;
  /** `minutes` counts from the database's clock; 0 or less is until enabled. Ends the identity's API sessions. */
  disable(id: string, minutes: number): Promise<void>;
  /** The same for one that is no administrator. False, and nothing done, for all others. */
  disableOrdinary(id: string, minutes: number): Promise<boolean>;
  enable(id: string): Promise<void>;
}

const BY_NAME = read<Selectable>(
  'identity-by-name',
  `SELECT id, role_attributes AS "roleAttributes" FROM identities
  WHERE id = $1 OR name = $1 ORDER BY (id = $1) DESC LIMIT 1`,
);

const IDENTITY_RIGHTS = read<{ isAdmin: boolean; permissions: string[] }>('identity-rights', RIGHTS);

const RIGHTS_LOCK = locking<{ isAdmin: boolean; permissions: string[] }>(
  'identity-rights-lock',
  `${RIGHTS} FOR UPDATE`,
);

const LOCK = locking('identity-lock', 'SELECT FROM identities WHERE id = $1 FOR NO KEY UPDATE');

const CLAIM_EXTERNAL_ID = change(
  'identity-claim-external-id',
  ({ returningActor }) => `UPDATE identities SET external_id = $2,
  ${TOUCHED} WHERE id = $1 AND coalesce(external_id, $2) = $2${returningActor}`,
);

const HIGHEST_NUMBER = slowRead<{ number: number }>(
  'identity-highest-number',
  `SELECT coalesce(max(right(name, 6)), '0')::int AS number
  FROM identities WHERE name > $1 || '000000' AND name <= $1 || '999999' AND length(name) = length($1) + 6
  AND right(name, 6) ~ '^[0-9]{6}$'`,
);

const DELETE = change<{ deleted: boolean; known: boolean }>(
  'identity-delete',
  ({ actor }) => `WITH gone AS (
  DELETE FROM identities WHERE id = $1 AND NOT is_default_admin RETURNING id${actor})
  SELECT EXISTS (SELECT FROM gone) AS deleted, EXISTS (SELECT FROM identities WHERE id = $1) AS known`,
);

const ORDINARY: Terms = {
  name: 'ordinary',
  only: 'NOT is_admin AND NOT is_default_admin AND NOT EXISTS (SELECT FROM routers r WHERE r.id = identities.id)',
  clears: 'identity_hostings',
};

const DELETE_ORDINARY = shortChange(
  'identity-delete-ordinary',
  { row: 0 },
  ({ returningActor }) => `DELETE FROM identities WHERE id = $1 AND NOT is_admin AND NOT is_default_admin
  AND NOT EXISTS (SELECT FROM routers WHERE id = $1)
  AND ($2::text[] IS NULL OR permissions = '{}' OR ${areHeld('permissions', '$2::text[]')})${returningActor}`,
);

/**
 * Locks the identity, and then ends its API sessions by a function, which sees those of logins that it has waited for.
 * With `$3` it must not be an administrator.
 */
const DISABLE = shortChange(
  'identity-disable',
  { row: 0 },
  ({ actor }) => `WITH one AS MATERIALIZED (SELECT id${actor} FROM identities
    WHERE id = $1 AND NOT ($3 AND (is_admin OR is_default_admin)) FOR UPDATE),
  ended AS MATERIALIZED (SELECT id, end_api_sessions_of(id) FROM one)
  UPDATE identities i SET disabled_at = now(), ${TOUCHED},
    disabled_until = CASE WHEN $2::int > 0 THEN now() + make_interval(mins => $2::int) END
  FROM ended WHERE i.id = ended.id`,
);

const ENABLE = shortChange(
  'identity-enable',
  { row: 0 },
  ({ returningActor }) => `UPDATE identities SET disabled_at = NULL, disabled_until = NULL,
  ${TOUCHED} WHERE id = $1${returningActor}`,
);

async function findIdentity(db: Db, id: string): Promise<Identity | undefined> {
  const row = await identity.find(db, id);
  return row && fromRow(row);
}

const getIdentity = async (db: Db, id: string): Promise<Identity> =>
  (await findIdentity(db, id)) ?? raise(notFound(identity.name, id));

/** @returns whether the statement changed the identity, whose id is the first of its values */
async function isChanged(db: Db, statement: Statement, values: readonly [id: string, ...unknown[]]): Promise<boolean> {
  const count = await db.count(statement, values);
  db.touched?.({ identity: values[0] });
  return count === 1;
}

async function removeIdentity(db: Db, id: string): Promise<void> {
  const row = await db.one(DELETE, [id]);
  db.touched?.({ identity: id });
  if (row?.deleted === true) return;
  throw row?.known === true ? new DomainError('notDeletable') : notFound(identity.name, id);
}

export function identityStore(db: Db, lists: Lists): IdentityStore {
  return {
    find: (id) => findIdentity(db, id),
    get: (id) => getIdentity(db, id),
    selectable: (id) => selectable(db, id),
    findByIdOrName: (idOrName) => db.one(BY_NAME, [idOrName]),
    findRights: (id) => db.one(IDENTITY_RIGHTS, [id]),
    lockRights: (id) => db.one(RIGHTS_LOCK, [id]),
    list: (request) => lists.unread(db, source, request, requested(request)),
    create: (id, draft, enrollments) => insertIdentity(db, id, draft, enrollments),
    createMany: (items) => insertIdentities(db, items),
    async lockHostings(id) {
      await db.execute(LOCK, [id]);
      return (await getIdentity(db, id)).hostings;
    },
    async update(id, changes) {
      await identity.update(db, id, changes, changes.hostings !== undefined);
      db.touched?.({ identity: id });
      if (changes.hostings !== undefined) await writeHostings(db, id, changes.hostings);
    },
    async updateOrdinary(id, changes) {
      const isMade = await identity.updateWhere(db, id, changes, ORDINARY);
      db.touched?.({ identity: id });
      return isMade;
    },
    claimExternalId: (id, externalId) => isChanged(db, CLAIM_EXTERNAL_ID, [id, externalId]),
    async highestNumber(name) {
      const row = await db.one(HIGHEST_NUMBER, [name]);
      return row?.number ?? 0;
    },
    remove: (id) => removeIdentity(db, id),
    removeOrdinary: (id, caller) => isChanged(db, DELETE_ORDINARY, [id, caller.isAdmin ? null : caller.permissions]),
    async disable(id, minutes) {
      if (!(await isChanged(db, DISABLE, [id, minutes, false]))) throw notFound(identity.name, id);
    },
    disableOrdinary: (id, minutes) => isChanged(db, DISABLE, [id, minutes, true]),
    async enable(id) {
      if (!(await isChanged(db, ENABLE, [id]))) throw notFound(identity.name, id);
    },
  };
}
