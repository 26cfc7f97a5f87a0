/**
 * Auth policies: which credentials an identity may use, what a password must look like, and when guessing ends.
 * Decisions only: the caller counts attempts and disables the identity.
 */
import { invalidField } from '../errors.js';

/** Settings of an auth policy, apart from name and tags. */
export interface AuthPolicySettings {
  readonly primary: {
    readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean };
    /** `allowedSigners` are ids of external JWT signers; empty allows every one. */
    readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly string[] };
    readonly updb: PasswordRules;
  };
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwtSigner: string | null };
}

export interface PasswordRules {
  readonly allowed: boolean;
  /** 0: until an administrator enables the identity again. */
  readonly lockoutDurationMinutes: number;
  /** Consecutive wrong passwords until the identity is disabled; 0: no limit. */
  readonly maxAttempts: number;
  /** Shortest password, in characters (code points). */
  readonly minPasswordLength: number;
  readonly requireMixedCase: boolean;
  readonly requireNumberChar: boolean;
  readonly requireSpecialChar: boolean;
}

/** The built-in policy, for identities that name no other. */
export const defaultAuthPolicy = { id: 'default', name: 'Default' } as const;
export const defaultAuthPolicySettings: AuthPolicySettings = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: true },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 0,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: null },
};

/** How an identity that enrolls by itself is to log in: with its certificate, or with tokens of this signer. */
export type EnrolledLogin = { readonly by: 'certificate' } | { readonly by: 'token'; readonly signerId: string };

/** Why the policy refuses such logins; undefined: it allows them. */
export function loginFault(
  { primary: { cert, extJwt } }: Pick<AuthPolicySettings, 'primary'>,
  login: EnrolledLogin,
): string | undefined {
  if (login.by === 'certificate') return cert.allowed ? undefined : 'the auth policy allows no login with certificates';
  if (!extJwt.allowed) return 'the auth policy allows no login with tokens';
  return extJwt.allowedSigners.length === 0 || extJwt.allowedSigners.includes(login.signerId)
    ? undefined
    : 'the auth policy allows no login with tokens of this signer';
}

/** No policy asks for less, and none accepts more: the limits of the API's password type. */
const SHORTEST_PASSWORD = 5;
const LONGEST_PASSWORD = 100;

/**
 * The rules as stored: a `minPasswordLength` below 5 is raised to 5, above 100 it could never be met. The other numbers
 * are raised to 0, which means no limit.
 */
export function normalizePasswordRules(rules: PasswordRules): PasswordRules {
  return {
    ...rules,
    minPasswordLength: Math.min(Math.max(rules.minPasswordLength, SHORTEST_PASSWORD), LONGEST_PASSWORD),
    maxAttempts: Math.max(rules.maxAttempts, 0),
    lockoutDurationMinutes: Math.max(rules.lockoutDurationMinutes, 0),
  };
}

/**
 * Checks a password that is about to be set; never a login. The error names all that is missing.
 * @throws DomainError `invalidField` on `field`; its value is hidden, never the password
 */
export function checkPassword(policy: Pick<AuthPolicySettings, 'primary'>, password: string, field = 'password'): void {
  const rules = normalizePasswordRules(policy.primary.updb);
  const length = [...password].length;
  const faults = [
    length < rules.minPasswordLength && `have at least ${rules.minPasswordLength} characters`,
    length > LONGEST_PASSWORD && `have at most ${LONGEST_PASSWORD} characters`,
    rules.requireMixedCase &&
      !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password)) &&
      'mix upper and lower case letters',
    rules.requireNumberChar && !/\p{Nd}/u.test(password) && 'contain a digit',
    rules.requireSpecialChar && !/[^\p{L}\p{M}\p{N}\s]/u.test(password) && 'contain a special character',
  ].filter((fault) => fault !== false);
  if (faults.length === 0) return;
  const reason = `${field} must ${faults.join(', must ')}`;
  throw invalidField(field, reason, '<hidden>', reason);
}
