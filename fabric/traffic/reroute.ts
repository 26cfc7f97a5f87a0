/** Leads a circuit that stands over another path between the same two routers; ends it when there is none. */
import { routesOf } from '../../domain/fabric/circuit.js';
import { unrouteMessage } from './circuits.js';
import type { Circuit } from './circuits.js';
import { ROUTE_TIMEOUT_MS, routeMessage } from './route-message.js';
import { REROUTE_ATTEMPT, failureOf } from './route-results.js';
import type { FabricServices } from '../services.js';

const TRIES = 2;

export async function reroute(circuit: Circuit, services: FabricServices): Promise<void> {
  const { circuits, topology } = services.traffic;
  const [first = ''] = circuit.path.routerIds;
  const last = circuit.path.routerIds.at(-1) ?? '';
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const path = topology.pathsFrom(first).get(last);
    if (path === undefined) break;
    if (!(await isRouted({ ...circuit, path }, services))) continue;
    // It may have ended meanwhile: then those that were told now are told to forget it.
    if (circuits.get(circuit.id) === undefined) {
      for (const id of path.routerIds) services.channels.get(id)?.send(unrouteMessage(circuit.id, true));
      return;
    }
    circuits.replace(circuit, path);
    for (const id of circuit.path.routerIds)
      if (!path.routerIds.includes(id)) services.channels.get(id)?.send(unrouteMessage(circuit.id, true));
    return;
  }
  circuits.end(circuit, true);
}

async function isRouted({ id, path, ends, tags }: Circuit, { channels }: FabricServices): Promise<boolean> {
  const results = await Promise.all(
    routesOf(path, ends).map(async (route) => {
      const { routerId } = route;
      const answer = await channels
        .get(routerId)
        ?.request(routeMessage(route, { circuitId: id, attempt: REROUTE_ATTEMPT, tags }), ROUTE_TIMEOUT_MS)
        .catch(() => undefined);
      return answer !== undefined && failureOf(answer, routerId) === undefined;
    }),
  );
  return results.every((isDone) => isDone);
}
