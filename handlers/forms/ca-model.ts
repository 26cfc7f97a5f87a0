/** The wire form of a certificate authority. */
import type { Ca } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, caLinks } from '../fields.js';

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
