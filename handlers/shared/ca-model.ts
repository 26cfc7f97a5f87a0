/** The wire form of a certificate authority. */
import type { Ca } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields } from '../fields.js';
import type { Links } from '../reply.js';

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

/** `verify` while that is to be done, `jwt` while it enrolls without a token. */
function caLinks({ id, isVerified, isAutoCaEnrollmentEnabled }: Ca): Links {
  const self = `./cas/${id}`;
  return {
    self: { href: self },
    ...(isVerified ? {} : { verify: { href: `${self}/verify` } }),
    ...(isAutoCaEnrollmentEnabled ? { jwt: { href: `${self}/jwt` } } : {}),
  };
}
