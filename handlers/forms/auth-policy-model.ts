/** Auth policies in their wire form, and the settings that a request gives. */
import type { AuthPolicySettings } from '../../domain/auth/auth-policy.js';
import { normalizePasswordRules } from '../../domain/auth/auth-policy.js';
import type { AuthPolicy } from '../../domain/model.js';
import { sortedSet } from '../../domain/sorted-set.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, given, linksOf, requireName, tagsFrom } from '../fields.js';

export function toAuthPolicyDetail(policy: AuthPolicy): Response.AuthPolicyDetail {
  const { primary, secondary } = policy;
  return {
    name: policy.name,
    primary: {
      cert: { allowExpiredCerts: primary.cert.allowExpiredCerts, allowed: primary.cert.allowed },
      extJwt: { allowed: primary.extJwt.allowed, allowedSigners: [...primary.extJwt.allowedSigners] },
      updb: {
        allowed: primary.updb.allowed,
        lockoutDurationMinutes: primary.updb.lockoutDurationMinutes,
        maxAttempts: primary.updb.maxAttempts,
        minPasswordLength: primary.updb.minPasswordLength,
        requireMixedCase: primary.updb.requireMixedCase,
        requireNumberChar: primary.updb.requireNumberChar,
        requireSpecialChar: primary.updb.requireSpecialChar,
      },
    },
    secondary: { requireExtJwtSigner: secondary.requireExtJwtSigner, requireTotp: secondary.requireTotp },
    ...baseFields(policy, linksOf('auth-policies', policy.id)),
  };
}

/** Reads a POST or PUT. @throws DomainError `invalidField` */
export const authPolicyFrom = (body: Request.AuthPolicyCreate) => ({
  name: requireName(body.name),
  tags: tagsFrom(body.tags),
  ...settingsFrom(body),
});

/**
 * Whole settings, of POST and PUT: a signer that is absent, null or empty is none.
 */
function settingsFrom({ primary, secondary }: Request.AuthPolicyCreate): AuthPolicySettings {
  return {
    primary: {
      cert: { allowed: primary.cert.allowed, allowExpiredCerts: primary.cert.allowExpiredCerts },
      extJwt: { allowed: primary.extJwt.allowed, allowedSigners: sortedSet(primary.extJwt.allowedSigners) },
      updb: normalizePasswordRules(primary.updb),
    },
    secondary: { requireTotp: secondary.requireTotp, requireExtJwtSigner: signerFrom(secondary.requireExtJwtSigner) },
  };
}

/** Settings with what a PATCH gives: absent and null leave a value as it is. */
export function settingsWith(
  present: AuthPolicySettings,
  { primary, secondary }: Pick<Request.AuthPolicyPatch, 'primary' | 'secondary'>,
): AuthPolicySettings {
  const { cert, extJwt, updb } = present.primary;
  const rules = updb;
  const asked = primary?.updb;
  return {
    primary: {
      cert: {
        allowed: given(primary?.cert?.allowed) ?? cert.allowed,
        allowExpiredCerts: given(primary?.cert?.allowExpiredCerts) ?? cert.allowExpiredCerts,
      },
      extJwt: {
        allowed: given(primary?.extJwt?.allowed) ?? extJwt.allowed,
        allowedSigners:
          primary?.extJwt?.allowedSigners == null ? extJwt.allowedSigners : sortedSet(primary.extJwt.allowedSigners),
      },
      updb: normalizePasswordRules({
        allowed: asked?.allowed ?? rules.allowed,
        lockoutDurationMinutes: asked?.lockoutDurationMinutes ?? rules.lockoutDurationMinutes,
        maxAttempts: asked?.maxAttempts ?? rules.maxAttempts,
        minPasswordLength: asked?.minPasswordLength ?? rules.minPasswordLength,
        requireMixedCase: asked?.requireMixedCase ?? rules.requireMixedCase,
        requireNumberChar: asked?.requireNumberChar ?? rules.requireNumberChar,
        requireSpecialChar: asked?.requireSpecialChar ?? rules.requireSpecialChar,
      }),
    },
    secondary: {
      requireTotp: secondary?.requireTotp ?? present.secondary.requireTotp,
      requireExtJwtSigner:
        secondary?.requireExtJwtSigner == null
          ? present.secondary.requireExtJwtSigner
          : signerFrom(secondary.requireExtJwtSigner),
    },
  };
}

const signerFrom = (id: string | null | undefined): string | null => (id == null || id === '' ? null : id);
