/** The wire forms of a certificate authority. */
import { invalidField } from '../../domain/errors.js';
import type { Ca, CaSettings, ExternalIdClaim } from '../../domain/credentials.js';
import { requireWorkingClaim } from '../../domain/pki/external-id-claim.js';
import { parseRoleAttributes } from '../../domain/policy/roles.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, caLinks, given, requireName } from '../fields.js';

const DEFAULT_NAME_FORMAT = '[caName]-[commonName]';

export function toCaDetail(ca: Ca): Response.CaDetail {
  return {
    certPem: ca.certPem,
    fingerprint: ca.fingerprint,
    identityNameFormat: ca.identityNameFormat,
    identityRoles: ca.identityRoles,
    isAuthEnabled: ca.isAuthEnabled,
    isAutoCaEnrollmentEnabled: ca.isAutoCaEnrollmentEnabled,
    isOttCaEnrollmentEnabled: ca.isOttCaEnrollmentEnabled,
    isVerified: ca.isVerified,
    name: ca.name,
    verificationToken: ca.verificationToken,
    ...(ca.externalIdClaim === null ? {} : { externalIdClaim: ca.externalIdClaim }),
    ...baseFields(ca, caLinks(ca)),
  };
}

/** A CA of a list. */
export const CA = elementOfRow('CA', toCaDetail);

/** Reads the settings of a POST or PUT. @throws DomainError `invalidField`, `badReference` */
export function caSettingsFrom(body: Request.CaCreate | Request.CaUpdate): CaSettings {
  const claim = given(body.externalIdClaim);
  return {
    name: requireName(body.name),
    isAuthEnabled: body.isAuthEnabled,
    isAutoCaEnrollmentEnabled: body.isAutoCaEnrollmentEnabled,
    isOttCaEnrollmentEnabled: body.isOttCaEnrollmentEnabled,
    identityRoles: parseRoleAttributes(body.identityRoles, 'identityRoles'),
    identityNameFormat: nameFormatFrom(body.identityNameFormat ?? ''),
    externalIdClaim: claim === undefined || Object.keys(claim).length === 0 ? null : claimFrom(claim),
  };
}

export const nameFormatFrom = (format: string): string => (format === '' ? DEFAULT_NAME_FORMAT : format);

/** @throws DomainError `invalidField` for a member that is missing, `badReference` for a claim that cannot work */
export function claimFrom(claim: Partial<ExternalIdClaim>): ExternalIdClaim {
  const member = <K extends keyof ExternalIdClaim>(key: K): ExternalIdClaim[K] => {
    const value = claim[key];
    if (value === undefined)
      throw invalidField(`externalIdClaim.${key}`, `externalIdClaim.${key} in body is required`, undefined);
    return value;
  };
  return requireWorkingClaim({
    index: member('index'),
    location: member('location'),
    matcher: member('matcher'),
    matcherCriteria: member('matcherCriteria'),
    parser: member('parser'),
    parserCriteria: member('parserCriteria'),
  });
}
