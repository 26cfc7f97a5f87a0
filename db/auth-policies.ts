/** Auth policies: which proofs of identity are accepted, and what passwords must look like. */
import type { AuthPolicy } from '../domain/model.js';
import { notFound, raise } from '../domain/errors.js';
import type { Db } from './db.js';
import { BASE_COLUMNS, baseOf } from './table.js';
import type { BaseRow } from './table.js';

interface Row extends BaseRow {
  name: string;
  cert_allowed: boolean;
  cert_allow_expired: boolean;
  ext_jwt_allowed: boolean;
  ext_jwt_allowed_signers: string[];
  updb_allowed: boolean;
  updb_min_password_length: number;
  updb_require_mixed_case: boolean;
  updb_require_number_char: boolean;
  updb_require_special_char: boolean;
  updb_max_attempts: number;
  updb_lockout_minutes: number;
  require_totp: boolean;
  require_ext_jwt_signer_id: string | null;
}

const COLUMNS = [...BASE_COLUMNS, 'name', 'cert_allowed', 'cert_allow_expired', 'ext_jwt_allowed', 'ext_jwt_allowed_signers',
  'updb_allowed', 'updb_min_password_length', 'updb_require_mixed_case', 'updb_require_number_char', 'updb_require_special_char',
  'updb_max_attempts', 'updb_lockout_minutes', 'require_totp', 'require_ext_jwt_signer_id'].map((column) => `p.${column}`).join(', ');

function fromRow(row: Row): AuthPolicy {
  return {
    name: row.name,
    primary: {
      cert: { allowed: row.cert_allowed, allowExpiredCerts: row.cert_allow_expired },
      extJwt: { allowed: row.ext_jwt_allowed, allowedSigners: row.ext_jwt_allowed_signers },
      updb: {
        allowed: row.updb_allowed, minPasswordLength: row.updb_min_password_length,
        requireMixedCase: row.updb_require_mixed_case, requireNumberChar: row.updb_require_number_char,
        requireSpecialChar: row.updb_require_special_char, maxAttempts: row.updb_max_attempts,
        lockoutDurationMinutes: row.updb_lockout_minutes,
      },
    },
    secondary: { requireTotp: row.require_totp, requireExtJwtSigner: row.require_ext_jwt_signer_id },
    ...baseOf(row),
  };
}

export interface AuthPolicyStore {
  get(id: string): Promise<AuthPolicy>;
  /** The policy that governs an identity. @throws DomainError `notFound` naming the identity */
  ofIdentity(identityId: string): Promise<AuthPolicy>;
}

export function authPolicyStore(db: Db): AuthPolicyStore {
  return {
    async get(id) {
      const { rows: [row] } = await db.read<Row>('auth-policy-detail', `SELECT ${COLUMNS} FROM auth_policies p WHERE p.id = $1`, [id]);
      return row ? fromRow(row) : raise(notFound('authPolicy', id));
    },
    async ofIdentity(identityId) {
      const { rows: [row] } = await db.read<Row>('auth-policy-of-identity',
        `SELECT ${COLUMNS} FROM auth_policies p JOIN identities i ON i.auth_policy_id = p.id WHERE i.id = $1`, [identityId]);
      return row ? fromRow(row) : raise(notFound('identity', identityId));
    },
  };
}
