/** The wire form of a terminator, for all lists that have them. */
import type { Terminator } from '../../domain/model.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { baseFields } from '../fields.js';
import { linksAt, refAt } from './links-at.js';

export function toFabricTerminator(terminator: Terminator): Response.TerminatorDetail {
  const { service, router } = terminator;
  return {
    address: terminator.address,
    binding: terminator.binding,
    cost: terminator.cost,
    dynamicCost: terminator.dynamicCost,
    hostId: terminator.hostId,
    instanceId: terminator.instanceId,
    precedence: terminator.precedence,
    router: refAt('routers', router),
    routerId: router.id,
    service: refAt('services', service),
    serviceId: service.id,
    ...baseFields(terminator, linksAt('terminators', terminator.id)),
  };
}
