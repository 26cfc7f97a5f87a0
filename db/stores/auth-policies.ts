/** Auth policies: which proofs of identity are accepted, and what passwords must look like. */
import type { AuthPolicySettings } from '../../domain/auth/auth-policy.js';
import type { AuthPolicy, Page, Tags } from '../../domain/model.js';
import { notFound } from '../../domain/errors.js';
import type { Db } from '../postgres/contracts.js';
import { inUse } from '../postgres/errors.js';
import { HAS_ONE_ABOVE } from './rights.js';
import { authPolicySymbols } from './symbols.js';
import { BASE_COLUMNS, baseOf, detailSql, getOne, insert, jsonb, selectSql, update } from '../query/table.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { BaseRow, Changes, ListSource } from '../query/table.js';
import { change, locking, read, unprepared } from '../postgres/statement.js';

const AUTH_POLICY = 'authPolicy';

interface Row extends BaseRow {
  name: string;
  cert_allowed: boolean;
  cert_allow_expired: boolean;
  ext_jwt_allowed: boolean;
  updb_allowed: boolean;
  updb_min_password_length: number;
  updb_require_mixed_case: boolean;
  updb_require_number_char: boolean;
  updb_require_special_char: boolean;
  updb_max_attempts: number;
  updb_lockout_minutes: number;
  require_totp: boolean;
  require_ext_jwt_signer_id: string | null;
  signers: string[];
}

const source: ListSource<Row, AuthPolicy> = {
  table: 'auth_policies',
  symbols: authPolicySymbols,
  fromRow,
  columns: [
    ...BASE_COLUMNS,
    'name',
    'cert_allowed',
    'cert_allow_expired',
    'ext_jwt_allowed',
    'updb_allowed',
    'updb_min_password_length',
    'updb_require_mixed_case',
    'updb_require_number_char',
    'updb_require_special_char',
    'updb_max_attempts',
    'updb_lockout_minutes',
    'require_totp',
    'require_ext_jwt_signer_id',
  ],
  extras: `ARRAY (SELECT s.signer_id FROM auth_policy_signers s
    WHERE s.auth_policy_id = t.id ORDER BY s.signer_id) AS signers`,
};

/** The policy `p` allows the signer. @param signerId  SQL: a column or a placeholder */
export const allowsSigner = (signerId: string): string => `(p.ext_jwt_allowed AND (
  NOT EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id)
  OR EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id AND s.signer_id = ${signerId})))`;

const DETAIL = detailSql(source);
const FOR_CHANGE = read<Row>('auth-policy-lock-change', `${DETAIL} FOR NO KEY UPDATE OF t`);
const OF_IDENTITY = read<Row>(
  'auth-policy-of-identity',
  selectSql(source, 'JOIN identities i ON i.auth_policy_id = t.id WHERE i.id = $1'),
);

function fromRow(row: Row): AuthPolicy {
  return {
    name: row.name,
    primary: {
      cert: { allowed: row.cert_allowed, allowExpiredCerts: row.cert_allow_expired },
      extJwt: { allowed: row.ext_jwt_allowed, allowedSigners: row.signers },
      updb: {
        allowed: row.updb_allowed,
        minPasswordLength: row.updb_min_password_length,
        requireMixedCase: row.updb_require_mixed_case,
        requireNumberChar: row.updb_require_number_char,
        requireSpecialChar: row.updb_require_special_char,
        maxAttempts: row.updb_max_attempts,
        lockoutDurationMinutes: row.updb_lockout_minutes,
      },
    },
    secondary: { requireTotp: row.require_totp, requireExtJwtSigner: row.require_ext_jwt_signer_id },
    ...baseOf(row),
  };
}

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
   * Until the transaction ends no other one changes the policy, gives it to an identity or gives rights to one that has
   * it.
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

const AUTH_POLICY_DETAIL = read<Row>('auth-policy-detail', DETAIL);

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

export function authPolicyStore(db: Db, lists: Lists): AuthPolicyStore {
  const setSigners = async (id: string, signers: readonly string[] | undefined) => {
    if (signers === undefined) return;
    await db.execute(CLEAR_SIGNERS, [id, signers]);
    db.touched?.('apiSessions');
    if (signers.length === 0) return;
    await db.execute(SET_SIGNERS, [id, signers]);
  };
  return {
    get: (id) => getOne(db, AUTH_POLICY, AUTH_POLICY_DETAIL, [id], fromRow),
    ofIdentity: (id) => getOne(db, 'identity', OF_IDENTITY, [id], fromRow),
    async isOfOneAbove(id, permissions) {
      const row = await db.one(AUTH_POLICY_HAS_ONE_ABOVE, [id, permissions]);
      return row?.hasOne === true;
    },
    async lockHolders(id) {
      if ((await db.count(LOCK_HOLDERS, [id])) === 0) throw notFound(AUTH_POLICY, id);
    },
    lockForChange: (id) => getOne(db, AUTH_POLICY, FOR_CHANGE, [id], fromRow),
    list: (request) => lists.page(db, source, request),
    async create(id, draft) {
      await insert(db, 'auth_policies', { id, ...valuesOf(draft) });
      await setSigners(id, draft.primary.extJwt.allowedSigners);
    },
    async update(id, changes) {
      await update(db, 'auth_policies', AUTH_POLICY, id, valuesOf(changes), changes.primary !== undefined);
      db.touched?.('apiSessions');
      await setSigners(id, changes.primary?.extJwt.allowedSigners);
    },
    async remove(id) {
      const row = await db.one(DELETE, [id]);
      if (row === undefined || row.is_system === null) throw notFound(AUTH_POLICY, id);
      if (row.identities.length > 0) throw inUse('authPolicyId', AUTH_POLICY, 'identity', row.identities);
      if (row.signers.length > 0) throw inUse('enrollAuthPolicyId', AUTH_POLICY, 'externalJwtSigner', row.signers);
      if (row.is_system) throw inUse('authPolicyId', AUTH_POLICY, 'system', [id]);
      if (!row.deleted) throw notFound(AUTH_POLICY, id);
      db.touched?.('apiSessions');
    },
    async seed(id, name, settings) {
      const rowCount = await db.count(unprepared('SELECT', 'SELECT FROM auth_policies WHERE id = $1'), [id]);
      if (rowCount === 0)
        await insert(db, 'auth_policies', { id, is_system: true, ...valuesOf({ ...settings, name }) });
    },
  };
}

function valuesOf({ name, tags, primary, secondary }: Changes<AuthPolicyDraft>) {
  return {
    name,
    tags: jsonb(tags),
    cert_allowed: primary?.cert.allowed,
    cert_allow_expired: primary?.cert.allowExpiredCerts,
    ext_jwt_allowed: primary?.extJwt.allowed,
    updb_allowed: primary?.updb.allowed,
    updb_min_password_length: primary?.updb.minPasswordLength,
    updb_require_mixed_case: primary?.updb.requireMixedCase,
    updb_require_number_char: primary?.updb.requireNumberChar,
    updb_require_special_char: primary?.updb.requireSpecialChar,
    updb_max_attempts: primary?.updb.maxAttempts,
    updb_lockout_minutes: primary?.updb.lockoutDurationMinutes,
    require_totp: secondary?.requireTotp,
    require_ext_jwt_signer_id: secondary?.requireExtJwtSigner,
  };
}
