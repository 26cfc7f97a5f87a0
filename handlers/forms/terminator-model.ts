/** The wire forms of a terminator: whole for administrators, short for clients. */
import type { Terminator } from '../../domain/model.js';
import type { TerminatorClientDetail } from '../../generated/client/response.js';
import type { TerminatorDetail } from '../../generated/management/response.js';
import { elementOfRow } from '../element-cache.js';
import { baseFields, linksOf, refTo } from '../fields.js';

export function toTerminatorDetail(terminator: Terminator): TerminatorDetail {
  const { service, router } = terminator;
  return {
    address: terminator.address,
    binding: terminator.binding,
    cost: terminator.cost,
    dynamicCost: terminator.dynamicCost,
    identity: terminator.instanceId,
    precedence: terminator.precedence,
    router: refTo('transit-routers', router),
    routerId: router.id,
    service: refTo('services', service),
    serviceId: service.id,
    ...baseFields(terminator, linksOf('terminators', terminator.id)),
  };
}

export function toTerminatorClientDetail(terminator: Terminator): TerminatorClientDetail {
  const { service, router } = terminator;
  return {
    identity: terminator.instanceId,
    routerId: router.id,
    service: refTo('services', service),
    serviceId: service.id,
    ...baseFields(terminator, linksOf('terminators', terminator.id)),
  };
}

export const TERMINATOR = elementOfRow('terminator', toTerminatorDetail);
export const CLIENT_TERMINATOR = elementOfRow('terminator of a client', toTerminatorClientDetail);
