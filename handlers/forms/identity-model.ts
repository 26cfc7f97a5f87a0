/** The wire form of an identity, as its administrators and it itself read it. */
import { isAbove, mayEnroll } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import type { EnrollmentSummary } from '../../domain/credentials.js';
import type { Hosting, Identity, Page, LazyRow } from '../../domain/model.js';
import type { EdgeConnection } from '../../domain/router.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, caRef, identityLinks, isoTime, isoTimeOrNull, refTo } from '../fields.js';
import type { Context } from '../context.js';
import { keptListOf } from '../handler.js';
import { nameFor } from '../element-cache.js';
import type { ElementKind } from '../element-cache.js';
import type { ListReply } from '../reply.js';

/**
 * Form for `caller`: enrollments of an identity above the caller are left out, and tokens of all others for those who
 * may not make such enrollments.
 */
export function toIdentityDetail(
  identity: Identity,
  caller: Rights,
  edgeRouterConnectionStatus: EdgeConnection,
  { links = identityLinks(identity), showsTokens = mayEnroll(caller, 'identity') } = {},
): Response.IdentityDetail {
  const { isAdmin, isDefaultAdmin, permissions } = identity;
  const isHidden = isAbove({ isAdmin: isAdmin || isDefaultAdmin, permissions }, caller);
  return {
    appData: identity.appData,
    authPolicy: refTo('auth-policies', { id: identity.authPolicyId, name: identity.authPolicyName }),
    authPolicyId: identity.authPolicyId,
    authenticators: authenticatorsOf(identity),
    defaultHostingCost: identity.defaultHostingCost,
    defaultHostingPrecedence: identity.defaultHostingPrecedence,
    disabled: identity.isDisabled,
    edgeRouterConnectionStatus,
    enrollment: byKey(
      isHidden ? [] : identity.enrollments,
      ({ method }) => method,
      (item) => toEnrollmentSummary(item, showsTokens),
    ),
    envInfo: identity.envInfo,
    externalId: identity.externalId,
    hasApiSession: identity.hasApiSession,
    hasEdgeRouterConnection: edgeRouterConnectionStatus === 'online',
    isAdmin: identity.isAdmin,
    isDefaultAdmin: identity.isDefaultAdmin,
    isMfaEnabled: identity.isMfaEnabled,
    name: identity.name,
    permissions: identity.permissions.length === 0 ? null : (identity.permissions as Response.Permissions),
    roleAttributes: identity.roleAttributes,
    sdkInfo: identity.sdkInfo,
    serviceHostingCosts: byKey(identity.hostings, serviceOf, ({ cost }) => cost),
    serviceHostingPrecedences: byKey(identity.hostings, serviceOf, ({ precedence }) => precedence),
    type: refTo('identity-types', { id: identity.typeId, name: identity.typeId }),
    typeId: identity.typeId,
    ...(identity.isDisabled
      ? { disabledAt: isoTimeOrNull(identity.disabledAt), disabledUntil: isoTimeOrNull(identity.disabledUntil) }
      : {}),
    ...baseFields(identity, links),
  };
}

/** A page of identities as `caller` may read them. */
export function listOfIdentities(
  page: Page<LazyRow<Identity>>,
  caller: Rights,
  { edgeConnections, elementCache }: Pick<Context, 'edgeConnections' | 'elementCache'>,
): ListReply<200, Response.IdentityDetail> {
  const kind: ElementKind<Identity, Response.IdentityDetail, EdgeConnection> = {
    name: nameFor('identity', caller),
    contextOf: ({ id }) => edgeConnections.of(id),
    make: (identity, connection) => toIdentityDetail(identity, caller, connection),
  };
  return keptListOf(page, kind, elementCache);
}

const serviceOf = ({ serviceId }: Hosting): string => serviceId;

/**
 * Maps each item by its key, without those for which `value` returns undefined. Most identities have no items at all.
 */
function byKey<T, V>(
  items: readonly T[],
  key: (item: T) => string,
  value: (item: T) => V | null,
): Record<string, NonNullable<V>> {
  const result: Record<string, NonNullable<V>> = {};
  for (const item of items) {
    const made = value(item);
    if (made !== null && made !== undefined) result[key(item)] = made;
  }
  return result;
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

function toEnrollmentSummary(item: EnrollmentSummary, showsTokens: boolean) {
  return {
    expiresAt: isoTime(item.expiresAt),
    id: item.id,
    ...(showsTokens ? { jwt: item.jwt } : {}),
    token: showsTokens ? item.token : '',
    ...(item.ca === null ? {} : { ca: caRef(item.ca), caId: item.ca.id }),
  };
}
