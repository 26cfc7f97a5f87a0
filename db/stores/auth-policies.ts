/** Auth policies: which proofs of identity are accepted, and what passwords must look like. */
import type { AuthPolicySettings } from '../../domain/auth/auth-policy.js';
import type { AuthPolicy, BaseEntity, Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { inUse } from '../postgres/errors.js';
import { HAS_ONE_ABOVE } from './rights.js';
import { entity } from '../query/entity.js';
import { expression, flag, integer, text } from '../query/fields.js';
import { detailSql, getOne, insert, selectSql } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes, ListSource } from '../query/table.js';
import { change, locking, read, unprepared } from '../postgres/statement.js';

/** The settings as they are stored: side by side. */
interface Row extends BaseEntity {
  readonly name: string;
  readonly certAllowed: boolean;
  readonly certAllowExpired: boolean;
  readonly extJwtAllowed: boolean;
  readonly signers: readonly string[];
  readonly updbAllowed: boolean;
  readonly updbMaxAttempts: number;
  readonly updbMinPasswordLength: number;
  readonly updbRequireMixedCase: boolean;
  readonly updbRequireNumberChar: boolean;
  readonly updbRequireSpecialChar: boolean;
  readonly updbLockoutMinutes: number;
  readonly requireTotp: boolean;
  readonly requireExtJwtSignerId: string | null;
}

export const authPolicy = entity<Row>(
  'auth_policies',
  {
    name: text().unique(),
    certAllowed: flag().filteredAs('primary.cert.allowed'),
    certAllowExpired: flag().filteredAs('primary.cert.allowExpiredCerts'),
    extJwtAllowed: flag().filteredAs('primary.extJwt.allowed'),
    signers: expression(`ARRAY (SELECT s.signer_id FROM auth_policy_signers s
    WHERE s.auth_policy_id = t.id ORDER BY s.signer_id)`),
    updbAllowed: flag().filteredAs('primary.updb.allowed'),
    updbMaxAttempts: integer().filteredAs('primary.updb.maxAttempts'),
    updbMinPasswordLength: integer().filteredAs('primary.updb.minPasswordLength'),
    updbRequireMixedCase: flag().filteredAs('primary.updb.requireMixedCase'),
    updbRequireNumberChar: flag().filteredAs('primary.updb.requireNumberChar'),
    updbRequireSpecialChar: flag().filteredAs('primary.updb.requireSpecialChar'),
    updbLockoutMinutes: integer().unfiltered(),
    requireTotp: flag().filteredAs('secondary.requireTotp'),
    requireExtJwtSignerId: text().nullable().filteredAs('secondary.requireExtJwtSigner'),
  },
  { name: 'authPolicy', collections: ['auth-policies'], versionedBy: 'updatedAt' },
);

const source: ListSource<Row, AuthPolicy> = { ...authPolicy.source, fromRow };

/** The policy `p` allows the signer. @param signerId  SQL: a column or a placeholder */
export const allowsSigner = (signerId: string): string => `(p.ext_jwt_allowed AND (
  NOT EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id)
  OR EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id AND s.signer_id = ${signerId})))`;

const FOR_CHANGE = read<Row>('auth-policy-lock-change', `${detailSql(source)} FOR NO KEY UPDATE OF t`);
const OF_IDENTITY = read<Row>(
  'auth-policy-of-identity',
  selectSql(source, 'JOIN identities i ON i.auth_policy_id = t.id WHERE i.id = $1'),
);

function fromRow(row: Row): AuthPolicy {
  return {
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
    name: row.name,
    primary: {
      cert: { allowed: row.certAllowed, allowExpiredCerts: row.certAllowExpired },
      extJwt: { allowed: row.extJwtAllowed, allowedSigners: row.signers },
      updb: {
        allowed: row.updbAllowed,
        minPasswordLength: row.updbMinPasswordLength,
        requireMixedCase: row.updbRequireMixedCase,
        requireNumberChar: row.updbRequireNumberChar,
        requireSpecialChar: row.updbRequireSpecialChar,
        maxAttempts: row.updbMaxAttempts,
        lockoutDurationMinutes: row.updbLockoutMinutes,
      },
    },
    secondary: { requireTotp: row.requireTotp, requireExtJwtSigner: row.requireExtJwtSignerId },
  };
}

/** Changes of a row; the signers have a table of their own. */
const changesOf = ({ name, tags, primary, secondary }: Changes<AuthPolicyDraft>) => ({
  name,
  tags,
  certAllowed: primary?.cert.allowed,
  certAllowExpired: primary?.cert.allowExpiredCerts,
  extJwtAllowed: primary?.extJwt.allowed,
  updbAllowed: primary?.updb.allowed,
  updbMaxAttempts: primary?.updb.maxAttempts,
  updbMinPasswordLength: primary?.updb.minPasswordLength,
  updbRequireMixedCase: primary?.updb.requireMixedCase,
  updbRequireNumberChar: primary?.updb.requireNumberChar,
  updbRequireSpecialChar: primary?.updb.requireSpecialChar,
  updbLockoutMinutes: primary?.updb.lockoutDurationMinutes,
  requireTotp: secondary?.requireTotp,
  requireExtJwtSignerId: secondary?.requireExtJwtSigner,
});

export type AuthPolicyDraft = AuthPolicySettings & { readonly name: string; readonly tags: Tags };

