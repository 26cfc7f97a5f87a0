/** The wire forms of a session. */
import type { Session } from '../../domain/model.js';
import type { SessionDetail } from '../../generated/client/response.js';
import type { SessionManagementDetail } from '../../generated/management/response.js';
import { baseFields, linksOf, refTo } from '../fields.js';

/** Routers that are online come with it; none is known to be while no router connects to the controller. */
export function toSessionDetail(session: Session): SessionDetail {
  const { apiSessionId, service } = session;
  return {
    apiSession: { _links: linksOf('api-sessions', apiSessionId), entity: 'api-sessions', id: apiSessionId },
    apiSessionId,
    edgeRouters: [],
    identityId: session.identityId,
    service: refTo('services', service),
    serviceId: service.id,
    token: session.token,
    type: session.type,
    ...baseFields(session, linksOf('sessions', session.id)),
  };
}

/** With the policies that grant it. */
export function toSessionManagementDetail(session: Session): SessionManagementDetail {
  return {
    servicePolicies: session.servicePolicies.map((policy) => refTo('service-policies', policy)),
    ...toSessionDetail(session),
  };
}
