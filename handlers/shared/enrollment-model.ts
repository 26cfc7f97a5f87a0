/** The wire form of an enrollment. */
import type { Enrollment } from '../../domain/model.js';
import type * as Response from '../../generated/management/response.js';
import { baseFields, caRef, identityRef, isoTime, linksOf, refTo } from '../fields.js';

export function toEnrollmentDetail(item: Enrollment): Response.EnrollmentDetail {
  return {
    expiresAt: isoTime(item.expiresAt),
    jwt: item.jwt,
    method: item.method,
    token: item.token,
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
