/** The wire form of an identity, as its administrators and it itself read it. */
import type { EnrollmentSummary, Identity } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, linksOf, refTo } from '../wire.js';
import type { Links } from '../handler.js';

export function toIdentityDetail(identity: Identity, links: Links = identityLinks(identity)): Response.IdentityDetail {
  return {
    appData: identity.appData,
    authPolicy: refTo('auth-policies', { id: identity.authPolicyId, name: identity.authPolicyName }),
    authPolicyId: identity.authPolicyId,
    authenticators: authenticatorsOf(identity),
    defaultHostingCost: identity.defaultHostingCost,
    defaultHostingPrecedence: identity.defaultHostingPrecedence,
    disabled: identity.isDisabled,
    edgeRouterConnectionStatus: 'unknown',
    enrollment: Object.fromEntries(identity.enrollments.map((item) => [item.method, toEnrollmentSummary(item)])),
    envInfo: identity.envInfo,
    externalId: identity.externalId,
    hasApiSession: identity.hasApiSession,
    hasEdgeRouterConnection: false,
    isAdmin: identity.isAdmin,
    isDefaultAdmin: identity.isDefaultAdmin,
    isMfaEnabled: false,
    name: identity.name,
    permissions: identity.permissions as Response.Permissions,
    roleAttributes: identity.roleAttributes,
    sdkInfo: identity.sdkInfo,
    serviceHostingCosts: Object.fromEntries(identity.hostings.flatMap((h) => (h.cost === null ? [] : [[h.serviceId, h.cost]]))),
    serviceHostingPrecedences: Object.fromEntries(identity.hostings.flatMap((h) => (h.precedence === null ? [] : [[h.serviceId, h.precedence]]))),
    type: refTo('identity-types', { id: identity.typeId, name: identity.typeId }),
    typeId: identity.typeId,
    ...(identity.isDisabled ? { disabledAt: isoOrNull(identity.disabledAt), disabledUntil: isoOrNull(identity.disabledUntil) } : {}),
    ...baseFields(identity, links),
  };
}

function identityLinks(identity: Identity): Links {
  return { ...linksOf('identities', identity.id), 'auth-policies': { href: `./auth-policies/${identity.authPolicyId}` } };
}

function isoOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** One of each method: a further certificate of the same identity is found in its list of authenticators. */
function authenticatorsOf(identity: Identity): Response.IdentityAuthenticators {
  const result: Response.IdentityAuthenticators = {};
  for (const item of identity.authenticators) {
    if (item.method === 'updb') result.updb = { id: item.id, username: item.username ?? '' };
    else result.cert ??= { id: item.id, fingerprint: item.fingerprint ?? '' };
  }
  return result;
}

function toEnrollmentSummary(item: EnrollmentSummary) {
  return {
    expiresAt: item.expiresAt.toISOString(), id: item.id, jwt: item.jwt, token: item.token,
    ...(item.ca === null ? {} : { ca: refTo('cas', item.ca), caId: item.ca.id }),
  };
}
