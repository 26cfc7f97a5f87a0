/** Leads a circuit that stands over another path between the same two routers; ends it when there is none. */
import { routesOf } from '../../domain/fabric/circuit.js';
import type { ConnectedChannels } from '../channel/channel.js';
import { unroute } from './circuits.js';
import type { Circuit, Circuits } from './circuits.js';
import { ROUTE_TIMEOUT_MS, routeMessage } from './route-message.js';
import { REROUTE_ATTEMPT, routeFailureOf } from './route-results.js';
import type { Topology } from '../links/topology.js';

export interface RerouteParts {
  readonly circuits: Circuits;
  readonly topology: Pick<Topology, 'path'>;
  readonly channels: Pick<ConnectedChannels, 'get'>;
}

const TRIES = 2;

/**
 * @param isOptional  its path holds: it stays there without another one, and goes back there when routers refuse that
 */
export async function reroute(circuit: Circuit, parts: RerouteParts, isOptional: boolean): Promise<void> {
  const { circuits, topology, channels } = parts;
  const [first = ''] = circuit.path.routerIds;
  const last = circuit.path.routerIds.at(-1) ?? '';
  /** Routers that know of it: those of its path, and of every path that was tried. */
  const touched = new Set(circuit.path.routerIds);
  const tries = isOptional ? TRIES + 1 : TRIES;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const path = isOptional && attempt === 1 ? circuit.path : topology.path(first, last);
    if (path === undefined && attempt === 0 && isOptional) return;
    if (path === undefined) break;
    for (const id of path.routerIds) touched.add(id);
    const isDone = await isRouted({ ...circuit, path }, parts);
    // It may have ended meanwhile.
    if (circuits.get(circuit.id) === undefined) break;
    if (!isDone) continue;
    circuits.replace(circuit, path);
    unroute(circuit.id, touched, channels, { kept: path.routerIds });
    return;
  }
  circuits.forget(circuit);
  unroute(circuit.id, touched, channels);
}

async function isRouted({ id, path, ends, tags }: Circuit, { channels }: RerouteParts): Promise<boolean> {
  const results = await Promise.all(
    routesOf(path, ends).map(async (route) => {
      const { routerId } = route;
      const answer = await channels
        .get(routerId)
        ?.request(routeMessage(route, { circuitId: id, attempt: REROUTE_ATTEMPT, tags }), ROUTE_TIMEOUT_MS)
        .catch(() => undefined);
      return answer !== undefined && routeFailureOf(answer, routerId) === undefined;
    }),
  );
  return results.every((isDone) => isDone);
}
