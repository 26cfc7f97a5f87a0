/** The wire form of an enrollment. */
import { mayEnroll } from '../../domain/auth/rights.js';
import type { Rights } from '../../domain/auth/rights.js';
import type { Enrollment } from '../../domain/credentials.js';
import type * as Response from '../../generated/management/response.js';
import { elementOfRow, nameFor } from '../element-cache.js';
import { baseFields, caRef, identityRef, isoTime, linksOf, refTo } from '../fields.js';

/** Form for `caller`: only those who may make such enrollments get the token and the JWT. */
export function toEnrollmentDetail(item: Enrollment, caller: Rights): Response.EnrollmentDetail {
  const isShown = mayEnroll(caller, item.identity === null ? 'router' : 'identity');
  return {
    expiresAt: isoTime(item.expiresAt),
    ...(isShown ? { jwt: item.jwt } : {}),
    method: item.method,
    token: isShown ? item.token : '',
    ...(item.identity === null ? {} : { identity: identityRef(item.identity), identityId: item.identity.id }),
    ...(item.edgeRouter === null
      ? {}
      : { edgeRouter: refTo('edge-routers', item.edgeRouter), edgeRouterId: item.edgeRouter.id }),
    ...(item.transitRouter === null
      ? {}
      : { transitRouter: refTo('transit-routers', item.transitRouter), transitRouterId: item.transitRouter.id }),
    ...(item.ca === null ? {} : { ca: caRef(item.ca), caId: item.ca.id }),
    ...(item.username === null ? {} : { username: item.username }),
    ...baseFields(item, linksOf('enrollments', item.id)),
  };
}

/** An enrollment of a list as `caller` may read it. */
export const enrollmentFor = (caller: Rights) =>
  elementOfRow(nameFor('enrollment', caller), (item: Enrollment) => toEnrollmentDetail(item, caller));
