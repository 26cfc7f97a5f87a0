/** External JWT signers in their wire forms, and the settings that a request gives. */
import { DEFAULT_CLAIM, keySourceOf, requireWebUrl } from '../../domain/auth/external-signer.js';
import type { ExternalJwtSigner, SignerSettings } from '../../domain/auth/external-signer.js';
import { defaultAuthPolicy } from '../../domain/auth/auth-policy.js';
import { invalidField } from '../../domain/errors.js';
import type * as PublicResponse from '../../generated/client/response.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, given, isoTime, linksOf, requireName, tagsFrom } from '../fields.js';

const COLLECTION = 'external-jwt-signers';

export function toExternalJwtSignerDetail(signer: ExternalJwtSigner): Response.ExternalJwtSignerDetail {
  const { certificate, jwksEndpoint } = signer.keySource;
  return {
    audience: signer.audience,
    certPem: certificate?.certPem ?? null,
    claimsProperty: signer.claimsProperty,
    clientId: signer.clientId,
    commonName: certificate?.commonName ?? '',
    enabled: signer.isEnabled,
    enrollAttributeClaimsSelector: signer.enrollAttributeClaimsSelector,
    enrollAuthPolicyId: signer.enrollAuthPolicyId,
    enrollNameClaimsSelector: signer.enrollNameClaimsSelector,
    enrollToCertEnabled: signer.enrollToCertEnabled,
    enrollToTokenEnabled: signer.enrollToTokenEnabled,
    externalAuthUrl: signer.externalAuthUrl,
    fingerprint: certificate?.fingerprint ?? '',
    issuer: signer.issuer,
    jwksEndpoint,
    kid: signer.kid ?? '',
    name: signer.name,
    notAfter: certificate === null ? null : isoTime(certificate.notAfter),
    notBefore: certificate === null ? null : isoTime(certificate.notBefore),
    scopes: [...signer.scopes],
    targetToken: signer.targetToken,
    useExternalId: signer.useExternalId,
    ...baseFields(signer, linksOf(COLLECTION, signer.id)),
  };
}

/** Form for all callers: without its keys, and without tags, which are notes of administrators. */
export function toPublicSigner(signer: ExternalJwtSigner): PublicResponse.ClientExternalJwtSignerDetail {
  return {
    audience: signer.audience,
    clientId: signer.clientId,
    enrollToCertEnabled: signer.enrollToCertEnabled,
    enrollToTokenEnabled: signer.enrollToTokenEnabled,
    externalAuthUrl: signer.externalAuthUrl ?? '',
    name: signer.name,
    scopes: [...signer.scopes],
    targetToken: signer.targetToken,
    ...baseFields({ ...signer, tags: {} }, linksOf(COLLECTION, signer.id)),
  };
}

/** Reads a POST or PUT. @throws DomainError `invalidField`, `badReference`, `signerCertificateInvalid` */
export const signerFrom = (body: Request.ExternalJwtSignerCreate) => ({
  keySource: keySourceOf(given(body.certPem), given(body.jwksEndpoint)),
  ...signerSettingsFrom(body),
  tags: tagsFrom(body.tags),
});

/** Whole settings, of POST and PUT. @throws DomainError `invalidField` */
function signerSettingsFrom(body: Request.ExternalJwtSignerCreate): SignerSettings {
  return {
    name: requireName(body.name),
    issuer: requireText('issuer', body.issuer),
    audience: requireText('audience', body.audience),
    kid: textOrNull(body.kid ?? ''),
    isEnabled: body.enabled,
    useExternalId: body.useExternalId ?? false,
    claimsProperty: claimOrDefault(body.claimsProperty),
    clientId: body.clientId ?? '',
    scopes: body.scopes ?? [],
    externalAuthUrl: webUrlOrNull(body.externalAuthUrl ?? ''),
    targetToken: body.targetToken ?? 'ACCESS',
    enrollToCertEnabled: body.enrollToCertEnabled ?? false,
    enrollToTokenEnabled: body.enrollToTokenEnabled ?? false,
    enrollAuthPolicyId: policyIdOf(body.enrollAuthPolicyId ?? ''),
    enrollNameClaimsSelector: claimOrDefault(body.enrollNameClaimsSelector),
    enrollAttributeClaimsSelector: body.enrollAttributeClaimsSelector ?? '',
  };
}

/** Reads a PATCH: absent and null leave a value, empty resets it. @throws DomainError `invalidField` */
export function signerChangesFrom(body: Request.ExternalJwtSignerPatch): {
  [K in keyof SignerSettings]?: SignerSettings[K] | undefined;
} {
  return {
    name: ifGiven(body.name, requireName),
    issuer: ifGiven(body.issuer, (text) => requireText('issuer', text)),
    audience: ifGiven(body.audience, (text) => requireText('audience', text)),
    kid: ifGiven(body.kid, textOrNull),
    isEnabled: given(body.enabled),
    useExternalId: given(body.useExternalId),
    claimsProperty: ifGiven(body.claimsProperty, claimOrDefault),
    clientId: given(body.clientId),
    scopes: given(body.scopes),
    externalAuthUrl: ifGiven(body.externalAuthUrl, webUrlOrNull),
    targetToken: given(body.targetToken),
    enrollToCertEnabled: given(body.enrollToCertEnabled),
    enrollToTokenEnabled: given(body.enrollToTokenEnabled),
    enrollAuthPolicyId: ifGiven(body.enrollAuthPolicyId, policyIdOf),
    enrollNameClaimsSelector: ifGiven(body.enrollNameClaimsSelector, claimOrDefault),
    enrollAttributeClaimsSelector: given(body.enrollAttributeClaimsSelector),
  };
}

function ifGiven<T, R>(value: T | null | undefined, read: (value: T) => R): R | undefined {
  return value === null || value === undefined ? undefined : read(value);
}

function requireText(field: string, text: string | null): string {
  if (text === null || text === '') throw invalidField(field, `${field} is required`, text);
  return text;
}

const textOrNull = (text: string): string | null => (text === '' ? null : text);
const claimOrDefault = (text: string | null | undefined): string =>
  text == null || text === '' ? DEFAULT_CLAIM : text;
const policyIdOf = (id: string): string => (id === '' ? defaultAuthPolicy.id : id);
const webUrlOrNull = (text: string): string | null => (text === '' ? null : requireWebUrl('externalAuthUrl', text));
