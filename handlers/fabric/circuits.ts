/** Circuits that stand, as the controllers know them that made them. */
import type { ShownCircuit } from '../../domain/fabric/link.js';
import type * as Response from '../../generated/fabric-api/response.js';
import { listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { baseFields } from '../fields.js';
import { linksAt, refAt } from './links-at.js';

function toCircuitDetail(circuit: ShownCircuit): Response.CircuitDetail {
  const { id, createdAt, clientId, terminatorId } = circuit;
  return {
    clientId,
    path: {
      links: circuit.linkIds.map((linkId) => refAt('links', { id: linkId, name: linkId })),
      nodes: circuit.routers.map((router) => refAt('routers', router)),
    },
    service: refAt('services', circuit.service),
    terminator: refAt('terminators', { id: terminatorId, name: terminatorId }),
    ...baseFields({ id, createdAt, updatedAt: createdAt, tags: {} }, linksAt('circuits', id)),
  };
}

/** GET /circuits. */
export const listCircuits: Handler<'fabric', 'listCircuits'> = async ({ query }, { stores }) =>
  listOf(await stores.circuits.list(query), toCircuitDetail);

/** GET /circuits/{id}. Fails: `notFound`. */
export const detailCircuit: Handler<'fabric', 'detailCircuit'> = async ({ params }, { stores }) =>
  ok(toCircuitDetail(await stores.circuits.get(params.id)));

/** DELETE /circuits/{id}. Fails: `notFound`. */
export const deleteCircuit: Handler<'fabric', 'deleteCircuit'> = async ({ params, body }, { stores }) => {
  await stores.circuits.remove(params.id, body?.immediate ?? false);
  return noData();
};
