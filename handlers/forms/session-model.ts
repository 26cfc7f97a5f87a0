/** The wire forms of a session. */
import { capabilitiesForClients } from '../../domain/router.js';
import { versionTold } from './router-model.js';
import type { Session, SessionRouter } from '../../domain/model.js';
import type { SessionDetail, SessionEdgeRouter } from '../../generated/client/response.js';
import type { SessionManagementDetail } from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, linksOf, refTo } from '../fields.js';

/** Session with the routers that its client can use now. */
export function toSessionDetail(session: Session): SessionDetail {
  const { apiSessionId, service } = session;
  return {
    apiSession: { _links: linksOf('api-sessions', apiSessionId), entity: 'api-sessions', id: apiSessionId },
    apiSessionId,
    edgeRouters: session.edgeRouters.map(toSessionEdgeRouter),
    identityId: session.identityId,
    service: refTo('services', service),
    serviceId: service.id,
    token: session.token,
    type: session.type,
    ...baseFields(session, linksOf('sessions', session.id)),
  };
}

/** Session with the policies that grant it. */
export function toSessionManagementDetail(session: Session): SessionManagementDetail {
  return {
    servicePolicies: session.servicePolicies.map((policy) => refTo('service-policies', policy)),
    ...toSessionDetail(session),
  };
}

/** A session in a list: as its owner sees it, and as administrators do. */
export const SESSION = elementOfRow('own session', toSessionDetail);
export const SESSION_OF_ANY = elementOfRow('session', toSessionManagementDetail);

/** Older clients read `urls`, newer ones `supportedProtocols`. */
export function toSessionEdgeRouter(router: SessionRouter): SessionEdgeRouter {
  return {
    ...versionTold(router),
    appData: router.appData,
    capabilities: router.capabilitiesMask === null ? null : capabilitiesForClients(router.capabilitiesMask),
    cost: router.cost,
    disabled: false,
    hostname: router.hostname,
    isOnline: true,
    name: router.name,
    noTraversal: router.noTraversal,
    supportedProtocols: { ...router.protocols },
    syncStatus: router.syncStatus,
    urls: { ...router.protocols },
  };
}