export interface AuthPolicyStore {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<AuthPolicy>;
  /** The policy that governs an identity. @throws DomainError `notFound` naming the identity */
  ofIdentity(identityId: string): Promise<AuthPolicy>;
  list(request: ListRequest): Promise<Page<AuthPolicy>>;
  /** An identity that has it is an administrator, or has a permission that is not among those. */
  isOfOneAbove(id: string, permissions: readonly string[]): Promise<boolean>;
  /**
   * Locks the policy until the transaction ends: no other one changes it, gives it to an identity, or gives rights to
   * an identity that has it.
   * @throws DomainError `notFound`
   */
  lockHolders(id: string): Promise<void>;
  /** No other transaction changes it until this one ends. @throws DomainError `notFound` */
  lockForChange(id: string): Promise<AuthPolicy>;
  /** @throws DomainError `duplicate` (name), `notFound` for a signer that does not exist */
  create(id: string, draft: AuthPolicyDraft): Promise<void>;
  /** A part of the settings that is absent stays as it is. @throws DomainError as `create`, `notFound` */
  update(id: string, changes: Changes<AuthPolicyDraft>): Promise<void>;
  /** @throws DomainError `notFound`, `notDeletable` for the built-in one, `inUse` naming what refers to it */
  remove(id: string): Promise<void>;
  /** A policy of the system, unless it is there. */
  seed(id: string, name: string, settings: AuthPolicySettings): Promise<void>;
}

const CLEAR_SIGNERS = change(
  'auth-policy-clear-signers',
  ({ returningActor }) =>
    `DELETE FROM auth_policy_signers WHERE auth_policy_id = $1 AND signer_id <> ALL ($2)${returningActor}`,
);

const SET_SIGNERS = change(
  'auth-policy-set-signers',
  ({
    returningActor,
  }) => `INSERT INTO auth_policy_signers (auth_policy_id, signer_id) SELECT $1, s.id FROM unnest($2::text[]) s (id)
  WHERE NOT EXISTS (SELECT FROM auth_policy_signers t WHERE t.auth_policy_id = $1
    AND t.signer_id = s.id)${returningActor}`,
);

const AUTH_POLICY_HAS_ONE_ABOVE = read<{ hasOne: boolean }>('auth-policy-has-one-above', HAS_ONE_ABOVE);

const LOCK_HOLDERS = locking('auth-policy-lock-holders', 'SELECT FROM auth_policies WHERE id = $1 FOR UPDATE');

const DELETE = change<{ is_system: boolean | null; deleted: boolean; identities: string[]; signers: string[] }>(
  'auth-policy-delete',
  ({ actor }) => `WITH policy AS (SELECT id, is_system FROM auth_policies WHERE id = $1),
  identities AS (SELECT id FROM identities WHERE auth_policy_id = $1 ORDER BY id LIMIT 10),
  signers AS (SELECT id FROM external_jwt_signers WHERE enroll_auth_policy_id = $1 ORDER BY id LIMIT 10),
  gone AS (DELETE FROM auth_policies p USING policy WHERE p.id = policy.id AND NOT policy.is_system
    AND NOT EXISTS (SELECT FROM identities) AND NOT EXISTS (SELECT FROM signers) RETURNING p.id${actor})
  SELECT (SELECT is_system FROM policy), EXISTS (SELECT FROM gone) AS deleted,
    ARRAY (SELECT id FROM identities) AS identities, ARRAY (SELECT id FROM signers) AS signers`,
);

async function setSigners(db: Db, id: string, signers: readonly string[] | undefined): Promise<void> {
  if (signers === undefined) return;
  await db.execute(CLEAR_SIGNERS, [id, signers]);
  db.touched?.('apiSessions');
  if (signers.length === 0) return;
  await db.execute(SET_SIGNERS, [id, signers]);
}

export function authPolicyStore(db: Db, lists: Lists): AuthPolicyStore {
  return {
    get: async (id) => fromRow(await authPolicy.get(db, id)),
    ofIdentity: (id) => getOne(db, 'identity', OF_IDENTITY, [id], fromRow),
    async isOfOneAbove(id, permissions) {
      const row = await db.one(AUTH_POLICY_HAS_ONE_ABOVE, [id, permissions]);
      return row?.hasOne === true;
    },
    async lockHolders(id) {
      if ((await db.count(LOCK_HOLDERS, [id])) === 0) throw notFound(authPolicy.name, id);
    },
    lockForChange: (id) => getOne(db, authPolicy.name, FOR_CHANGE, [id], fromRow),
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await authPolicy.insert(db, id, changesOf(draft));
      await setSigners(db, id, draft.primary.extJwt.allowedSigners);
    },
    async update(id, changes) {
      await authPolicy.update(db, id, changesOf(changes), changes.primary !== undefined);
      db.touched?.('apiSessions');
      await setSigners(db, id, changes.primary?.extJwt.allowedSigners);
    },
    async remove(id) {
      const row = await db.one(DELETE, [id]);
      if (row === undefined || row.is_system === null) throw notFound(authPolicy.name, id);
      if (row.identities.length > 0) throw inUse('authPolicyId', authPolicy.name, 'identity', row.identities);
      if (row.signers.length > 0) throw inUse('enrollAuthPolicyId', authPolicy.name, 'externalJwtSigner', row.signers);
      if (row.is_system) throw inUse('authPolicyId', authPolicy.name, 'system', [id]);
      if (!row.deleted) throw notFound(authPolicy.name, id);
      db.touched?.('apiSessions');
    },
    async seed(id, name, settings) {
      const rowCount = await db.count(unprepared('SELECT', 'SELECT FROM auth_policies WHERE id = $1'), [id]);
      if (rowCount === 0)
        await insert(db, authPolicy.table, {
          id,
          is_system: true,
          ...authPolicy.valuesOf(changesOf({ ...settings, name })),
        });
    },
  };
}
